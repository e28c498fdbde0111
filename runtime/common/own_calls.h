/* System calls of the recorders' own.
 *
 * A program may have a function of its own that is called write, read or open, and the loader then gives it to every
 * library that asks for that name: the recorder would call the program.
 */
#ifndef STRIDEWISE_OWN_CALLS_H
#define STRIDEWISE_OWN_CALLS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int sw_sys_open(const char *path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int sw_sys_close(int fd) { return (int)syscall(SYS_close, fd); }

static inline ssize_t sw_sys_read(int fd, void *data, size_t bytes) { return syscall(SYS_read, fd, data, bytes); }

static inline ssize_t sw_sys_write(int fd, const void *data, size_t bytes) {
  return syscall(SYS_write, fd, data, bytes);
}

static inline ssize_t sw_sys_pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  return syscall(SYS_pwrite64, fd, data, bytes, offset);
}

static inline int sw_sys_rename(const char *from, const char *to) {
#ifdef SYS_renameat
  return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
#else
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
#endif
}

static inline int sw_sys_unlink(const char *path) { return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }

static inline int sw_sys_access(const char *path, int mode) {
  return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

#endif
