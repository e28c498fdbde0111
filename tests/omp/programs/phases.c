// Phases: one that opens many small teams, one whose team waits for a thread that has all to do, one with teams in teams,
// of which only the outer one counts, one without teams. The first is begun before the OpenMP library is; a kernel is
// called in one of them, and in none.
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include "stridewise.h"
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double a[2000], sink;

static void work(double seconds) {
  double until = omp_get_wtime() + seconds, x = 1;
  while (omp_get_wtime() < until)
    x = x * 1.0000001 + 1e-9;
  if (x < 0)
    puts("never");
}

static void __attribute__((noinline)) kernel(void) {
#pragma omp parallel for schedule(dynamic, 100) // kernel
  for (int i = 0; i < 2000; ++i)
    a[i] += i * 0.5;
  sink += a[1]; // the call of the OpenMP library is not the last one
}

static void __attribute__((noinline)) uneven(void) {
#pragma omp parallel // uneven
  {
    if (!omp_get_thread_num())
      work(0.3);
  }
  sink += a[2];
}

static void __attribute__((noinline)) nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  work(0.01);
  sink += a[3];
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  stridewise_phase("start");
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  usleep(100000);
  stridewise_phase("many");
  for (int n = 0; n < 500; ++n)
    kernel();
  stridewise_phase("uneven");
  uneven();
  stridewise_phase("nested");
  nested();
  stridewise_phase("many");
  for (int n = 0; n < 500; ++n)
    kernel();
  if (!strcmp(how, "fork")) {
    pid_t child = fork();
    if (!child) {
      kernel();
      stridewise_phase("of the child");
      kernel();
      return 0;
    }
    waitpid(child, NULL, 0);
  }
  if (!strcmp(how, "killed")) {
    work(0.2);
    kernel();
    kill(getpid(), SIGKILL);
  }
  if (!strcmp(how, "names"))
    for (int n = 0; n < 100; ++n) {
      char name[16];
      snprintf(name, sizeof name, "step %d", n);
      stridewise_phase(name);
      kernel();
    }
  stridewise_phase("alone");
  work(0.2);
  stridewise_phase(0);
  kernel();
#ifdef WITH_MPI
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  printf("%g\n", a[7]);
  return 0;
}
