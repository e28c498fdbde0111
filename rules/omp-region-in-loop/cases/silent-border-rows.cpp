// flags: -fopenmp
// The serial loop runs over the rows or columns of a border, of which there are one or two: nothing says that it is
// long, and each opening has a whole side of the field.
#include <cstddef>
#include <vector>

// A left border goes into a buffer.
void pack_left(const double *field, double *buffer, int depth, int rows, int pitch) {
  for (int j = 0; j < depth; j++) {
#pragma omp parallel for
    // expect: mem-strided-inner-loop medium "8 * pitch bytes" "8 bytes"
    for (int k = 0; k < rows; k++)
      buffer[k * depth + j] = field[k * pitch + j];
  }
}

// An upper one: the buffer's rows are shorter than the field's.
void pack_top(const double *field, double *buffer, int depth, int columns, int rows) {
  for (int j = 0; j < depth; j++) {
#pragma omp parallel for
    for (int k = 0; k < columns; k++)
      buffer[j * columns + k] = field[(rows - j) * (columns + 4) + k];
  }
}

// The rows inside are mirrored to the outside.
void reflect(float *field, long depth, long columns, long rows) {
  for (long j = 0; j < depth; ++j) {
#pragma omp parallel for schedule(static)
    for (long k = 0; k < columns; ++k)
      field[(rows + j) * columns + k] = field[(rows - 1 - j) * columns + k];
  }
}

struct Grid {
  std::size_t pitch, rows;
  std::vector<double> values;
  double &at(std::size_t row, std::size_t column) { return values[row * pitch + column]; }
};

void unpack_right(Grid &g, const std::vector<double> &buffer, std::size_t depth) {
  for (std::size_t j = 0; j < depth; ++j) {
#pragma omp parallel for
    // expect: mem-strided-inner-loop medium "8 * depth bytes" "8 bytes"
    for (std::size_t k = 0; k < g.rows; ++k)
      g.at(k, g.pitch - depth + j) = buffer[k * depth + j];
  }
}

// Rows behind pointers, the last ones of the field.
void receive(double **field, double **buffer, int depth, int rows, int columns) {
  for (int j = 0; j < depth; j++) {
#pragma omp parallel for
    for (int k = 0; k < columns; k++)
      field[rows + j][k] = buffer[j][k];
  }
}

template <typename T> void halo(T *field, unsigned depth, unsigned rows, unsigned pitch) {
  for (unsigned j = 0; j < depth; ++j) {
#pragma omp parallel for
    for (unsigned k = 0; k < rows; ++k)
      field[k * pitch + j] = field[k * pitch + pitch - 2 * depth + j];
  }
}
template void halo<float>(float *, unsigned, unsigned, unsigned);
