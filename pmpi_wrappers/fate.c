/* What ends the process, if it is not MPI_Finalize: noted in the shard by the process itself, in its last moment.
 *
 * From the end of MPI_Init on, signals whose action is to end the process, and faults whatever the program does about
 * them, come to a handler here. It stores the signal and the place in the shard, which is memory that outlives the
 * process, and lets happen what happens without it: for the default action that is set again and the instruction
 * repeated, or the signal sent anew; a handler of the program is called as the kernel would call it. Where the process
 * goes on after that, the note is older than the latest call, and a reader leaves it out; at the second time the
 * program's handler is the kernel's again.
 *
 * So that nothing changes by being watched, sigaction and signal are defined here in front of the C library's, and tell
 * and take the program's own actions. The run-time libraries of sanitizers do the same, in front of this one.
 *
 * Where the stack itself is full there is no room for a handler: the thread that calls MPI_Init gets another one, if
 * the program has none and has no handler that would run on it. sigaltstack is defined here, too, and tells nothing of
 * it.
 *
 * The handler takes no lock, allocates nothing and calls stdio never. The unwinder may meet a damaged stack: a fault in
 * there is caught, and the frames found until then are lost, but for the first, which the signal tells.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.17");
#endif
#pragma weak dlsym

/* The run-time library of a sanitizer asks for actions before it can bear instrumented code. */
#define SW_EARLY __attribute__((no_sanitize("thread", "address", "undefined")))

#define SW_SIGNALS 32 /* the classic ones; the others belong to the program's own talk */

/* Whose default action ends the process. Those of a fault come from an instruction. */
static const unsigned char ends[SW_SIGNALS] = {
    [SIGHUP] = 1,  [SIGINT] = 1,  [SIGQUIT] = 1, [SIGUSR1] = 1, [SIGUSR2] = 1, [SIGPIPE] = 1,
    [SIGALRM] = 1, [SIGTERM] = 1, [SIGXCPU] = 1, [SIGXFSZ] = 1, [SIGILL] = 2,  [SIGABRT] = 2,
    [SIGBUS] = 2,  [SIGFPE] = 2,  [SIGSEGV] = 2, [SIGSYS] = 2};

static struct watched {
  struct sigaction program; /* what the program has set, while `ours` is what the kernel has */
  int ours;
  int calls;  /* of a handler of the program */
  int passed; /* it has gone on after such a signal, by coming back or by a jump: it is left alone */
} watched[SW_SIGNALS];

#define SW_LAST_SIGNAL 64
#define SW_STACK_BYTES (64u << 10)

static char spare_stack[SW_STACK_BYTES] __attribute__((aligned(64)));
static __thread int on_spare SW_INITIAL_EXEC; /* it is this thread's */
static stack_t no_stack;                      /* what the thread had before */
static int has_spare;                         /* some thread has taken it */

static int watching;
static int table_lock;
static pid_t owner;

static __thread volatile int unwinding SW_INITIAL_EXEC;
static __thread sigjmp_buf unwind_end SW_INITIAL_EXEC;

static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static void (*(*next_signal)(int, void (*)(int)))(int);
static void (*(*next_sysv_signal)(int, void (*)(int)))(int);
static int (*next_sigaltstack)(const stack_t *, stack_t *);

SW_EARLY static void *next_symbol(const char *name) { return dlsym ? dlsym(RTLD_NEXT, name) : NULL; }

/* Early, so that no signal handler comes to look anything up. */
__attribute__((constructor)) SW_EARLY static void resolve(void) {
  int error = errno;
  void *found[4] = {next_symbol("sigaction"), next_symbol("signal"), next_symbol("__sysv_signal"),
                    next_symbol("sigaltstack")};
  memcpy(&next_sigaction, &found[0], sizeof found[0]);
  memcpy(&next_signal, &found[1], sizeof found[1]);
  memcpy(&next_sysv_signal, &found[2], sizeof found[2]);
  memcpy(&next_sigaltstack, &found[3], sizeof found[3]);
  errno = error;
}

/* --- Noting --------------------------------------------------------------------------------------------------------
 */

