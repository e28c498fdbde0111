void filter(double *field, double *work, int n);
void shift(double *field, int n);
void turn(double *field, double *other, int n);
void share(const int *owners, double *sums, int mine, int n, int size);
