#include <mpi.h>

extern int leader, count;

struct grid {
  int number;
};
void place(struct grid *grid);
