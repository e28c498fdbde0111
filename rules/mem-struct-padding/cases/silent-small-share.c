// Eight bytes of 504: below five percent.
#include <stdlib.h>

struct block {
  int level;
  double values[60];
  int owner;
  double error;
};

struct block *create(size_t count) { return malloc(count * sizeof(struct block)); }
