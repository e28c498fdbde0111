/* The shard file: opening, modules, clocks, closing. */
#define _GNU_SOURCE
#include "../runtime/common/guarded_write.h"
#include "../runtime/common/loaded_module.h"
#include "recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct sw_shard sw_shard;
static uint64_t mapped_bytes;
static uint64_t final_word; /* crc32 and state of the compact file, as they lie in it */
static int compact;

uint64_t sw_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sw_read_clock(struct sw_clock *clock) {
  struct timespec wall;
  clock->ticks = sw_ticks();
  clock->monotonic_ns = sw_monotonic_ns();
  clock_gettime(CLOCK_REALTIME, &wall);
  clock->realtime_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
}

/* Creates the folder and its parents; 0 or errno. */
static int make_folder(const char *folder) {
  char path[sizeof sw_shard.folder];
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

static void read_text(const char *file, char *text, size_t size, char between) {
  int fd = sw_sys_open(file, O_RDONLY | O_CLOEXEC, 0);
  ssize_t got = fd < 0 ? 0 : sw_sys_read(fd, text, size - 1);
  if (fd >= 0)
    sw_sys_close(fd);
  got = got < 0 ? 0 : got;
  while (got > 0 && !text[got - 1])
    --got;
  for (ssize_t i = 0; i < got; ++i)
    if (!text[i])
      text[i] = between;
  text[got] = 0;
}

static struct sw_section *usage_section;
static struct sw_usage *usage, usage_begin;
static uint64_t usage_read_ns;

/* Also in a handler of signals: by hand, since sscanf may wait for a lock. */
static struct sw_usage read_usage(void) {
  char text[96];
  uint64_t number[2] = {0, 0};
  read_text("/proc/self/schedstat", text, sizeof text, ' ');
  const char *p = text;
  for (int i = 0; i < 2; ++i) {
    if (*p < '0' || *p > '9')
      return (struct sw_usage){0};
    for (; *p >= '0' && *p <= '9'; ++p)
      number[i] = 10 * number[i] + (uint64_t)(*p - '0');
    p += *p == ' ';
  }
  return (struct sw_usage){.running_ns = number[0], .queueing_ns = number[1]};
}

void sw_shard_refresh_usage(void) {
  struct sw_usage used = sw_shard_usage();
  if (used.running_ns) {
    *usage = used;
    usage_section->used = 1;
  }
}

/* Read first, then stored: a process may be killed between two readings, and the two would disagree. */
void sw_shard_refresh_clock(void) {
  const uint64_t usage_every_ns = 1000000000;
  struct sw_clock now;
  sw_read_clock(&now);
  sw_shard.header->end = now;
  if (now.monotonic_ns - usage_read_ns > usage_every_ns) {
    usage_read_ns = now.monotonic_ns;
    sw_shard_refresh_usage();
  }
}

static uint64_t event_capacity(void) {
  const char *text = getenv("STRIDEWISE_MPI_EVENTS");
  char *end = NULL;
  unsigned long long wanted = text ? strtoull(text, &end, 10) : 0;
  if (!text || !*text || *end || wanted < 256 || wanted > UINT64_C(1) << 28)
    return SW_DEFAULT_EVENTS;
  return wanted;
}

static struct sw_section *add_section(struct sw_header *header, unsigned *count, uint64_t *offset, uint32_t kind,
                                      size_t entry, uint64_t capacity) {
  struct sw_section *section = &header->sections[(*count)++];
  section->kind = kind;
  section->entry_bytes = (uint32_t)entry;
  section->offset = *offset;
  section->capacity = capacity;
  section->used = 0;
  *offset += (entry * capacity + 63) / 64 * 64;
  return section;
}

enum { SECTIONS = 11 };

/* The events come last, so that a short run leaves the end of the file untouched. */
static uint64_t lay_out(struct sw_header *header, struct sw_section *sections[SECTIONS]) {
  unsigned count = 0;
  uint64_t offset = (sizeof *header + 63) / 64 * 64;
  sections[0] = add_section(header, &count, &offset, SW_SECTION_MODULES, sizeof(struct sw_module), SW_MODULES);
  sections[1] = add_section(header, &count, &offset, SW_SECTION_COMMS, sizeof(struct sw_comm), SW_COMMS);
  sections[2] = add_section(header, &count, &offset, SW_SECTION_MEMBERS, sizeof(int32_t), SW_MEMBERS);
  sections[3] = add_section(header, &count, &offset, SW_SECTION_PATHS, sizeof(struct sw_path), SW_PATHS);
  sections[4] = add_section(header, &count, &offset, SW_SECTION_TABLE, sizeof(struct sw_call_stats), SW_TABLE_SLOTS);
  sections[6] = add_section(header, &count, &offset, SW_SECTION_USAGE, sizeof(struct sw_usage), 1);
  sections[7] =
      add_section(header, &count, &offset, SW_SECTION_THREADS, sizeof(struct sw_thread_totals), SW_THREADS + 1);
  sections[8] = add_section(header, &count, &offset, SW_SECTION_PROGRESS, sizeof(struct sw_progress), SW_THREADS);
  sections[9] = add_section(header, &count, &offset, SW_SECTION_FATE, sizeof(struct sw_fate), 1);
  sections[10] = add_section(header, &count, &offset, SW_SECTION_PHASES, sizeof(struct sw_phase), SW_PHASES);
  sections[5] =
      add_section(header, &count, &offset, SW_SECTION_EVENTS, sizeof(struct sw_event), sw_shard.event_capacity);
  return offset;
}

/* STRIDEWISE_SCRATCH names a folder on the node, which holds the mapped file; it may begin with a variable of the
 * environment that is looked up here, on the node ("$TMPDIR/stridewise"). 0 or errno. */
static int choose_mapped(void) {
  const char *scratch = getenv("STRIDEWISE_SCRATCH"), *file = strrchr(sw_shard.path, '/');
  char folder[sizeof sw_shard.folder];
  if (!scratch || !*scratch || !file) {
    memcpy(sw_shard.mapped, sw_shard.path, sizeof sw_shard.mapped);
    return 0;
  }
  const char *value = "";
  if (*scratch == '$') {
    char name[64];
    size_t length = strcspn(++scratch, "/");
    if (length >= sizeof name)
      return ENAMETOOLONG;
    memcpy(name, scratch, length);
    name[length] = 0;
    value = getenv(name);
    if (!value || !*value)
      value = "/tmp";
    scratch += length;
  }
  int written = snprintf(folder, sizeof folder, "%s%s", value, scratch);
  if (written < 0 || (size_t)written >= sizeof folder)
    return ENAMETOOLONG;
  snprintf(sw_shard.mapped, sizeof sw_shard.mapped, "%s%s", folder, file);
  return make_folder(folder);
}

int sw_shard_open(int world_rank, int world_size, uint64_t job_id) {
  const char *out = getenv("STRIDEWISE_OUT");
  char directory[512] = "";
  if (!getcwd(directory, sizeof directory))
    directory[0] = 0;
  if (!out || !*out)
    out = "stridewise-out";
  int written = out[0] == '/' ? snprintf(sw_shard.folder, sizeof sw_shard.folder - 8, "%s", out)
                              : snprintf(sw_shard.folder, sizeof sw_shard.folder - 8, "%s/%s", directory, out);
  if (written < 0 || (size_t)written >= sizeof sw_shard.folder - 8)
    return ENAMETOOLONG;
  snprintf(sw_shard.path, sizeof sw_shard.path, "%s/mpi", sw_shard.folder);
  int error = make_folder(sw_shard.path);
  if (error)
    return error;
  snprintf(sw_shard.path, sizeof sw_shard.path, "%s/mpi/shard.%016llx.%d.swshard", sw_shard.folder,
           (unsigned long long)job_id, world_rank);

  error = choose_mapped();
  if (error)
    return error;

  struct sw_header first;
  struct sw_section *laid[SECTIONS];
  memset(&first, 0, sizeof first);
  sw_shard.event_capacity = event_capacity();
  mapped_bytes = lay_out(&first, laid);
  /* Growing a file beyond the limit raises SIGXFSZ, which would end the program. */
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < mapped_bytes)
    return EFBIG;
  int fd = sw_beyond_standard(sw_sys_open(sw_shard.mapped, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd < 0)
    return errno;
  /* Reserve the blocks: a store to a hole would raise SIGBUS on a full disk. */
  error = posix_fallocate(fd, 0, (off_t)mapped_bytes);
  char *base = error ? MAP_FAILED : mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (!error && base == MAP_FAILED)
    error = errno;
  sw_sys_close(fd);
  if (error) {
    sw_sys_unlink(sw_shard.mapped);
    return error;
  }

  struct sw_header *header = (struct sw_header *)base;
  struct sw_section *sections[SECTIONS];
  lay_out(header, sections);
  header->version = SW_SHARD_VERSION;
  header->header_bytes = sizeof *header;
  header->file_bytes = mapped_bytes;
  header->state = SW_STATE_OPENED;
  header->job_id = job_id;
  header->world_rank = world_rank;
  header->world_size = world_size;
  header->pid = (uint64_t)getpid();
  header->event_head = sw_shard.event_head = sw_shard.event_capacity / 2;
  if (gethostname(header->host, sizeof header->host - 1))
    header->host[0] = 0;
  ssize_t length = readlink("/proc/self/exe", header->executable, sizeof header->executable - 1);
  header->executable[length > 0 ? length : 0] = 0;
  read_text("/proc/self/cmdline", header->command, sizeof header->command, ' ');
  memcpy(header->directory, directory, sizeof directory);

  sw_shard.header = header;
  sw_shard.module_section = sections[0];
  sw_shard.comm_section = sections[1];
  sw_shard.member_section = sections[2];
  sw_shard.path_section = sections[3];
  sw_shard.table_section = sections[4];
  sw_shard.event_section = sections[5];
  usage_section = sections[6];
  sw_shard.thread_section = sections[7];
  sw_shard.progress_section = sections[8];
  sw_shard.progress_section->used = 1;
  sw_shard.fate_section = sections[9];
  sw_shard.phase_section = sections[10];
  sw_shard.progress = (struct sw_progress *)(base + sections[8]->offset);
  sw_shard.fate = (struct sw_fate *)(base + sections[9]->offset);
  sw_shard.phases = (struct sw_phase *)(base + sections[10]->offset);
  usage = (struct sw_usage *)(base + sections[6]->offset);
  usage_begin = read_usage();
  usage_read_ns = sw_monotonic_ns();
  sw_shard.modules = (struct sw_module *)(base + sections[0]->offset);
  sw_shard.comms = (struct sw_comm *)(base + sections[1]->offset);
  sw_shard.members = (int32_t *)(base + sections[2]->offset);
  sw_shard.paths = (struct sw_path *)(base + sections[3]->offset);
  sw_shard.threads = (struct sw_thread_totals *)(base + sections[7]->offset);
  sw_shard.table = (struct sw_call_stats *)(base + sections[4]->offset);
  sw_shard.events = (struct sw_event *)(base + sections[5]->offset);
  header->magic = SW_SHARD_MAGIC;
  compact = 0;
  return 0;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  (void)argument;
  uint64_t begin, end;
  const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : sw_shard.header->executable;
  uint64_t used = sw_shard.module_section->used;
  if (!sw_loaded_range(info, &begin, &end) || used >= SW_MODULES || (name[0] != '/' && strstr(name, "vdso")))
    return 0;
  for (uint64_t i = 0; i < used; ++i)
    if (sw_shard.modules[i].begin == begin && sw_shard.modules[i].end == end &&
        !strncmp(sw_shard.modules[i].path, name, sizeof sw_shard.modules[i].path - 1))
      return 0;
  struct sw_module *module = &sw_shard.modules[used];
  module->begin = begin;
  module->end = end;
  module->bias = info->dlpi_addr;
  memcpy(module->path, name, strnlen(name, sizeof module->path - 1));
  size_t bytes;
  const unsigned char *id = sw_loaded_build_id(info, &bytes);
  module->build_id_bytes = (uint32_t)(bytes < sizeof module->build_id ? bytes : sizeof module->build_id);
  if (id)
    memcpy(module->build_id, id, module->build_id_bytes);
  sw_shard.module_section->used = used + 1;
  return 0;
}

void sw_shard_scan_modules(void) { dl_iterate_phdr(add_module, NULL); }

int sw_shard_knows(uint64_t pc) {
  for (uint64_t i = 0; i < sw_shard.module_section->used; ++i)
    if (pc >= sw_shard.modules[i].begin && pc < sw_shard.modules[i].end)
      return 1;
  return 0;
}

static uint32_t crc_table[8][256];

static void make_crc_table(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
    crc_table[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (int k = 1; k < 8; ++k)
      crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 255];
}

/* CRC-32 (IEEE 802.3, reflected), eight bytes a step. */
static uint32_t crc_add(uint32_t crc, const void *data, size_t bytes) {
  const unsigned char *p = data;
  crc = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint32_t low, high;
    memcpy(&low, p, 4);
    memcpy(&high, p + 4, 4);
    low ^= crc;
    crc = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
          crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
          crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
  }
  for (; bytes; --bytes, ++p)
    crc = crc >> 8 ^ crc_table[0][(crc ^ *p) & 255];
  return ~crc;
}

