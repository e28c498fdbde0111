/* Threads: their numbers, and how the end of the recording waits for those that are in it. */
#define _GNU_SOURCE
#include "recorder.h"
#include <pthread.h>
#include <sched.h>

int sw_multiple;
int sw_lock_word;
struct sw_lane sw_lanes[SW_THREADS + 1];

static pthread_key_t end_key;
static int have_end_key;

/* Both moved from libpthread to libc in glibc 2.34; the oldest version binds on either side. A program that has neither
 * has no threads. */
extern int sw_key_create(pthread_key_t *key, void (*function)(void *)) __attribute__((weak));
extern int sw_set_specific(pthread_key_t key, const void *value) __attribute__((weak));
#if defined(__x86_64__)
__asm__(".symver sw_key_create,pthread_key_create@GLIBC_2.2.5");
__asm__(".symver sw_set_specific,pthread_setspecific@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver sw_key_create,pthread_key_create@GLIBC_2.17");
__asm__(".symver sw_set_specific,pthread_setspecific@GLIBC_2.17");
#endif

void sw_lock_wait(void) {
  enum { SPINS = 100 };
  do {
    for (int i = 0; __atomic_load_n(&sw_lock_word, __ATOMIC_RELAXED); ++i) {
      sw_pause();
      if (i >= SPINS)
        sched_yield();
    }
  } while (__atomic_exchange_n(&sw_lock_word, 1, __ATOMIC_ACQUIRE));
}

/* A thread that ends gives its number back, with the part of the tables that goes with it. */
static void thread_ends(void *argument) {
  struct sw_thread *thread = argument;
  if (!thread->numbered || thread->number == SW_THREADS)
    return;
  sw_requests_leave(thread->number);
  thread->numbered = 0;
  __atomic_store_n(&sw_lanes[thread->number].taken, 0, __ATOMIC_RELEASE);
}

void sw_threads_reset(void) {
  if (sw_key_create && sw_set_specific && !have_end_key)
    have_end_key = sw_key_create(&end_key, thread_ends) == 0;
  sw_lanes[0].taken = 1; /* of the thread that called MPI_Init, to the end */
}

void sw_number_thread(struct sw_thread *thread) {
  uint32_t number = 1;
  for (; number < SW_THREADS; ++number) {
    int taken = __atomic_load_n(&sw_lanes[number].taken, __ATOMIC_RELAXED);
    if (!taken &&
        __atomic_compare_exchange_n(&sw_lanes[number].taken, &taken, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      break;
  }
  /* Without a word at its end, a thread could never give its number back. */
  if (number < SW_THREADS && (!have_end_key || sw_set_specific(end_key, thread))) {
    __atomic_store_n(&sw_lanes[number].taken, 0, __ATOMIC_RELEASE);
    number = SW_THREADS;
  }
  thread->number = (uint16_t)number;
  thread->progress = number < SW_THREADS && sw_shard.progress ? &sw_shard.progress[number] : NULL;
  if (thread->progress) {
    uint64_t *used = &sw_shard.progress_section->used, most = __atomic_load_n(used, __ATOMIC_RELAXED);
    while (most <= number &&
           !__atomic_compare_exchange_n(used, &most, number + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      ;
  }
  thread->numbered = 1;
  thread->timer_path = SW_NO_PATH;
  thread->latest.count = UINT64_MAX;
}

int sw_quiet(void) {
  enum { SPINS = 100 };
  const uint64_t limit = 200000000, begin = sw_monotonic_ns();
  for (uint32_t i = 0; sw_multiple && i <= SW_THREADS; ++i)
    for (int spins = 0; __atomic_load_n(&sw_lanes[i].recording, __ATOMIC_ACQUIRE); ++spins) {
      sw_pause();
      if (spins >= SPINS) {
        sched_yield();
        if (sw_monotonic_ns() - begin > limit)
          return 0;
      }
    }
  return 1;
}
