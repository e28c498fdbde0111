// Padding of a table with six rows: 48 bytes in all.
struct row {
  int kind;
  double scale;
  int first;
};

static const double scales[6] = {1.0, 0.5, 0.25, 2.0, 4.0, 8.0};

static double evaluate(int kind, double value) {
  struct row table[6];
  for (int n = 0; n < 6; n++) {
    table[n].kind = n;
    table[n].scale = scales[n];
    table[n].first = 3 * n;
  }
  double sum = 0.0;
  for (int n = 0; n < 6; n++)
    if (table[n].kind <= kind)
      sum += table[n].scale * value + table[n].first;
  return sum;
}

int main(void) { return evaluate(4, 2.0) > 100.0; }
