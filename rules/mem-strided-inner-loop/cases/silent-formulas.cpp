// Functions of which nobody knows what they do: a generator that gets nothing of the cell, one that gets the array, and
// one that this unit shows to count.
#include <cstddef>

double noise(double width);
double relaxed(const double *array, double value);

static double last;
__attribute__((noinline)) static double smoothed(double value, double weight) {
  last = weight * last + value;
  return last;
}

void shake(double *p, double width, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      p[static_cast<std::size_t>(i) * columns + j] += noise(width);
}

void relax(double *p, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      p[static_cast<std::size_t>(i) * columns + j] =
          relaxed(p + static_cast<std::size_t>(i) * columns, p[static_cast<std::size_t>(i) * columns + j]);
}

void filter(double *p, const double *w, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      p[static_cast<std::size_t>(i) * columns + j] = smoothed(p[static_cast<std::size_t>(i) * columns + j], w[j]);
}
