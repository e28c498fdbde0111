/* Phases of a program, for the reports of Stridewise (runs of MPI and of OpenMP). Nothing but this header is needed,
 * and without a recorder in the process a call does nothing:
 *
 *   #include <stridewise.h>
 *   ...
 *   stridewise_phase("assembly");   from here on; the phase before has ended
 *   stridewise_phase("solve");
 *   stridewise_phase(0);            from here on no phase
 *
 * Call it outside parallel regions. With a C library older than glibc 2.34, link with -ldl.
 */
#ifndef STRIDEWISE_H
#define STRIDEWISE_H

#include <dlfcn.h>

static __inline__ __attribute__((unused)) void stridewise_phase(const char *name) {
  static void (*volatile recorder)(const char *);
  static volatile int asked;
  if (!asked) {
    void (*found)(const char *);
    *(void **)(&found) = dlsym(dlopen(0, RTLD_LAZY), "stridewise_phase_begin");
    recorder = found;
    asked = 1;
  }
  if (recorder)
    recorder(name);
}

#endif
