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

// Threads take from the list what others have put there, or look at what has come together so far.
int spread(std::vector<int> &queue, const std::vector<int> &next, int n) {
  int seen = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int v = -1;
#pragma omp critical(queue)
    if (!queue.empty()) {
      v = queue.back();
      queue.pop_back();
    }
    if (v >= 0) {
#pragma omp critical(queue)
      queue.push_back(next[v]);
    }
  }
  return seen;
}

std::vector<int> some(const std::vector<int> &level, std::size_t most) {
  std::vector<int> chosen;
#pragma omp parallel for
  for (int v = 0; v < static_cast<int>(level.size()); ++v)
    if (level[v] > 0 && chosen.size() < most) {
#pragma omp critical
      chosen.push_back(v);
    }
  return chosen;
}

int crowded(const std::vector<int> &keys, int most) {
  std::array<int, 64> bins{};
  int full = 0;
#pragma omp parallel for reduction(+ : full)
  for (int i = 0; i < static_cast<int>(keys.size()); ++i) {
#pragma omp atomic
    bins[keys[i] % 64]++;
    full += bins[keys[i] % 64] > most;
  }
  return full;
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
