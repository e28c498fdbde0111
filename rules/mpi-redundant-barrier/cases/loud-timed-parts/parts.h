#include <mpi.h>

double seconds(void);
double together(void);
void relax(double *u, int n);
void exchange(double *u, int n, int left, int right);
void shift(double *u, int n, int left, int right);
void save(const double *u, int n);
