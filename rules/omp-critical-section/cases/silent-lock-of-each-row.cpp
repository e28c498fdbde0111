// flags: -fopenmp
// Many locks, of which the data choose one: threads seldom meet, and one lock for all updates of a row or a cell costs
// less than an atomic update of each number.
#include <cstddef>
#include <mutex>
#include <omp.h>
#include <vector>

void tally(int samples, int groups, float **flux, const int *region, const float *weight, omp_lock_t *locks) {
#pragma omp parallel for schedule(dynamic)
  for (int s = 0; s < samples; s++) {
    int r = region[s];
    omp_set_lock(&locks[r]);
    for (int g = 0; g < groups; g++)
      flux[r][g] += weight[g];
    omp_unset_lock(&locks[r]);
  }
}

struct Node {
  double force[3];
  omp_lock_t door;
};

void gather(Node *nodes, const int (*ends)[2], const double *pull, std::size_t edges) {
#pragma omp parallel for
  for (std::size_t e = 0; e < edges; e++) {
    Node *at = nodes + ends[e][0];
    omp_set_lock(&at->door);
    at->force[0] += pull[3 * e];
    at->force[1] += pull[3 * e + 1];
    at->force[2] += pull[3 * e + 2];
    omp_unset_lock(&at->door);
  }
}

class Mesh {
public:
  void spread(const std::vector<int> &cell, const std::vector<double> &mass) {
#pragma omp parallel for
    for (std::size_t i = 0; i < cell.size(); ++i) {
      std::lock_guard<std::mutex> hold(doors[static_cast<std::size_t>(cell[i]) % doors.size()]);
      count[cell[i]] += 1;
      weight[cell[i]] += mass[i];
    }
  }

private:
  std::vector<std::mutex> doors{1024};
  std::vector<double> count, weight;
};

struct Cell {
  std::mutex door;
  double mass = 0, charge = 0;
  void take(double m, double q) {
    std::scoped_lock hold(door);
    mass += m;
    charge += q;
  }
};

void deposit(std::vector<Cell> &cells, const std::vector<int> &where, const std::vector<double> &m) {
#pragma omp parallel for
  for (std::size_t i = 0; i < where.size(); ++i)
    cells[where[i]].take(m[i], 2 * m[i]);
}

// A pool that a hash chooses from.
static omp_lock_t pool[512];

static void bump(double *table, unsigned key, double value) {
  omp_lock_t *mine = &pool[key % 512];
  omp_set_lock(mine);
  table[2 * key] += value;
  table[2 * key + 1] += 1;
  omp_unset_lock(mine);
}

void all(double *table, const unsigned *keys, const double *values, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    bump(table, keys[i], values[i]);
}
