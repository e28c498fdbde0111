#include "comm.h"
#include "config.h"
#include "mesh.h"
#include "physics.h"
#include "save.h"
#include "special.h"

#include <inttypes.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  Config config;
  config_load(&config, argc, argv);
  omp_set_num_threads(provided >= MPI_THREAD_SERIALIZED ? config.threads : 1);

  Comm comm;
  Mesh mesh;
  Mesh collided;
  SpecialCells specials;
  comm_create(&comm, &config);
  mesh_create(&mesh, comm.width, comm.height);
  mesh_create(&collided, comm.width, comm.height);
  special_create(&specials, &config, &comm);
  initialise(&mesh);
  initialise(&collided);

  FILE *file = save_open(&config, &comm);
  save_frame(file, &config, &comm, &mesh);
  const double relaxation = 1.0 / (3.0 * config.viscosity + 0.5);

#pragma omp parallel
  for (int step = 1; step <= config.iterations; step++) {
#pragma omp single
    {
      special_apply(&specials, &mesh);
      // expect: mpi-redundant-barrier
      // may-run: mpi-redundant-barrier
      // may-run: mpi-load-imbalance
      MPI_Barrier(MPI_COMM_WORLD);
    }
    collision(&collided, &mesh, relaxation);
#pragma omp single
    {
      // expect: mpi-redundant-barrier
      // may-run: mpi-redundant-barrier
      MPI_Barrier(MPI_COMM_WORLD);
      exchange_ghosts(&comm, &collided);
    }
    // expect: omp-barrier-in-loop
#pragma omp barrier
    propagation(&mesh, &collided);
#pragma omp single
    {
      // expect: mpi-redundant-barrier
      // may-run: mpi-redundant-barrier
      MPI_Barrier(MPI_COMM_WORLD);
      if (config.save_interval > 0 && step % config.save_interval == 0)
        save_frame(file, &config, &comm, &mesh);
    }
  }

  save_close(file);
  const uint64_t sum = checksum(&comm, &mesh);
  if (comm.rank == 0)
    printf("%d x %d cells, %d iterations, checksum %016" PRIx64 "\n", config.width, config.height, config.iterations,
           sum);
  special_destroy(&specials);
  mesh_destroy(&collided);
  mesh_destroy(&mesh);
  comm_destroy(&comm);
  MPI_Finalize();
  return 0;
}
