#include "mesh.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void mesh_create(Mesh *mesh, int width, int height) {
  mesh->width = width;
  mesh->height = height;
  mesh->cells = malloc((size_t)width * (size_t)height * DIRECTIONS * sizeof *mesh->cells);
  if (mesh->cells == NULL) {
    fprintf(stderr, "lbm: no memory for %d x %d cells\n", width, height);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return;
  }
  // The same shares as in the loops of the time step, so that each thread finds its cells on its own memory node.
#pragma omp parallel for schedule(static)
  for (int x = 0; x < width; x++)
    for (int y = 0; y < height; y++)
      for (int k = 0; k < DIRECTIONS; k++)
        mesh_cell(mesh, x, y)[k] = 0.0;
}

void mesh_destroy(Mesh *mesh) {
  free(mesh->cells);
  mesh->cells = NULL;
}
