#include "ocn.h"

/* upstream-centred advection and diffusion */
void advect_tracer(double *f, double *fn)
{
  int i, j, k;
  double c = dtbc/dxm;
  exch_tr(f);
  for (k = 0; k < KM; k++)
    for (j = 1; j <= nyl; j++)
      for (i = 1; i <= nxl; i++) {
        double uu = u[I3(k,i,j)], vv = v[I3(k,i,j)];
        double gx = uu > 0 ? TR(f,i,j,k) - TR(f,i-1,j,k) : TR(f,i+1,j,k) - TR(f,i,j,k);
        double gy = vv > 0 ? TR(f,i,j,k) - TR(f,i,j-1,k) : TR(f,i,j+1,k) - TR(f,i,j,k);
        TR(fn,i,j,k) = TR(f,i,j,k) - c*(uu*gx + vv*gy)
          + 0.01*(TR(f,i+1,j,k) + TR(f,i-1,j,k) + TR(f,i,j+1,k) + TR(f,i,j-1,k) - 4*TR(f,i,j,k));
      }
  DO2(i,j)
    for (k = 0; k < KM; k++) TR(f,i,j,k) = TR(fn,i,j,k);
}

/* implicit vertical diffusion, a tridiagonal system per column */
void vertical_mix(double *f)
{
  int i, j, k;
  double a[KM], b[KM], c[KM], d[KM];
  DO2(i,j) {
    for (k = 0; k < KM; k++) {
      a[k] = k ? -0.1 : 0; c[k] = k < KM-1 ? -0.1 : 0;
      b[k] = 1 - a[k] - c[k]; d[k] = TR(f,i,j,k);
    }
    for (k = 1; k < KM; k++) {
      double m = a[k]/b[k-1];
      b[k] -= m*c[k-1]; d[k] -= m*d[k-1];
    }
    TR(f,i,j,KM-1) = d[KM-1]/b[KM-1];
    for (k = KM-2; k >= 0; k--) TR(f,i,j,k) = (d[k] - c[k]*TR(f,i,j,k+1))/b[k];
  }
}

/* convective adjustment where the column is unstable */
void convect(double *t, double *s)
{
  int i, j, k;
  DO2(i,j)
    for (k = 0; k < KM-1; k++) {
      double r0 = eos(TR(t,i,j,k), TR(s,i,j,k), 10.0*k), r1 = eos(TR(t,i,j,k+1), TR(s,i,j,k+1), 10.0*k);
      if (r0 > r1 + 1e-6) {
        double tm = 0.5*(TR(t,i,j,k) + TR(t,i,j,k+1)), sm = 0.5*(TR(s,i,j,k) + TR(s,i,j,k+1));
        TR(t,i,j,k) = TR(t,i,j,k+1) = tm;
        TR(s,i,j,k) = TR(s,i,j,k+1) = sm;
      }
    }
}

/* the biology model wants level-major order */
void tracer_to_coupler(double *out)
{
  int i, j, k;
  for (k = 0; k < KM; k++) DO2(i,j)
    out[I3(k,i,j)] = TR(temp,i,j,k);
}
