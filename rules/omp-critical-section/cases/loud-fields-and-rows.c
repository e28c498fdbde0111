// flags: -fopenmp
// Arrays behind one pointer are different arrays; two elements of one array, and the rows of a table, are updated one
// by one as well. An update that uses another one's result, and the merging of what threads have gathered, stay
// together.
#include <stdlib.h>

struct bodies {
  int count, groups, width;
  double *mass, *push, *force, *work;
  const int *group;
};

void pull_neighbours(struct bodies *s) {
#pragma omp parallel for
  for (int i = 0; i < s->count - 1; i++) {
    double pull = 0.1 * s->mass[i];
    // expect: omp-critical-section medium "'s->force[i]' and 's->force[i + 1]'" "a critical section"
#pragma omp critical
    {
      s->force[i] += pull;
      s->force[i + 1] -= pull;
    }
  }
}

void weigh(struct bodies *s) {
#pragma omp parallel for
  for (int i = 0; i < s->count; i++) {
    // expect: omp-critical-section high "'s->push[s->group[i]]'" "a critical section"
#pragma omp critical(weigh)
    s->push[s->group[i]] += s->mass[i];
  }
}

void centres(const struct bodies *s, const double *row, double **centre, int *members) {
#pragma omp parallel for
  for (int i = 0; i < s->count; i++) {
    const int g = s->group[i];
    // expect: omp-critical-section medium "'members[g]' and 'centre[g][k]'" "a critical section"
#pragma omp critical(centres)
    {
      members[g]++;
      for (int k = 0; k < s->width; k++)
        centre[g][k] += row[(long)i * s->width + k];
    }
  }
}

void uses_the_other(struct bodies *s) {
#pragma omp parallel for
  for (int i = 0; i < s->count; i++) {
#pragma omp critical(chain)
    {
      s->force[s->group[i]] += s->mass[i];
      s->work[s->group[i]] += s->force[s->group[i]];
    }
  }
}

void merged(const struct bodies *s, const double *row, double *sum, int steps) {
#pragma omp parallel
  {
    double *mine = calloc((size_t)s->groups, sizeof *mine);
    for (int step = 0; step < steps; step++) {
#pragma omp for
      for (int i = 0; i < s->count; i++)
        mine[s->group[i]] += row[i];
#pragma omp critical(merge)
      for (int g = 0; g < s->groups; g++)
        sum[g] += mine[g];
#pragma omp critical(ends)
      {
        sum[s->groups] += mine[0];
        sum[s->groups + 1] += mine[s->groups - 1];
      }
    }
    free(mine);
  }
}
