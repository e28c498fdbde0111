// flags: -fopenmp
// Work that a branch leaves out does not hide the write; work of each iteration does.
#include <omp.h>
#include <stdlib.h>

#define THREADS 64

static long scanned[THREADS], walked[THREADS], tried[THREADS];
struct list {
  int *items;
  size_t count, size;
};

static void push(struct list *l, int item) {
  if (l->count == l->size) {
    l->size = 2 * l->size + 16;
    l->items = realloc(l->items, l->size * sizeof *l->items);
  }
  l->items[l->count++] = item;
}

void search(const int *begin, const int *target, int *level, struct list *lists, int n, int depth) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
    struct list own = lists[t];
#pragma omp for schedule(dynamic, 64)
    for (int v = 0; v < n; v++)
      for (int e = begin[v]; e < begin[v + 1]; e++) {
        // expect: omp-false-sharing medium "'scanned' moves from core to core" "loop at line 29" "8 bytes apart"
        scanned[t]++;
        if (__sync_bool_compare_and_swap(&level[target[e]], -1, depth))
          push(&own, target[e]);
      }
    lists[t] = own;
  }
}

void walk(const int *begin, const int *hops, const int *weight, int *out, int n) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int v = 0; v < n; v++)
      for (int e = begin[v]; e < begin[v + 1]; e++) {
        int sum = 0;
        for (int h = 0; h < hops[e]; h++)
          sum += weight[h];
        out[e] = sum;
        walked[t]++;
      }
  }
}

// The work and the write stand in the same branch.
void pick(const int *begin, const int *hops, const int *weight, int *out, int n) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int v = 0; v < n; v++)
      for (int e = begin[v]; e < begin[v + 1]; e++)
        if (hops[e] > 0) {
          int sum = 0;
          for (int h = 0; h < hops[e]; h++)
            sum += weight[h];
          out[e] = sum;
          tried[t]++;
        }
  }
}

// Under a condition on something else.
static long positive[THREADS];
void count(const int *x, int n) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; i++)
      if (x[i] > 0)
        // expect: omp-false-sharing high "'positive' moves from core to core"
        positive[t]++;
  }
}
