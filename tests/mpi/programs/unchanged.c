/* Does to itself what its first argument names, between MPI_Init and MPI_Finalize, and prints what it can see of that.
 * What it prints and how it ends must be the same with the interposer and without. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void talk(int count) {
  double mine = rank, sum = 0;
  for (int i = 0; i < count; ++i)
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void limit(int resource, rlim_t value) {
  struct rlimit now;
  getrlimit(resource, &now);
  now.rlim_cur = value;
  if (setrlimit(resource, &now))
    printf("setrlimit: %s\n", strerror(errno));
}

static void note(int number) { seen = seen * 100 + number; }
static void jump(int number) {
  (void)number;
  siglongjmp(back, 1);
}
static void leave(int number) {
  static const char text[] = "the program's own handler\n";
  (void)number;
  ssize_t done = write(STDOUT_FILENO, text, sizeof text - 1);
  _exit(done == sizeof text - 1 ? 9 : 8);
}

static const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGCHLD};

/* What the program sees of its own dispositions. Those of faults are the MPI's. */
static void show(void) {
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    struct sigaction now;
    sigaction(all[i], NULL, &now);
    printf("%d%c%x ", all[i], now.sa_handler == SIG_DFL ? 'd' : now.sa_handler == SIG_IGN ? 'i' : 'h',
           (unsigned)now.sa_flags & ~0x04000000u);
  }
  puts("");
}

static void fault(void) { *(volatile int *)(uintptr_t)(8 + rank) = 1; }

static void *in_thread(void *unused) {
  fault();
  return unused;
}

__attribute__((noinline)) static int deeper(int depth) {
  volatile char room[4096];
  room[depth % 4096] = (char)depth;
  return deeper(depth + 1) + room[depth % 4096];
}

