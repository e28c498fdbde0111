void pack_top(const double *field, double *buffer, int depth, int columns, int rows);
void reflect(double *field, int depth, int columns, int rows);
void exchange(double **fields, double *buffer, int number, int depth, int columns, int rows);
