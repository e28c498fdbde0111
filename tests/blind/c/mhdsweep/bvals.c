#include "mhd.h"
/* boundary values by tables of functions, periodic in x3 */

static VBCFun apply_ix1, apply_ox1, apply_ix2, apply_ox2;
static Real *sbuf, *rbuf;

static void outflow_ix1(Grid *pG)
{
  int i, j, k, n;
  for (n = 0; n < NVAR; n++)
    for (k = pG->ks; k <= pG->ke; k++)
      for (j = pG->js; j <= pG->je; j++)
        for (i = 1; i <= NG; i++) pG->U[n][k][j][pG->is - i] = pG->U[n][k][j][pG->is];
}

static void outflow_ox1(Grid *pG)
{
  int i, j, k, n;
  for (n = 0; n < NVAR; n++)
    for (k = pG->ks; k <= pG->ke; k++)
      for (i = 1; i <= NG; i++)
        for (j = pG->js; j <= pG->je; j++) pG->U[n][k][j][pG->ie + i] = pG->U[n][k][j][pG->ie];
}

static void reflect_ix2(Grid *pG)
{
  int i, j, k, n;
  for (n = 0; n < NVAR; n++) {
    Real s = n == M2 || n == B2 ? -1.0 : 1.0;
    for (k = pG->ks; k <= pG->ke; k++)
      for (j = 1; j <= NG; j++)
        for (i = 0; i < pG->Nx1 + 2*NG; i++)
          pG->U[n][k][pG->js - j][i] = s*pG->U[n][k][pG->js + j - 1][i];
  }
}

static void reflect_ox2(Grid *pG)
{
  int i, j, k, n;
  for (n = 0; n < NVAR; n++) {
    Real s = n == M2 || n == B2 ? -1.0 : 1.0;
    for (k = pG->ks; k <= pG->ke; k++)
      for (j = 1; j <= NG; j++)
        for (i = 0; i < pG->Nx1 + 2*NG; i++)
          pG->U[n][k][pG->je + j][i] = s*pG->U[n][k][pG->je - j + 1][i];
  }
}

void bvals_init(Grid *pG)
{
  size_t n = (size_t) NVAR*NG*(pG->Nx2 + 2*NG)*(pG->Nx1 + 2*NG);
  apply_ix1 = outflow_ix1; apply_ox1 = outflow_ox1;
  apply_ix2 = reflect_ix2; apply_ox2 = reflect_ox2;
  sbuf = (Real *) calloc_1d_array(2*n, sizeof(Real));
  rbuf = (Real *) calloc_1d_array(2*n, sizeof(Real));
}

static void pack(Grid *pG, int n, int k0, Real *b)
{
  int j, k;
  for (k = 0; k < NG; k++)
    for (j = 0; j < pG->Nx2 + 2*NG; j++, b += pG->Nx1 + 2*NG)
      memcpy(b, pG->U[n][k0 + k][j], (pG->Nx1 + 2*NG)*sizeof(Real));
}

static void unpack(Grid *pG, int n, int k0, Real *b)
{
  int j, k;
  for (k = 0; k < NG; k++)
    for (j = 0; j < pG->Nx2 + 2*NG; j++, b += pG->Nx1 + 2*NG)
      memcpy(pG->U[n][k0 + k][j], b, (pG->Nx1 + 2*NG)*sizeof(Real));
}

void bvals(Grid *pG)
{
  int n, cnt = NG*(pG->Nx2 + 2*NG)*(pG->Nx1 + 2*NG);
  MPI_Request rq[4*NVAR];
  (*apply_ix1)(pG); (*apply_ox1)(pG);
  (*apply_ix2)(pG); (*apply_ox2)(pG);
  for (n = 0; n < NVAR; n++) {
    Real *s = sbuf + 2*n*cnt, *r = rbuf + 2*n*cnt;
    MPI_Irecv(r, cnt, MPI_DOUBLE, pG->lo, 100 + n, MPI_COMM_WORLD, rq + 4*n);
    MPI_Irecv(r + cnt, cnt, MPI_DOUBLE, pG->hi, 200 + n, MPI_COMM_WORLD, rq + 4*n + 1);
    pack(pG, n, pG->ks, s);
    pack(pG, n, pG->ke - NG + 1, s + cnt);
    MPI_Isend(s, cnt, MPI_DOUBLE, pG->lo, 200 + n, MPI_COMM_WORLD, rq + 4*n + 2);
    MPI_Isend(s + cnt, cnt, MPI_DOUBLE, pG->hi, 100 + n, MPI_COMM_WORLD, rq + 4*n + 3);
  }
  MPI_Waitall(4*NVAR, rq, MPI_STATUSES_IGNORE);
  for (n = 0; n < NVAR; n++) {
    unpack(pG, n, pG->ks - NG, rbuf + 2*n*cnt);
    unpack(pG, n, pG->ke + 1, rbuf + 2*n*cnt + cnt);
  }
  /* all ghosts set before anyone goes on */
  MPI_Barrier(MPI_COMM_WORLD);
}

/* one ghost plane of the magnetic field, for the current */
void bvals_B(Grid *pG)
{
  int n, j, nx = pG->Nx1 + 2*NG;
  for (n = B1; n <= B3; n++)
    for (j = 0; j < pG->Nx2 + 2*NG; j++) {
      MPI_Sendrecv(pG->U[n][pG->ks][j], nx, MPI_DOUBLE, pG->lo, 300, pG->U[n][pG->ke + 1][j], nx, MPI_DOUBLE, pG->hi, 300,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(pG->U[n][pG->ke][j], nx, MPI_DOUBLE, pG->hi, 301, pG->U[n][pG->ks - 1][j], nx, MPI_DOUBLE, pG->lo, 301,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* average the fluxes on the common face with the neighbour below */
void emf_correct(Grid *pG)
{
  int j, i, n = pG->Nx2*pG->Nx1;
  Real *b = (Real *) malloc(n*sizeof(Real));
  if (pG->id > 0) {
    MPI_Recv(b, n, MPI_DOUBLE, pG->id - 1, 310, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (j = 0; j < pG->Nx2; j++)
      for (i = 0; i < pG->Nx1; i++) {
        Real *f = &pG->Flx[RHO][pG->ks][j + NG][i + NG];
        *f = 0.5*(*f + b[j*pG->Nx1 + i]);
      }
  }
  if (pG->id < pG->np - 1) {
    for (j = 0; j < pG->Nx2; j++)
      memcpy(b + j*pG->Nx1, &pG->Flx[RHO][pG->ke + 1][j + NG][NG], pG->Nx1*sizeof(Real));
    MPI_Send(b, n, MPI_DOUBLE, pG->id + 1, 310, MPI_COMM_WORLD);
  }
  free(b);
}
