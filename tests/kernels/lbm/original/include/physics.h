// The lattice-Boltzmann method in two dimensions with nine directions and a single relaxation time.
#ifndef LBM_PHYSICS_H
#define LBM_PHYSICS_H

#include "config.h"
#include "mesh.h"

static const int direction_x[DIRECTIONS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int direction_y[DIRECTIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

/// Density of a cell; its mean velocity goes to `velocity`.
static inline double cell_macroscopic(const double *cell, double velocity[2]) {
  double density = 0.0;
  double flow_x = 0.0;
  double flow_y = 0.0;
  for (int k = 0; k < DIRECTIONS; k++) {
    density += cell[k];
    flow_x += cell[k] * direction_x[k];
    flow_y += cell[k] * direction_y[k];
  }
  velocity[0] = flow_x / density;
  velocity[1] = flow_y / density;
  return density;
}

void cell_set_equilibrium(double *cell, double density, const double velocity[2]);
/// Reflects what came into the cell.
void cell_bounce_back(double *cell);
/// Speed of the undisturbed flow at height y of the domain.
double poiseuille_speed(const Config *config, int y);

/// Every cell at rest with density 1, ghost cells too.
void initialise(Mesh *mesh);

// Both share their loop among the threads of the surrounding parallel region.
void collision(const Mesh *out, const Mesh *in, double relaxation);
void propagation(const Mesh *out, const Mesh *in);

#endif
