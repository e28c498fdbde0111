// A part of a program: its level is said once, where main is.
// flags: -O0
void scale(double *a, int n, double by) {
  for (int i = 0; i < n; i++)
    a[i] *= by;
}
