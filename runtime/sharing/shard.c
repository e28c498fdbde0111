/* Writes the shard (shard_format.h) when the process ends, where STRIDEWISE_SHARING_OUT names the run folder. */
#include "../common/guarded_write.h"
#include "../common/loaded_module.h"
#include "shard_format.h"
#include "sharing.h"
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pid_t owner; /* a child of fork has no run of its own to tell of */

static uint32_t crc32(uint32_t crc, const unsigned char *data, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
  }
  return ~crc;
}

struct modules {
  struct sw_sharing_module *all;
  uint64_t count, room;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct modules *modules = context;
  if (modules->count == modules->room)
    return 1;
  struct sw_sharing_module *m = &modules->all[modules->count];
  memset(m, 0, sizeof(*m));
  if (!sw_loaded_range(info, &m->low, &m->high))
    return 0;
  m->base = info->dlpi_addr;
  size_t bytes;
  const unsigned char *id = sw_loaded_build_id(info, &bytes);
  for (size_t i = 0; i < bytes && 2 * i + 2 < sizeof(m->build_id); ++i)
    snprintf(m->build_id + 2 * i, 3, "%02x", id[i]);
  char path[PATH_MAX];
  ssize_t length = 0;
  if (info->dlpi_name && *info->dlpi_name)
    length = snprintf(path, sizeof(path), "%s", info->dlpi_name);
  else if (modules->count == 0)
    length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length > 0 && (size_t)length < sizeof(m->path))
    memcpy(m->path, path, (size_t)length);
  modules->count++;
  return 0;
}

static int launched_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (unsigned i = 0; i < sizeof(names) / sizeof(*names); ++i) {
    const char *value = getenv(names[i]);
    if (value && *value)
      return atoi(value);
  }
  return -1;
}

static struct sw_sharing_object plain_object(const struct sw_object *o) {
  struct sw_sharing_object out = {.place = o->place, .begin = o->begin, .size = o->size};
  memcpy(out.callers, o->callers, sizeof(out.callers));
  return out;
}

static void put_group(struct sw_sharing_group *out, const struct sw_group *g) {
  memset(out, 0, sizeof(*out));
  out->region = g->region;
  out->members = g->members;
  out->objects[0] = plain_object(&g->object);
  out->objects[1] = plain_object(&g->other);
  out->line = g->example;
  memcpy(out->member, g->member, sizeof(out->member));
  memcpy(out->offset, g->offset, sizeof(out->offset));
  memcpy(out->bytes, g->bytes, sizeof(out->bytes));
  out->transfers = g->transfers;
  out->sampled_transfers = g->sampled_transfers;
  out->accesses = g->accesses;
  out->writes = g->writes;
  out->lines = g->lines;
  out->sampled_lines = g->sampled_lines;
  out->epochs = g->epochs;
  for (unsigned i = 0; i < 8; ++i) {
    out->sites[i].pc = g->sites[i].pc;
    out->sites[i].transfers = g->sites[i].weight;
  }
}

struct writer {
  unsigned char *data;
  size_t used;
  struct sw_sharing_header *header;
};

static void *section(struct writer *w, enum sw_sharing_kind kind, size_t entry_bytes, size_t count) {
  struct sw_sharing_section *s = &w->header->sections[kind - 1];
  *s = (struct sw_sharing_section){(uint32_t)kind, (uint32_t)entry_bytes, w->used, count};
  void *out = w->data + w->used;
  w->used += entry_bytes * count;
  return out;
}

