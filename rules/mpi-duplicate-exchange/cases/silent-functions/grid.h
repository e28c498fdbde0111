struct grid {
  int nx, ny, lower, upper;
  double *u, *next, *rate, *out, *in;
  struct grid *coarse;
};

extern struct grid ocean;
void fill_ghosts(struct grid *g, double *a);
void add_ghosts(struct grid *g, double *a);
void turn(struct grid *g, double *a);
void write_ghosts(struct grid *g, double *a);
void residual(struct grid *g);
void relax(struct grid *g, double *x);
void swap(struct grid *g);
void refine(struct grid *g);
