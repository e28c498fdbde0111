// flags: -fopenmp
// Of two serial loops around a region only one runs over the data: the other may be one over steps in time.

struct Range {
  int first, end, by;
};

void sweep(double *flux, const double *source, const Range &rows, const Range &columns, int groups) {
  for (int j = rows.first; j != rows.end; j += rows.by)
    for (int i = columns.first; i != columns.end; i += columns.by) {
      double *cell = flux + i * groups;
      const double *from = source + i * groups;
#pragma omp parallel for
      for (int g = 0; g < groups; ++g)
        cell[g] += 0.5 * from[g];
    }
}

// The same field again and again, of which each step adds its own source.
void steps(double *field, const double *weight, const double *source, int rounds, int steps, int cells) {
  for (int r = 0; r < rounds; ++r)
    for (int s = 0; s < steps; ++s) {
#pragma omp parallel for
      for (int c = 0; c < cells; ++c)
        field[c] += weight[r * steps + s] * source[s * cells + c];
    }
}
