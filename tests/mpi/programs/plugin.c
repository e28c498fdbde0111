/* All of MPI in a library: with -DPLUGIN the library, else the program that links it (-DLINKED) or opens it privately.
 */
#ifdef PLUGIN
#include <mpi.h>
#include <stddef.h>

int work(void);

int work(void) {
  int rank;
  double a = 1, b;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i)
    MPI_Sendrecv(&a, 1, MPI_DOUBLE, 1 - rank, 1, &b, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return (int)b;
}
#elif defined(LINKED)
#include <stdio.h>

int work(void);

int main(void) { return printf("%d\n", work()) < 0; }
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
  if (!work) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return printf("%d\n", work()) < 0;
}
#endif
