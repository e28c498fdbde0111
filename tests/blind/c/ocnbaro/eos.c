#include "ocn.h"

/* equation of state, shortened */
double eos(double t, double s, double p)
{
  return 1000.0 + 0.8*(s - 35.0) - 0.15*t - 0.0045*t*t + 4.5e-3*p*(1.0 - 2e-5*t);
}
