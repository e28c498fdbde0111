// The hot fields of a large record fill its first cache line, a small record has nothing to split, a short table stays in
// the cache, and a list is followed from node to node.
#include <stdio.h>
#include <stdlib.h>

struct split {
  double hot[8];
  double cold[24];
};

struct pair {
  double key, value;
};

struct node {
  struct node *next;
  double value, spare[9];
};

struct option {
  double weight;
  char text[120];
};

static struct option options[16];

static double hot(struct split *s, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 8; k++) {
      s[i].hot[k] *= 0.5;
      top = s[i].hot[k] > top ? s[i].hot[k] : top;
    }
  return top;
}

static double keys(const struct pair *p, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++)
    top = p[i].key > top ? p[i].key : top;
  return top;
}

static double follow(const struct node *at) {
  double top = 0.0;
  for (; at != NULL; at = at->next)
    top = at->value > top ? at->value : top;
  return top;
}

static double choose(void) {
  double top = 0.0;
  for (int i = 0; i < 16; i++)
    top = options[i].weight > top ? options[i].weight : top;
  return top;
}

int main(void) {
  const int n = 3000;
  struct split *s = calloc((size_t)n, sizeof *s);
  struct pair *p = calloc((size_t)n, sizeof *p);
  struct node *nodes = calloc((size_t)n, sizeof *nodes);
  double seen = 0.0;
  if (s == NULL || p == NULL || nodes == NULL)
    return 1;
  for (int i = 0; i + 1 < n; i++) {
    nodes[i].next = &nodes[i + 1];
    nodes[i].value = p[i].key = p[i].value = s[i].hot[i % 8] = s[i].cold[i % 24] = i % 9;
  }
  for (int step = 0; step < 10; step++)
    seen += hot(s, n) + keys(p, n) + follow(nodes) + choose();
  printf("%.6f\n", seen);
  free(s);
  free(p);
  free(nodes);
  return 0;
}
