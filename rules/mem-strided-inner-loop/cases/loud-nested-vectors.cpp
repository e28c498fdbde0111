#include <cstddef>
#include <vector>

float total(const std::vector<std::vector<float>> &table, std::size_t columns) {
  float sum = 0.0f;
  for (std::size_t j = 0; j < columns; j++)
    // expect: mem-strided-inner-loop medium "from row to row" "4 bytes"
    for (std::size_t i = 0; i < table.size(); i++)
      sum += table[i][j];
  return sum;
}
