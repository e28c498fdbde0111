/* Begin and end of a process, its static arrays, and the file that it leaves:
 * $STRIDEWISE_OUT/placement/placement.<host>.<pid>.json, described in docs/placement.md.
 */
#include "../common/guarded_write.h"
#include "../common/loaded_module.h"
#include "placement.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pid_t owner;
static double began;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- static arrays --------------------------------------------------------------------------------------------------
 */

static int first_module(struct dl_phdr_info *info, size_t size, void *bias) {
  (void)size;
  *(uintptr_t *)bias = info->dlpi_addr;
  return 1; /* the program is the first */
}

/* The big variables of the program itself, by its symbol table. The file stays mapped: the names are in it. */
void sw_track_statics(void) {
  uintptr_t bias = 0;
  dl_iterate_phdr(first_module, &bias);
  int file = sw_sys_open("/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
  struct stat status;
  if (file < 0)
    return;
  if (fstat(file, &status) || (size_t)status.st_size < sizeof(ElfW(Ehdr))) {
    sw_sys_close(file);
    return;
  }
  size_t size = (size_t)status.st_size;
  const char *base = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  sw_sys_close(file);
  if (base == MAP_FAILED)
    return;
  const ElfW(Ehdr) *head = (const void *)base;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff > size ||
      (size - head->e_shoff) / sizeof(ElfW(Shdr)) < head->e_shnum)
    return;
  const ElfW(Shdr) *sections = (const void *)(base + head->e_shoff);
  for (int i = 0; i < head->e_shnum; ++i) {
    const ElfW(Shdr) *table = &sections[i];
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum || table->sh_offset > size ||
        table->sh_size > size - table->sh_offset)
      continue;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    if (names->sh_offset > size || names->sh_size > size - names->sh_offset)
      continue;
    const ElfW(Sym) *symbols = (const void *)(base + table->sh_offset);
    for (size_t s = 0; s < table->sh_size / sizeof *symbols; ++s) {
      const ElfW(Sym) *symbol = &symbols[s];
      if ((symbol->st_info & 15) == STT_OBJECT && symbol->st_size >= sw_least_bytes && symbol->st_shndx != SHN_UNDEF &&
          symbol->st_name < names->sh_size)
        sw_add_static(base + names->sh_offset + symbol->st_name, bias + symbol->st_value, symbol->st_size);
    }
  }
}

/* --- the file -------------------------------------------------------------------------------------------------------
 */

enum { MostModules = 1024, MostBuildId = 32 };

struct module {
  char path[PATH_MAX];
  char build_id[2 * MostBuildId + 1];
  uintptr_t bias, begin, end;
};

static struct module *modules;
static int module_count;

static int add_module(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (module_count == MostModules)
    return 1;
  struct module *module = &modules[module_count];
  module->bias = info->dlpi_addr;
  uint64_t begin, end;
  if (!sw_loaded_range(info, &begin, &end))
    return 0;
  module->begin = begin;
  module->end = end;
  size_t bytes;
  const unsigned char *id = sw_loaded_build_id(info, &bytes);
  for (size_t i = 0; i < bytes && i < MostBuildId; ++i)
    snprintf(module->build_id + 2 * i, 3, "%02x", id[i]);
  if (!module_count && (!info->dlpi_name || !*info->dlpi_name)) {
    ssize_t length = readlink("/proc/self/exe", module->path, sizeof module->path - 1);
    module->path[length < 0 ? 0 : length] = 0;
  } else if (!realpath(info->dlpi_name, module->path)) {
    snprintf(module->path, sizeof module->path, "%s", info->dlpi_name);
  }
  ++module_count;
  return 0;
}

static void put_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\')
      fprintf(out, "\\%c", byte);
    else if (byte < 0x20 || byte >= 0x7f) /* bytes beyond ASCII as they are known to Python's surrogateescape */
      fprintf(out, byte < 0x20 ? "\\u%04x" : "\\udc%02x", byte);
    else
      fputc(byte, out);
  }
  fputc('"', out);
}

static void put_counts(FILE *out, const char *name, const uint64_t *counts, int count) {
  fprintf(out, "\"%s\": [", name);
  while (count > 1 && !counts[count - 1])
    --count;
  for (int i = 0; i < count; ++i)
    fprintf(out, "%s%llu", i ? ", " : "", (unsigned long long)counts[i]);
  fputs("]", out);
}

static void put_site(FILE *out, const struct sw_site *site) {
  fputs("{", out);
  if (site->name) {
    fputs("\"symbol\": ", out);
    put_text(out, site->name);
    fputs(", ", out);
  }
  fputs("\"callers\": [", out);
  for (int i = 0; i < site->depth; ++i) {
    int m = 0;
    while (m < module_count && !(site->callers[i] >= modules[m].begin && site->callers[i] < modules[m].end))
      ++m;
    /* A return address follows the call: one less is within it. */
    fprintf(out, "%s[%d, %llu]", i ? ", " : "", m == module_count ? -1 : m,
            (unsigned long long)(site->callers[i] - 1 - (m == module_count ? 0 : modules[m].bias)));
  }
  fprintf(
      out,
      "], \"allocations\": %llu, \"bytes\": %llu, \"largest\": %llu, \"pages_seen\": %llu, \"pages_absent\": %llu, ",
      (unsigned long long)site->allocations, (unsigned long long)site->bytes, (unsigned long long)site->largest,
      (unsigned long long)site->pages_seen, (unsigned long long)site->pages_absent);
  fprintf(out, "\"checked\": %llu, \"recycled\": %llu, ", (unsigned long long)site->checked,
          (unsigned long long)site->recycled);
  put_counts(out, "pages", site->pages, SW_NODES);
  fputs(", \"uses\": [", out);
  for (int from = 0, first = 1; from < SW_NODES; ++from)
    for (int to = 0; to < SW_NODES; ++to)
      if (site->uses[from][to]) {
        fprintf(out, "%s[%d, %d, %llu]", first ? "" : ", ", from, to, (unsigned long long)site->uses[from][to]);
        first = 0;
      }
  int users = 0;
  for (int i = 0; i < SW_THREADS / 64; ++i)
    users += __builtin_popcountll(site->users[i]);
  fprintf(out, "], \"users\": %d}", users);
}

