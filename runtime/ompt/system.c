/* What is written down of the process and its machine: modules, processors, environment. */
#define _GNU_SOURCE
#include "../common/loaded_module.h"
#include "../common/own_calls.h"
#include "recorder.h"
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct modules {
  struct swo_module *list;
  struct swo_section *section;
  const char *executable;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct modules *modules = argument;
  uint64_t begin, end;
  const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : modules->executable;
  uint64_t used = modules->section->used;
  if (!sw_loaded_range(info, &begin, &end) || used >= SWO_MODULES || (name[0] != '/' && strstr(name, "vdso")))
    return 0;
  for (uint64_t i = 0; i < used; ++i)
    if (modules->list[i].begin == begin && modules->list[i].end == end)
      return 0;
  struct swo_module *module = &modules->list[used];
  module->begin = begin;
  module->end = end;
  module->bias = info->dlpi_addr;
  memcpy(module->path, name, strnlen(name, sizeof module->path - 1));
  size_t bytes;
  const unsigned char *id = sw_loaded_build_id(info, &bytes);
  module->build_id_bytes = (uint32_t)(bytes < sizeof module->build_id ? bytes : sizeof module->build_id);
  if (id)
    memcpy(module->build_id, id, module->build_id_bytes);
  modules->section->used = used + 1;
  return 0;
}

/* Adds what was loaded since the last scan. */
void swo_scan_modules(struct swo_module *list, struct swo_section *section, const char *executable) {
  struct modules modules = {list, section, executable};
  dl_iterate_phdr(add_module, &modules);
}

static ssize_t read_text(const char *file, char *text, size_t size) {
  int fd = sw_sys_open(file, O_RDONLY | O_CLOEXEC, 0);
  ssize_t got = fd < 0 ? 0 : sw_sys_read(fd, text, size - 1);
  if (fd >= 0)
    sw_sys_close(fd);
  got = got < 0 ? 0 : got;
  text[got] = 0;
  return got;
}

static int read_number(const char *format, int cpu) {
  char file[128], text[64];
  snprintf(file, sizeof file, format, cpu);
  return read_text(file, text, sizeof text) > 0 ? atoi(text) : -1;
}

/* Gives the cpus of a list such as 0-3,8 the node. */
static void mark_node(struct swo_cpu *cpus, uint64_t count, const char *list, int node) {
  while (*list >= '0' && *list <= '9') {
    char *end;
    long first = strtol(list, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    for (uint64_t i = 0; i < count; ++i)
      if (cpus[i].cpu >= first && cpus[i].cpu <= last)
        cpus[i].node = node;
    list = *end == ',' ? end + 1 : end;
  }
}

/* The cpus where the process may run. */
void swo_scan_cpus(struct swo_cpu *cpus, struct swo_section *section, const uint64_t *wanted) {
  uint64_t used = 0;
  for (unsigned cpu = 0; cpu < SWO_CPUS; ++cpu)
    if (wanted[cpu / 64] >> cpu % 64 & 1) {
      int core = read_number("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", (int)cpu);
      int package = read_number("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", (int)cpu);
      cpus[used++] = (struct swo_cpu){(int32_t)cpu, core < 0 ? (int32_t)cpu : core, package < 0 ? 0 : package, 0};
    }
  for (int node = 0; node < 1024; ++node) {
    char file[64], list[4096];
    snprintf(file, sizeof file, "/sys/devices/system/node/node%d/cpulist", node);
    if (read_text(file, list, sizeof list) > 0)
      mark_node(cpus, used, list, node);
    else if (node >= 64)
      break; /* numbers have gaps, but no long ones */
  }
  section->used = used;
}

static int number_of(const char *const *names, int otherwise) {
  for (; *names; ++names) {
    const char *text = getenv(*names);
    if (text && *text >= '0' && *text <= '9')
      return atoi(text);
  }
  return otherwise;
}

/* From the start of the process to now; 0 if unknown. */
static uint64_t age_ns(void) {
  char text[1024], *field;
  if (read_text("/proc/self/stat", text, sizeof text) <= 0 || !(field = strrchr(text, ')')))
    return 0;
  for (unsigned i = 2; field && i < 22; ++i) /* starttime is field 22, the closing bracket ends the second */
    field = strchr(field + 1, ' ');
  uint64_t ticks = field ? strtoull(field, NULL, 10) : 0, second = (uint64_t)sysconf(_SC_CLK_TCK);
  uint64_t now = swo_nanoseconds(CLOCK_BOOTTIME), begin = second ? ticks * (1000000000u / second) : 0;
  return begin && begin < now ? now - begin : 0;
}

/* Threads that still wait for work at the end have not told their times themselves. */
void swo_read_threads(struct swo_thread *threads, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    char file[96], text[96];
    unsigned long long running, queueing;
    snprintf(file, sizeof file, "/proc/self/task/%llu/schedstat", (unsigned long long)threads[i].tid);
    if (read_text(file, text, sizeof text) > 0 && sscanf(text, "%llu %llu", &running, &queueing) == 2) {
      threads[i].cpu_ns = running;
      threads[i].queue_ns = queueing;
      threads[i].end = swo_ticks();
    }
  }
}

void swo_describe_process(struct swo_header *header) {
  header->before_ns = age_ns();
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL};
  static const char *const placing[] = {"OMP_NUM_THREADS",  "OMP_PROC_BIND",   "OMP_PLACES",        "OMP_SCHEDULE",
                                        "OMP_DYNAMIC",      "KMP_AFFINITY",    "GOMP_CPU_AFFINITY", "KMP_HW_SUBSET",
                                        "OMP_THREAD_LIMIT", "OMP_WAIT_POLICY", "KMP_BLOCKTIME",     NULL};
  header->pid = (uint64_t)getpid();
  header->parent = (uint64_t)getppid();
  header->rank = number_of(ranks, -1);
  header->ranks = number_of(sizes, header->rank < 0 ? 1 : 0);
  if (gethostname(header->host, sizeof header->host - 1))
    header->host[0] = 0;
  ssize_t length = readlink("/proc/self/exe", header->executable, sizeof header->executable - 1);
  header->executable[length > 0 ? length : 0] = 0;
  length = read_text("/proc/self/cmdline", header->command, sizeof header->command);
  while (length > 0 && !header->command[length - 1])
    --length;
  for (ssize_t i = 0; i < length; ++i)
    if (!header->command[i])
      header->command[i] = ' ';
  if (!getcwd(header->directory, sizeof header->directory))
    header->directory[0] = 0;
  size_t used = 0;
  for (const char *const *name = placing; *name; ++name) {
    const char *value = getenv(*name);
    size_t room = sizeof header->environment - used;
    int written = value ? snprintf(header->environment + used, room, "%s=%s\n", *name, value) : 0;
    if (written < 0 || (size_t)written >= room) {
      header->environment[used] = 0;
      break;
    }
    used += (size_t)written;
  }
  cpu_set_t mask;
  _Static_assert(sizeof mask == SWO_CPUS / 8, "the mask of sched_getaffinity has as many cpus as a shard");
  if (!sched_getaffinity(0, sizeof mask, &mask))
    memcpy(header->cpu_mask, &mask, sizeof header->cpu_mask);
}

/* CRC-32 (IEEE 802.3, reflected). */
uint32_t swo_crc(uint32_t crc, const void *data, size_t bytes) {
  static uint32_t table[256];
  if (!table[1])
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
      table[i] = value;
    }
  const unsigned char *p = data;
  crc = ~crc;
  for (; bytes; --bytes, ++p)
    crc = crc >> 8 ^ table[(crc ^ *p) & 255];
  return ~crc;
}
