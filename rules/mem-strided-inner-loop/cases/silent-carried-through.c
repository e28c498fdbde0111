// A filter that goes on from the end of one column to the start of the next, and a code of each column's elements in
// which every element depends on all before it: neither has an order by rows.
#include <stdio.h>

enum { WIDTH = 900, HEIGHT = 700 };

static float image[HEIGHT][WIDTH], smooth[HEIGHT][WIDTH];

static void filter(float (*out)[WIDTH], float (*in)[WIDTH]) {
  float before = 0.0f;
  for (int x = 0; x < WIDTH; x++)
    for (int y = 0; y < HEIGHT; y++) {
      out[y][x] = 0.5f * in[y][x] + 0.5f * before;
      before = out[y][x];
    }
}

static unsigned code(float (*in)[WIDTH]) {
  unsigned sum = 17;
  for (int x = 0; x < WIDTH; x++)
    for (int y = 0; y < HEIGHT; y++)
      sum = sum * 31 + (unsigned)in[y][x];
  return sum;
}

int main(void) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      image[y][x] = (float)((x + y) % 8);
  filter(smooth, image);
  printf("%.4f %u\n", (double)smooth[99][50], code(image));
  return 0;
}
