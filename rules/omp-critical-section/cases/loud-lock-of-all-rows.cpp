// flags: -fopenmp
// One lock for all rows, a few for all cells, the same lock of an array each time: the team queues.
#include <cstddef>
#include <mutex>
#include <omp.h>
#include <vector>

void tally(int samples, int groups, float **flux, const int *region, const float *weight, omp_lock_t *locks) {
#pragma omp parallel for schedule(dynamic)
  for (int s = 0; s < samples; s++) {
    int r = region[s];
    // expect: omp-critical-section medium "'flux[r][g]'" "a lock"
    omp_set_lock(&locks[0]);
    for (int g = 0; g < groups; g++)
      flux[r][g] += weight[g];
    omp_unset_lock(&locks[0]);
  }
}

struct Node {
  double force[3];
};
struct Graph {
  Node *nodes;
  omp_lock_t door;
};

void gather(Graph *graph, const int (*ends)[2], const double *pull, std::size_t edges) {
#pragma omp parallel for
  for (std::size_t e = 0; e < edges; e++) {
    Node *at = graph->nodes + ends[e][0];
    // expect: omp-critical-section medium "'at->force[0]', 'at->force[1]' and 'at->force[2]'" "a lock"
    omp_set_lock(&graph->door);
    at->force[0] += pull[3 * e];
    at->force[1] += pull[3 * e + 1];
    at->force[2] += pull[3 * e + 2];
    omp_unset_lock(&graph->door);
  }
}

class Mesh {
public:
  void spread(const std::vector<int> &cell, const std::vector<double> &mass) {
#pragma omp parallel for
    for (std::size_t i = 0; i < cell.size(); ++i) {
      // expect: omp-critical-section medium "'this->count[cell[i]]' and 'this->weight[cell[i]]'" "a lock"
      std::lock_guard<std::mutex> hold(doors[cell[i] % 4]);
      count[cell[i]] += 1;
      weight[cell[i]] += mass[i];
    }
  }

private:
  std::vector<std::mutex> doors{4};
  std::vector<double> count, weight;
};

struct Totals {
  std::mutex door;
  double mass = 0, charge = 0;
  void take(double m, double q) {
    // expect: omp-critical-section medium "'this->mass' and 'this->charge'" "a lock"
    std::scoped_lock hold(door);
    mass += m;
    charge += q;
  }
};

void deposit(Totals &all, const std::vector<double> &m) {
#pragma omp parallel for
  for (std::size_t i = 0; i < m.size(); ++i)
    all.take(m[i], 2 * m[i]);
}

static omp_lock_t pool[2];

static void bump(double *table, unsigned key, double value) {
  omp_lock_t *mine = &pool[key % 2];
  // expect: omp-critical-section medium "'table[2 * key]' and 'table[2 * key + 1]'" "a lock"
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
