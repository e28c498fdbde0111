// The outer loop swaps the two pointers of a structure; within one of its iterations they stand still.
struct fields {
  int width, height;
  double *now, *next;
};

static void relax(const struct fields *f) {
  for (int x = 1; x < f->width - 1; ++x)
    // expect: mem-strided-inner-loop medium "a whole row" "8 bytes" unsafe-fix
    for (int y = 1; y < f->height - 1; ++y)
      f->next[y * f->width + x] = 0.25 * (f->now[y * f->width + x - 1] + f->now[y * f->width + x + 1] +
                                          f->now[(y - 1) * f->width + x] + f->now[(y + 1) * f->width + x]);
}

void run(struct fields *f, int steps) {
  for (int step = 0; step < steps; ++step) {
    relax(f);
    double *next = f->next;
    f->next = f->now;
    f->now = next;
  }
}
