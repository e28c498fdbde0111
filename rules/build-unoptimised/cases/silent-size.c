// Optimised for size: chosen on purpose.
// flags: -Os
#include <stdio.h>

int main(void) {
  unsigned checksum = 1;
  for (int c = getchar(); c != EOF; c = getchar())
    checksum = checksum * 31 + (unsigned)c;
  printf("%u\n", checksum);
  return 0;
}