static uint64_t place_of(const void *context) {
  const ucontext_t *at = context;
#if defined(__x86_64__)
  return (uint64_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uint64_t)at->uc_mcontext.pc;
#else
  (void)at;
  return 0;
#endif
}

static void put(const struct sw_fate *fate) {
  sw_shard.fate_section->used = 0;
  *sw_shard.fate = *fate;
  __atomic_store_n(&sw_shard.fate_section->used, 1, __ATOMIC_RELEASE);
}

static int can_note(void) {
  return __atomic_load_n(&sw_active, __ATOMIC_RELAXED) && sw_shard.header && getpid() == owner;
}

static void unwind(struct sw_fate *fate, uint64_t first) {
  uint64_t frames[SW_FATE_FRAMES];
  unwinding = 1;
  if (!sigsetjmp(unwind_end, 0)) {
    uint32_t depth = sw_backtrace(frames, SW_FATE_FRAMES, first);
    if (depth) {
      memcpy(fate->frames, frames, depth * sizeof frames[0]);
      fate->depth = depth;
    }
  }
  unwinding = 0;
}

/* A note that is younger than the latest call stands: handlers of faults often raise their signal once more. */
static int stands(void) {
  const struct sw_progress *progress = sw_thread.progress ? sw_thread.progress : sw_shard.progress;
  return __atomic_load_n(&sw_shard.fate_section->used, __ATOMIC_RELAXED) &&
         sw_shard.fate->clock.ticks >= progress->begin && sw_shard.fate->clock.ticks >= progress->end;
}

static void note_signal(int number, const siginfo_t *info, const void *context) {
  if (!can_note() || stands())
    return;
  int sent = info->si_code <= 0 && number != SIGALRM && number != SIGXCPU;
  struct sw_fate fate = {.kind = SW_FATE_SIGNAL,
                         .signal = number,
                         .code = info->si_code,
                         .sender = sent ? (int32_t)info->si_pid : 0,
                         .address = sent || ends[number] == 1 ? 0 : (uint64_t)(uintptr_t)info->si_addr,
                         .thread = sw_thread.numbered ? sw_thread.number : SW_FATE_NO_THREAD,
                         .depth = 1};
  sw_read_clock(&fate.clock);
  fate.frames[0] = place_of(context);
  put(&fate); /* for the case that the unwinder comes to no end */
  sw_shard.header->end = fate.clock;
  sw_shard_refresh_usage();
  unwind(&fate, fate.frames[0]);
  put(&fate);
}

void sw_fate_note(enum sw_fate_kind kind, int code) {
  if (!can_note() || (kind == SW_FATE_EXIT && stands()))
    return;
  struct sw_fate fate = {
      .kind = (uint32_t)kind, .code = code, .thread = sw_thread.numbered ? sw_thread.number : SW_FATE_NO_THREAD};
  sw_read_clock(&fate.clock);
  fate.depth = sw_backtrace(fate.frames, SW_FATE_FRAMES, 0);
  put(&fate);
}

/* --- The handler ---------------------------------------------------------------------------------------------------
 */

static void handle(int number, siginfo_t *info, void *context);

static int of_full_stack(int number) { return number == SIGSEGV || number == SIGBUS; }

/* What the kernel is to have for an action of the program; whether that is our handler. */
static int kernel_action(int number, const struct sigaction *program, struct sigaction *out) {
  *out = *program;
  int is_default = !(program->sa_flags & SA_SIGINFO) && program->sa_handler == SIG_DFL;
  int ignores = !(program->sa_flags & SA_SIGINFO) && program->sa_handler == SIG_IGN;
  if (ignores || (!is_default && (ends[number] == 1 || watched[number].passed)))
    return 0;
  out->sa_sigaction = handle;
  int elsewhere = is_default || (has_spare && of_full_stack(number));
  out->sa_flags = (program->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_NODEFER | (elsewhere ? SA_ONSTACK : 0);
  return 1;
}

static void lock_table(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, before);
  while (__atomic_exchange_n(&table_lock, 1, __ATOMIC_ACQUIRE))
    sw_pause();
}

