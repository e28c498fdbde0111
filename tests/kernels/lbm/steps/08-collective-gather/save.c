#include "save.h"

#include "physics.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

FILE *save_open(const Config *config, const Comm *comm) {
  if (comm->rank != 0 || config->output[0] == '\0')
    return NULL;
  FILE *file = fopen(config->output, "wb");
  if (file == NULL) {
    fprintf(stderr, "lbm: cannot write %s\n", config->output);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return file;
}

void save_close(FILE *file) {
  if (file != NULL)
    fclose(file);
}

static void fill_frame(float *frame, const Mesh *mesh) {
  for (int x = 1; x < mesh->width - 1; x++)
    for (int y = 1; y < mesh->height - 1; y++) {
      double velocity[2];
      *frame++ = (float)cell_macroscopic(mesh_cell(mesh, x, y), velocity);
      *frame++ = (float)sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
    }
}

static void write_frame(FILE *file, const float *frame, size_t values) {
  // expect: mpi-serial-io
  // may-run: mpi-serial-io
  if (file != NULL && fwrite(frame, sizeof *frame, values, file) != values)
    MPI_Abort(MPI_COMM_WORLD, 2);
}

void save_frame(FILE *file, const Config *config, const Comm *comm, const Mesh *mesh) {
  (void)config;
  const int values = (mesh->width - 2) * (mesh->height - 2) * 2;
  float *frame = malloc((size_t)values * sizeof *frame);
  if (frame == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 2);
    return;
  }
  fill_frame(frame, mesh);
  float *all = NULL;
  if (comm->rank == 0) {
    all = malloc((size_t)values * (size_t)comm->size * sizeof *all);
    if (all == NULL) {
      MPI_Abort(MPI_COMM_WORLD, 2);
      return;
    }
  }
  // may-run: mpi-late-sender
  MPI_Gather(frame, values, MPI_FLOAT, all, values, MPI_FLOAT, 0, MPI_COMM_WORLD);
  if (comm->rank == 0)
    write_frame(file, all, (size_t)values * (size_t)comm->size);
  free(all);
  free(frame);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value;
  hash *= UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

uint64_t checksum(const Comm *comm, const Mesh *mesh) {
  uint64_t sum = 0;
  for (int x = 1; x < mesh->width - 1; x++)
    for (int y = 1; y < mesh->height - 1; y++) {
      uint64_t hash = mix((uint64_t)(comm->origin_x + x), (uint64_t)(comm->origin_y + y));
      for (int k = 0; k < DIRECTIONS; k++) {
        uint64_t bits;
        memcpy(&bits, &mesh_cell(mesh, x, y)[k], sizeof bits);
        hash = mix(hash, bits);
      }
      sum += hash;
    }
  uint64_t total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return total;
}
