#ifndef SUMS_H
#define SUMS_H

double weight(const float *values, int count);
double energy(const float *values, int count);

#endif
