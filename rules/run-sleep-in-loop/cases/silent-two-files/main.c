// Naps of the other file: one before the time loop, one while the loop has nothing to do but wait.
void warm_up(void);
int nap_until_ready(const char *name);
void relax(double *u, int n);

int main(void) {
  static double u[4096];
  warm_up();
  while (!nap_until_ready("input.ready"))
    ;
  for (int step = 0; step < 100; step++)
    relax(u, 4096);
  return u[1] > 2.0;
}
