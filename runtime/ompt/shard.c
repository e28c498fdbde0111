/* The shard file: opening, one block per thread, closing. */
#define _GNU_SOURCE
#include "../common/guarded_write.h"
#include "recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct swo_header *swo_header;
uint64_t swo_generation = 1;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static char shard_path[4096]; /* in the run folder */
static char mapped_path[4096];
static dev_t mapped_device;
static ino_t mapped_number;
static uint64_t cpu_begin;
static const char *runtime_name = "";

enum { THREAD_BLOCK = SWO_ENTRIES * sizeof(struct swo_entry) };

static uint64_t page_up(uint64_t bytes) { return (bytes + 65535) / 65536 * 65536; }

static uint64_t head_bytes(void) {
  return page_up(sizeof(struct swo_header) + SWO_THREADS * sizeof(struct swo_thread) +
                 SWO_MODULES * sizeof(struct swo_module) + SWO_CPUS * sizeof(struct swo_cpu) +
                 SWO_PHASES * sizeof(struct swo_phase));
}

static void *at(uint64_t offset) { return (char *)swo_header + offset; }

static void read_clock(struct swo_clock *clock) {
  struct swo_clock now = {swo_ticks(), swo_nanoseconds(CLOCK_MONOTONIC), swo_nanoseconds(CLOCK_REALTIME)};
  *clock = now;
}

