// A table of sensors in static storage; the time loop reads one value of each record.
#include <stdio.h>

typedef struct {
  char name[32];
  double value, scale, offset;
  long last, count;
} sensor;

static sensor sensors[20000];

int main(void) {
  double seen = 0.0;
  for (unsigned i = 0; i < 20000; i++) {
    sensors[i].name[0] = (char)('a' + i % 26);
    sensors[i].value = i % 11;
  }
  for (int hour = 0; hour < 24; hour++) {
    double low = 1e9;
    // expect: mem-array-of-structs high "sensor"
    for (unsigned i = 0; i < 20000; i++)
      low = sensors[i].value < low ? sensors[i].value : low;
    seen += low + hour;
  }
  printf("%.3f %c\n", seen, sensors[3].name[0]);
  return 0;
}
