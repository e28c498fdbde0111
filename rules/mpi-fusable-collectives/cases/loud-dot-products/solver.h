#ifndef SOLVER_H
#define SOLVER_H

double total(double mine);
double highest(double mine);
double dot(const double *a, const double *b, int n);
double norm(const double *a, int n);
double most(const double *a, int n);
void apply(double *r, const double *p, double a, int n);

#endif
