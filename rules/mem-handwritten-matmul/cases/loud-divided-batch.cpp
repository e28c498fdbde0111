// flags: -fopenmp
// Products of many blocks of their own sizes.
struct Block {
  int moments, directions, zones;
  double *moment, *ray;
  const double *weight;
};

// A team divides the rows of the factor that each moment streams through again: they are long.
void add_divided(const Block *blocks, int count) {
  for (int b = 0; b < count; ++b) {
    const Block &block = blocks[b];
    const int zones = block.zones, directions = block.directions, moments = block.moments;
    // expect: mem-handwritten-matmul medium "every iteration over 'm' fetches a whole factor again"
    for (int m = 0; m < moments; ++m) {
      double *const sum = block.moment + m * zones;
      for (int d = 0; d < directions; ++d) {
        const double *const value = block.ray + d * zones;
        const double weight = block.weight[m * directions + d];
        // expect: omp-region-in-loop medium "the loop at line 17"
#pragma omp parallel for
        for (int z = 0; z < zones; ++z)
          sum[z] += weight * value[z];
      }
    }
  }
}

// Each of them may be small.
void add(const Block *blocks, int count) {
  for (int b = 0; b < count; ++b) {
    const Block &block = blocks[b];
    const int zones = block.zones, directions = block.directions, moments = block.moments;
    // expect: mem-handwritten-matmul low "every iteration over 'm' fetches a whole factor again"
    for (int m = 0; m < moments; ++m) {
      double *const sum = block.moment + m * zones;
      for (int d = 0; d < directions; ++d) {
        const double *const value = block.ray + d * zones;
        const double weight = block.weight[m * directions + d];
        for (int z = 0; z < zones; ++z)
          sum[z] += weight * value[z];
      }
    }
  }
}
