// Four bytes less per record would be eight instead of twelve, below the threshold of a word.
#include <stdlib.h>

struct pixel {
  char red;
  int weight;
  char green;
};

struct pixel *create(size_t count) { return malloc(count * sizeof(struct pixel)); }
