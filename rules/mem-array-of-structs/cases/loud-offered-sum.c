// A library's sum over records: how often it runs only its callers know.
struct particle {
  float x, y, z, u, v, w, mass;
  int tag;
};

float total_mass(const struct particle *p, long n) {
  float sum = 0;
  // expect: mem-array-of-structs medium "uses 4 of the 32 bytes" "provided that callers run the loop often, over many records"
  for (long i = 0; i < n; i++)
    sum += p[i].mass;
  return sum;
}
