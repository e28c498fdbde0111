/* driver.c - test problem */
#include "sp.h"

int main(int argc, char **argv)
{
  int nx, it, i, c;
  spMatrix *A;
  spAMG *M;
  double *b, *x, *r, t0, tv, rn = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &sp_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &sp_size);
  nx = argc > 1 ? atoi(argv[1]) : 24;
  A = sp_Laplace3d(nx, nx, nx);
  b = sp_Vector(A); x = sp_Vector(A); r = sp_Vector(A);
  for (i = 0; i < A->n; i++) b[i] = 1.0 + (i%7)*0.1;
  sp_Barrier();
  t0 = MPI_Wtime();
  M = sp_AMGSetup(A, 0);
  it = sp_PCG(A, M, b, x, 1e-8, 60);
  if (sp_rank == 0) printf("PCG+AMG(Jacobi): %d iterations, %.3f s\n", it, MPI_Wtime() - t0);
  sp_Barrier();
  t0 = MPI_Wtime();
  M = sp_AMGSetup(A, 1);
  memset(x, 0, A->n*sizeof(double));
  for (c = 0; c < 10; c++) {
    memcpy(M->b[0], b, A->n*sizeof(double));
    memcpy(M->x[0], x, A->n*sizeof(double));
    sp_AMGCycle(M, 0);
    memcpy(x, M->x[0], A->n*sizeof(double));
    sp_Residual(A, x, b, r);
    rn = sqrt(sp_Dot(r, r, A->n));
    if (rn < 1e-8) break;
  }
  if (sp_rank == 0) printf("AMG(GS): %d cycles, residual %.3e, %.3f s\n", c, rn, MPI_Wtime() - t0);
  tv = sp_TestVectors(A, 8, 4);
  if (sp_rank == 0) printf("test vectors %.5f\n", tv);
  MPI_Finalize();
  return 0;
}
