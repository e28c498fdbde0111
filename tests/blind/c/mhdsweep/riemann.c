#include "mhd.h"
/* one-dimensional fluxes, normal direction is index 1 */

Real pressure(const Real *u)
{
  Real p = (Gamma - 1.0)*(u[EN] - 0.5*(SQR(u[M1]) + SQR(u[M2]) + SQR(u[M3]))/u[RHO]
                          - 0.5*(SQR(u[B1]) + SQR(u[B2]) + SQR(u[B3])));
  return MAX(p, 1e-6);
}

static Real cfast(const Real *u)
{
  Real a2 = Gamma*pressure(u)/u[RHO], b2 = (SQR(u[B1]) + SQR(u[B2]) + SQR(u[B3]))/u[RHO];
  Real t = a2 + b2, d = t*t - 4.0*a2*SQR(u[B1])/u[RHO];
  return sqrt(0.5*(t + sqrt(MAX(d, 0.0))));
}

static void physflux(const Real *u, Real *F)
{
  Real v1 = u[M1]/u[RHO], v2 = u[M2]/u[RHO], v3 = u[M3]/u[RHO];
  Real pt = pressure(u) + 0.5*(SQR(u[B1]) + SQR(u[B2]) + SQR(u[B3]));
  Real vb = v1*u[B1] + v2*u[B2] + v3*u[B3];
  F[RHO] = u[M1];
  F[M1] = u[M1]*v1 + pt - u[B1]*u[B1];
  F[M2] = u[M2]*v1 - u[B1]*u[B2];
  F[M3] = u[M3]*v1 - u[B1]*u[B3];
  F[EN] = (u[EN] + pt)*v1 - u[B1]*vb;
  F[B1] = 0.0;
  F[B2] = u[B2]*v1 - u[B1]*v2;
  F[B3] = u[B3]*v1 - u[B1]*v3;
}

void flux_hll(const Real *Ul, const Real *Ur, Real *F)
{
  int n;
  Real Fl[NVAR], Fr[NVAR];
  Real cl = cfast(Ul), cr = cfast(Ur), vl = Ul[M1]/Ul[RHO], vr = Ur[M1]/Ur[RHO];
  Real sl = MIN(vl - cl, vr - cr), sr = MAX(vl + cl, vr + cr);
  physflux(Ul, Fl);
  physflux(Ur, Fr);
  for (n = 0; n < NVAR; n++) {
    if (sl >= 0) F[n] = Fl[n];
    else if (sr <= 0) F[n] = Fr[n];
    else F[n] = (sr*Fl[n] - sl*Fr[n] + sl*sr*(Ur[n] - Ul[n]))/(sr - sl);
  }
}

void flux_lf(const Real *Ul, const Real *Ur, Real *F)
{
  int n;
  Real Fl[NVAR], Fr[NVAR];
  Real s = MAX(fabs(Ul[M1]/Ul[RHO]) + cfast(Ul), fabs(Ur[M1]/Ur[RHO]) + cfast(Ur));
  physflux(Ul, Fl);
  physflux(Ur, Fr);
  for (n = 0; n < NVAR; n++) F[n] = 0.5*(Fl[n] + Fr[n] - s*(Ur[n] - Ul[n]));
}
