// Rotations of neighbouring columns, each by an angle that the one before it gives: the angles can be kept, and each
// row can take all of them in turn.
double radius(double x, double y);
static double *stored[400];

void sweeps(double **basis, double *d, double *e, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0, g = d[last];
    for (int i = last - 1; i >= first; i--) {
      const double f = s * e[i], r = radius(f, g);
      if (r == 0.0)
        break;
      s = f / r;
      const double c = g / r;
      g = c * d[i] - s * e[i];
      d[i + 1] = r;
      // expect: mem-strided-inner-loop medium "loop over 'i' (line 9) keep the numbers" "'basis', 'e' and 'd' do not"
      for (int k = 0; k < n; k++) {
        const double x = basis[k][i + 1];
        basis[k][i + 1] = s * basis[k][i] + c * x;
        basis[k][i] = c * basis[k][i] - s * x;
      }
    }
  }
}

// One sweep: what it takes is less than the arrays would be worth.
void sweep(double **basis, double *d, double *e, int n, int last) {
  double s = 1.0;
  for (int i = last - 1; i >= 0; i--) {
    s = radius(s * e[i], d[i]);
    if (s == 0.0)
      break;
    for (int k = 0; k < n; k++)
      basis[k][i] += s * basis[k][i + 1];
  }
}

// The next angle needs what the last one has turned.
void sweeps_by_basis(double **basis, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      s = radius(s, basis[i][i]);
      if (s == 0.0)
        break;
      for (int k = 0; k < n; k++)
        basis[k][i] += s * basis[k][i + 1];
    }
  }
}

// Each row needs the one above it.
void sweeps_down(double **basis, const double *e, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      s = radius(s, e[i]);
      if (s == 0.0)
        break;
      for (int k = 1; k < n; k++)
        basis[k][i] += s * basis[k - 1][i + 1];
    }
  }
}

// What the columns add up to decides.
void sweeps_by_sum(double **basis, const double *e, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      double sum = 0.0;
      for (int k = 0; k < n; k++) {
        basis[k][i] += s * basis[k][i + 1];
        sum += basis[k][i];
      }
      s = radius(sum, e[i]);
      if (s == 0.0)
        break;
    }
  }
}

// The function of another unit may see the rows.
void sweeps_of_stored(const double *e, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      s = radius(s, e[i]);
      if (s == 0.0)
        break;
      for (int k = 0; k < n; k++)
        stored[k][i] += s * stored[k][i + 1];
    }
  }
}
double **rows_of_stored(void) { return stored; }

// Columns of another length each.
void sweeps_of_parts(double **basis, const double *e, const int *length, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      s = radius(s, e[i]);
      if (s == 0.0)
        break;
      for (int k = 0; k < length[i]; k++)
        basis[k][i] += s * basis[k][i + 1];
    }
  }
}

// Each element asks another unit.
void sweeps_of_elements(double **basis, const double *e, int n, int last) {
  for (int first = 0; first < last; first++) {
    double s = 1.0;
    for (int i = last - 1; i >= first; i--) {
      s = s * e[i];
      if (s == 0.0)
        break;
      for (int k = 0; k < n; k++)
        basis[k][i] = radius(s, basis[k][i]);
    }
  }
}
