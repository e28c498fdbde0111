// A recursive filter down the columns of an image: the state of a column is carried from row to row, and every column
// has its own, so whole rows can be filtered at once.
#include <stdio.h>

enum { WIDTH = 900, HEIGHT = 700 };

static float image[HEIGHT][WIDTH], smooth[HEIGHT][WIDTH];

static void filter(float (*out)[WIDTH], float (*in)[WIDTH]) {
  for (int x = 0; x < WIDTH; x++) {
    float before = 0.0f, twice = 0.0f;
    // expect: mem-strided-inner-loop medium "3600 bytes" "4 bytes"
    for (int y = 0; y < HEIGHT; y++) {
      out[y][x] = 0.5f * in[y][x] + 0.375f * before + 0.125f * twice;
      twice = before;
      before = out[y][x];
    }
  }
}

int main(void) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      image[y][x] = (float)((x + y) % 8);
  filter(smooth, image);
  printf("%.4f\n", (double)smooth[99][50]);
  return 0;
}
