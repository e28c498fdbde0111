// Statements around the inner loop: they get loops of their own where they hand it nothing in a scalar.
#include <stdio.h>

enum { Rows = 1200, Columns = 1100 };
static double table[Rows][Columns], mean[Columns], least[Columns], spread[Columns];

static void means(void) {
  for (int j = 0; j < Columns; j++) {
    mean[j] = 0.0;
    // expect: mem-strided-inner-loop high "8800 bytes" "8 bytes" unsafe-fix
    for (int i = 0; i < Rows; i++)
      mean[j] += table[i][j];
    mean[j] /= Rows; // the last statement
  }
}

// A pragma that another one ends marks a region.
static void marked(void) {
#pragma region
  for (int j = 0; j < Columns; j++)
    // expect: mem-strided-inner-loop high "8800 bytes" "8 bytes" fix
    for (int i = 0; i < Rows; i++)
      table[i][j] *= 0.5;
#pragma endregion
}

// Else it is about the loop below.
static void directed(void) {
#pragma novector
  for (int j = 0; j < Columns; j++)
    // expect: mem-strided-inner-loop high "8800 bytes" "8 bytes" no-fix
    for (int i = 0; i < Rows; i++)
      table[i][j] += 0.5;
}

static void lowest(int wanted) {
  if (wanted)
    for (int j = 0; j < Columns; j++) {
      least[j] = table[0][j];
      // expect: mem-strided-inner-loop high "8800 bytes" "8 bytes" unsafe-fix
      for (int i = 1; i < Rows; i++) {
        if (table[i][j] < least[j])
          least[j] = table[i][j];
      }
    }
}

static void spreads(void) {
  double sum;
  for (int j = 0; j < Columns; j++) {
    sum = 0.0;
    // expect: mem-strided-inner-loop high "8800 bytes" "8 bytes" no-fix
    for (int i = 0; i < Rows; i++)
      sum += (table[i][j] - mean[j]) * (table[i][j] - mean[j]);
    spread[j] = sum;
  }
}

int main(void) {
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      table[i][j] = (i * 7 + j * 3) % 64;
  marked();
  directed();
  means();
  lowest(1);
  spreads();
  double all = 0.0;
  for (int j = 0; j < Columns; j++)
    all += mean[j] + least[j] + spread[j];
  printf("%.3f\n", all);
  return 0;
}
