#include "physics.h"

static const int opposite[DIRECTIONS] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double weight[DIRECTIONS] = {4.0 / 9.0,  1.0 / 9.0,  1.0 / 9.0,  1.0 / 9.0, 1.0 / 9.0,
                                          1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0};

static double equilibrium(double density, const double velocity[2], int k) {
  const double along = direction_x[k] * velocity[0] + direction_y[k] * velocity[1];
  const double square = velocity[0] * velocity[0] + velocity[1] * velocity[1];
  return weight[k] * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
}

void cell_set_equilibrium(double *cell, double density, const double velocity[2]) {
  for (int k = 0; k < DIRECTIONS; k++)
    cell[k] = equilibrium(density, velocity, k);
}

void cell_bounce_back(double *cell) {
  double before[DIRECTIONS];
  for (int k = 0; k < DIRECTIONS; k++)
    before[k] = cell[k];
  for (int k = 0; k < DIRECTIONS; k++)
    cell[k] = before[opposite[k]];
}

static void cell_collide(double *out, const double *in, double relaxation) {
  double velocity[2];
  const double density = cell_macroscopic(in, velocity);
  for (int k = 0; k < DIRECTIONS; k++)
    out[k] = in[k] - relaxation * (in[k] - equilibrium(density, velocity, k));
}

double poiseuille_speed(const Config *config, int y) {
  const double position = (double)y / (config->height - 1);
  return 4.0 * config->inflow_speed * position * (1.0 - position);
}

void initialise(Mesh *mesh) {
  const double rest[2] = {0.0, 0.0};
  for (int i = 0; i < mesh->width; i++)
    for (int j = 0; j < mesh->height; j++)
      cell_set_equilibrium(mesh_cell(mesh, i, j), 1.0, rest);
}

void collision(const Mesh *out, const Mesh *in, double relaxation) {
#pragma omp for schedule(static)
  for (int i = 1; i < in->width - 1; i++)
    for (int j = 1; j < in->height - 1; j++)
      cell_collide(mesh_cell(out, i, j), mesh_cell(in, i, j), relaxation);
}

void propagation(const Mesh *out, const Mesh *in) {
#pragma omp for schedule(static)
  for (int i = 1; i < in->width - 1; i++)
    for (int j = 1; j < in->height - 1; j++)
      for (int k = 0; k < DIRECTIONS; k++)
        mesh_cell(out, i, j)[k] = mesh_cell(in, i - direction_x[k], j - direction_y[k])[k];
}
