// Nothing here takes time, however it is compiled.
// flags: -O0
#include <stdio.h>

int main(int argc, char **argv) {
  printf("%s: %d\n", argv[0], argc);
  return 0;
}
