// Numbers that a function of another unit, or one behind a pointer, makes of the numbers of a cell: an equation of
// state, the factor of a filter.
#include <cstddef>

double pressure(double density, double energy);

struct Filter {
  virtual ~Filter() = default;
  virtual double factor(double kx, double ky) const = 0;
};

void close(double p[][1000], const double density[][1000], const double energy[][1000], int rows) {
  for (int j = 0; j < 1000; j++)
    // expect: mem-strided-inner-loop medium "over 'j' the step is 8 bytes" "provided that" "the functions that"
    for (int i = 0; i < rows; i++)
      p[i][j] = pressure(density[i][j], energy[i][j]);
}

void smooth(double *h, const double *kx, const double *ky, const Filter &filter, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    // expect: mem-strided-inner-loop medium "over 'j' the step is 8 bytes" "the functions that"
    for (int i = 0; i < rows; i++)
      h[static_cast<std::size_t>(i) * columns + j] *= filter.factor(kx[i], ky[j]);
}
