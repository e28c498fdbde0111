// Levels of a column side by side in some arrays, in planes of their own in others: along the columns the planes are as
// many walks, each of which keeps its line.
#define LEVELS 16

void advect(double *to, const double *from, const double *u, int columns, int rows) {
  for (int k = 0; k < LEVELS; k++)
    for (int j = 1; j < rows - 1; j++)
      // expect: mem-strided-inner-loop medium "steps 128 bytes through memory; over 'k' the step is 8 bytes"
      for (int i = 1; i < columns - 1; i++) {
        const long at = (long)j * columns + i;
        const double speed = u[(long)k * rows * columns + at];
        to[at * LEVELS + k] =
            from[at * LEVELS + k] - speed * (from[(at + 1) * LEVELS + k] - from[(at - 1) * LEVELS + k]);
      }
}