/* One thing that programs do after the other, complexity 86. */
int main(int argc, char **argv) {
  const char *what = argv[1];
  stack_t stack = {0}, other = {0};
  struct sigaction action = {0}, before;
  static char text[4096];
  setvbuf(stdout, text, _IOLBF, sizeof text); /* whole lines, so that those of two ranks do not mix */
#define IS(name) (!strcmp(what, name))
  if (IS("ignored-before"))
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
      signal(all[i], SIG_IGN);
  if (IS("handler-before")) {
    signal(SIGSEGV, leave);
    signal(SIGTERM, leave);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  talk(300);
  int victim = rank == size - 1;
  if (IS("fsize"))
    limit(RLIMIT_FSIZE, 0);
  if (IS("fsize-small"))
    limit(RLIMIT_FSIZE, 65536);
  if (IS("as"))
    limit(RLIMIT_AS, 1 << 20);
  if (IS("data"))
    limit(RLIMIT_DATA, 1 << 16);
  if (IS("nofile"))
    limit(RLIMIT_NOFILE, 3);
  if (IS("nproc"))
    limit(RLIMIT_NPROC, 0);
  if (IS("stack"))
    limit(RLIMIT_STACK, 65536);
  if (IS("memlock"))
    limit(RLIMIT_MEMLOCK, 0);
  if (IS("core"))
    limit(RLIMIT_CORE, 0);
  if (IS("cpu") && victim) {
    limit(RLIMIT_CPU, 1);
    for (volatile double x = 0;; ++x)
      ;
  }
  if (IS("fsize-write") && victim) { /* its own write beyond the limit still ends it */
    char name[] = "/tmp/unchanged-XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    limit(RLIMIT_FSIZE, 10);
    printf("%zd\n", write(fd, "0123456789ABCDEF", 16));
    printf("%zd\n", write(fd, "0123456789ABCDEF", 16));
  }
  if (IS("fsize-handled") && victim) {
    char name[] = "/tmp/unchanged-XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    signal(SIGXFSZ, note);
    limit(RLIMIT_FSIZE, 0);
    printf("%zd %d\n", write(fd, "x", 1), (int)seen);
    MPI_Barrier(MPI_COMM_WORLD);
    talk(10);
    MPI_Finalize();
    printf("%d\n", (int)seen);
    return 0;
  }
  if (IS("fsize-handled")) {
    MPI_Barrier(MPI_COMM_WORLD);
    talk(10);
  }
  if (IS("show") || IS("ignored-before") || (IS("handler-before") && victim))
    show();
  if (IS("blocked")) {
    sigset_t set, left;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
    raise(SIGUSR1);
    talk(10);
    sigpending(&left);
    printf("%d %d %d\n", sigismember(&left, SIGTERM), sigismember(&left, SIGUSR1), sigismember(&left, SIGXFSZ));
    siginfo_t info;
    printf("%d", sigwaitinfo(&left, &info));
    printf(" %d\n", sigwaitinfo(&left, &info));
  }
  if (IS("handlers")) {
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
      action.sa_handler = note;
      action.sa_flags = SA_RESTART | SA_RESETHAND;
      sigaction(all[i], &action, &before);
      printf("%d ", before.sa_handler == SIG_DFL);
    }
    show();
    raise(SIGTERM);
    raise(SIGUSR2);
    talk(10);
    show();
    printf("%d\n", (int)seen);
    printf("%d %d\n", signal(SIGTERM, SIG_IGN) == SIG_DFL, signal(SIGTERM, SIG_DFL) == SIG_IGN);
    show();
  }
  if (IS("segv-jump") || IS("segv-jump-kill")) {
    action.sa_handler = jump;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; ++i)
      if (!sigsetjmp(back, 1))
        fault();
      else
        printf("back\n");
    talk(10);
  }
  if (IS("segv-jump-kill") && victim)
    raise(SIGKILL);
  if (IS("segv-own") && victim) {
    signal(SIGSEGV, leave);
    fault();
  }
  if (IS("altstack")) {
    sigaltstack(NULL, &stack);
    if (victim)
      printf("%d %zu\n", stack.ss_flags, stack.ss_size);
    other.ss_size = 65536;
    other.ss_sp = malloc(other.ss_size);
    sigaltstack(&other, &stack);
    action.sa_handler = leave;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (victim)
      fault();
  }
  if (IS("no-altstack")) { /* a handler for a stack that there is not, which comes to run on the stack that is full */
    action.sa_handler = leave;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (victim)
      fault();
  }
  if (IS("overflow") && victim)
    printf("%d\n", deeper(1));
  if (IS("overflow-own") && victim) {
    action.sa_handler = leave;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    printf("%d\n", deeper(1));
  }
  if (IS("alarm") && victim) {
    ualarm(20000, 0);
    for (;;)
      pause();
  }
  if (IS("segv") || (IS("handler-before") && victim))
    if (victim)
      fault();
  if (IS("segv-thread") && victim) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (IS("segv-sent") && victim)
    kill(getpid(), SIGSEGV);
  if (IS("abort") && victim)
    abort();
  if (IS("fpe") && victim) {
    volatile int zero = 0;
    printf("%d\n", 7 / zero);
  }
  if (IS("term") && victim)
    kill(getpid(), SIGTERM);
  if (IS("closed")) {
    int first = open("/dev/null", O_RDONLY);
    printf("%d\n", first > 2); /* how many the MPI has is its business */
    for (int fd = 0; fd < 3; ++fd)
      if (fd != 1)
        close(fd);
    talk(10);
    printf("%d\n", open("/dev/null", O_RDONLY));
  }
  if (IS("chdir")) {
    printf("%d\n", chdir("/"));
    talk(10);
  }
  if (IS("setuid") && !getuid())
    printf("%d %d\n", setgid(65534), setuid(65534));
  if (IS("errno")) {
    errno = 77;
    MPI_Wtime();
    printf("%d\n", errno);
  }
  if (IS("fork") && victim) {
    fflush(stdout);
    for (int i = 0; i < 4; ++i) {
      pid_t child = fork();
      if (!child) {
        if (i == 0)
          fault();
        if (i == 1)
          raise(SIGTERM);
        if (i == 2) {
          show();
          exit(5);
        }
        execlp("sh", "sh", "-c", "kill -TERM $$", (char *)NULL);
      }
      int status;
      waitpid(child, &status, 0);
      printf("%x\n", status & ~0x80);
    }
  }
  if (IS("posix-timer")) {
    struct itimerval every = {{0, 1000}, {0, 1000}};
    signal(SIGALRM, note);
    setitimer(ITIMER_REAL, &every, NULL);
    talk(300);
    for (int i = 0; i < 2000 && !seen; ++i) /* it may have been over within a millisecond */
      usleep(1000);
    every.it_interval.tv_usec = every.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%d\n", seen != 0);
  }
  if (victim && (IS("fork") || IS("chdir")))
    printf("last\n");
  MPI_Finalize();
  if (IS("show"))
    show();
  if (IS("after") && victim)
    fault();
  return IS("status") ? 40 + rank : 0;
}
