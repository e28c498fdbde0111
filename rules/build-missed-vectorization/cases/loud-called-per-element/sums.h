#ifndef SUMS_H
#define SUMS_H

double weight(const double *values, int count);
double energy(const double *values, int count);

#endif
