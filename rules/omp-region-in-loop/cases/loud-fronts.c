// Regions over the elements that a table lists for each step of a serial loop: fronts of a sweep, levels of a substitution.
// flags: -fopenmp
struct front {
  int length;
  int *cell;
};
struct matrix {
  int levels, *level_begin, *level_row, *begin, *diagonal, *column;
  double *value;
};

void compute_cell(double *flux, int cell, int group);

void sweep(double *flux, const struct front *fronts, int count, int groups) {
  for (int group = 0; group < groups; group++)
    for (int d = 0; d < count; d++) {
      // expect: omp-region-in-loop medium "line 16" "as a table says" "open the region once"
#pragma omp parallel for
      for (int n = 0; n < fronts[d].length; n++)
        compute_cell(flux, fronts[d].cell[n], group);
    }
}

void solve_lower(const struct matrix *m, double *x) {
  for (int level = 0; level < m->levels; level++) {
    // expect: omp-region-in-loop medium "line 25" "as a table says" "open the region once"
#pragma omp parallel for
    for (int q = m->level_begin[level]; q < m->level_begin[level + 1]; q++) {
      int row = m->level_row[q];
      double sum = x[row];
      for (int k = m->begin[row]; k < m->diagonal[row]; k++)
        sum -= m->value[k] * x[m->column[k]];
      x[row] = sum;
    }
  }
}

// A clause that keeps fronts of one cell from opening a team leaves those of two; the list is read in one direction or
// the other.
int last_cell;
void sweep_back(double *flux, const struct front *fronts, int count, int backwards) {
  for (int d = 0; d < count; d++) {
    // expect: omp-region-in-loop medium "line 42" "as a table says"
#pragma omp parallel for if (fronts[d].length > 1)
    for (int n = 0; n < fronts[d].length; n++) {
      int cell = backwards ? last_cell - fronts[d].cell[n] : fronts[d].cell[n];
      compute_cell(flux, cell, 0);
    }
  }
}
