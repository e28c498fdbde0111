double largest(double **rows, int height, int width) {
  double best = rows[0][0];
  for (int j = 0; j < width; j++)
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes" fix
    for (int i = 0; i < height; i++)
      best = rows[i][j] > best ? rows[i][j] : best;
  return best;
}
