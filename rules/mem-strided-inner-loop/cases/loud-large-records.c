// Records of more than two lines: most of what is fetched is used in either order.
enum { Sites = 20000 };
typedef struct {
  double e[18];
} Link;
static struct {
  Link link[4];
  double more[20];
} site[Sites];
static struct {
  Link link[4];
  double more[600];
} far[Sites];

void halve(double by) {
  for (int d = 0; d < 4; d++)
    for (int s = 0; s < Sites; s++)
      for (int k = 0; k < 18; k++)
        site[s].link[d].e[k] *= by;
}

// Each record is on another page.
void halve_far(double by) {
  for (int d = 0; d < 4; d++)
    // expect: mem-strided-inner-loop high "5376 bytes" "144 bytes"
    for (int s = 0; s < Sites; s++)
      for (int k = 0; k < 18; k++)
        far[s].link[d].e[k] *= by;
}
