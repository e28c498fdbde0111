// Planes addressed by offsets in one array, with the time loop around.
#define NX 700
#define NY 700
#define NZ 80
#define PLANE (NX * NY)

void march(int steps, const double *restrict rate, const double *restrict in, double *restrict out) {
  for (int t = 0; t < steps; t++)
    // expect: mem-unblocked-stencil high "after 18 MiB of other data" "planes"
    for (int z = 1; z < NZ - 1; z++)
      for (int y = 1; y < NY - 1; y++)
        for (int x = 1; x < NX - 1; x++) {
          const int at = z * PLANE + y * NX + x;
          out[at] += rate[at] * (in[at - PLANE] - 2 * in[at] + in[at + PLANE]) +
                     rate[at] * (in[at - NX] - 2 * in[at] + in[at + NX]) +
                     rate[at] * (in[at - 1] - 2 * in[at] + in[at + 1]);
        }
}
