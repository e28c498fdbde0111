typedef struct {
  double e[4];
} matrix;
void product(const matrix *a, const matrix *b, matrix *c);
void put(matrix *all, int at, const matrix *one);
void count(matrix *a, double by);
double trace(matrix *a, int n);
