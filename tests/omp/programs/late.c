/* Loads its OpenMP code, and with it the OpenMP library, while it runs. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  for (int round = 0; round < 2; round++) {
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    long (*part)(int) = library ? (long (*)(int))dlsym(library, "part") : NULL;
    if (!part) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    printf("%ld\n", part(1000));
    dlclose(library);
  }
  return 0;
}