static void pack_table(void) {
  uint64_t used = 0;
  for (uint64_t i = 0; i < SW_TABLE_SLOTS; ++i)
    if (sw_shard.table[i].count) {
      if (used != i) {
        sw_shard.table[used] = sw_shard.table[i];
        sw_shard.table[i].count = 0;
      }
      ++used;
    }
  sw_shard.table_section->used = used;
}

/* What helpers wait in MPI is no time that the process does not compute: the initial thread's stands for it. How much
 * it was is kept. */
void sw_shard_add_up_threads(void) {
  uint64_t last = 0;
  for (uint64_t i = 0; i < sw_shard.thread_section->used; ++i) {
    struct sw_thread_totals *thread = &sw_shard.threads[i];
    sw_shard.header->call_count += thread->call_count;
    if (i == 0)
      sw_shard.header->mpi_ticks += thread->mpi_ticks;
    if (thread->threads)
      last = i + 1;
    thread->added_mpi_ticks += thread->mpi_ticks;
    thread->call_count = thread->mpi_ticks = 0;
  }
  sw_shard.thread_section->used = last;
}

static uint64_t used_entries(const struct sw_section *section) {
  if (section->kind != SW_SECTION_EVENTS)
    return section->used;
  uint64_t count = sw_shard.header->event_count;
  return count < section->capacity ? count : section->capacity;
}

