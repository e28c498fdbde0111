// The accessor stores x fastest, so the inner loop over x is the right one.
struct grid {
  double *values;
  int width;
  int height;
};

static inline double *at(const struct grid *g, int x, int y) { return &g->values[y * g->width + x]; }

void smooth(const struct grid *out, const struct grid *in) {
  for (int y = 1; y < in->height - 1; y++)
    for (int x = 1; x < in->width - 1; x++)
      *at(out, x, y) = 0.25 * (*at(in, x - 1, y) + *at(in, x + 1, y) + *at(in, x, y - 1) + *at(in, x, y + 1));
}
