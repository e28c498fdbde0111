// Plates cool down, one on each rank; their state is saved every ten steps. A pause that was meant to make the progress
// visible stops each save for five milliseconds, longer than the steps between two saves take.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define CELLS 4000
#define STEPS 200

static double now[CELLS], next[CELLS];

static void pause_ms(long ms) {
  struct timespec wait = {0, ms * 1000000L};
  // expect: run-sleep-in-loop high "nanosleep" "'step'"
  // expect-run: run-sleep-in-loop high "sleeps here 20 times" "remove the call"
  nanosleep(&wait, NULL);
}

static void save(FILE *out, int step) {
  fwrite(&step, sizeof step, 1, out);
  fwrite(now, sizeof now[0], CELLS, out);
  pause_ms(5);
}

static void advance(void) {
  for (int i = 1; i < CELLS - 1; i++)
    next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
  for (int i = 1; i < CELLS - 1; i++)
    now[i] = next[i];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < CELLS; i++)
    now[i] = (i + rank) % 50;
  FILE *out = tmpfile();
  if (!out)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int step = 0; step < STEPS; step++) {
    advance();
    if (step % 10 == 0)
      save(out, step);
  }
  double middle = now[CELLS / 2], sum = 0.0;
  MPI_Reduce(&middle, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f %ld\n", sum, ftell(out));
  fclose(out);
  MPI_Finalize();
  return 0;
}
