#include "layer.h"

// A sum that is stored does not change the communicator.
void contents(const double *cell, int n, const struct team *team, double *volume, double *heat) {
  double v = 0.0, h = 0.0;
  for (int i = 0; i < n; i++) {
    v += cell[2 * i];
    h += cell[2 * i + 1];
  }
  // expect: mpi-fusable-collectives medium "that of line 12" "MPI_Allreduce"
  *volume = team_sum(v, team);
  *heat = team_sum(h, team);
}

// A number does not change it either, but a pointer that goes there may.
void contents_of_any(const double *cell, struct team *team, double *volume, double *heat, void **other, void *to) {
  *volume = team_sum(cell[0], team);
  *other = to;
  *heat = team_sum(cell[1], team);
}

double norm(const double *r, const double *x, int n, int rounds) {
  double rr = 0.0, xx = 0.0;
  for (int k = 0; k < rounds; k++) {
    rr = xx = 0.0;
    for (int i = 0; i < n; i++) {
      rr += r[i] * r[i];
      xx += x[i] * x[i];
    }
    // expect: mpi-fusable-collectives medium "that of line 32"
    add_up(&rr);
    add_up(&xx);
    if (rr < 1e-9 * xx)
      break;
  }
  return rr;
}

// The second one needs the first one's result.
double scaled(const double *r, int n) {
  double rr = 0.0, ss = 0.0;
  for (int i = 0; i < n; i++)
    rr += r[i] * r[i];
  add_up(&rr);
  for (int i = 0; i < n; i++)
    ss += r[i] / rr;
  add_up(&ss);
  return ss;
}
