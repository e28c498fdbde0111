// Rows of 400000 numbers: three of them and one of the result are 12 MiB.
#define LENGTH 400000

float wave[64][LENGTH], moved[64][LENGTH];

void step(float c) {
  // expect: mem-unblocked-stencil high "after 6.1 MiB of other data" "wave"
  for (int i = 1; i < 63; i++)
    for (int j = 1; j < LENGTH - 1; j++)
      moved[i][j] = wave[i][j] + c * (wave[i - 1][j] + wave[i + 1][j] + wave[i][j - 1] + wave[i][j + 1]);
}

void pulse(void) { wave[32][LENGTH / 2] = 1.0f; }
