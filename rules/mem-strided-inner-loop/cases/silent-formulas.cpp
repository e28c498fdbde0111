// Functions of which nobody knows what they do: a generator that gets nothing of the cell, one that gets the array, and
// one that this unit shows to count.
#include <cstddef>

double noise(double width);
double relaxed(const double *array, double value);

static double last;
static double series(double value, double weight, int terms) {
  last = weight * last + value;
  return terms > 0 ? last * series(value, weight, terms - 1) + series(value, weight, terms - 2) : last;
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
      p[static_cast<std::size_t>(i) * columns + j] = series(p[static_cast<std::size_t>(i) * columns + j], w[j], 9);
}
