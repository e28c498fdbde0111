#include "pic.h"

static unsigned long seed = 12345UL;

static double ran(void)
{
  seed = (seed*1103515245UL + 12345UL) & 0x7fffffffUL;
  return seed/2147483648.0;
}

static double gauss(void)
{
  double u = ran() + 1e-12, v = ran();
  return sqrt(-2.0*log(u))*cos(TWOPI*v);
}

/* quiet start: two counter-streaming beams */
void init_particles(int nper)
{
  int i, n;
  npart   = nper*nx*ny*nzl;
  maxpart = (int)(1.4*npart) + 1000;
  part = (Particle *) malloc(maxpart*sizeof(Particle));
  trac = (Tracer *) malloc(maxpart*sizeof(Tracer));
  seed += 77*myid;
  for (n = 0; n < npart; n++) {
    Particle *p = part + n;
    p->x = lx*ran();
    p->y = ly*ran();
    p->z = zlo + (zhi - zlo)*ran();
    p->vx = 0.1*gauss();
    p->vy = 0.1*gauss();
    p->vz = (n & 1 ? 1.0 : -1.0) + 0.1*gauss();
    p->q = -1.0/nper;
    p->m = 1.0/nper;
  }
  /* tracers are touched by the threads which will update them */
#pragma omp parallel for schedule(static)
  for (i = 0; i < maxpart; i++) {
    memset(trac + i, 0, sizeof(Tracer));
    trac[i].id = i + myid*maxpart;
    trac[i].species = i & 1;
  }
}

/* weights of the eight corners */
static double *weights(double x, double y, double z, int *ic)
{
  static double w[8];
  double fx, fy, fz;
  ic[0] = (int) x; ic[1] = (int) y; ic[2] = (int) (z - zlo) + 1;
  fx = x - ic[0]; fy = y - ic[1]; fz = z - zlo - (ic[2]-1);
  w[0] = (1-fx)*(1-fy)*(1-fz); w[1] = fx*(1-fy)*(1-fz);
  w[2] = (1-fx)*fy*(1-fz);     w[3] = fx*fy*(1-fz);
  w[4] = (1-fx)*(1-fy)*fz;     w[5] = fx*(1-fy)*fz;
  w[6] = (1-fx)*fy*fz;         w[7] = fx*fy*fz;
  return w;
}

/* charge density, private grid for each thread */
void deposit(void)
{
  int nglob = nx*ny*(nzl+2);
#pragma omp parallel
  {
    int n, me = omp_get_thread_num();
    double *r = rhoth[me];
    memset(r, 0, nglob*sizeof(double));
#pragma omp for schedule(static)
    for (n = 0; n < npart; n++) {
      Particle *p = part + n;
      int i = (int) p->x, j = (int) p->y, k = (int)(p->z - zlo) + 1;
      int i1 = i+1 >= nx ? 0 : i+1, j1 = j+1 >= ny ? 0 : j+1;
      double fx = p->x - i, fy = p->y - j, fz = p->z - zlo - (k-1);
      double q = p->q;
      r[GI(i ,j ,k)]   += q*(1-fx)*(1-fy)*(1-fz);
      r[GI(i1,j ,k)]   += q*fx*(1-fy)*(1-fz);
      r[GI(i ,j1,k)]   += q*(1-fx)*fy*(1-fz);
      r[GI(i1,j1,k)]   += q*fx*fy*(1-fz);
      r[GI(i ,j ,k+1)] += q*(1-fx)*(1-fy)*fz;
      r[GI(i1,j ,k+1)] += q*fx*(1-fy)*fz;
      r[GI(i ,j1,k+1)] += q*(1-fx)*fy*fz;
      r[GI(i1,j1,k+1)] += q*fx*fy*fz;
    }
    /* add the private grids; each thread does a share of the cells */
#pragma omp for schedule(static)
    for (n = 0; n < nglob; n++) {
      int t;
      double s = 0.0;
      for (t = 0; t < nthr; t++) s += rhoth[t][n];
      fld[n].rho = s;
    }
  }
}

