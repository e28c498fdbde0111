// flags: -fopenmp
// As silent-lists.cpp, with the numbers themselves.
#include <vector>

long fill(std::vector<long> &sizes, int processes, const std::vector<int> &owners) {
  // expect: omp-calloc-first-touch medium "the constructor of std::vector"
  std::vector<long> lists(processes);
  for (std::size_t k = 0; k < owners.size(); ++k)
    lists[owners[k]] += static_cast<int>(k);
#pragma omp parallel for schedule(static)
  for (int p = 0; p < processes; p++)
    sizes[p] = lists[p];
  return sizes[0];
}
