// fixes: mem-handwritten-matmul
#define ORDER 600

static double first[ORDER][ORDER], second[ORDER][ORDER], result[ORDER][ORDER];

void multiply(void) {
  // expect: mem-handwritten-matmul high unsafe-fix
  for (int i = 0; i < ORDER; i++)
    for (int j = 0; j < ORDER; j++)
      // expect: mem-strided-inner-loop high "4800 bytes" "8 bytes" fix
      for (int k = 0; k < ORDER; k++)
        result[i][j] += first[i][k] * second[k][j];
}

double *row(int i) { return result[i]; }

void fill(void) {
  for (int i = 0; i < ORDER; i++)
    for (int j = 0; j < ORDER; j++) {
      first[i][j] = i - j;
      second[i][j] = i + j;
    }
}
