// Fewer directions than a cache line has numbers, each from a cell that a table tells: with them inside, too, a line is
// fetched for each.
typedef struct {
  double part[4];
  double rest[8];
} cell_t;

extern const int step[4];

void shift(cell_t *to, const cell_t *from, int count) {
  for (int q = 0; q < 4; q++)
    for (int i = 0; i < count; i++)
      to[i].part[q] = from[i - step[q]].part[q];
}
