/* Our own writing, in a process that is not ours.
 *
 * The program may have lowered its limit of file sizes: then a write beyond it raises SIGXFSZ, whose default ends the
 * process, at a place where the bare run writes nothing. Between these two calls the signal is blocked for the calling
 * thread, so that the write fails with EFBIG instead, and one that our write has raised is taken away. One that was
 * pending before stays. errno is kept.
 */
#ifndef STRIDEWISE_GUARDED_WRITE_H
#define STRIDEWISE_GUARDED_WRITE_H

#include "own_calls.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

struct sw_write_guard {
  sigset_t before;
  int active; /* it was neither blocked nor pending */
};

static inline void sw_guard_write(struct sw_write_guard *guard) {
  int error = errno;
  sigset_t limit, pending;
  guard->active = 0;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  /* For one thread, whatever the process has: glibc's sigprocmask is the system call. */
  if (!sigpending(&pending) && !sigismember(&pending, SIGXFSZ) && !sigprocmask(SIG_BLOCK, &limit, &guard->before))
    guard->active = 1;
  errno = error;
}

static inline void sw_unguard_write(const struct sw_write_guard *guard) {
  int error = errno;
  if (guard->active) {
    const struct timespec now = {0, 0};
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    while (sigtimedwait(&limit, NULL, &now) < 0 && errno == EINTR)
      ;
    sigprocmask(SIG_SETMASK, &guard->before, NULL);
  }
  errno = error;
}

/* A descriptor beyond the standard ones: where the program has closed one of those, a file of ours must not take its
 * number, for other threads print to it. */
static inline int sw_beyond_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO)
    return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  sw_sys_close(fd);
  errno = error;
  return moved;
}

#endif
