// Both loops run over the same length: neither is the border of the other.
void halve(double *plane, int n) {
  for (int column = 0; column < n; column++)
    // expect: mem-strided-inner-loop medium "8 * n bytes" "8 bytes" fix
    for (int row = 0; row < n; row++)
      plane[row * n + column] *= 0.5;
}
