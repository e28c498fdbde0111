// Correlations of the columns of a table. The result is stored twice, mirrored at the diagonal, which keeps no column
// from being finished after another.
#include <cstdio>
#include <vector>

class Table {
public:
  Table(int rows, int columns) : columns_(columns), values(static_cast<std::size_t>(rows) * std::size_t(columns)) {}
  double &operator()(int row, int column) {
    return values[std::size_t(row) * std::size_t(columns_) + std::size_t(column)];
  }

private:
  int columns_;
  std::vector<double> values;
};

static void spread(Table &result, Table &data, int samples, int variables) {
  for (int i = 0; i < variables; i++)
    for (int j = i + 1; j < variables; j++) {
      double most = 0.0;
      // expect: mem-strided-inner-loop medium "1600 bytes" "8 bytes"
      for (int k = 0; k < samples; k++) {
        const double apart = data(k, j) - data(0, i);
        most = apart > most ? apart : most;
      }
      result(i, j) = most;
      result(j, i) = most;
    }
}

int main() {
  const int samples = 300, variables = 200;
  Table data(samples, variables), result(variables, variables);
  for (int k = 0; k < samples; k++)
    for (int j = 0; j < variables; j++)
      data(k, j) = (k * 7 + j * 3) % 11;
  spread(result, data, samples, variables);
  std::printf("%.1f\n", result(3, 9));
}