/* current density for the diagnostics, nearest grid point */
void deposit_current(void)
{
  int n, nglob = nx*ny*(nzl+2);
  for (n = 0; n < nglob; n++)
    fld[n].jx = fld[n].jy = fld[n].jz = 0.0;
#pragma omp parallel for schedule(static)
  for (n = 0; n < npart; n++) {
    Particle *p = part + n;
    int c = GI((int) p->x, (int) p->y, (int)(p->z - zlo) + 1);
#pragma omp critical (jdep)
    {
      fld[c].jx += p->q*p->vx;
      fld[c].jy += p->q*p->vy;
      fld[c].jz += p->q*p->vz;
    }
  }
}

/* leap frog */
void push(void)
{
  int n, nlost = 0;
#pragma omp parallel for schedule(static)
  for (n = 0; n < npart; n++) {
    Particle *p = part + n;
    int ic[3], i1, j1;
    double *w = weights(p->x, p->y, p->z, ic), a[3] = {0, 0, 0}, qm;
    FieldPt *f[8];
    int c;
    i1 = ic[0]+1 >= nx ? 0 : ic[0]+1;
    j1 = ic[1]+1 >= ny ? 0 : ic[1]+1;
    f[0] = fld + GI(ic[0], ic[1], ic[2]);   f[1] = fld + GI(i1, ic[1], ic[2]);
    f[2] = fld + GI(ic[0], j1, ic[2]);      f[3] = fld + GI(i1, j1, ic[2]);
    f[4] = fld + GI(ic[0], ic[1], ic[2]+1); f[5] = fld + GI(i1, ic[1], ic[2]+1);
    f[6] = fld + GI(ic[0], j1, ic[2]+1);    f[7] = fld + GI(i1, j1, ic[2]+1);
    for (c = 0; c < 8; c++) {
      a[0] += w[c]*f[c]->ex;
      a[1] += w[c]*f[c]->ey;
      a[2] += w[c]*f[c]->ez;
    }
    qm = p->q/p->m*dt;
    p->vx += qm*a[0]; p->vy += qm*a[1]; p->vz += qm*a[2];
    p->x += dt*p->vx; p->y += dt*p->vy; p->z += dt*p->vz;
    if (p->x < 0) p->x += lx;
    if (p->x >= lx) p->x -= lx;
    if (p->y < 0) p->y += ly;
    if (p->y >= ly) p->y -= ly;
    if (p->z < zlo - nzl || p->z > zhi + nzl) {
      /* should not happen: faster than one slab per step */
#pragma omp critical
      {
        if (nlost++ < 5)
          fprintf(stderr, "[%d] particle %d too fast %g\n", myid, n, p->vz);
        p->vz = 0.0;
        p->z = 0.5*(zlo + zhi);
      }
    }
  }
}

/* bucket sort by cell, keeps the gathers of push() in cache */
void sort_particles(void)
{
  int n, c, ncell = nx*ny*(nzl+2);
  int *cnt = (int *) calloc(ncell+1, sizeof(int));
  Particle *tmp = (Particle *) malloc(maxpart*sizeof(Particle));
  for (n = 0; n < npart; n++)
    cnt[1 + GI((int) part[n].x, (int) part[n].y, (int)(part[n].z - zlo)+1)]++;
  for (c = 0; c < ncell; c++) cnt[c+1] += cnt[c];
  for (n = 0; n < npart; n++)
    tmp[cnt[GI((int) part[n].x, (int) part[n].y, (int)(part[n].z - zlo)+1)]++] = part[n];
  memcpy(part, tmp, npart*sizeof(Particle));
  free(tmp);
  free(cnt);
}

/* bookkeeping of the path lengths */
void trace(double t)
{
  int n;
  static int nhit[MAXTHR];
  memset(nhit, 0, sizeof(nhit));
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(static)
    for (n = 0; n < npart; n++) {
      Particle *p = part + n;
      double v2 = p->vx*p->vx + p->vy*p->vy + p->vz*p->vz;
      trac[n].path += dt*sqrt(v2);
      if (0.5*p->m*v2 > trac[n].emax) {
        trac[n].emax = 0.5*p->m*v2;
        nhit[me]++;
      }
      if (trac[n].path > lz && !trac[n].crossed) {
        trac[n].crossed = 1;
        trac[n].t_in = t;
        nhit[me]++;
      }
    }
  }
}
