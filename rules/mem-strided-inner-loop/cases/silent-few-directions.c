// Fewer directions than a cache line has numbers, each from a cell that a table tells: with them inside, too, a line is
// fetched for each.
#define PARTS 12

extern const int step[4];

void shift(double *to, const double *from, int count) {
  for (int q = 0; q < 4; q++)
    for (int i = 0; i < count; i++)
      to[(long)i * PARTS + q] = from[((long)i - step[q]) * PARTS + q];
}
