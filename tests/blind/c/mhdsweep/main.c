#include "mhd.h"

Real Gamma = 5.0/3.0, CourNo = 0.3, eta_ohm = 1e-4;
RiemannFun Riemann = flux_hll;

int main(int argc, char **argv)
{
  Grid G, *pG = &G;
  Star st[12];
  int n, nstep = 10, nx = 24, s;
  Real *prof;
  double t0;
  MPI_Init(&argc, &argv);
  memset(pG, 0, sizeof(Grid));
  MPI_Comm_rank(MPI_COMM_WORLD, &pG->id);
  MPI_Comm_size(MPI_COMM_WORLD, &pG->np);
  if (argc > 1) nx = atoi(argv[1]);
  if (argc > 2) nstep = atoi(argv[2]);
  if (argc > 3 && !strcmp(argv[3], "lf")) Riemann = flux_lf;
  /* the queueing system copies the input late */
  for (s = 0; argc > 4 && access(argv[4], R_OK) != 0 && s < 100; s++)
    sleep(1);
  pG->Nx1 = pG->Nx2 = nx;
  pG->Nx3glob = nx - nx%pG->np;
  pG->Nx3 = pG->Nx3glob/pG->np;
  pG->dx1 = pG->dx2 = 1.0/nx;
  pG->dx3 = 1.0/pG->Nx3glob;
  pG->x3min = pG->id*pG->Nx3*pG->dx3;
  pG->is = pG->js = pG->ks = NG;
  pG->ie = NG + pG->Nx1 - 1; pG->je = NG + pG->Nx2 - 1; pG->ke = NG + pG->Nx3 - 1;
  pG->lo = (pG->id + pG->np - 1)%pG->np;
  pG->hi = (pG->id + 1)%pG->np;
  pG->U = calloc_4d_real(NVAR, pG->Nx3 + 2*NG, pG->Nx2 + 2*NG, pG->Nx1 + 2*NG);
  pG->Flx = calloc_4d_real(NVAR, pG->Nx3 + 2*NG, pG->Nx2 + 2*NG, pG->Nx1 + 2*NG);
  pG->Phi  = (Real ***) calloc_3d_array(pG->Nx3 + 2*NG, pG->Nx2 + 2*NG, pG->Nx1 + 2*NG, sizeof(Real));
  pG->Temp = (Real ***) calloc_3d_array(pG->Nx3 + 2*NG, pG->Nx2 + 2*NG, pG->Nx1 + 2*NG, sizeof(Real));
  pG->J2   = (Real ***) calloc_3d_array(pG->Nx3 + 2*NG, pG->Nx2 + 2*NG, pG->Nx1 + 2*NG, sizeof(Real));
  prof = (Real *) calloc_1d_array(pG->Nx3glob, sizeof(Real));
  for (s = 0; s < 12; s++) {
    st[s].active = s%3 == 0;
    st[s].x = 0.08*s; st[s].y = 0.5; st[s].z = 0.5; st[s].L = 0.01; st[s].id = s;
  }
  problem(pG);
  bvals_init(pG);
  bvals(pG);
  new_dt(pG);
  MPI_Barrier(MPI_COMM_WORLD);
  t0 = MPI_Wtime();
  for (n = 0; n < nstep; n++) {
    bvals(pG);
    integrate(pG, n & 1);
    emf_correct(pG);
    resistivity(pG);
    cooling(pG, st, 12);
    diffuse_phi(pG, 4);
    bvals(pG);
    history(pG);
    vertical_profile(pG, prof);
    new_dt(pG);
    pG->time += pG->dt;
    /* and once more for the new step */
    bvals(pG);
    if (pG->id == 0 && n%5 == 0)
      printf("cycle %d time %.5f dt %.3e rho_mid %.4f\n", n, pG->time, pG->dt, prof[pG->Nx3glob/2]);
    if (n%20 == 0) dump(pG, n/20);
  }
  if (pG->id == 0) printf("zone-cycles/s %.3e\n", (double) nx*nx*pG->Nx3glob*nstep/(MPI_Wtime() - t0));
  MPI_Finalize();
  return 0;
}
