/* Floating-point operations of one core, for rooflines.
 *
 *   PROGRAM SECONDS CPU
 *
 * Independent chains of a multiplication and an addition, as many as the latency of two units needs: `scalar` by the
 * instructions that every compiler uses by default, one double at a time, not fused; `double.vector` and `float.vector`
 * by the widest fused instructions of the processor. Samples are seconds an operation, `info bits` is the width.
 */
#include "measure.h"

enum { Rounds = 51, Chains = 12, Flops = 2 * Chains }; /* operations of a step, for each element */

/* Keeps the compiler from joining chains, or from computing them before. */
#if defined(__x86_64__)
#define KEEP(value) __asm__ volatile("" : "+x"(value))
#elif defined(__aarch64__)
#define KEEP(value) __asm__ volatile("" : "+w"(value))
#else
#define KEEP(value) __asm__ volatile("" : "+m"(value))
#endif

#define VARIANT(NAME, TYPE, SCALAR, ATTRIBUTES)                                                                        \
  ATTRIBUTES static double NAME(long steps) {                                                                          \
    TYPE value[Chains], factor = (TYPE){0} + (SCALAR)0.999, term = (TYPE){0} + (SCALAR)0.001;                          \
    KEEP(factor);                                                                                                      \
    KEEP(term);                                                                                                        \
    for (int i = 0; i < Chains; ++i)                                                                                   \
      value[i] = term;                                                                                                 \
    for (long k = 0; k < steps; ++k) {                                                                                 \
      _Pragma("GCC unroll 12") for (int i = 0; i < Chains; ++i) {                                                      \
        value[i] = value[i] * factor + term;                                                                           \
        KEEP(value[i]);                                                                                                \
      }                                                                                                                \
    }                                                                                                                  \
    TYPE all = value[0];                                                                                               \
    for (int i = 1; i < Chains; ++i)                                                                                   \
      all += value[i];                                                                                                 \
    KEEP(all);                                                                                                         \
    return (double)*(SCALAR *)&all;                                                                                    \
  }

#define VECTOR(BITS) vector_size(BITS / 8), may_alias
#define NONE
#if defined(__x86_64__)
typedef double double128 __attribute__((VECTOR(128)));
typedef float float128 __attribute__((VECTOR(128)));
typedef double double256 __attribute__((VECTOR(256)));
typedef float float256 __attribute__((VECTOR(256)));
typedef double double512 __attribute__((VECTOR(512)));
typedef float float512 __attribute__((VECTOR(512)));
VARIANT(double_sse2, double128, double, NONE)
VARIANT(float_sse2, float128, float, NONE)
VARIANT(double_fma, double256, double, __attribute__((target("avx2,fma"))))
VARIANT(float_fma, float256, float, __attribute__((target("avx2,fma"))))
VARIANT(double_avx512, double512, double, __attribute__((target("avx512f"))))
VARIANT(float_avx512, float512, float, __attribute__((target("avx512f"))))
#elif defined(__aarch64__)
typedef double double128 __attribute__((VECTOR(128)));
typedef float float128 __attribute__((VECTOR(128)));
VARIANT(double_neon, double128, double, NONE)
VARIANT(float_neon, float128, float, NONE)
#endif
VARIANT(one_double, double, double, NONE)

typedef double chains_fn(long);
struct widest {
  int bits;
  chains_fn *of_double, *of_float;
};

static struct widest widest(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return (struct widest){512, double_avx512, float_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return (struct widest){256, double_fma, float_fma};
  return (struct widest){128, double_sse2, float_sse2};
#elif defined(__aarch64__)
  return (struct widest){128, double_neon, float_neon};
#else
  return (struct widest){0, NULL, NULL};
#endif
}

static double sink;

static void measure(const char *name, chains_fn *run, int elements, double sample_seconds) {
  long steps = 1000;
  for (int round = -1; round < Rounds;) {
    double begin = seconds_now();
    sink += run(steps);
    double took = seconds_now() - begin;
    if (round < 0 && took < sample_seconds) {
      steps *= 2;
      continue;
    }
    if (round++ >= 0) /* the first only warms up */
      print_sample(name, took / ((double)steps * Flops * elements));
  }
}

int main(int argc, char **argv) {
  int cpus[MostCpus];
  if (argc != 3)
    refuse("usage: PROGRAM SECONDS CPU");
  double sample_seconds = read_seconds(argv[1]) / (3 * (Rounds + 10));
  read_cpus(argv[2], cpus);
  pin(cpus[0]);
  struct widest most = widest();
  printf("info bits %d\n", most.bits);
  measure("scalar", one_double, 1, sample_seconds);
  if (most.bits) {
    measure("double.vector", most.of_double, most.bits / 64, sample_seconds);
    measure("float.vector", most.of_float, most.bits / 32, sample_seconds);
  }
  return sink == 1;
}