static void unlock_table(const sigset_t *before) {
  __atomic_store_n(&table_lock, 0, __ATOMIC_RELEASE);
  sigprocmask(SIG_SETMASK, before, NULL);
}

/* An instruction faults again when it is repeated; a signal that somebody sent does not. */
static int comes_again(int number, const siginfo_t *info) {
  return ends[number] == 2 && number != SIGABRT && number != SIGSYS && info->si_code > 0 &&
         !(number == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

/* Lets the kernel call the program's handler where it belongs: this one ran on another stack. */
static void call_on_own_stack(int number, siginfo_t *info, const sigset_t *this_one) {
  watched[number].ours = 0;
  next_sigaction(number, &watched[number].program, NULL);
  if (!comes_again(number, info)) { /* it comes when this handler has returned */
    sigprocmask(SIG_BLOCK, this_one, NULL);
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
  }
}

typedef void handler(int number, siginfo_t *info, void *context);

static void let_go_on(int number, siginfo_t *info, void *context) { (void)number, (void)info, (void)context; }

/* Notes the signal, and says what is to be called next: the program's handler, or nothing, where its end is set up. */
static __attribute__((noinline)) handler *prepare(int number, siginfo_t *info, void *context) {
  int error = errno;
  if (unwinding && ends[number] == 2 && info->si_code > 0)
    siglongjmp(unwind_end, 1);
  struct watched *entry = &watched[number];
  struct sigaction program = entry->program;
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, number);
  if (!(program.sa_flags & SA_SIGINFO) && (program.sa_handler == SIG_DFL || program.sa_handler == SIG_IGN)) {
    note_signal(number, info, context);
    entry->ours = 0;
    next_sigaction(number, &program, NULL);
    if (!comes_again(number, info)) {
      raise(number);
      sigprocmask(SIG_UNBLOCK, &this_one, NULL);
    }
    errno = error;
    return let_go_on;
  }
  if (on_spare && of_full_stack(number) && !(program.sa_flags & SA_ONSTACK)) {
    note_signal(number, info, context);
    call_on_own_stack(number, info, &this_one);
    errno = error;
    return let_go_on;
  }
  if (entry->calls++) { /* the last one was no end: this program knows how to go on */
    struct sigaction kernel;
    entry->passed = 1;
    entry->ours = kernel_action(number, &program, &kernel);
    next_sigaction(number, &kernel, NULL);
  } else {
    note_signal(number, info, context);
  }
  if (program.sa_flags & (int)SA_RESETHAND) {
    entry->program.sa_handler = SIG_DFL;
    entry->program.sa_flags &= ~SA_SIGINFO;
    struct sigaction kernel;
    entry->ours = kernel_action(number, &entry->program, &kernel);
    next_sigaction(number, &kernel, NULL);
  }
  if (!(program.sa_flags & SA_NODEFER))
    sigprocmask(SIG_BLOCK, &this_one, NULL);
  errno = error;
  return program.sa_sigaction; /* a handler without SA_SIGINFO ignores what it does not know */
}

/* The program's handler takes the place of this one on the stack, so that the stack it prints is that of a bare run:
 * the compiler makes a jump of the last call, for which this function may have no variables. */
static void handle(int number, siginfo_t *info, void *context) {
  prepare(number, info, context)(number, info, context);
}

/* --- Watching ------------------------------------------------------------------------------------------------------
 */

static void take_spare(void) {
  struct sigaction action;
  if (!next_sigaltstack || on_spare || next_sigaltstack(NULL, &no_stack) || !(no_stack.ss_flags & SS_DISABLE))
    return;
  for (int number = 1; number <= SW_LAST_SIGNAL; ++number)
    if (!next_sigaction(number, NULL, &action) && action.sa_flags & SA_ONSTACK)
      return;
  const stack_t spare = {.ss_sp = spare_stack, .ss_size = sizeof spare_stack};
  has_spare = on_spare = !next_sigaltstack(&spare, NULL);
}

SW_EARLY static void leave_spare(void) {
  if (on_spare && !next_sigaltstack(&no_stack, NULL))
    on_spare = 0;
}

void sw_fate_watch(void) {
  sigset_t before;
  if (!next_sigaction)
    return;
  take_spare();
  owner = getpid();
  lock_table(&before);
  for (int number = 1; number < SW_SIGNALS; ++number) {
    struct sigaction action;
    if (!ends[number] || next_sigaction(number, NULL, &watched[number].program))
      continue;
    watched[number].passed = watched[number].calls = 0;
    watched[number].ours =
        kernel_action(number, &watched[number].program, &action) && !next_sigaction(number, &action, NULL);
  }
  watching = 1;
  unlock_table(&before);
}

void sw_fate_unwatch(void) {
  sigset_t before;
  if (!watching || getpid() != owner)
    return;
  leave_spare();
  lock_table(&before);
  watching = 0;
  for (int number = 1; number < SW_SIGNALS; ++number)
    if (watched[number].ours) {
      watched[number].ours = 0;
      next_sigaction(number, &watched[number].program, NULL);
    }
  unlock_table(&before);
}

/* --- What the program sees -----------------------------------------------------------------------------------------
 */

SW_EARLY static int is_watched(int number) { return watching && number > 0 && number < SW_SIGNALS && ends[number]; }

SW_EXPORT SW_EARLY int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  sigset_t before;
  if (!next_sigaction)
    resolve();
  if (action && action->sa_flags & SA_ONSTACK)
    leave_spare(); /* its handler runs where it does in a bare run */
  if (!is_watched(number))
    return next_sigaction(number, action, old);
  struct watched *entry = &watched[number];
  struct sigaction wanted, kernel, was;
  if (action)
    wanted = *action;
  lock_table(&before);
  int was_ours = entry->ours, result = 0;
  if (was_ours)
    was = entry->program;
  if (!action) {
    if (!was_ours)
      result = next_sigaction(number, NULL, &was);
  } else {
    int ours = kernel_action(number, &wanted, &kernel);
    /* The program's comes first: a signal may come right behind the change. */
    entry->program = wanted;
#if defined(__x86_64__)
    entry->program.sa_flags |= 0x04000000; /* SA_RESTORER, which the C library adds and the kernel gives back */
#endif
    entry->ours = ours;
    struct sigaction in_kernel;
    result = next_sigaction(number, &kernel, &in_kernel);
    if (!was_ours)
      was = in_kernel;
  }
  unlock_table(&before);
  if (!result && old)
    *old = was;
  return result;
}