static void fill(struct writer *w, const struct modules *modules) {
  struct sw_sharing_region *region = section(w, SW_OF_REGIONS, sizeof(*region), SW_REGIONS);
  for (unsigned i = 0; i < SW_REGIONS; ++i) {
    const struct sw_region *r = &sw_regions[i];
    region[i] =
        (struct sw_sharing_region){r->pc, r->executions, r->watched, r->threads, r->nanoseconds, r->by_threads, {0}};
    memcpy(region[i].callers, r->callers, sizeof(r->callers));
  }
  size_t groups = 0, seen = 0;
  for (unsigned i = 0; i < SW_GROUPS; ++i)
    groups += sw_groups[i].key_site && sw_groups[i].example;
  struct sw_sharing_group *group = section(w, SW_OF_GROUPS, sizeof(*group), groups);
  for (unsigned i = 0; i < SW_GROUPS; ++i)
    if (sw_groups[i].key_site && sw_groups[i].example)
      put_group(group++, &sw_groups[i]);
  for (unsigned i = 0; i < SW_SEEN; ++i)
    seen += sw_seens[i].pc != 0;
  struct sw_sharing_seen *one = section(w, SW_OF_SEEN, sizeof(*one), seen);
  for (unsigned i = 0; i < SW_SEEN; ++i)
    if (sw_seens[i].pc)
      *one++ = (struct sw_sharing_seen){sw_seens[i].pc, sw_seens[i].region, sw_seens[i].most_members,
                                        sw_seens[i].accesses, sw_seens[i].transfers};
  memcpy(section(w, SW_OF_MODULES, sizeof(*modules->all), modules->count), modules->all,
         sizeof(*modules->all) * modules->count);
}

static bool store(const char *folder, const struct sw_sharing_header *header, const unsigned char *data, size_t size) {
  char path[PATH_MAX], temporary[PATH_MAX];
  int length = snprintf(path, sizeof(path), "%s/sharing/shard.%s.%d.swsharing", folder, header->host, header->pid);
  if (length < 0 || (size_t)length >= sizeof(path))
    return false;
  if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= (int)sizeof(temporary))
    return false;
  int fd = sw_beyond_standard(sw_sys_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (fd < 0)
    return false;
  size_t done = 0;
  struct sw_write_guard guard;
  sw_guard_write(&guard);
  while (done < size) {
    ssize_t now = sw_sys_write(fd, data + done, size - done);
    if (now <= 0)
      break;
    done += (size_t)now;
  }
  sw_unguard_write(&guard);
  return sw_sys_close(fd) == 0 && done == size && sw_sys_rename(temporary, path) == 0;
}

void sw_write_shard(void) {
  const char *folder = secure_getenv("STRIDEWISE_SHARING_OUT");
  if (!sw_enabled() || !folder || getpid() != owner)
    return;
  struct modules modules = {calloc(1024, sizeof(*modules.all)), 0, 1024};
  size_t most = sizeof(struct sw_sharing_header) + SW_REGIONS * sizeof(struct sw_sharing_region) +
                SW_GROUPS * sizeof(struct sw_sharing_group) + SW_SEEN * sizeof(struct sw_sharing_seen) +
                1024 * sizeof(struct sw_sharing_module);
  struct writer w = {calloc(1, most), sizeof(struct sw_sharing_header), NULL};
  if (!modules.all || !w.data) {
    fprintf(stderr, "stridewise: no memory left to write what the false-sharing run saw\n");
    return;
  }
  dl_iterate_phdr(add_module, &modules);
  w.header = (struct sw_sharing_header *)w.data;
  struct sw_sharing_header *h = w.header;
  h->magic = SW_SHARING_MAGIC;
  h->version = SW_SHARING_VERSION;
  h->header_bytes = sizeof(*h);
  h->line_bytes = SW_LINE_BYTES;
  h->pid = (int32_t)getpid();
  h->rank = launched_rank();
  h->lost_teams = sw_lost.teams;
  h->lost_records = sw_lost.records;
  h->lost_groups = sw_lost.groups;
  h->lost_blocks = sw_lost.blocks;
  h->lost_seen = sw_lost.seen;
  h->lost_regions = sw_lost.regions;
  gethostname(h->host, sizeof(h->host) - 1);
  for (char *c = h->host; *c; ++c)
    if (*c == '/')
      *c = '_';
  if (readlink("/proc/self/exe", h->executable, sizeof(h->executable) - 1) < 0)
    h->executable[0] = '\0';
  fill(&w, &modules);
  h->file_bytes = w.used;
  h->crc32 = crc32(0, w.data, w.used);
  if (!store(folder, h, w.data, w.used))
    fprintf(stderr,
            "stridewise: cannot write what the false-sharing run saw to %s/sharing: the folder must exist and be "
            "writable\n",
            folder);
  free(w.data);
  free(modules.all);
}

__attribute__((constructor)) static void remember_owner(void) { owner = getpid(); }
__attribute__((destructor)) static void finish(void) {
  sw_end_threads();
  sw_write_shard();
}
