/* libstridewise_capture.so: records the compiler commands of a build, whatever makes it run them.
 *
 * Preloaded into the build, it sees each exec and each spawn. One whose program bears a compiler's name is written to
 * a file of its own in STRIDEWISE_CAPTURE_DIR: working directory, path and arguments, each ended by a NUL byte. A
 * compiler that another one starts (mpicc runs gcc, ccache runs gcc) is not recorded again: the outer one passes a
 * mark on in its environment. Spack's wrapper is passed over: the command that it makes holds the include folders.
 * Response files (@FILE), which builds delete, are copied beside the record as <record>.<number of the argument>.rsp.
 * STRIDEWISE_CAPTURE_MORE is an argument that the compilers of STRIDEWISE_CAPTURE_MORE_NAMES get in addition, inner
 * ones, too; not behind a cache (STRIDEWISE_CAPTURE_CACHES), which would hand out what they make to other builds.
 * Nothing here allocates, since callers may be in a child of vfork.
 * Blind spot: programs that are linked statically, and what they start.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARK "STRIDEWISE_CAPTURE_INNER=1"
#define CACHED "STRIDEWISE_CAPTURE_CACHED=1"
#define MAX_ENVIRONMENT 16384
#define API __attribute__((visibility("default")))

extern char **environ;

typedef int execve_fn(const char *, char *const[], char *const[]);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                     char *const[], char *const[]);

/* Resolved when the library is loaded: dlsym may take locks, which a child of vfork must not. */
static execve_fn *real_execve, *real_execvpe;
static spawn_fn *real_spawn, *real_spawnp;

