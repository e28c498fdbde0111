#include "md.h"

static long hist[NBINS];

/* pair distribution, every step for the running average */
void rdf(double *g)
{
  int i;
  double dr = par.rcut/NBINS;
#pragma omp parallel for schedule(dynamic,64)
  for (i = 0; i < natom; i++) {
    int n;
    for (n = 0; n < nnb[i]; n++) {
      int j = nbr[n*natom + i], k, b;
      double r2 = 0, d;
      for (k = 0; k < 3; k++) { d = at[j].r[k] - at[i].r[k]; d -= box*rint(d/box); r2 += d*d; }
      b = (int)(sqrt(r2)/dr);
      if (b >= NBINS) continue;
#pragma omp atomic
      hist[b]++;
    }
  }
  for (i = 0; i < NBINS; i++) g[i] = hist[i];
}

void record_frame(void)
{
  int i;
  float *w = vtrack + (size_t)(nframe%MAXFR)*3*natom;
  for (i = 0; i < natom; i++) { w[3*i] = at[i].v[0]; w[3*i+1] = at[i].v[1]; w[3*i+2] = at[i].v[2]; }
  nframe++;
}

/* velocity autocorrelation over the recorded frames */
void vacf(double *c)
{
  int i, t, nt = nframe < MAXFR ? nframe : MAXFR;
  for (t = 0; t < MAXFR; t++) c[t] = 0;
  for (i = 0; i < natom; i++) {
    float *a = vtrack + 3*i;
    for (t = 0; t < nt; t++) {
      float *b = vtrack + (size_t) t*3*natom + 3*i;
      c[t] += a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
    }
  }
}

void stress(double *s)
{
  int i, k;
  static const int ia[6] = {0,1,2,0,0,1}, ib[6] = {0,1,2,1,2,2};
  for (k = 0; k < 6; k++) s[k] = 0;
  for (i = 0; i < natom; i++)
    for (k = 0; k < 6; k++) {
      at[i].sig[k] = at[i].m*at[i].v[ia[k]]*at[i].v[ib[k]];
      s[k] += at[i].sig[k];
    }
}

void msd(double *m)
{
  int i, k;
  double s = 0;
  for (i = 0; i < natom; i++)
    for (k = 0; k < 3; k++) s += (at[i].r[k] - at[i].r0[k])*(at[i].r[k] - at[i].r0[k]);
  *m = s/natom;
}

void checkpoint(const char *fn)
{
  FILE *fp = NULL;
  int tries;
  for (tries = 0; tries < 5 && (fp = fopen(fn, "wb")) == NULL; tries++)
    sleep(1);
  if (!fp) return;
  fwrite(&par, sizeof(par), 1, fp);
  fwrite(at, sizeof(Atom), natom, fp);
  fclose(fp);
}

/* the on-line viewer reads a pipe file; let it catch up */
void viewer(int step)
{
  FILE *fp = fopen("view.xyz", "w");
  int i;
  if (fp) {
    for (i = 0; i < natom; i += 40) fprintf(fp, "%g %g %g\n", at[i].r[0], at[i].r[1], at[i].r[2]);
    fclose(fp);
  }
  for (i = 0; i < 3; i++) {
    if (access("view.busy", F_OK) != 0 && i > 0) break;
    usleep(300);
  }
  (void) step;
}
