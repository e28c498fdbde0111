#include "ocn.h"

int nx, ny, nxl, nyl, px, py, npx, npy, myproc, nproc, west, east, south, north;
int ndrift, ngauge;
double dtbc = 200.0, dtbt = 10.0, dxm = 10000.0, grav = 9.81;
double *eta, *ubt, *vbt, *dep, *cor, *msk;
double *u, *v, *rho, *prs, *temp, *salt, *tnew;
Surf *surf;
Drifter *dft;
Gauge *gauge;

int main(int argc, char **argv)
{
  int n, nstep;
  double t0, sec[2], *out, *col, c;
  MPI_Init(&argc, &argv);
  CHK(MPI_Comm_rank(COMM, &myproc));
  CHK(MPI_Comm_size(COMM, &nproc));
  init_grid(argc, argv);
  nstep = argc > 3 ? atoi(argv[3]) : 20;
  out = (double *) malloc(NXP*NYP*KM*sizeof(double));
  col = (double *) calloc(NYP, sizeof(double));
  EXCH2(cor);
  EXCH2(msk);
  c = cfl();
  ON_MASTER printf("%d x %d x %d on %d x %d, cfl %.2f\n", nx, ny, KM, npx, npy, c);
  BARRIER();
  t0 = MPI_Wtime();
  for (n = 0; n < nstep; n++) {
    density();
    hydrostatic();
    momentum();
    barotropic((int)(dtbc/dtbt));
    advect_tracer(temp, tnew);
    advect_tracer(salt, tnew);
    vertical_mix(temp);
    vertical_mix(salt);
    convect(temp, salt);
    tracer_to_coupler(out);
    relay_depth(col);
    move_drifters();
    diagnostics(n);
    gauges(n);
  }
  sec[0] = MPI_Wtime() - t0;
  sec[1] = out[I3(0,1,1)];
  GSUMV(sec, 2);
  ON_MASTER printf("mean time %.3f s  t %.3f col %.4f\n", sec[0]/nproc, sec[1], col[0]);
  restart_write();
  MPI_Finalize();
  return 0;
}
