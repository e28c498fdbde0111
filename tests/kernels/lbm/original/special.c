#include "special.h"

#include "physics.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static SpecialKind kind_at(const Config *config, int x, int y) {
  const int dx = x - config->obstacle_x;
  const int dy = y - config->obstacle_y;
  if (y == 0 || y == config->height - 1 || dx * dx + dy * dy <= config->obstacle_radius * config->obstacle_radius)
    return SPECIAL_WALL;
  if (x == 0)
    return SPECIAL_INFLOW;
  return x == config->width - 1 ? SPECIAL_OUTFLOW : SPECIAL_NONE;
}

void special_create(SpecialCells *specials, const Config *config, const Comm *comm) {
  specials->count = 0;
  for (int x = 1; x < comm->width - 1; x++)
    for (int y = 1; y < comm->height - 1; y++)
      if (kind_at(config, comm->origin_x + x - 1, comm->origin_y + y - 1) != SPECIAL_NONE)
        specials->count++;
  specials->cells = malloc(((size_t)specials->count + 1) * sizeof *specials->cells);
  if (specials->cells == NULL) {
    fprintf(stderr, "lbm: no memory for the special cells\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return;
  }
  int next = 0;
  for (int x = 1; x < comm->width - 1; x++)
    for (int y = 1; y < comm->height - 1; y++) {
      const int domain_y = comm->origin_y + y - 1;
      const SpecialKind kind = kind_at(config, comm->origin_x + x - 1, domain_y);
      if (kind == SPECIAL_NONE)
        continue;
      SpecialCell *special = &specials->cells[next++];
      special->x = x;
      special->y = y;
      special->kind = kind;
      special->speed = poiseuille_speed(config, domain_y);
      special->density = 1.0;
    }
}

void special_destroy(SpecialCells *specials) { free(specials->cells); }

void special_apply(const SpecialCells *specials, Mesh *mesh) {
  for (int n = 0; n < specials->count; n++) {
    const SpecialCell *special = &specials->cells[n];
    double *cell = mesh_cell(mesh, special->x, special->y);
    double velocity[2];
    switch (special->kind) {
    case SPECIAL_WALL:
      cell_bounce_back(cell);
      break;
    case SPECIAL_INFLOW:
      velocity[0] = special->speed;
      velocity[1] = 0.0;
      cell_set_equilibrium(cell, special->density, velocity);
      break;
    case SPECIAL_OUTFLOW:
      cell_macroscopic(cell, velocity);
      cell_set_equilibrium(cell, special->density, velocity);
      break;
    case SPECIAL_NONE:
      break;
    }
  }
}
