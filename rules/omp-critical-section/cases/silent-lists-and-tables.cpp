// flags: -fopenmp
// Lists that are joined once per thread, messages about what seldom goes wrong, a table that is too large for a copy in
// each thread, and a value that the section names and that depends on what it updates.
#include <array>
#include <string>
#include <vector>

std::vector<int> joined(const std::vector<int> &level, int depth) {
  std::vector<int> all;
#pragma omp parallel
  {
    std::vector<int> mine;
#pragma omp for nowait
    for (int v = 0; v < static_cast<int>(level.size()); ++v)
      if (level[v] > depth)
        mine.push_back(v);
#pragma omp critical
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

std::vector<std::string> problems(const std::vector<double> &x) {
  std::vector<std::string> all;
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(x.size()); ++i)
    if (x[i] < 0) {
#pragma omp critical
      all.push_back("negative at " + std::to_string(i));
    }
  return all;
}

static double table[1 << 20];

void scatter(const std::vector<int> &to, const std::vector<double> &x) {
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
#pragma omp atomic
    table[to[i]] += x[i];
  }
}

double filtered(const std::vector<double> &x) {
  double level = 0;
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
#pragma omp critical
    {
      const double gap = x[i] - level;
      level += 0.1 * gap;
    }
  }
  return level;
}
