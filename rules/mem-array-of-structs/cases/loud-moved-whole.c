// Records that are put into order, sent and written whole go through any layout alike: what the steps of the work use of
// each decides.
#include <mpi.h>
#include <stdio.h>

struct body {
  double x[3], v[3], a[3];
  double mass, potential, density, entropy, pressure, spare[4];
  int key, owner;
};

extern struct body *all, *ordered;
extern int count;

void sort(const int *to) {
  for (int i = 0; i < count; i++)
    ordered[to[i]] = all[i];
  for (int i = 0; i < count; i++)
    all[i] = ordered[i];
}

void send(int other) {
  for (int i = 0; i < count; i++)
    // expect: mpi-tiny-messages
    MPI_Send(&all[i], sizeof all[i], MPI_BYTE, other, 3, MPI_COMM_WORLD);
}

void save(FILE *file) {
  for (int i = 0; i < count; i++)
    fwrite(&all[i], sizeof all[i], 1, file);
}

double energy(void) {
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += all[i].mass * all[i].potential;
  return sum;
}

double entropy(void) {
  double sum = 0.0;
  // expect: mem-array-of-structs high "uses 16 of the 152 bytes"
  for (int i = 0; i < count; i++)
    sum += all[i].mass * all[i].entropy;
  return sum;
}

void run(int steps, const int *to, int other, FILE *file, double *sums) {
  for (int step = 0; step < steps; step++) {
    sort(to);
    send(other);
    save(file);
    sums[step] = energy() + entropy();
  }
}
