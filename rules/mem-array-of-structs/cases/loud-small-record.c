// An eighth of each line is used, in each of many sweeps.
#define COUNT 50000
struct body {
  float x, y, z, u, v, w, mass;
  int tag;
};
static struct body bodies[COUNT];

float weigh(int sweeps) {
  float sum = 0.0f;
  for (int sweep = 0; sweep < sweeps; sweep++)
    // expect: mem-array-of-structs high "body"
    for (int i = 0; i < COUNT; i++)
      sum += bodies[i].mass;
  return sum;
}
