// The accessor's result goes to a function, which works on the nine values of a cell.
#include <stdlib.h>

#define VALUES 9

typedef struct mesh {
  double *cells;
  int width;
  int height;
} mesh;

static inline double *cell_of(const mesh *m, int x, int y) { return &m->cells[(x * m->height + y) * VALUES]; }

static void relax_cell(double *out, const double *in) {
  double mean = 0.0;
  for (int k = 0; k < VALUES; k++)
    mean += in[k] / VALUES;
  for (int k = 0; k < VALUES; k++)
    out[k] = 0.5 * (in[k] + mean);
}

void relax(const mesh *out, const mesh *in) {
  for (int y = 1; y < in->height - 1; y++)
    // expect: mem-strided-inner-loop high "72 * height bytes" "72 bytes" unsafe-fix
    for (int x = 1; x < in->width - 1; x++)
      relax_cell(cell_of(out, x, y), cell_of(in, x, y));
}
