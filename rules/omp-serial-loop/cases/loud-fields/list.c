// flags: -fopenmp
// Each atom looks at others, wherever they are, but sets fields of its own alone, and a column of the list.
#include "atoms.h"

void build(double far) {
  // expect: omp-serial-loop medium "share it, too" unsafe-fix
  for (int i = 0; i < natom; i++) {
    int n = 0;
    for (int j = head[at[i].cell]; j >= 0; j = next[j]) {
      double d = at[j].r[0] - at[i].r[0];
      if (j != i && d * d < far && n < MaxNear)
        near[(n++) * natom + i] = j;
    }
    count[i] = n;
    for (int k = 0; k < 3; k++)
      at[i].old[k] = at[i].r[k];
  }
}
