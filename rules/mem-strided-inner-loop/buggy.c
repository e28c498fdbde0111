// Smooths a grid whose fast index is y; the inner loop runs over x, so every step lands a whole column further on.
// fixes: mem-strided-inner-loop
#include <stdio.h>
#include <stdlib.h>

struct grid {
  double *values;
  int width;
  int height;
};

static inline double *at(const struct grid *grid, int x, int y) { return &grid->values[x * grid->height + y]; }

static void fill(const struct grid *grid) {
  for (int x = 0; x < grid->width; x++)
    for (int y = 0; y < grid->height; y++)
      *at(grid, x, y) = (x * 7 + y * 3) % 16;
}

static void smooth(const struct grid *out, const struct grid *in) {
  for (int y = 1; y < in->height - 1; y++)
    // expect: mem-strided-inner-loop medium "a whole row" "8 bytes" fix
    for (int x = 1; x < in->width - 1; x++)
      *at(out, x, y) = 0.25 * (*at(in, x - 1, y) + *at(in, x + 1, y) + *at(in, x, y - 1) + *at(in, x, y + 1));
}

static double total(const struct grid *grid) {
  double sum = 0.0;
  for (int x = 0; x < grid->width; x++)
    for (int y = 0; y < grid->height; y++)
      sum += *at(grid, x, y);
  return sum;
}

int main(int argc, char **argv) {
  struct grid in = {.width = argc > 1 ? atoi(argv[1]) : 1200, .height = argc > 2 ? atoi(argv[2]) : 1000};
  struct grid out = in;
  const size_t cells = (size_t)in.width * (size_t)in.height;
  in.values = malloc(cells * sizeof *in.values);
  out.values = malloc(cells * sizeof *out.values);
  if (in.values == NULL || out.values == NULL)
    return 1;
  fill(&in);
  fill(&out);
  smooth(&out, &in);
  smooth(&in, &out);
  printf("%.6f\n", total(&in));
  free(in.values);
  free(out.values);
  return 0;
}
