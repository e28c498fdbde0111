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

// One word of six.
// expect: mem-struct-padding low "joint"
struct joint {
  int from;
  double length[3];
  int to;
  double force;
};

struct joint *connect(size_t count) { return malloc(count * sizeof(struct joint)); }

// One word of four: three records where four can be.
// expect: mem-struct-padding high "mark"
struct mark {
  int from;
  double weight;
  int to;
  float age;
  int kind;
};

struct mark *scatter(size_t count) { return malloc(count * sizeof(struct mark)); }

// Two words of seven.
// expect: mem-struct-padding high "bond"
struct bond {
  int from;
  double length;
  int to;
  double force;
  int kind;
  double angle;
  char state;
};

struct bond *bind(size_t count) { return malloc(count * sizeof(struct bond)); }
