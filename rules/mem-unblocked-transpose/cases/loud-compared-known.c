// A matrix of exactly the size that no core's own caches hold is checked for its symmetry.
float a[1024][1024];

float asymmetry(void) {
  float most = 0.0f;
  for (int i = 0; i < 1024; i++)
    // expect: mem-unblocked-transpose high "a", mem-power-of-two-stride high
    for (int j = 0; j < 1024; j++) {
      float difference = a[i][j] - a[j][i];
      most = difference > most ? difference : most;
    }
  return most;
}
