/* Samples by processor time: each thread has a timer of its own, whose signal looks at what its code is about to touch.
 */
#include "operands.h"
#include "placement.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct sw_thread sw_threads[SW_THREADS];
_Atomic int sw_thread_count;
_Atomic uint64_t sw_lost_threads, sw_samples;

static timer_t timers[SW_THREADS];
static pthread_t handles[SW_THREADS];
static int has_timer[SW_THREADS];
static _Atomic int started, ended;
static int sample_signal;
static uint64_t period_ns = 2000000;
static __thread int me __attribute__((tls_model("initial-exec"))) = -1;

static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

/* --- one sample -----------------------------------------------------------------------------------------------------
 */

static int bounded(unsigned node) { return node < SW_NODES ? (int)node : SW_NODES - 1; }

static void note_use(uintptr_t address, int from) {
  struct sw_allocation *array = sw_find(address);
  if (!array)
    return;
  struct sw_site *site = &sw_sites[array->site];
  void *page = (void *)(address & ~(uintptr_t)4095);
  int node = -1;
  if (sw_nodes_of(1, &page, &node) || node < 0)
    return; /* nobody has touched it yet */
  atomic_fetch_add_explicit(&site->uses[from][bounded((unsigned)node)], 1, memory_order_relaxed);
  atomic_fetch_or_explicit(&site->users[me / 64], 1ull << (me % 64), memory_order_relaxed);
}

static void on_sample(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  if (atomic_load(&ended) || me < 0 || sw_inside)
    return;
  int error = errno;
  unsigned cpu = 0, node = 0;
  syscall(SYS_getcpu, &cpu, &node, NULL);
  struct sw_thread *self = &sw_threads[me];
  if (self->samples++ && self->cpu != (int)cpu)
    self->switches++;
  self->cpu = (int)cpu;
  self->nodes[bounded(node)]++;
  atomic_fetch_add_explicit(&sw_samples, 1, memory_order_relaxed);
#if defined(__x86_64__)
  static const int order[SW_REGISTERS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                          REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  const ucontext_t *at = context;
  uint64_t registers[SW_REGISTERS], addresses[SW_MOST_OPERANDS];
  for (int i = 0; i < SW_REGISTERS; ++i)
    registers[i] = (uint64_t)at->uc_mcontext.gregs[order[i]];
  int count = sw_operands((uint64_t)at->uc_mcontext.gregs[REG_RIP], registers, addresses);
  for (int i = 0; i < count; ++i) {
    int seen = 0; /* several elements of one page are one use */
    for (int j = 0; j < i; ++j)
      seen |= addresses[i] >> 12 == addresses[j] >> 12;
    if (!seen)
      note_use(addresses[i], bounded(node));
  }
#else
  (void)context;
#endif
  errno = error;
}

/* --- timers ---------------------------------------------------------------------------------------------------------
 */

/* Called under the lock, by any thread. */
static void start_timer(int thread) {
  clockid_t clock;
  if (has_timer[thread] || !sw_threads[thread].alive || pthread_getcpuclockid(handles[thread], &clock))
    return;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sample_signal};
  event.sigev_notify_thread_id = sw_threads[thread].tid;
  struct itimerspec every = {{0, (long)period_ns}, {0, (long)period_ns}};
  if (timer_create(clock, &event, &timers[thread]))
    return;
  has_timer[thread] = 1;
  timer_settime(timers[thread], 0, &every, NULL);
}

static void stop_timer(int thread) {
  if (has_timer[thread])
    timer_delete(timers[thread]);
  has_timer[thread] = 0;
}

/* Called under the lock. */
static void begin_thread(void) {
  int mine = atomic_load(&sw_thread_count);
  if (mine == SW_THREADS) { /* the place of one that has ended, whose samples go */
    for (mine = 0; mine < SW_THREADS && sw_threads[mine].alive;)
      ++mine;
    sw_lost_threads++;
    if (mine == SW_THREADS)
      return;
    memset(&sw_threads[mine], 0, sizeof sw_threads[mine]);
  }
  cpu_set_t set;
  struct sw_thread *self = &sw_threads[mine];
  self->tid = (pid_t)syscall(SYS_gettid);
  self->alive = 1;
  self->allowed = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
  handles[mine] = pthread_self();
  me = mine;
  if (mine == atomic_load(&sw_thread_count))
    atomic_store(&sw_thread_count, mine + 1);
  if (atomic_load(&started))
    start_timer(mine);
}

static void end_thread(void *unused) {
  (void)unused;
  if (me < 0)
    return;
  sw_inside++;
  sw_lock();
  stop_timer(me);
  sw_threads[me].alive = 0;
  me = -1;
  sw_unlock();
  sw_inside--;
}

void sw_sampler_begin(void) {
  const char *text = getenv("STRIDEWISE_PLACEMENT_PERIOD_US");
  long period = text ? strtol(text, NULL, 10) : 0;
  if (period >= 100 && period <= 1000000)
    period_ns = 1000 * (uint64_t)period;
  sample_signal = SIGRTMAX - 2;
  *(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
  sw_lock();
  begin_thread();
  sw_unlock();
}

void sw_sampler_consider(void) {
  if (atomic_load(&started) || atomic_load(&ended) || atomic_load(&sw_thread_count) < 2 ||
      !atomic_load(&sw_site_count) || !real_sigaction)
    return;
  sw_lock();
  if (!atomic_load(&started)) {
    struct sigaction before, action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    action.sa_sigaction = on_sample;
    /* Somebody else's signal is left to him. */
    if (!real_sigaction(sample_signal, NULL, &before) && before.sa_handler == SIG_DFL &&
        !real_sigaction(sample_signal, &action, NULL)) {
      atomic_store(&started, 1);
      for (int i = 0; i < atomic_load(&sw_thread_count); ++i)
        start_timer(i);
    }
  }
  sw_unlock();
}

int sw_sampler_started(void) { return atomic_load(&started); }

void sw_sampler_end(void) {
  atomic_store(&ended, 1);
  sw_lock();
  for (int i = 0; i < atomic_load(&sw_thread_count); ++i)
    stop_timer(i);
  sw_unlock();
}

/* --- what the program calls ------------------------------------------------------------------------------------------
 */

struct start {
  void *(*routine)(void *);
  void *argument;
};

static void *run_thread(void *given) {
  struct start start = *(struct start *)given;
  free(given);
  sw_inside++;
  sw_lock();
  begin_thread();
  sw_unlock();
  sw_sampler_consider();
  sw_inside--;
  void *result;
  pthread_cleanup_push(end_thread, NULL);
  result = start.routine(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

SW_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                          void *argument) {
  if (!real_pthread_create)
    *(void **)&real_pthread_create = dlsym(RTLD_NEXT, "pthread_create");
  struct start *start = malloc(sizeof *start);
  if (!start)
    return real_pthread_create(thread, attributes, routine, argument);
  *start = (struct start){routine, argument};
  int status = real_pthread_create(thread, attributes, run_thread, start);
  if (status)
    free(start);
  return status;
}

/* A program that wants the signal for itself gets it: its handler must never see one of the samples. */
SW_API int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  if (!real_sigaction)
    *(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
  if (number == sample_signal && number && atomic_load(&started) && !atomic_load(&ended)) {
    if (!action) {
      if (before)
        memset(before, 0, sizeof *before);
      return 0;
    }
    sw_sampler_end();
    struct sigaction none = {.sa_handler = SIG_IGN}; /* drops what is pending */
    real_sigaction(number, &none, NULL);
    none.sa_handler = SIG_DFL;
    real_sigaction(number, &none, NULL);
  }
  return real_sigaction(number, action, before);
}