/* Nodes that have memory; 1 where the system does not say. */
static int node_count(void) {
  FILE *in = fopen("/sys/devices/system/node/has_memory", "r");
  int count = 0, first, last, read;
  while (in && (read = fscanf(in, "%d-%d", &first, &last)) >= 1) {
    count += read == 2 ? last - first + 1 : 1;
    if (fgetc(in) != ',')
      break;
  }
  if (in)
    fclose(in);
  return count > 0 ? count : 1;
}

/* Whether the kernel moves pages to their users by itself. */
static int balances(void) {
  FILE *in = fopen("/proc/sys/kernel/numa_balancing", "r");
  int value = 0;
  if (in) {
    if (fscanf(in, "%d", &value) != 1)
      value = 0;
    fclose(in);
  }
  return value != 0;
}

static int rank_of(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *text = getenv(names[i]);
    if (text && *text)
      return (int)strtol(text, NULL, 10);
  }
  return -1;
}

void sw_write(void) {
  const char *folder = getenv("STRIDEWISE_OUT");
  char path[PATH_MAX], part[PATH_MAX + 8], host[256] = "";
  gethostname(host, sizeof host - 1);
  modules = calloc(MostModules, sizeof *modules);
  if (!modules)
    return;
  dl_iterate_phdr(add_module, NULL);
  snprintf(path, sizeof path, "%s/placement/placement.%s.%d.json", folder && *folder ? folder : "stridewise-out", host,
           (int)getpid());
  snprintf(part, sizeof part, "%s.part", path);
  struct sw_write_guard guard;
  FILE *out = fopen(part, "we");
  if (!out) {
    fprintf(stderr, "stridewise: cannot write %s: %s\n", part, strerror(errno));
    return;
  }
  sw_guard_write(&guard);
  fprintf(out, "{\"version\": 1, \"pid\": %d, \"rank\": %d, \"host\": ", (int)getpid(), rank_of());
  put_text(out, host);
  fprintf(out, ", \"nodes\": %d, \"page_bytes\": %ld, \"seconds\": %.3f, \"samples\": %llu, ", node_count(),
          sysconf(_SC_PAGESIZE), now() - began, (unsigned long long)sw_samples);
#if defined(__x86_64__)
  const char *operands = "true";
#else
  const char *operands = "false";
#endif
  fprintf(out, "\"balancing\": %s, ", balances() ? "true" : "false");
  fprintf(out, "\"operands\": %s, \"lost_allocations\": %llu, \"lost_threads\": %llu,\n\"modules\": [", operands,
          (unsigned long long)sw_lost_allocations, (unsigned long long)sw_lost_threads);
  for (int i = 0; i < module_count; ++i) {
    fputs(i ? ",\n  {\"path\": " : "\n  {\"path\": ", out);
    put_text(out, modules[i].path);
    fprintf(out, ", \"build_id\": \"%s\"}", modules[i].build_id);
  }
  fputs("],\n\"arrays\": [", out);
  for (int i = 0; i < sw_site_count; ++i) {
    fputs(i ? ",\n  " : "\n  ", out);
    put_site(out, &sw_sites[i]);
  }
  fputs("],\n\"threads\": [", out);
  for (int i = 0; i < sw_thread_count; ++i) {
    const struct sw_thread *one = &sw_threads[i];
    fprintf(out, "%s{\"tid\": %d, \"samples\": %llu, \"switches\": %llu, \"cpu\": %d, \"allowed\": %d, ",
            i ? ",\n  " : "\n  ", (int)one->tid, (unsigned long long)one->samples, (unsigned long long)one->switches,
            one->samples ? one->cpu : -1, one->allowed);
    put_counts(out, "nodes", one->nodes, SW_NODES);
    fputs("}", out);
  }
  fputs("]}\n", out);
  int failed = ferror(out);
  failed |= fclose(out) != 0;
  sw_unguard_write(&guard);
  if (failed || sw_sys_rename(part, path))
    fprintf(stderr, "stridewise: cannot write %s: %s\n", path, strerror(errno));
}

/* --- begin and end --------------------------------------------------------------------------------------------------
 */

/* The child of a fork has neither timers nor other threads; what it shares with its parent, the parent writes. */
static void in_child(void) { owner = 0; }

__attribute__((constructor)) static void begin(void) {
  sw_inside++;
  owner = getpid();
  began = now();
  const char *least = getenv("STRIDEWISE_PLACEMENT_BYTES");
  long long bytes = least ? strtoll(least, NULL, 10) : 0;
  if (bytes >= 4096)
    sw_least_bytes = (size_t)bytes;
  pthread_atfork(NULL, NULL, in_child);
  sw_sampler_begin();
  sw_lock();
  sw_track_statics();
  sw_unlock();
  sw_inside--;
}

__attribute__((destructor)) static void end(void) {
  if (owner != getpid() || !sw_sampler_started())
    return;
  sw_inside++;
  sw_sampler_end();
  sw_lock();
  for (int i = 0; i < sw_allocation_limit; ++i)
    if (sw_allocations[i].end)
      sw_survey(&sw_allocations[i]);
  sw_unlock();
  sw_write();
  sw_inside--;
}
