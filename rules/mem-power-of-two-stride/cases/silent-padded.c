// Rows of 1024 and eight more elements, rows of 1025, and rows that are no power of two to begin with.
#define N 1024

double from[N][N + 8], to[N][N + 8], odd_from[N][N + 1], odd_to[N][N + 1];
double plain_from[1000][1000], plain_to[1000][1000];

void transpose(void) {
  for (int i = 0; i < N; i++)
    // expect: mem-unblocked-transpose high "from"
    for (int j = 0; j < N; j++)
      to[j][i] = from[i][j];
}

void transpose_odd(void) {
  for (int i = 0; i < N; i++)
    // expect: mem-unblocked-transpose high "odd_from" "odd_to"
    for (int j = 0; j < N; j++)
      odd_to[j][i] = odd_from[i][j];
}

void transpose_plain(void) {
  for (int i = 0; i < 1000; i++)
    // expect: mem-unblocked-transpose high "plain_from" "plain_to"
    for (int j = 0; j < 1000; j++)
      plain_to[j][i] = plain_from[i][j];
}
