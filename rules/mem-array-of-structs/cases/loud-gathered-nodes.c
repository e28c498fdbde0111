// Four nodes of each element, and two numbers of each node; all in a function that runs once.
struct node {
  double x, y, heat, before, flux[2], source, history[6];
  int kind, owner;
};
struct element {
  int node[4];
};

static void relax(struct node *nodes, int count, const struct element *elements, int size, double *out, int steps) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < count; i++) {
      struct node *at = &nodes[i];
      at->heat = 0.5 * at->before + at->source + at->flux[0] * at->x + at->flux[1] * at->y + at->history[0];
    }
    // expect: mem-array-of-structs medium "the loop over 'e' uses 16 of the 112 bytes of each 'node'"
    for (int e = 0; e < size; e++) {
      double sum = 0.0;
      for (int a = 0; a < 4; a++)
        sum += nodes[elements[e].node[a]].heat * nodes[elements[e].node[a]].x;
      out[e] = sum;
    }
  }
}

void run(struct node *nodes, int count, const struct element *elements, int size, double *out) {
  relax(nodes, count, elements, size, out, 100);
}
