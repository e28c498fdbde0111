void pack_top(const double *field, double *buffer, int depth, int columns, int rows);
void reflect(double *field, int depth, int columns, int rows);
void mirror(double *field, int depth, int columns, int rows);
void plane(double *field, int depth, int columns, int rows, int planes);
void components(double *field, const double *source, int depth, int columns, int pitch);
