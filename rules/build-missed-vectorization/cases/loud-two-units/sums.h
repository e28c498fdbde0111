// Sums that the solver of another unit needs.
#ifndef SUMS_H
#define SUMS_H

double dot(const double *a, const double *b, int count);
double total(const double *values, int count);

#endif
