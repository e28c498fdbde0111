// A few components of each cell, side by side.
void components(double *restrict to, const double *restrict from, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      to[k * n + i] = from[i * 3 + k];
}

// The same behind a table of three pointers, whatever their number is called.
void split(double *x, double *y, double *z, const double *from, int cells, int parts) {
  double *to[3] = {x, y, z};
  for (int i = 0; i < cells; i++)
    for (int part = 0; part < parts; part++)
      to[part][i] = from[parts * i + part];
}

// Some columns at a time, by offsets from the first of them.
extern int block;
void pencils(double *restrict buffer, const double *restrict from, int n) {
  for (int first = 0; first <= n - block; first += block)
    for (int j = 0; j < block; j++)
      for (int i = 0; i < n; i++)
        buffer[i * 18 + j] = from[(first + j) * n + i];
}
