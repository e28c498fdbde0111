#include "pic.h"

/* charge that went to the upper ghost plane belongs to the neighbour */
void add_ghost_rho(void)
{
  int i, j;
  double *s = (double *) malloc(2*nx*sizeof(double)), *r = s + nx;
  for (j = 0; j < ny; j++) {
    for (i = 0; i < nx; i++) s[i] = fld[GI(i,j,nzl+1)].rho;
    MPI_Sendrecv(s, nx, MPI_DOUBLE, up, TAG_UP, r, nx, MPI_DOUBLE, down, TAG_UP,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < nx; i++) fld[GI(i,j,1)].rho += r[i];
  }
  free(s);
}

void fill_ghost_e(void)
{
  int i, n = nx*ny;
  double *b = (double *) malloc(6*n*sizeof(double));
  for (i = 0; i < n; i++) {
    FieldPt *f = fld + GI(0,0,1) + i;
    b[3*i] = f->ex; b[3*i+1] = f->ey; b[3*i+2] = f->ez;
  }
  MPI_Sendrecv(b, 3*n, MPI_DOUBLE, down, TAG_DN, b + 3*n, 3*n, MPI_DOUBLE, up, TAG_DN,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (i = 0; i < n; i++) {
    FieldPt *f = fld + GI(0,0,nzl+1) + i;
    f->ex = b[3*n+3*i]; f->ey = b[3*n+3*i+1]; f->ez = b[3*n+3*i+2];
  }
  free(b);
}

/* send what left the slab; the count has to go first */
static int shift_out(int to, int from, int upward, Particle *sb, Particle *rb, int max)
{
  int n, ns = 0, nr, tag = upward ? TAG_UP : TAG_DN;
  for (n = 0; n < npart; ) {
    Particle *p = part + n;
    if (upward ? p->z >= zhi : p->z < zlo) {
      if (ns == max) { fprintf(stderr, "buffer full\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
      sb[ns] = *p;
      if (sb[ns].z >= lz) sb[ns].z -= lz;
      if (sb[ns].z < 0) sb[ns].z += lz;
      if (sb[ns].z >= lz) sb[ns].z = 0;
      ns++;
      *p = part[--npart];
      trac[n] = trac[npart];
    } else n++;
  }
  MPI_Sendrecv(&ns, 1, MPI_INT, to, tag, &nr, 1, MPI_INT, from, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(sb, ns*sizeof(Particle), MPI_BYTE, to, tag, rb, max*sizeof(Particle), MPI_BYTE,
               from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (npart + nr > maxpart) MPI_Abort(MPI_COMM_WORLD, 3);
  memcpy(part + npart, rb, nr*sizeof(Particle));
  memset(trac + npart, 0, nr*sizeof(Tracer));
  npart += nr;
  return ns;
}

void exchange_particles(void)
{
  int max = maxpart/4, n;
  Particle *sb = (Particle *) malloc(2*max*sizeof(Particle)), *rb = sb + max;
  n = shift_out(up, down, 1, sb, rb, max);
  n += shift_out(down, up, 0, sb, rb, max);
  free(sb);
  (void) n;
}
