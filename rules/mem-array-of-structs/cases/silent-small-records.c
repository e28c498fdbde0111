// Half of a small record is used: with a line of 64 bytes there is little to gain. Of a pair of numbers nothing is.
#define COUNT 50000
struct body {
  float x, y, z, u, v, w, mass;
  int tag;
};
struct pair {
  double key, value;
};
static struct body bodies[COUNT];
static struct pair pairs[COUNT];

float centre(int sweeps) {
  float sum = 0.0f;
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int i = 0; i < COUNT; i++)
      sum += bodies[i].mass * (bodies[i].x + bodies[i].y + bodies[i].z);
  return sum;
}

double total(int sweeps) {
  double sum = 0.0;
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int i = 0; i < COUNT; i++)
      sum += pairs[i].value;
  return sum;
}
