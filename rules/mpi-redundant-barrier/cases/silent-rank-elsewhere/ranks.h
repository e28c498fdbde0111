#include <mpi.h>

extern int leader, count;