static int write_all(int fd, const void *data, size_t bytes) {
  const char *p = data;
  struct sw_write_guard guard;
  sw_guard_write(&guard);
  while (bytes) {
    ssize_t done = sw_sys_write(fd, p, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      break;
    p += done;
    bytes -= (size_t)done;
  }
  sw_unguard_write(&guard);
  return bytes ? -1 : 0;
}

struct sw_usage sw_shard_usage(void) {
  struct sw_usage now = read_usage();
  if (now.running_ns <= usage_begin.running_ns)
    return (struct sw_usage){0};
  struct sw_usage used = {.running_ns = now.running_ns - usage_begin.running_ns,
                          .queueing_ns = now.queueing_ns - usage_begin.queueing_ns};
  cpu_set_t mask;
  struct rusage resources;
  uint64_t peak = getrusage(RUSAGE_SELF, &resources) ? 0 : 1024 * (uint64_t)resources.ru_maxrss;
  used.peak_bytes = peak > mapped_bytes ? peak - mapped_bytes : 0;
  if (!sched_getaffinity(0, sizeof mask, &mask)) {
    used.processors = (uint32_t)CPU_COUNT(&mask);
    while (used.first_processor < CPU_SETSIZE && !CPU_ISSET(used.first_processor, &mask))
      ++used.first_processor;
  }
  return used;
}

/* The file of a packed header and its sections, whose entries are at the given addresses; *crc is that of the file in
 * its closed state. */
static int write_packed(int fd, const struct sw_header *packed, const char *const *entries, uint32_t *crc) {
  static const char padding[64];
  struct sw_header closed = *packed;
  closed.crc32 = 0;
  closed.state = SW_STATE_CLOSED;
  size_t pad = (64 - sizeof closed % 64) % 64;
  *crc = crc_add(crc_add(0, &closed, sizeof closed), padding, pad);
  int failed = write_all(fd, packed, sizeof *packed) || write_all(fd, padding, pad);
  for (int i = 0; i < SW_MAX_SECTIONS && packed->sections[i].kind && !failed; ++i) {
    size_t bytes = packed->sections[i].capacity * packed->sections[i].entry_bytes;
    *crc = crc_add(crc_add(*crc, entries[i], bytes), padding, (64 - bytes % 64) % 64);
    failed = write_all(fd, entries[i], bytes) || write_all(fd, padding, (64 - bytes % 64) % 64);
  }
  return failed ? -1 : 0;
}

int sw_shard_write_other(const struct sw_header *header, const struct sw_section *sections, int count,
                         const char *name) {
  char path[sizeof sw_shard.path + 64], temporary[sizeof path + 8];
  const char *entries[SW_MAX_SECTIONS];
  struct sw_header packed = *header;
  uint64_t offset = (sizeof packed + 63) / 64 * 64;
  memset(packed.sections, 0, sizeof packed.sections);
  for (int i = 0; i < count; ++i) {
    entries[i] = (const char *)(uintptr_t)sections[i].offset;
    packed.sections[i] = sections[i];
    packed.sections[i].capacity = sections[i].used;
    packed.sections[i].offset = offset;
    offset += (sections[i].used * sections[i].entry_bytes + 63) / 64 * 64;
  }
  packed.file_bytes = offset;
  make_crc_table();
  snprintf(path, sizeof path, "%s/mpi/shard.%016llx.%s.swshard", sw_shard.folder, (unsigned long long)header->job_id,
           name);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  int fd = sw_beyond_standard(sw_sys_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd < 0)
    return -1;
  uint32_t crc;
  packed.state = SW_STATE_CLOSED;
  packed.crc32 = 0;
  int failed = write_packed(fd, &packed, entries, &crc);
  struct sw_write_guard guard;
  sw_guard_write(&guard);
  failed |= sw_sys_pwrite(fd, &crc, sizeof crc, offsetof(struct sw_header, crc32)) != sizeof crc;
  sw_unguard_write(&guard);
  failed |= sw_sys_close(fd) != 0;
  if (failed || sw_sys_rename(temporary, path)) {
    sw_sys_unlink(temporary);
    return -1;
  }
  return 0;
}

/* A short run needs a fraction of the mapped file. The compact one takes its name in one step, so that there is always
 * a readable shard; if it cannot be written, the mapped one stays. */
void sw_shard_finish(uint32_t state) {
  struct sw_header *header = sw_shard.header;
  const char *entries[SW_MAX_SECTIONS];
  char temporary[sizeof sw_shard.path + 8];
  make_crc_table();
  pack_table();
  sw_shard_add_up_threads();
  sw_shard_refresh_usage();
  snprintf(temporary, sizeof temporary, "%s.tmp", sw_shard.path);
  int fd = sw_beyond_standard(sw_sys_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd < 0)
    return;
  struct sw_header packed = *header;
  uint64_t offset = (sizeof packed + 63) / 64 * 64;
  for (int i = 0; i < SW_MAX_SECTIONS && packed.sections[i].kind; ++i) {
    struct sw_section *section = &packed.sections[i];
    entries[i] = (const char *)header + section->offset;
    section->capacity = section->used = used_entries(section);
    section->offset = offset;
    offset += (section->capacity * section->entry_bytes + 63) / 64 * 64;
    if (section->kind == SW_SECTION_EVENTS && packed.event_head > section->capacity)
      packed.event_head = section->capacity;
  }
  packed.file_bytes = offset;
  packed.crc32 = 0;
  packed.state = state;
  uint32_t crc;
  int failed = write_packed(fd, &packed, entries, &crc);
  failed |= sw_sys_close(fd) != 0;
  if (failed || sw_sys_rename(temporary, sw_shard.path)) {
    sw_sys_unlink(temporary);
    return;
  }
  const uint32_t words[2] = {crc, SW_STATE_CLOSED};
  memcpy(&final_word, words, sizeof words);
  compact = 1;
}

static void leave_node(void) {
  if (!strcmp(sw_shard.mapped, sw_shard.path))
    return;
  sw_sys_unlink(sw_shard.mapped);
  *strrchr(sw_shard.mapped, '/') = 0;
  rmdir(sw_shard.mapped); /* the last rank of the node */
}

void sw_shard_bring_home(void) {
  if (strcmp(sw_shard.mapped, sw_shard.path)) {
    sw_shard_finish(SW_STATE_RUNNING);
    if (compact)
      leave_node();
  }
}

/* What a thread is at is noted without asking whether recording has ended, so that with threads the mapping stays. */
static void unmap(void) {
  if (!sw_multiple)
    munmap(sw_shard.header, mapped_bytes);
  sw_shard.header = NULL;
}

void sw_shard_close(int closed) {
  struct sw_header *header = sw_shard.header;
  _Static_assert(offsetof(struct sw_header, state) == offsetof(struct sw_header, crc32) + 4, "written as one word");
  if (closed && compact) {
    int fd = sw_beyond_standard(sw_sys_open(sw_shard.path, O_WRONLY | O_CLOEXEC, 0));
    if (fd >= 0) {
      struct sw_write_guard guard;
      sw_guard_write(&guard);
      ssize_t done = sw_sys_pwrite(fd, &final_word, sizeof final_word, offsetof(struct sw_header, crc32));
      sw_unguard_write(&guard);
      (void)done; /* without it the shard says that the rank did not come to its end, and is readable all the same */
      sw_sys_close(fd);
    }
    leave_node();
  } else if (closed) {
    header->crc32 = 0;
    header->state = SW_STATE_CLOSED;
    header->crc32 = crc_add(0, header, mapped_bytes);
  }
  unmap();
}

void sw_shard_remove(void) {
  unmap();
  if (strcmp(sw_shard.mapped, sw_shard.path))
    leave_node();
  else
    sw_sys_unlink(sw_shard.path);
}

void sw_shard_forget(void) {
  if (sw_shard.header)
    munmap(sw_shard.header, mapped_bytes);
  sw_shard.header = NULL;
}
