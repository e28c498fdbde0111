// flags: -fopenmp
// A path through a field, cell by cell from one row to the next: each opening uses up one row behind a pointer. How
// many rows there are another function says, where it makes their array.
#include <algorithm>

static int **cost;
static int width, height;

void make(int columns, int rows) {
  width = columns;
  height = rows;
  cost = new int *[height];
  for (int y = 0; y < height; ++y)
    cost[y] = new int[width]();
}

void cheapest(int *before, int *now) {
  for (int y = 1; y < height; ++y) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
    for (int x = 0; x < width; ++x) {
      int least = before[x];
      if (x > 0)
        least = std::min(least, before[x - 1]);
      now[x] = cost[y][x] + least;
    }
    std::swap(before, now);
  }
}

// The same row in each step: an opening has all the data that there are.
void relax(const int *weight, int *before, int *now, int steps) {
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for
    for (int x = 1; x < width; ++x)
      now[x] = weight[x] + std::min(before[x], before[x - 1]);
    std::swap(before, now);
  }
}
