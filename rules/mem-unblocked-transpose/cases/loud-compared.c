// How far a matrix of unknown size is from being symmetric: nothing is moved.
double asymmetry(const double *a, int n) {
  double most = 0.0;
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose low "a"
    for (int j = i + 1; j < n; j++) {
      double difference = a[i * n + j] - a[j * n + i];
      most = difference > most ? difference : most;
    }
  return most;
}
