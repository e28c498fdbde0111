// Eight bytes of 88 are less than a tenth of what a loop over the records fetches.
#include <stdlib.h>

// expect: mem-struct-padding low "block"
struct block {
  int level;
  double values[8];
  int owner;
  double error;
};

struct block *create(size_t count) { return malloc(count * sizeof(struct block)); }
