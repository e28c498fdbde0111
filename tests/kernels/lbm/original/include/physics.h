// The lattice-Boltzmann method in two dimensions with nine directions and a single relaxation time.
#ifndef LBM_PHYSICS_H
#define LBM_PHYSICS_H

#include "config.h"
#include "mesh.h"

/// Density of a cell; its mean velocity goes to `velocity`.
double cell_macroscopic(const double *cell, double velocity[2]);
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
