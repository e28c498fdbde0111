// flags: -fopenmp
// Two serial loops run over the data around a region: one of them may be a border's, not both.

#include <vector>

struct Range {
  int first, end, by;
};

// Cell by cell in a direction that the run decides: each opening has the groups of one cell.
void sweep(double *flux, const double *source, const Range &rows, const Range &columns, int pitch, int groups) {
  for (int j = rows.first; j != rows.end; j += rows.by)
    for (int i = columns.first; i != columns.end; i += columns.by) {
      double *cell = flux + (i + j * pitch) * groups;
      const double *from = source + (i + j * pitch) * groups;
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
      for (int g = 0; g < groups; ++g)
        cell[g] += 0.5 * from[g];
    }
}

// The faces of the cells move with one of the loops each.
void faces(double *flux, double *left, double *top, const Range &rows, const Range &columns, int pitch, int groups) {
  for (int j = rows.first; j != rows.end; j += rows.by)
    for (int i = columns.first; i != columns.end; i += columns.by) {
      double *cell = flux + (i + j * pitch) * groups;
      double *beside = left + j * groups, *above = top + i * groups;
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
      for (int g = 0; g < groups; ++g) {
        cell[g] = 0.5 * (beside[g] + above[g]);
        beside[g] = 2 * cell[g] - beside[g];
        above[g] = 2 * cell[g] - above[g];
      }
    }
}

// A matrix product: one loop moves what is stored, the other what is read.
void moments(double *moment, const double *weight, const double *flux, int moments, int directions, int cells) {
  // expect: mem-handwritten-matmul medium "weight" "flux"
  for (int m = 0; m < moments; ++m)
    for (int d = 0; d < directions; ++d) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
      for (int c = 0; c < cells; ++c)
        moment[m * cells + c] += weight[m * directions + d] * flux[d * cells + c];
    }
}

// Fields behind pointers, plane by plane.
void decay(std::vector<std::vector<double>> &fields, const Range &planes, int rows, int columns) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::vector<double> &field = fields[f];
    for (int k = planes.first; k < planes.end; ++k)
    // expect: omp-region-in-loop medium "one plane of the data"
#pragma omp parallel for
      for (int j = 1; j < rows - 1; ++j)
        for (int i = 0; i < columns; ++i)
          field[(k * rows + j) * columns + i] *= 0.5;
  }
}
