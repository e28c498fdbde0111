// Few cells are visited: a table that the counters of the nest choose from says which.
struct lattice {
  int width, height;
  double *cells;
};
static const unsigned char open_cell[16][16] = {{1, 0, 0, 0, 1}, {0, 0, 1}, {0, 0, 0, 0, 0, 0, 1}};

void weigh(struct lattice *l, double factor) {
  for (int y = 0; y < l->height; y++)
    for (int x = 0; x < l->width; x++)
      if (open_cell[x & 15][y & 15])
        l->cells[(long)x * l->height + y] *= factor;
}
