/* Reads lines of hexadecimal bytes, one instruction each, and prints those whose length the decoder takes for another.
 */
#include "operands.h"

#include <stdio.h>

int main(void) {
  char line[512];
  const uint64_t registers[SW_REGISTERS] = {0};
  long same = 0, unknown = 0, other = 0;
  while (fgets(line, sizeof line, stdin)) {
    uint8_t bytes[32] = {0};
    int count = 0, used;
    unsigned value;
    for (char *at = line; count < 16 && sscanf(at, "%2x%n", &value, &used) == 1; at += used)
      bytes[count++] = (uint8_t)value;
    if (!count)
      continue;
    struct sw_instruction found = sw_decode(bytes, registers, 0);
    same += found.length == count;
    unknown += found.length == 0;
    if (found.length && found.length != count && ++other < 20)
      printf("%d: %s", found.length, line);
  }
  printf("%ld %ld %ld\n", same, unknown, other);
  return 0;
}
