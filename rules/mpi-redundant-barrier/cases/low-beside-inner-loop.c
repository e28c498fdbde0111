// Beside the many meetings of each iteration, one barrier is nothing.
#include <mpi.h>

double train(double *w, const double *g, int n, int epochs, int batches) {
  double loss = 0;
  for (int epoch = 0; epoch < epochs; epoch++) {
    for (int batch = 0; batch < batches; batch++) {
      double here = 0;
      for (int i = 0; i < n; i++) {
        w[i] -= 0.1 * g[i];
        here += w[i] * w[i];
      }
      double all;
      MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      loss += all;
    }
    for (int i = 0; i < n; i++)
      w[i] *= 0.99;
    // expect: mpi-redundant-barrier low
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      w[i] += 0.01;
  }
  return loss;
}
