// Fewer directions than a cache line has numbers, with neighbours by a table: the cells are fetched again for each, in
// either order.
typedef struct {
  double re[4];
} link_t;
typedef struct {
  link_t link[4];
  double rest[24];
} site_t;

double plaquette(const site_t *sites, int **neighbour, int count) {
  double sum = 0.0;
  for (int mu = 0; mu < 4; mu++)
    for (int i = 0; i < count; i++)
      sum += sites[i].link[mu].re[0] * sites[neighbour[mu][i]].link[mu].re[1];
  return sum;
}
