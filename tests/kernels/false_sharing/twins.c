/* One kernel in forms that share lines falsely, and in those that do not: the last word of the command line chooses.
 *
 *   twins COUNT FORM
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 256 };

struct padded {
  _Alignas(64) long value;
};

struct beside {
  long limit; /* read by all */
  long count; /* written by one */
};

static long neighbours[MAX_THREADS];
static struct padded apart[MAX_THREADS];
static long one_counter;
static _Alignas(64) struct beside setting = {10, 0}; /* both in one line */

static long sum_of(const long *values, int threads) {
  long sum = 0;
  for (int t = 0; t < threads; t++)
    sum += values[t];
  return sum;
}

/* One form after the other, complexity 40. */
int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const long count = atol(argv[1]);
  const char *form = argv[2];
  const int threads = omp_get_max_threads();
  long *data = malloc(sizeof *data * (size_t)count), *out = calloc((size_t)count, sizeof *out), sum = 0;
  if (data == NULL || out == NULL)
    return 1;
  for (long i = 0; i < count; i++)
    data[i] = i % 10;

  if (strcmp(form, "neighbours") == 0) {
#pragma omp parallel for
    for (long i = 0; i < count; i++)
      *(volatile long *)&neighbours[omp_get_thread_num()] += data[i];
    sum = sum_of(neighbours, threads);
  } else if (strcmp(form, "padded") == 0) {
#pragma omp parallel for
    for (long i = 0; i < count; i++)
      *(volatile long *)&apart[omp_get_thread_num()].value += data[i];
    for (int t = 0; t < threads; t++)
      sum += apart[t].value;
  } else if (strcmp(form, "reduction") == 0) {
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < count; i++)
      sum += data[i];
  } else if (strcmp(form, "private") == 0) {
#pragma omp parallel
    {
      long mine[8] = {0};
#pragma omp for
      for (long i = 0; i < count; i++)
        *(volatile long *)&mine[i % 8] += data[i];
#pragma omp critical
      sum += sum_of(mine, 8);
    }
  } else if (strcmp(form, "atomic") == 0) { /* the same bytes: true sharing */
#pragma omp parallel for
    for (long i = 0; i < count; i++) {
#pragma omp atomic
      one_counter += data[i];
    }
    sum = one_counter;
  } else if (strcmp(form, "read-only") == 0) {
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < count; i++)
      sum += data[i] + *(volatile long *)&neighbours[omp_get_thread_num()];
  } else if (strcmp(form, "blocks") == 0) { /* lines are shared at the borders only */
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; i++)
      out[i] = data[i] + 1;
    sum = out[count - 1];
  } else if (strcmp(form, "cyclic") == 0) {
#pragma omp parallel for schedule(static, 1)
    for (long i = 0; i < count; i++)
      out[i] = data[i] + 1;
    sum = out[count - 1];
  } else if (strcmp(form, "dealt-out") == 0) { /* long iterations, neighbours by different threads */
#pragma omp parallel for schedule(static, 1)
    for (long i = 0; i < 64; i++)
      for (long j = i; j < count; j += 64)
        *(volatile long *)&out[i] += data[j];
    sum = sum_of(out, 64);
  } else if (strcmp(form, "reader") == 0) { /* one thread writes beside what the others read */
#pragma omp parallel
    {
      long mine = 0;
#pragma omp for
      for (long i = 0; i < count; i++) {
        if (omp_get_thread_num() == 0)
          *(volatile long *)&setting.count += 1;
        mine += data[i] < *(volatile long *)&setting.limit;
      }
#pragma omp atomic
      sum += mine;
    }
  } else if (strcmp(form, "late") == 0) { /* neighbours after much else, without a barrier */
#pragma omp parallel
    {
      long mine[8] = {0}, *kept = mine;
#pragma omp for nowait
      for (long i = 0; i < 80 * count; i++)
        mine[i % 8] += *(volatile long *)&data[i % count];
      for (long i = 0; i < 20 * count; i++)
        *(volatile long *)&neighbours[omp_get_thread_num()] += data[i % count];
#pragma omp critical
      sum += kept[0];
    }
  } else if (strcmp(form, "scatter") == 0) { /* hither and thither over a large array: each access is a miss anyway */
#pragma omp parallel for
    for (long i = 0; i < count; i++) {
#pragma omp atomic
      out[(unsigned long)i * 2654435761u % (unsigned long)count] += data[i];
    }
    sum = sum_of(out, (int)count);
  } else if (strcmp(form, "phases") == 0) { /* neighbours, but a barrier lies between the threads' turns */
#pragma omp parallel
    for (int turn = 0; turn < threads; turn++) {
      if (turn == omp_get_thread_num())
        for (long i = 0; i < count / threads; i++)
          *(volatile long *)&neighbours[turn] += data[i];
#pragma omp barrier
    }
    sum = neighbours[0];
  } else if (strcmp(form, "swap") == 0) { /* each thread writes what its neighbour wrote before the barrier */
#pragma omp parallel
    for (int turn = 0; turn < 20; turn++) {
      const int which = (omp_get_thread_num() + turn) % threads;
      for (long i = 0; i < count / 20; i++)
        *(volatile long *)&apart[which].value += data[i];
#pragma omp barrier
    }
    sum = apart[0].value;
  } else {
    return 2;
  }
  printf("%ld\n", sum);
  free(data);
  free(out);
  return 0;
}
