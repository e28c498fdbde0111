/* Where the bodies of regions are, in programs made by GCC.
 *
 * GCC's line tables often give the call that opens a region the line of some other statement, but the body's own
 * function begins with the line of the directive. So the entry points that open regions are noted on their way to the
 * OpenMP library behind this one; this library is preloaded in front of it.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void body(void *);

__thread uint64_t swo_body __attribute__((tls_model("initial-exec")));

static void *next_definition(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "stridewise: no OpenMP library defines %s\n", name);
    abort();
  }
  return found;
}

/* Defines an entry point that takes these parameters and passes them on. */
#define PASS_ON(result, name, parameters, arguments)                                                                   \
  __attribute__((visibility("default"))) result name parameters;                                                       \
  result name parameters {                                                                                             \
    static result(*next) parameters;                                                                                   \
    if (!__atomic_load_n(&next, __ATOMIC_RELAXED))                                                                     \
      __atomic_store_n(&next, (result(*) parameters)next_definition(#name), __ATOMIC_RELAXED);                         \
    swo_body = (uint64_t)function;                                                                                     \
    return __atomic_load_n(&next, __ATOMIC_RELAXED) arguments;                                                         \
  }

PASS_ON(void, GOMP_parallel, (body * function, void *data, unsigned threads, unsigned flags),
        (function, data, threads, flags))
PASS_ON(unsigned, GOMP_parallel_reductions, (body * function, void *data, unsigned threads, unsigned flags),
        (function, data, threads, flags))
PASS_ON(void, GOMP_parallel_start, (body * function, void *data, unsigned threads), (function, data, threads))
PASS_ON(void, GOMP_parallel_sections, (body * function, void *data, unsigned threads, unsigned count, unsigned flags),
        (function, data, threads, count, flags))
PASS_ON(void, GOMP_parallel_sections_start, (body * function, void *data, unsigned threads, unsigned count),
        (function, data, threads, count))

#define LOOP(schedule)                                                                                                 \
  PASS_ON(                                                                                                             \
      void, GOMP_parallel_loop_##schedule,                                                                             \
      (body * function, void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags),    \
      (function, data, threads, begin, end, step, chunk, flags))
#define RUNTIME_LOOP(schedule)                                                                                         \
  PASS_ON(void, GOMP_parallel_loop_##schedule,                                                                         \
          (body * function, void *data, unsigned threads, long begin, long end, long step, unsigned flags),            \
          (function, data, threads, begin, end, step, flags))
#define OLD_LOOP(schedule)                                                                                             \
  PASS_ON(void, GOMP_parallel_loop_##schedule##_start,                                                                 \
          (body * function, void *data, unsigned threads, long begin, long end, long step, long chunk),                \
          (function, data, threads, begin, end, step, chunk))

LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
RUNTIME_LOOP(runtime)
RUNTIME_LOOP(nonmonotonic_runtime)
RUNTIME_LOOP(maybe_nonmonotonic_runtime)
OLD_LOOP(static)
OLD_LOOP(dynamic)
OLD_LOOP(guided)
PASS_ON(void, GOMP_parallel_loop_runtime_start,
        (body * function, void *data, unsigned threads, long begin, long end, long step),
        (function, data, threads, begin, end, step))
