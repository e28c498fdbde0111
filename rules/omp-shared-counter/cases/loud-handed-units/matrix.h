typedef struct {
  double e[4];
} matrix;
void product(const matrix *a, const matrix *b, matrix *c);
int larger(const double *x, int n, double than, int *list);
