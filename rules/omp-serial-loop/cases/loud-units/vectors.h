void add(double *to, const double *what, int n);
void damp(double *what, const double *by, int n);
