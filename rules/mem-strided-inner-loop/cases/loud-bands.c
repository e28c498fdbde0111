// Two bands of rows, the second of which begins at a row that is known at run time only: both lie in the same column.
void smooth(float *restrict to, const float *restrict from, int width, int height, int border) {
  for (int c = 0; c < width; c++) {
    // expect: mem-strided-inner-loop medium "4 * width bytes" "4 bytes"
    for (int r = 0; r < border; r++)
      to[r * width + c] = from[r * width + c];
    // expect: mem-strided-inner-loop medium "4 * width bytes" "4 bytes"
    for (int r = border; r < height; r++)
      to[r * width + c] = 0.5f * (from[(r - 1) * width + c] + from[r * width + c]);
  }
}

// The first band of each column needs the second one of the column before.
void carry(float *to, int width, int height, int border) {
  for (int c = 1; c < width; c++) {
    for (int r = 0; r < border; r++)
      to[r * width + c] = to[(r + border) * width + c - 1];
    for (int r = border; r < height; r++)
      to[r * width + c] += 0.5f * to[(r - border) * width + c];
  }
}
