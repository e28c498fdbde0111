// The collective call is in a helper, the condition in its caller.
#include <mpi.h>
#include <stdio.h>

struct grid {
  MPI_Comm comm;
  int rank, size;
  double *cells;
  int n;
};

static double residual(const struct grid *g) {
  double local = 0.0, global;
  for (int i = 0; i < g->n; i++)
    local += g->cells[i] * g->cells[i];
  MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, g->comm);
  return global;
}

void open_grid(struct grid *g, MPI_Comm comm) {
  MPI_Comm_dup(comm, &g->comm);
  MPI_Comm_rank(g->comm, &g->rank);
  MPI_Comm_size(g->comm, &g->size);
}

void monitor(const struct grid *g, int step) {
  if (g->rank == 0)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    printf("%d %g\n", step, residual(g));
}