__attribute__((constructor)) static void resolve(void) {
  *(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
  *(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
  *(void **)&real_spawn = dlsym(RTLD_NEXT, "posix_spawn");
  *(void **)&real_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
}

static const char *variable(char *const env[], const char *name) {
  size_t length = strlen(name);
  for (; env && *env; ++env)
    if (!strncmp(*env, name, length) && (*env)[length] == '=')
      return *env + length + 1;
  return NULL;
}

/* Whether `word` of that length is in a list with blanks between its words. */
static int listed(const char *list, const char *word, size_t length) {
  while (*list) {
    size_t size = strcspn(list, " ");
    if (size == length && !strncmp(list, word, length))
      return 1;
    list += size;
    list += strspn(list, " ");
  }
  return 0;
}

/* x86_64-linux-gnu-g++-12 and mpicc.openmpi are compilers by one of their parts; the reader looks closer. */
static int is_compiler(const char *path, const char *names) {
  const char *slash = strrchr(path, '/');
  const char *part = slash ? slash + 1 : path;
  while (*part) {
    size_t size = strcspn(part, "-."), bare = size;
    while (bare && part[bare - 1] >= '0' && part[bare - 1] <= '9')
      --bare; /* gcc12 */
    if (size && (listed(names, part, size) || (bare && listed(names, part, bare))))
      return 1;
    part += size;
    part += strspn(part, "-.");
  }
  return 0;
}

/* Whether the name, less the number of a version and the triple of a target, is listed: gcc-12 and
 * x86_64-linux-gnu-g++, not gcc-ar. */
static int is_named(const char *path, const char *names) {
  const char *slash = strrchr(path, '/');
  const char *part = slash ? slash + 1 : path;
  const char *end = part + strlen(part);
  while (end > part && strchr("0123456789.-", end[-1]))
    --end;
  while (part && part < end) {
    if (listed(names, part, (size_t)(end - part)))
      return 1;
    part = memchr(part, '-', (size_t)(end - part));
    part = part ? part + 1 : NULL;
  }
  return 0;
}

static int put(int fd, const char *text) {
  size_t left = strlen(text) + 1;
  while (left) {
    ssize_t done = write(fd, text, left);
    if (done < 0 && errno != EINTR)
      return -1;
    if (done > 0) {
      text += done;
      left -= (size_t)done;
    }
  }
  return 0;
}

static int is_spack_wrapper(const char *path) {
  return strstr(path, "/lib/spack/env/") || strstr(path, "/libexec/spack/");
}

/* A copy of a response file; none where that fails, and the reader says so. Only regular files: reading a pipe takes
 * its content from the compiler. */
static void copy(const char *from, const char *to) {
  char block[4096];
  struct stat about;
  if (stat(from, &about) || !S_ISREG(about.st_mode))
    return;
  int in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (in < 0)
    return;
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ssize_t size = 0;
  while (out >= 0 && (size = read(in, block, sizeof block)) > 0)
    if (write(out, block, (size_t)size) != size) {
      size = -1;
      break;
    }
  close(in);
  if (out >= 0)
    close(out);
  if (out >= 0 && size < 0)
    unlink(to);
}

static void record(const char *folder, const char *path, char *const argv[]) {
  char directory[PATH_MAX], name[PATH_MAX], part[PATH_MAX];
  struct timespec now;
  if (!getcwd(directory, sizeof directory) || clock_gettime(CLOCK_MONOTONIC, &now))
    return;
  int size = snprintf(name, sizeof name, "%s/%lld%09ld.%ld.command", folder, (long long)now.tv_sec, now.tv_nsec,
                      (long)getpid());
  if (size < 0 || (size_t)size >= sizeof name - 5)
    return;
  snprintf(part, sizeof part, "%.*s.part", PATH_MAX - 6, name);
  int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  int bad = put(fd, directory) || put(fd, path);
  for (size_t i = 0; !bad && argv && argv[i]; ++i) {
    bad = put(fd, argv[i]);
    char response[PATH_MAX + 32];
    if (argv[i][0] == '@' && argv[i][1] && i &&
        snprintf(response, sizeof response, "%s.%zu.rsp", name, i) < (int)sizeof response)
      copy(argv[i] + 1, response);
  }
  close(fd);
  if (bad || rename(part, name))
    unlink(part);
}

/* Records a compiler's command. True if the environment must carry the mark from here on. */
static int observe(const char *path, char *const argv[], char *const env[]) {
  int saved = errno;
  const char *folder = variable(environ, "STRIDEWISE_CAPTURE_DIR");
  const char *names = variable(environ, "STRIDEWISE_CAPTURE_NAMES");
  int found = path && folder && names && !variable(environ, "STRIDEWISE_CAPTURE_INNER") &&
              !variable(env, "STRIDEWISE_CAPTURE_INNER") && is_compiler(path, names) && !is_spack_wrapper(path) &&
              (!strchr(path, '/') || !access(path, X_OK)); /* shells try one folder of PATH after the other */
  if (found)
    record(folder, path, argv);
  errno = saved;
  return found;
}

static size_t count(char *const list[]) {
  size_t n = 0;
  while (list && list[n])
    ++n;
  return n;
}

/* The argument that this program gets in addition, or a null pointer. */
static const char *addition(const char *path, char *const env[]) {
  const char *more = variable(environ, "STRIDEWISE_CAPTURE_MORE");
  const char *names = variable(environ, "STRIDEWISE_CAPTURE_MORE_NAMES");
  if (!path || !more || !names || variable(environ, "STRIDEWISE_CAPTURE_CACHED") ||
      variable(env, "STRIDEWISE_CAPTURE_CACHED") || !is_named(path, names))
    return NULL;
  return more;
}

static int is_cache(const char *path) {
  const char *names = variable(environ, "STRIDEWISE_CAPTURE_CACHES");
  return path && names && is_named(path, names);
}

/* A copy of `list` on the caller's stack, with one or two words more; the list itself where there are none. */
#define EXTENDED(list, one, two)                                                                                       \
  ({                                                                                                                   \
    char *const *kept_ = (list);                                                                                       \
    const char *first_ = (one), *second_ = (two);                                                                      \
    if (first_ || second_) {                                                                                           \
      size_t entries_ = count(kept_);                                                                                  \
      char **copy_ = alloca((entries_ + 3) * sizeof *copy_);                                                           \
      if (entries_)                                                                                                    \
        memcpy(copy_, kept_, entries_ * sizeof *copy_);                                                                \
      if (first_)                                                                                                      \
        copy_[entries_++] = (char *)first_;                                                                            \
      if (second_)                                                                                                     \
        copy_[entries_++] = (char *)second_;                                                                           \
      copy_[entries_] = NULL;                                                                                          \
      kept_ = copy_;                                                                                                   \
    }                                                                                                                  \
    kept_;                                                                                                             \
  })

static int run(execve_fn *real, const char *path, char *const argv[], char *const env[]) {
  if (!real) {
    errno = ENOSYS;
    return -1;
  }
  int found = observe(path, argv, env);
  if (count(env) > MAX_ENVIRONMENT)
    return real(path, argv, env);
  char *const *words = EXTENDED(argv, addition(path, env), NULL);
  char *const *marked = EXTENDED(env, found ? MARK : NULL, is_cache(path) ? CACHED : NULL);
  return real(path, words, marked);
}

API int execve(const char *path, char *const argv[], char *const env[]) { return run(real_execve, path, argv, env); }
API int execv(const char *path, char *const argv[]) { return run(real_execve, path, argv, environ); }
API int execvpe(const char *file, char *const argv[], char *const env[]) { return run(real_execvpe, file, argv, env); }
API int execvp(const char *file, char *const argv[]) { return run(real_execvpe, file, argv, environ); }

/* Gathers the arguments of the execl family on the stack; leaves `list` behind the null pointer that ends them. */
#define GATHER(argv, first, list)                                                                                      \
  do {                                                                                                                 \
    va_list again_;                                                                                                    \
    size_t n_ = 1;                                                                                                     \
    va_start(list, first);                                                                                             \
    va_copy(again_, list);                                                                                             \
    while (va_arg(again_, char *))                                                                                     \
      ++n_;                                                                                                            \
    va_end(again_);                                                                                                    \
    (argv) = alloca((n_ + 1) * sizeof *(argv));                                                                        \
    (argv)[0] = (char *)(first);                                                                                       \
    for (size_t i_ = 1; i_ <= n_; ++i_)                                                                                \
      (argv)[i_] = va_arg(list, char *);                                                                               \
  } while (0)

API int execl(const char *path, const char *first, ...) {
  va_list list;
  char **argv;
  GATHER(argv, first, list);
  va_end(list);
  return run(real_execve, path, argv, environ);
}

API int execlp(const char *file, const char *first, ...) {
  va_list list;
  char **argv;
  GATHER(argv, first, list);
  va_end(list);
  return run(real_execvpe, file, argv, environ);
}

API int execle(const char *path, const char *first, ...) {
  va_list list;
  char **argv;
  GATHER(argv, first, list);
  char *const *env = va_arg(list, char *const *);
  va_end(list);
  return run(real_execve, path, argv, env);
}

static int spawn(spawn_fn *real, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) {
  if (!real)
    return ENOSYS;
  int found = observe(path, argv, env);
  if (count(env) > MAX_ENVIRONMENT)
    return real(pid, path, actions, attributes, argv, env);
  char *const *words = EXTENDED(argv, addition(path, env), NULL);
  char *const *marked = EXTENDED(env, found ? MARK : NULL, is_cache(path) ? CACHED : NULL);
  return real(pid, path, actions, attributes, words, marked);
}

API int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                    const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) {
  return spawn(real_spawn, pid, path, actions, attributes, argv, env);
}

API int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) {
  return spawn(real_spawnp, pid, file, actions, attributes, argv, env);
}
