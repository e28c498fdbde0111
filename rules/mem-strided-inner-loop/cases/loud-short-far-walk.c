// Short inner loops whose lines are gone before the next iteration comes to them: groups whose planes fall into one set
// of the first level, and more frames than prefetchers follow.
#define CELLS 73728
#define GROUPS 32
#define FRAMES 64

double leaked(const double *flux) {
  double sum = 0;
  // expect: mem-power-of-two-stride
  for (long c = 0; c < CELLS; c++)
    // expect: mem-strided-inner-loop "steps 589824 bytes through memory; over 'c' the step is 8 bytes"
    for (int g = 0; g < GROUPS; g++)
      sum += flux[(long)g * CELLS + c];
  return sum;
}

void correlate(double *c, const float *track, int atoms, int recorded) {
  const int frames = recorded < FRAMES ? recorded : FRAMES;
  for (int i = 0; i < atoms; i++)
    // expect: mem-strided-inner-loop "over 'i' the step is 4 bytes"
    for (int t = 0; t < frames; t++)
      c[t] += track[i] * track[(long)t * atoms + i];
}
