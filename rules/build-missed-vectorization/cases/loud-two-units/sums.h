// Sums that the solver of another unit needs.
#ifndef SUMS_H
#define SUMS_H

double squares(const float *a, int count);
double total(const float *values, int count);

#endif
