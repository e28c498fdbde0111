#include "field.h"

void run(struct field *f, int steps) {
  relax_first(f);
  for (int step = 0; step < steps; step++) {
    relax(f);
    advance(f);
  }
}
