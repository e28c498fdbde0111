struct grid {
  int nx, ny, lower, upper;
  double *u, *salt, *rate, *out, *in;
};

void fill_ghosts(struct grid *g, double *a);
void swap_rows(float *rows, int n, int tag);
void residual(struct grid *g);
void relax(struct grid *g);
double limit(struct grid *g);
void carry(struct grid *g, double dt);
void cool(float *rows, int n);
double total(const float *rows, int n);
