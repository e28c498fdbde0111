#include "pic.h"
#include <unistd.h>

int nx = 32, ny = 32, nz = 32, nzl, nyl, myid, nproc, up, down, nthr;
double dt = 0.05, lx, ly, lz, zlo, zhi;
int npart, maxpart;
Particle *part;
Tracer   *trac;
FieldPt  *fld;
double   *rhoth[MAXTHR];
Cmplx    *cw, *ck;

static double tim[8];

static void read_deck(int argc, char **argv, int *nstep, int *nper)
{
  int ib[2];
  if (myid == 0) {
    ib[0] = argc > 1 ? atoi(argv[1]) : 40;
    ib[1] = argc > 2 ? atoi(argv[2]) : 4;
  }
  MPI_Bcast(ib, 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&dt, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  *nstep = ib[0];
  *nper  = ib[1];
}

int main(int argc, char **argv)
{
  int step, nstep, nper, k;
  double e[4], t0, rms;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &myid);
  MPI_Comm_size(MPI_COMM_WORLD, &nproc);
  read_deck(argc, argv, &nstep, &nper);
  nthr = omp_get_max_threads();
  if (nthr > MAXTHR) nthr = MAXTHR;
  if (nz % nproc || ny % nproc) {
    if (!myid) fprintf(stderr, "nz, ny must be multiples of the ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  nzl = nz/nproc;
  nyl = ny/nproc;
  up   = (myid+1)%nproc;
  down = (myid+nproc-1)%nproc;
  lx = nx; ly = ny; lz = nz;
  zlo = myid*nzl;
  zhi = zlo + nzl;

  alloc_grid();
  init_particles(nper);
  MPI_Barrier(MPI_COMM_WORLD);
  t0 = MPI_Wtime();

  for (step = 0; step < nstep; step++) {
    double ta = MPI_Wtime();
    deposit();
    add_ghost_rho();
    smooth_rho(2);
    tim[0] += MPI_Wtime() - ta;
    MPI_Barrier(MPI_COMM_WORLD);
    ta = MPI_Wtime();
    solve_field();
    fill_ghost_e();
    tim[1] += MPI_Wtime() - ta;
    ta = MPI_Wtime();
    push();
    trace(step*dt);
    exchange_particles();
    deposit_current();
    if (step % 10 == 0) sort_particles();
    tim[2] += MPI_Wtime() - ta;
    energies(e);
    profile(step);
    if (step % 20 == 0) {
      rms = density_rms();
      if (myid == 0)
        printf("%5d  kin %12.6g  pot %12.6g  mom %10.3g  n %g rms %g\n",
               step, e[0], e[1], e[2], e[3], rms);
      snapshot(step);
    }
    if (myid == 0) {
      FILE *fp = fopen("STOP", "r");
      k = (fp != NULL);
      if (fp) fclose(fp);
    }
    /* operator stop: everybody must agree */
    MPI_Bcast(&k, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (k) break;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (myid == 0)
    printf("total %.3f s: dep %.3f field %.3f move %.3f\n",
           MPI_Wtime() - t0, tim[0], tim[1], tim[2]);
  MPI_Finalize();
  return 0;
}
