// Whatever the loops' ends are, they stay in their array.
enum { Most = 24, Many = 240 };

static double small[Most * Most], large[Many * Many], right[Many], left[Many];

void multiply_small(int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++)
      sum += small[i + j * Most] * right[j];
    left[i] = sum;
  }
}

double start(double *all);

void multiply_local(int n) {
  double all[Most * Most];
  left[0] = start(all);
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++)
      sum += all[i + j * Most] * right[j];
    left[i] = sum;
  }
}

void multiply_large(int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    // expect: mem-strided-inner-loop high "1920 bytes" "8 bytes"
    for (int j = 0; j < n; j++)
      sum += large[i + j * Many] * right[j];
    left[i] = sum;
  }
}