static int make_folder(const char *folder) {
  char path[4096];
  size_t length = strlen(folder);
  if (length >= sizeof path)
    return ENAMETOOLONG;
  memcpy(path, folder, length + 1);
  for (char *p = path + 1; *p; ++p)
    if (*p == '/') {
      *p = 0;
      if (mkdir(path, 0777) && errno != EEXIST && errno != EROFS && errno != EACCES)
        return errno;
      *p = '/';
    }
  return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

/* STRIDEWISE_SCRATCH names a folder on the node for the mapped file; it may begin with a variable of the environment
 * that is looked up here, on the node. 0 or errno. */
static int scratch_folder(char *folder, size_t size, const char *otherwise) {
  const char *scratch = getenv("STRIDEWISE_SCRATCH"), *value = "";
  char name[64];
  if (!scratch || !*scratch)
    scratch = otherwise;
  else if (*scratch == '$') {
    size_t length = strcspn(++scratch, "/");
    if (length >= sizeof name)
      return ENAMETOOLONG;
    memcpy(name, scratch, length);
    name[length] = 0;
    value = getenv(name);
    value = value && *value ? value : "/tmp";
    scratch += length;
  }
  return (size_t)snprintf(folder, size, "%s%s", value, scratch) >= size ? ENAMETOOLONG : make_folder(folder);
}

/* A name of its own for each process image: exec and fork keep or repeat process numbers. A file system on a disk makes
 * stores to a mapped file wait now and then, so the mapped one should lie in memory (/dev/shm), and its end in the run
 * folder. */
static int create_file(int *file) {
  const char *out = getenv("STRIDEWISE_OUT");
  char folder[3072], mapped[3072], host[64] = "";
  if (!out || !*out)
    out = "stridewise-out";
  char directory[2048] = "";
  if (*out != '/' && !getcwd(directory, sizeof directory)) /* the program may go elsewhere before it ends */
    return errno;
  if ((size_t)snprintf(folder, sizeof folder, "%s%s%s/omp", directory, *directory ? "/" : "", out) >= sizeof folder)
    return ENAMETOOLONG;
  snprintf(shard_path, sizeof shard_path, "%s", folder);
  int error = make_folder(folder);
  if (!error)
    error = scratch_folder(mapped, sizeof mapped, folder);
  if (error)
    return error;
  gethostname(host, sizeof host - 1);
  for (char *p = host; *p; ++p)
    if (*p == '/' || *p == '.')
      *p = '-';
  for (int number = 0; number < 4096; ++number) {
    char name[128];
    snprintf(name, sizeof name, "shard.%s.%ld.%d.swomp", host, (long)getpid(), number);
    snprintf(shard_path, sizeof shard_path, "%s/%s", folder, name);
    snprintf(mapped_path, sizeof mapped_path, "%s/%s", mapped, name);
    if (strcmp(folder, mapped) && !sw_sys_access(shard_path, F_OK))
      continue;
    *file = sw_beyond_standard(sw_sys_open(mapped_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (*file >= 0)
      return 0;
    if (errno == ENOENT && !make_folder(mapped)) /* another process took the empty folder away */
      continue;
    if (errno != EEXIST)
      return errno;
  }
  return EEXIST;
}

/* Reserves blocks: a store to a hole would raise SIGBUS on a full disk, and growing a file beyond its limit SIGXFSZ. */
static int reserve(int file, uint64_t offset, uint64_t bytes) {
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < offset + bytes)
    return EFBIG;
  struct sw_write_guard guard;
  sw_guard_write(&guard);
  int error = posix_fallocate(file, (off_t)offset, (off_t)bytes);
  sw_unguard_write(&guard);
  return error;
}

/* No descriptor is kept open: the program counts on the numbers that its own files get, and may close all of them. */
static int reserve_later(uint64_t offset, uint64_t bytes) {
  struct stat status;
  int file = sw_beyond_standard(sw_sys_open(mapped_path, O_RDWR | O_CLOEXEC, 0)), error = ENOENT;
  if (file < 0)
    return errno;
  if (!fstat(file, &status) && status.st_dev == mapped_device && status.st_ino == mapped_number)
    error = reserve(file, offset, bytes);
  sw_sys_close(file);
  return error;
}

static int open_locked(void) {
  int file = -1, error = create_file(&file);
  if (error)
    return error;
  uint64_t head = head_bytes(), whole = head + (uint64_t)SWO_THREADS * THREAD_BLOCK;
  struct stat status;
  error = reserve(file, 0, head);
  if (!error && fstat(file, &status))
    error = errno;
  void *base = error ? MAP_FAILED : mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (!error && base == MAP_FAILED)
    error = errno;
  sw_sys_close(file);
  if (error) {
    sw_sys_unlink(mapped_path);
    return error;
  }
  mapped_device = status.st_dev;
  mapped_number = status.st_ino;
  struct swo_header *header = base;
  header->version = SWO_VERSION;
  header->header_bytes = sizeof *header;
  header->state = SWO_RUNNING;
  header->file_bytes = head;
  uint64_t offset = sizeof *header;
  header->threads = (struct swo_section){offset, 0, sizeof(struct swo_thread), SWO_THREADS};
  offset += SWO_THREADS * sizeof(struct swo_thread);
  header->modules = (struct swo_section){offset, 0, sizeof(struct swo_module), SWO_MODULES};
  offset += SWO_MODULES * sizeof(struct swo_module);
  header->cpus = (struct swo_section){offset, 0, sizeof(struct swo_cpu), SWO_CPUS};
  offset += SWO_CPUS * sizeof(struct swo_cpu);
  header->phases = (struct swo_section){offset, 0, sizeof(struct swo_phase), SWO_PHASES};
  memcpy(header->runtime, runtime_name, strnlen(runtime_name, sizeof header->runtime - 1));
  swo_describe_process(header);
  read_clock(&header->begin);
  header->end = header->begin;
  cpu_begin = swo_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  header->magic = SWO_MAGIC;
  swo_phases_move((struct swo_phase *)((char *)base + offset), &header->phases);
  __atomic_store_n(&swo_header, header, __ATOMIC_RELEASE);
  swo_scan_modules(at(header->modules.offset), &header->modules, header->executable);
  return 0;
}

void swo_shard_runtime(const char *text) { runtime_name = text ? text : ""; }

/* 0, or errno; says so itself, once. */
static int open_once(void) {
  static int failed;
  if (__atomic_load_n(&swo_header, __ATOMIC_ACQUIRE))
    return 0;
  if (failed)
    return failed;
  pthread_mutex_lock(&opening);
  if (!swo_header && !failed) {
    failed = open_locked();
    if (failed)
      fprintf(stderr, "stridewise: cannot write %s: %s; the OpenMP run goes on unmeasured\n", shard_path,
              strerror(failed));
  }
  pthread_mutex_unlock(&opening);
  return failed;
}

static void *scratch(uint64_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Room for a new thread; null if there is none. */
struct recorder *swo_shard_thread(unsigned kind) {
  if (open_once())
    return NULL;
  struct swo_header *header = swo_header;
  struct recorder *recorder = NULL;
  pthread_mutex_lock(&opening);
  uint64_t number = header->threads.used, offset = head_bytes() + number * THREAD_BLOCK;
  if (header->state == SWO_RUNNING && number < SWO_THREADS && !reserve_later(offset, THREAD_BLOCK)) {
    uint64_t slots = sizeof(struct team_slot) * SWO_SLOTS * SWO_LEVELS;
    recorder = scratch(sizeof *recorder + 64 + slots);
  }
  if (recorder) {
    struct swo_thread *thread = (struct swo_thread *)at(header->threads.offset) + number;
    thread->tid = (uint64_t)syscall(SYS_gettid);
    thread->kind = kind;
    thread->begin = thread->end = swo_ticks();
    thread->entries = (struct swo_section){offset, 0, sizeof(struct swo_entry), SWO_ENTRIES};
    recorder->thread = thread;
    recorder->entries = at(offset);
    recorder->generation = swo_generation;
    recorder->cpu = -1;
    recorder->task_long = recorder->wait_long = 8; /* the first ones are looked at */
    char *slots = (char *)recorder + (sizeof *recorder + 63) / 64 * 64;
    for (unsigned level = 0; level < SWO_LEVELS; ++level) {
      recorder->teams[level].level = level;
      recorder->teams[level].slots = (struct team_slot *)slots + level * SWO_SLOTS;
    }
    header->file_bytes = offset + THREAD_BLOCK;
    header->threads.used = number + 1;
  } else
    header->lost_threads++;
  pthread_mutex_unlock(&opening);
  return recorder;
}

/* Slow figures, taken at powers of two of a thread's regions and at its end. */
void swo_shard_refresh(struct recorder *recorder) {
  struct swo_thread *thread = recorder->thread;
  struct rusage usage;
  if (!getrusage(RUSAGE_THREAD, &usage)) {
    thread->voluntary = (uint64_t)usage.ru_nvcsw;
    thread->involuntary = (uint64_t)usage.ru_nivcsw;
  }
  thread->cpu_ns = swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  cpu_set_t mask;
  if (!sched_getaffinity(0, sizeof mask, &mask))
    memcpy(thread->affinity, &mask, sizeof thread->affinity);
  int fd = sw_sys_open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
  char text[96];
  ssize_t got = fd < 0 ? -1 : sw_sys_read(fd, text, sizeof text - 1);
  if (fd >= 0)
    sw_sys_close(fd);
  if (got > 0) {
    unsigned long long running, queueing;
    text[got] = 0;
    if (sscanf(text, "%llu %llu", &running, &queueing) == 2)
      thread->queue_ns = queueing;
  }
  thread->end = swo_ticks();
  struct swo_clock now;
  read_clock(&now);
  swo_header->end = now;
  swo_header->cpu_ns = swo_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
}

/* Copies what is used of a section to the end of a compact file and says where that is. */
static void pack(char *file, uint64_t *end, struct swo_section *section) {
  uint64_t bytes = section->used * section->entry_bytes;
  memcpy(file + *end, at(section->offset), bytes);
  section->offset = *end;
  section->capacity = (uint32_t)section->used;
  *end += bytes;
}

/* Writes the parts in use, checksummed, to a file that then takes the place of the mapped one. Threads that still run
 * go on writing to the old one, which nobody sees any more. */
static int write_compact(void) {
  char *file = scratch(swo_header->file_bytes), path[sizeof shard_path + 8];
  if (!file)
    return errno;
  struct swo_header *head = (struct swo_header *)file;
  *head = *swo_header;
  uint64_t end = sizeof *head;
  pack(file, &end, &head->threads);
  pack(file, &end, &head->modules);
  pack(file, &end, &head->cpus);
  pack(file, &end, &head->phases);
  struct swo_thread *threads = (struct swo_thread *)(file + head->threads.offset);
  for (uint64_t i = 0; i < head->threads.used; ++i)
    pack(file, &end, &threads[i].entries);
  head->file_bytes = end;
  head->state = SWO_CLOSED;
  head->crc32 = 0;
  head->crc32 = swo_crc(0, file, end);
  snprintf(path, sizeof path, "%s.part", shard_path);
  int fd = sw_beyond_standard(sw_sys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  uint64_t done = 0;
  struct sw_write_guard guard;
  sw_guard_write(&guard);
  for (ssize_t step = 1; fd >= 0 && done < end && step > 0; done += step > 0 ? (uint64_t)step : 0)
    step = sw_sys_write(fd, file + done, end - done);
  sw_unguard_write(&guard);
  int failed = fd < 0 || sw_sys_close(fd) || done < end || sw_sys_rename(path, shard_path);
  if (failed)
    sw_sys_unlink(path);
  else if (strcmp(mapped_path, shard_path)) {
    sw_sys_unlink(mapped_path);
    *strrchr(mapped_path, '/') = 0;
    rmdir(mapped_path); /* if it is empty */
  }
  return failed;
}

void swo_shard_close(void) {
  if (!swo_header)
    return;
  pthread_mutex_lock(&opening);
  if (swo_header->state == SWO_RUNNING) {
    swo_scan_modules(at(swo_header->modules.offset), &swo_header->modules, swo_header->executable);
    swo_scan_cpus(at(swo_header->cpus.offset), &swo_header->cpus, swo_header->cpu_mask);
    swo_read_threads(at(swo_header->threads.offset), swo_header->threads.used);
    read_clock(&swo_header->end);
    swo_header->cpu_ns = swo_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    swo_header->state = write_compact() ? SWO_RUNNING : SWO_CLOSED;
  }
  pthread_mutex_unlock(&opening);
}

/* The mapping stays: a thread that was inside a callback at the fork does not exist here, but its file does. */
void swo_shard_forget(void) {
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&opening, &fresh, sizeof opening);
  swo_phases_forget();
  swo_header = NULL;
  swo_generation++;
}
