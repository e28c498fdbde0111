// A library's loop that writes what it goes through may be what fills the array, once.
struct particle {
  float x, y, z, u, v, w, mass;
  int tag;
};

void set_mass(struct particle *p, long n, float mass) {
  // expect: mem-array-of-structs low "uses 4 of the 32 bytes"
  for (long i = 0; i < n; i++)
    p[i].mass = mass;
}
