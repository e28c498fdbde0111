// flags: -fopenmp
// Steps that keep each state in an array of all steps: a whole plane each time, however many steps there are.
void march(double *restrict state, double *restrict history, int steps, int height, int width) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        state[y * width + x] *= 0.99;
        history[(s * (long)height + y) * width + x] = state[y * width + x];
      }
  }
}
