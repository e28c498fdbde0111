// flags: -fopenmp
// Accessors that check their arguments before they return the element.
#include <cassert>
#include <cstddef>
#include <stdexcept>

class Field {
public:
  Field(int rows, int columns) : rows(rows), columns(columns), values(new double[std::size_t(rows) * columns]) {
    // expect: omp-serial-first-touch medium "'values'" "line 29"
    for (std::size_t i = 0; i < std::size_t(rows) * columns; ++i)
      values[i] = 0;
  }
  double &operator()(int i, int j) {
    check(i, j);
    return values[std::size_t(i) * columns + j];
  }
  void check(int i, int j) const;
  int rows, columns;

private:
  double *values;
};

void relax(int rows, int columns, int steps) {
  Field a(rows, columns);
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a(i, j) *= 0.5;
  }
}

class Checked {
public:
  Checked(int rows, int columns) : columns(columns), asserted(new double[std::size_t(rows) * columns]) {
    // expect: omp-serial-first-touch medium "'asserted'" "line 56"
    for (std::size_t i = 0; i < std::size_t(rows) * columns; ++i)
      asserted[i] = 0;
  }
  double &at(int i, int j) {
    assert(i >= 0);
    return asserted[std::size_t(i) * columns + j];
  }

private:
  int columns;
  double *asserted;
};

void decay(int rows, int columns, int steps) {
  Checked a(rows, columns);
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a.at(i, j) *= 0.5;
  }
}

class Throwing {
public:
  Throwing(int rows, int columns) : columns(columns), thrown(new double[std::size_t(rows) * columns]) {
    // expect: omp-serial-first-touch medium "'thrown'" "line 85"
    for (std::size_t i = 0; i < std::size_t(rows) * columns; ++i)
      thrown[i] = 0;
  }
  double &at(int i, int j) {
    if (i < 0) {
      throw std::out_of_range("row");
    }
    return thrown[std::size_t(i) * columns + j];
  }

private:
  int columns;
  double *thrown;
};

void fade(int rows, int columns, int steps) {
  Throwing a(rows, columns);
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a.at(i, j) *= 0.5;
  }
}
