// Formulas that only calls reach.
#include "state.h"

double pressure(double density, double energy) {
  const double floor = 1e-6, value = 0.4 * density * energy;
  return value > floor ? value : floor;
}

double stiff(double density, double energy) { return 1.4 * density * energy - 0.1; }
