// flags: -fopenmp
// The counter belongs to a list that another section of the same name changes together with it; a linked list's head.
struct node {
  struct node *next;
  int value;
};

static int length;
static int items[1000];
static struct node *head;

void add(const int *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (v[i] > 0) {
#pragma omp critical(list)
      {
        items[length] = v[i];
        length = length + 1;
      }
    } else {
#pragma omp critical(list)
      length--;
    }
  }
}

void push(struct node *nodes, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(head)
    {
      nodes[i].next = head;
      head = &nodes[i];
    }
  }
}

double recurrence(const double *a, int n) {
  double x = 1.0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    x = 0.5 * (x + a[i] / x);
  }
  return x;
}
