// flags: -fopenmp
#define AT(array, x, y) (array)[(long)(x) * height + (y)]

void diffuse(double *restrict out, const double *restrict in, int width, int height) {
#pragma omp parallel for schedule(static)
  for (int y = 1; y < height - 1; y++)
    // expect: mem-strided-inner-loop medium "8 * height bytes" "8 bytes"
    for (int x = 1; x < width - 1; x++)
      AT(out, x, y) = 0.25 * (AT(in, x - 1, y) + AT(in, x + 1, y) + AT(in, x, y - 1) + AT(in, x, y + 1));
}
