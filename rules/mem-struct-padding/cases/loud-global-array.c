#include <stdbool.h>

// expect: mem-struct-padding high "station"
struct station {
  bool active;
  const char *name;
  char code;
  double height;
  unsigned char network;
  float noise;
};

static struct station stations[5000];

double highest(int count) {
  double best = 0.0;
  for (int n = 0; n < count; n++)
    if (stations[n].active && stations[n].code != 'x' && stations[n].height > best)
      best = stations[n].height;
  return best;
}

void add(int n, const char *name, double height) {
  stations[n].active = true;
  stations[n].name = name;
  stations[n].height = height;
  stations[n].noise = 0.0f;
  stations[n].network = 1;
}
