// Calls of innermost loops that test nothing; the one assertion stands before the loops.
#include <assert.h>
#include <stddef.h>

double pressure(double density, double energy);

void close_equations(double *p, const double *density, const double *energy, size_t n) {
  assert(p != density && p != energy);
  for (size_t i = 0; i < n; i++)
    p[i] = pressure(density[i], energy[i]);
}
