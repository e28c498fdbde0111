// Lengths that no table along the serial loop tells: a list that each step makes anew, and levels within one region.
// flags: -fopenmp
struct matrix {
  int levels, *level_begin, *level_row, *begin, *diagonal, *column;
  double *value;
};

int expand(const int *from, int count, int *to);
void visit(double *distance, int vertex);

void search(double *distance, int *frontier, int *next, int count) {
  while (count > 0) {
#pragma omp parallel for
    for (int n = 0; n < count; n++)
      visit(distance, frontier[n]);
    count = expand(frontier, count, next);
  }
}

void solve_lower(const struct matrix *m, double *x) {
#pragma omp parallel
  for (int level = 0; level < m->levels; level++) {
#pragma omp for
    for (int q = m->level_begin[level]; q < m->level_begin[level + 1]; q++) {
      int row = m->level_row[q];
      double sum = x[row];
      for (int k = m->begin[row]; k < m->diagonal[row]; k++)
        sum -= m->value[k] * x[m->column[k]];
      x[row] = sum;
    }
  }
}

// Tiles of a field: the table has their extents, no list names what is in them.
struct tile {
  int begin, end;
  double *field;
};
void fill_tiles(struct tile *tiles, int count, int columns) {
  for (int t = 0; t < count; t++) {
#pragma omp parallel for
    for (int row = tiles[t].begin; row < tiles[t].end; row++)
      for (int column = 0; column < columns; column++)
        tiles[t].field[row * columns + column] = 1.0;
  }
}

// A caller's loop over materials, each of which has many elements.
static void update(double *pressure, const int *element, int count) {
#pragma omp parallel for
  for (int n = 0; n < count; n++)
    visit(pressure, element[n]);
}
void update_materials(double *pressure, int **element, const int *count, int materials) {
  for (int m = 0; m < materials; m++)
    update(pressure, element[m], count[m]);
}

// A queue that each step fills anew: its length stands in one place.
struct queue {
  int count, *vertex;
};
void advance(struct queue *q);
void search_queue(double *distance, struct queue *q, int depth) {
  for (int d = 0; d < depth; d++) {
#pragma omp parallel for
    for (int n = 0; n < q->count; n++)
      visit(distance, q->vertex[n]);
    advance(q);
  }
}