SW_EXPORT SW_EARLY int sigaltstack(const stack_t *wanted, stack_t *old) {
  if (!next_sigaltstack)
    resolve();
  if (!on_spare)
    return next_sigaltstack(wanted, old);
  int result = wanted ? next_sigaltstack(wanted, NULL) : 0;
  if (result)
    return result;
  if (wanted)
    on_spare = 0;
  if (old)
    *old = no_stack;
  return 0;
}

static void (*by_sigaction(int number, void (*handler)(int), int flags, int masks_itself))(int) {
  struct sigaction action, old;
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (masks_itself)
    sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

SW_EXPORT SW_EARLY void (*signal(int number, void (*handler)(int)))(int) {
  if (!next_signal)
    resolve();
  return is_watched(number) ? by_sigaction(number, handler, SA_RESTART, 1) : next_signal(number, handler);
}

SW_EXPORT SW_EARLY void (*bsd_signal(int number, void (*handler)(int)))(int) { return signal(number, handler); }

/* What signal means to sources that ask for System V or the X/Open standard. */
SW_EXPORT SW_EARLY void (*__sysv_signal(int number, void (*handler)(int)))(int) {
  if (!next_sysv_signal)
    resolve();
  return is_watched(number) ? by_sigaction(number, handler, (int)SA_RESETHAND | SA_NODEFER, 0)
                            : next_sysv_signal(number, handler);
}

SW_EXPORT SW_EARLY void (*sysv_signal(int number, void (*handler)(int)))(int) { return __sysv_signal(number, handler); }
