#include "pic.h"

/* kinetic, potential energy, momentum, number: printed every now and then */
void energies(double *e)
{
  int n, nl = nx*ny*nzl;
  double ek = 0, ep = 0, pz = 0, cnt = npart;
  FieldPt *f = fld + GI(0,0,1);
#pragma omp parallel for reduction(+:ek,pz)
  for (n = 0; n < npart; n++) {
    Particle *p = part + n;
    ek += 0.5*p->m*(p->vx*p->vx + p->vy*p->vy + p->vz*p->vz);
    pz += p->m*p->vz;
  }
#pragma omp parallel for reduction(+:ep)
  for (n = 0; n < nl; n++) ep += 0.5*f[n].rho*f[n].phi;
  MPI_Allreduce(&ek, e, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&ep, e+1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&pz, e+2, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&cnt, e+3, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* density profile along z, kept on rank 0 */
void profile(int step)
{
  static double *prof = NULL;
  int i, k, p;
  double *mine = (double *) malloc(nzl*sizeof(double));
  if (prof == NULL) prof = (double *) malloc(nz*sizeof(double));
  for (k = 1; k <= nzl; k++) {
    double s = 0;
    for (i = 0; i < nx*ny; i++) s += fld[GI(0,0,k) + i].rho;
    mine[k-1] = s;
  }
  if (myid == 0) {
    memcpy(prof, mine, nzl*sizeof(double));
    for (p = 1; p < nproc; p++)
      MPI_Recv(prof + p*nzl, nzl, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else
    MPI_Send(mine, nzl, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  free(mine);
}

/* r.m.s. of the density, printed with the log line */
double density_rms(void)
{
  int i, j, k;
  double s = 0, g;
  for (i = 0; i < nx; i++)
    for (j = 0; j < ny; j++)
      for (k = 1; k <= nzl; k++)
        s += fld[GI(i,j,k)].rho*fld[GI(i,j,k)].rho;
  MPI_Allreduce(&s, &g, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(g/((double) nx*ny*nz));
}

/* ranks append to one file in turn */
void snapshot(int step)
{
  int p, n;
  FILE *fp;
  for (p = 0; p < nproc; p++) {
    if (p == myid) {
      fp = fopen("snap.dat", p == 0 && step == 0 ? "w" : "a");
      if (fp) {
        fprintf(fp, "# step %d rank %d\n", step, myid);
        for (n = 0; n < npart; n += 5000)
          fprintf(fp, "%g %g %g %g\n", part[n].x, part[n].y, part[n].z, part[n].vz);
        fclose(fp);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
