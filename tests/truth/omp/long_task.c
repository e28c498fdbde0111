// One task takes longer than all others together.
// rule: omp-long-task @task cost
// watch: omp
// flags: -fopenmp
// twin: as much work, in tasks of one length
#include "truth.h"

#define TASKS 9

int main(void) {
  double lost = 0;
  for (int step = 0; step < 8; step++) {
    double done[2] = {0, 0};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i) shared(done) // @task
      {
        double begin = used();
#ifdef TWIN
        work(0.003);
#else
        work(i == 0 ? 0.016 : 0.001);
#endif
#pragma omp atomic
        done[omp_get_thread_num()] += used() - begin;
      }
    }
    lost += 0.5 * (done[0] > done[1] ? done[0] - done[1] : done[1] - done[0]);
  }
  /* By Graham's bound no order of these tasks loses less; a thread that lacks its processor gets fewer of the short ones. */
  double least = 8 * (0.016 - 0.012);
  say_between("task", 0.85 * least, 1.15 * (lost > least ? lost : least));
  return 0;
}
