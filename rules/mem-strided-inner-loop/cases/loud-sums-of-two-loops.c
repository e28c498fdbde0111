// A sum that two loops carry, the one through the other, and that is in memory after each step: its order is free.
void correlate(double *const *history, double *sum, int atoms, int frames) {
  for (int lag = 0; lag < frames; ++lag) {
    double all = 0.0;
    for (int atom = 0; atom < atoms; ++atom)
      // expect: mem-strided-inner-loop medium "make 'atom' (line 5) the innermost loop" "rounded in another"
      for (int t = 0; t + lag < frames; ++t) {
        all += history[t][atom] * history[t + lag][atom];
        sum[lag] = all;
      }
  }
}
