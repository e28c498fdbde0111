// flags: -fopenmp
// One list for each process: what the team works on lies elsewhere.
#include <vector>

long fill(std::vector<long> &sizes, int processes, const std::vector<int> &owners) {
  std::vector<std::vector<int>> lists(processes);
  for (std::size_t k = 0; k < owners.size(); ++k)
    lists[owners[k]].push_back(static_cast<int>(k));
#pragma omp parallel for schedule(static)
  for (int p = 0; p < processes; p++)
    sizes[p] = lists[p].size();
  return sizes[0];
}
