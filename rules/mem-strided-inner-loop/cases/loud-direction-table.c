// Particles move to the neighbours that a table of constants names, unless these lie outside: whether they do does not
// depend on data.
struct lattice {
  int width, height;
  double *cells;
};
static const int shift[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};

static double *at(const struct lattice *l, int x, int y) { return l->cells + ((long)x * l->height + y) * 5; }

void stream(struct lattice *to, const struct lattice *from) {
  for (int y = 0; y < from->height; y++)
    // expect: mem-strided-inner-loop medium "40 * height bytes" "40 bytes" unsafe-fix
    for (int x = 0; x < from->width; x++)
      for (int k = 0; k < 5; k++) {
        int there = x + shift[k][0], above = y + shift[k][1];
        if (there >= 0 && there < from->width && above >= 0 && above < from->height)
          at(to, there, above)[k] = at(from, x, y)[k];
      }
}
