/* One summary in place of many shards. At MPI_Finalize the ranks of a group add their totals up along a binomial tree;
 * its first rank writes the summary, and says so down the tree. Only who has heard that drops its own shard: wherever
 * anything fails, or takes too long since a rank has died, the shards stay. Memory and messages are bounded by the
 * capacities of the tables, whatever the number of ranks. */
#include "recorder.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_GROUP 1024
#define LARGEST_GROUP 65536
#define AUTOMATIC_RANKS 16384 /* larger jobs are reduced unless the environment forbids it */
#define WAIT_SECONDS 600.0    /* for ranks that come late to MPI_Finalize; it would wait for them as well */
#define TAG 32765
/* Made-up addresses: module i begins at MODULE_BASE + i * MODULE_BYTES. */
#define MODULE_BASE (UINT64_C(1) << 56)
#define MODULE_BYTES (UINT64_C(1) << 40)
#define HASH_SLOTS (2 * SW_TABLE_SLOTS)

_Static_assert(SW_PATHS <= SW_TABLE_SLOTS, "an index of so many slots serves both");

/* What goes up the tree in front of the tables, and down as an answer. */
struct notice {
  uint64_t done; /* up: the tables of all ranks below are in; down: the summary is written */
  uint64_t modules, paths, reduced, most, ranks;
  uint64_t keep[2]; /* down: ranks that keep their shards */
};

struct tables {
  struct sw_module modules[SW_MODULES];
  struct sw_path paths[SW_PATHS];
  struct sw_reduced reduced[SW_TABLE_SLOTS];
  struct sw_most most[SW_TABLE_SLOTS];
  uint64_t module_count, path_count, reduced_count, most_count, rank_count;
  struct sw_rank_summary *ranks;                                                      /* of the whole group */
  uint32_t path_slots[HASH_SLOTS], reduced_slots[HASH_SLOTS], most_slots[HASH_SLOTS]; /* index + 1 */
  uint64_t dropped_calls, dropped_paths;
};

int sw_summary_written;
static int group, group_size, own_rank; /* no reduction where group_size is 0 */
static MPI_Comm comm;
static double deadline;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double patience(void) {
  const char *text = getenv("STRIDEWISE_MPI_REDUCE_SECONDS");
  char *end = NULL;
  double seconds = text ? strtod(text, &end) : 0;
  return text && *text && !*end && seconds > 0 ? seconds : WAIT_SECONDS;
}

int64_t sw_reduce_wish(int size) {
  const char *text = getenv("STRIDEWISE_MPI_REDUCE");
  char *end = NULL;
  long long wanted = text && *text ? strtoll(text, &end, 10) : -1;
  if (!text || !*text || *end || wanted < 0)
    return size > AUTOMATIC_RANKS ? DEFAULT_GROUP : 0;
  if (wanted == 1)
    return DEFAULT_GROUP;
  return wanted > LARGEST_GROUP ? LARGEST_GROUP : wanted;
}

void sw_reduce_prepare(int64_t wanted, int rank, int size) {
  own_rank = rank;
  group = rank / (int)wanted;
  if (sw_pmpi.Comm_dup(sw_predefined.comm_world, &comm) != MPI_SUCCESS)
    return;
  sw_pmpi.Comm_set_errhandler(comm, sw_predefined.errors_return);
  int left = size - group * (int)wanted;
  group_size = left < (int)wanted ? left : (int)wanted;
  group *= (int)wanted; /* its first rank */
}

/* --- Messages, with an end to patience -----------------------------------------------------------------------------
 */

static int finish(MPI_Request *request) {
  struct timespec pause = {0, 20000};
  for (;;) {
    int flag = 0;
    MPI_Status status;
    if (sw_pmpi.Test(request, &flag, &status) != MPI_SUCCESS)
      return -1;
    if (flag)
      return 0;
    if (now() > deadline)
      return -1;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 1000000)
      pause.tv_nsec *= 2;
  }
}

static int put(int rank, const void *data, size_t bytes) {
  MPI_Request request;
  if (bytes > INT_MAX ||
      sw_pmpi.Isend(data, (int)bytes, sw_predefined.type_byte, rank, TAG, comm, &request) != MPI_SUCCESS)
    return -1;
  return finish(&request);
}

static int get(int rank, void *data, size_t bytes) {
  MPI_Request request;
  if (bytes > INT_MAX ||
      sw_pmpi.Irecv(data, (int)bytes, sw_predefined.type_byte, rank, TAG, comm, &request) != MPI_SUCCESS)
    return -1;
  return finish(&request);
}

/* --- Tables --------------------------------------------------------------------------------------------------------
 */

static uint64_t hash_words(const void *data, size_t bytes) {
  uint64_t hash = bytes, value;
  for (size_t at = 0; at + sizeof value <= bytes; at += sizeof value) {
    memcpy(&value, (const char *)data + at, sizeof value);
    hash = sw_mix(hash, value);
  }
  return hash ^ hash >> 32;
}

/* Index of the same module, entering it; UINT32_MAX when there is no room. */
static uint32_t add_module(struct tables *tables, const struct sw_module *module) {
  for (uint32_t i = 0; i < tables->module_count; ++i) {
    const struct sw_module *known = &tables->modules[i];
    if (known->build_id_bytes == module->build_id_bytes &&
        !memcmp(known->build_id, module->build_id, sizeof known->build_id) &&
        !strncmp(known->path, module->path, sizeof known->path))
      return i;
  }
  if (tables->module_count == SW_MODULES)
    return UINT32_MAX;
  uint32_t index = (uint32_t)tables->module_count++;
  struct sw_module *made = &tables->modules[index];
  *made = *module;
  made->bias = MODULE_BASE + index * MODULE_BYTES;
  made->begin = made->bias;
  made->end = made->bias + MODULE_BYTES;
  return index;
}

static uint32_t add_path(struct tables *tables, const struct sw_path *path) {
  uint32_t home = (uint32_t)hash_words(path, sizeof *path);
  for (uint32_t i = 0;; ++i) {
    uint32_t *slot = &tables->path_slots[(home + i) & (HASH_SLOTS - 1)];
    if (*slot && !memcmp(&tables->paths[*slot - 1], path, sizeof *path))
      return *slot - 1;
    if (*slot)
      continue;
    if (tables->path_count == SW_PATHS) {
      ++tables->dropped_paths;
      return SW_NO_PATH;
    }
    tables->paths[tables->path_count] = *path;
    *slot = (uint32_t)++tables->path_count;
    return *slot - 1;
  }
}

static void add_totals(struct sw_totals *to, const struct sw_totals *from) {
  to->count += from->count;
  to->ns += from->ns;
  to->bytes += from->bytes;
  to->bursts += from->bursts;
  to->burst_max = from->burst_max > to->burst_max ? from->burst_max : to->burst_max;
  to->burst_ns += from->burst_ns;
  to->burst_count += from->burst_count;
  to->pieces += from->pieces;
  to->span += from->span;
}

/* Adds the totals of other ranks, or (same_rank) of another peer or communicator of the one rank that is in so far. */
static void add_reduced(struct tables *tables, const struct sw_reduced *entry, int same_rank) {
  uint64_t key[2] = {(uint64_t)entry->path << 32 | (uint32_t)entry->peer,
                     (uint64_t)entry->call << 16 | entry->size_bucket};
  uint32_t home = (uint32_t)hash_words(key, sizeof key);
  for (uint32_t i = 0;; ++i) {
    uint32_t *slot = &tables->reduced_slots[(home + i) & (HASH_SLOTS - 1)];
    if (!*slot) {
      if (tables->reduced_count == SW_TABLE_SLOTS) {
        tables->dropped_calls += entry->all.count;
        return;
      }
      tables->reduced[tables->reduced_count] = *entry;
      *slot = (uint32_t)++tables->reduced_count;
      return;
    }
    struct sw_reduced *known = &tables->reduced[*slot - 1];
    if (known->path != entry->path || known->peer != entry->peer || known->call != entry->call ||
        known->size_bucket != entry->size_bucket)
      continue;
    add_totals(&known->all, &entry->all);
    if (same_rank) {
      add_totals(&known->most, &entry->most);
      return;
    }
    known->ranks += entry->ranks;
    if (entry->most.ns > known->most.ns) {
      known->most = entry->most;
      known->most_rank = entry->most_rank;
    }
    return;
  }
}

/* The entry of this call and path, a new one if need be; null when there is no room. */
static struct sw_most *most_of(struct tables *tables, uint32_t path, uint16_t call) {
  uint64_t key = (uint64_t)path << 16 | call;
  uint32_t home = (uint32_t)hash_words(&key, sizeof key);
  for (uint32_t i = 0;; ++i) {
    uint32_t *slot = &tables->most_slots[(home + i) & (HASH_SLOTS - 1)];
    if (*slot) {
      struct sw_most *known = &tables->most[*slot - 1];
      if (known->path == path && known->call == call)
        return known;
      continue;
    }
    if (tables->most_count == SW_TABLE_SLOTS)
      return NULL;
    struct sw_most *made = &tables->most[tables->most_count];
    *slot = (uint32_t)++tables->most_count;
    made->path = path;
    made->call = call;
    return made;
  }
}

static void add_most(struct tables *tables, const struct sw_most *entry) {
  struct sw_most *known = most_of(tables, entry->path, entry->call);
  if (!known) { /* so that nobody takes what is there for the largest */
    tables->dropped_calls += entry->count;
    return;
  }
  known->count = entry->count > known->count ? entry->count : known->count;
  known->bytes = entry->bytes > known->bytes ? entry->bytes : known->bytes;
  known->partners = entry->partners > known->partners ? entry->partners : known->partners;
  known->ranks += entry->ranks;
}

/* --- This rank's part ----------------------------------------------------------------------------------------------
 */

/* Whom the calls of one path name, of this rank. */
struct named {
  uint32_t most; /* index */
  int32_t peer;
};

static int named_order(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  if (a->most != b->most)
    return a->most < b->most ? -1 : 1;
  return a->peer < b->peer ? -1 : a->peer > b->peer;
}

/* This rank's totals by call and path alone; its tables must be empty so far. */
static void add_own_most(struct tables *tables, const uint32_t *path_numbers) {
  static struct named named[SW_TABLE_SLOTS];
  size_t count = 0;
  for (uint32_t i = 0; i < SW_TABLE_SLOTS; ++i) {
    const struct sw_call_stats *stats = &sw_shard.table[i];
    if (!stats->count)
      continue;
    uint32_t path = stats->path == SW_NO_PATH ? SW_NO_PATH : path_numbers[stats->path];
    struct sw_most *own = most_of(tables, path, stats->call); /* never null: no more than there are totals */
    own->ranks = 1;
    own->count += stats->count;
    if (stats->peer != SW_PEER_NULL)
      own->bytes += stats->bytes;
    if (stats->peer >= 0)
      named[count++] = (struct named){(uint32_t)(own - tables->most), stats->peer};
  }
  qsort(named, count, sizeof *named, named_order);
  for (size_t i = 0; i < count; ++i)
    tables->most[named[i].most].partners += !i || named_order(&named[i - 1], &named[i]);
}

static void add_own_paths(struct tables *tables, uint32_t *numbers) {
  const struct sw_module *modules = sw_shard.modules;
  uint64_t module_count = sw_shard.module_section->used;
  for (uint64_t p = 0; p < sw_shard.path_section->used; ++p) {
    struct sw_path path = {.depth = sw_shard.paths[p].depth,
                           .flags = sw_shard.paths[p].flags & ((1u << SW_PATH_PHASE) - 1)};
    for (uint32_t f = 0; f < path.depth && f < SW_MAX_FRAMES; ++f) {
      uint64_t address = sw_shard.paths[p].frames[f];
      for (uint64_t m = 0; m < module_count; ++m)
        if (address >= modules[m].begin && address < modules[m].end && address - modules[m].bias < MODULE_BYTES) {
          uint32_t index = add_module(tables, &modules[m]);
          if (index != UINT32_MAX)
            path.frames[f] = tables->modules[index].bias + (address - modules[m].bias);
          break;
        }
    }
    numbers[p] = add_path(tables, &path);
  }
}

static void add_own(struct tables *tables) {
  const struct sw_header *header = sw_shard.header;
  double ticks = (double)(header->end.ticks - header->begin.ticks);
  double ns = (double)(header->end.monotonic_ns - header->begin.monotonic_ns);
  double tick = ticks > 0 && ns > 0 ? ns / ticks : 1;
  static uint32_t path_numbers[SW_PATHS];
  add_own_paths(tables, path_numbers);
  for (uint32_t i = 0; i < SW_TABLE_SLOTS; ++i) {
    const struct sw_call_stats *stats = &sw_shard.table[i];
    if (!stats->count)
      continue;
    struct sw_reduced entry = {.most_rank = own_rank,
                               .ranks = 1,
                               .path = stats->path == SW_NO_PATH ? SW_NO_PATH : path_numbers[stats->path],
                               .call = stats->call,
                               .size_bucket = stats->size_bucket,
                               .peer = stats->peer < 0 ? stats->peer : 0};
    entry.all = (struct sw_totals){.count = stats->count,
                                   .ns = (uint64_t)(tick * (double)stats->ticks),
                                   .bytes = stats->bytes,
                                   .bursts = stats->bursts,
                                   .burst_max = stats->burst_max,
                                   .burst_ns = (uint64_t)(tick * (double)stats->burst_ticks),
                                   .burst_count = stats->burst_count,
                                   .pieces = stats->pieces,
                                   .span = stats->span};
    entry.most = entry.all;
    add_reduced(tables, &entry, 1);
  }
  add_own_most(tables, path_numbers);
  struct sw_usage usage = sw_shard_usage();
  tables->ranks[tables->rank_count++] =
      (struct sw_rank_summary){.rank = own_rank,
                               .thread_level = header->thread_level,
                               .begin_ns = (int64_t)header->begin.monotonic_ns + header->clock_offset_ns,
                               .wall_ns = (uint64_t)ns,
                               .mpi_ns = (uint64_t)(tick * (double)header->mpi_ticks),
                               .queueing_ns = usage.queueing_ns,
                               .call_count = header->call_count,
                               .event_count = header->event_count,
                               .dropped_calls = header->dropped_calls,
                               .dropped_paths = header->dropped_paths,
                               .dropped_requests = header->dropped_requests,
                               .dropped_comms = header->dropped_comms,
                               .peak_bytes = usage.peak_bytes,
                               .processors = usage.processors};
}

/* --- The tree ------------------------------------------------------------------------------------------------------
 */

/* The tables as one message: entries that are there, one array behind the other. */
static size_t packed_bytes(const struct notice *notice) {
  return notice->modules * sizeof(struct sw_module) + notice->paths * sizeof(struct sw_path) +
         notice->reduced * sizeof(struct sw_reduced) + notice->most * sizeof(struct sw_most) +
         notice->ranks * sizeof(struct sw_rank_summary);
}

static char *append(char *to, const void *data, size_t bytes) {
  memcpy(to, data, bytes);
  return to + bytes;
}

/* Where MPI may still read or write a buffer, since a message has not come to its end, the buffer is never freed. */
static int send_up(const struct tables *tables, int parent, int complete) {
  static struct notice notice;
  notice.done = (uint64_t)complete;
  if (!complete)
    return put(parent, &notice, sizeof notice);
  notice.modules = tables->module_count;
  notice.paths = tables->path_count;
  notice.reduced = tables->reduced_count;
  notice.most = tables->most_count;
  notice.ranks = tables->rank_count;
  size_t bytes = packed_bytes(&notice);
  char *message = malloc(bytes);
  if (!message) {
    notice.done = 0;
    put(parent, &notice, sizeof notice);
    return -1;
  }
  char *end = append(message, tables->modules, notice.modules * sizeof(struct sw_module));
  end = append(end, tables->paths, notice.paths * sizeof(struct sw_path));
  end = append(end, tables->reduced, notice.reduced * sizeof(struct sw_reduced));
  end = append(end, tables->most, notice.most * sizeof(struct sw_most));
  append(end, tables->ranks, notice.ranks * sizeof(struct sw_rank_summary));
  if (put(parent, &notice, sizeof notice) || put(parent, message, bytes))
    return -1;
  free(message);
  return 0;
}

/* Takes the tables of a child and all below it; 0 if they are complete. */
static int receive(struct tables *tables, int child) {
  struct notice *got = malloc(sizeof *got);
  if (!got || get(child, got, sizeof *got))
    return -1;
  struct notice notice = *got;
  free(got);
  if (!notice.done || notice.modules > SW_MODULES || notice.paths > SW_PATHS || notice.reduced > SW_TABLE_SLOTS ||
      notice.most > SW_TABLE_SLOTS || notice.ranks > (uint64_t)group_size - tables->rank_count)
    return -1;
  char *message = malloc(packed_bytes(&notice));
  if (!message || get(child, message, packed_bytes(&notice)))
    return -1;
  const struct sw_module *modules = (const struct sw_module *)message;
  const struct sw_path *paths = (const struct sw_path *)(modules + notice.modules);
  const struct sw_reduced *reduced = (const struct sw_reduced *)(paths + notice.paths);
  const struct sw_most *most = (const struct sw_most *)(reduced + notice.reduced);
  const struct sw_rank_summary *ranks = (const struct sw_rank_summary *)(most + notice.most);
  static uint32_t module_numbers[SW_MODULES], path_numbers[SW_PATHS];
  for (uint64_t i = 0; i < notice.modules; ++i)
    module_numbers[i] = add_module(tables, &modules[i]);
  for (uint64_t i = 0; i < notice.paths; ++i) {
    struct sw_path path = paths[i];
    for (uint32_t f = 0; f < path.depth && f < SW_MAX_FRAMES; ++f) {
      uint64_t at = path.frames[f] - MODULE_BASE, module = at / MODULE_BYTES;
      if (path.frames[f] < MODULE_BASE || module >= notice.modules || module_numbers[module] == UINT32_MAX)
        path.frames[f] = 0;
      else
        path.frames[f] = tables->modules[module_numbers[module]].bias + at % MODULE_BYTES;
    }
    path_numbers[i] = add_path(tables, &path);
  }
  for (uint64_t i = 0; i < notice.reduced; ++i) {
    struct sw_reduced entry = reduced[i];
    entry.path = entry.path < notice.paths ? path_numbers[entry.path] : SW_NO_PATH;
    add_reduced(tables, &entry, 0);
  }
  for (uint64_t i = 0; i < notice.most; ++i) {
    struct sw_most entry = most[i];
    entry.path = entry.path < notice.paths ? path_numbers[entry.path] : SW_NO_PATH;
    add_most(tables, &entry);
  }
  memcpy(tables->ranks + tables->rank_count, ranks, notice.ranks * sizeof *ranks);
  tables->rank_count += notice.ranks;
  free(message);
  return 0;
}

/* --- The group's first rank ----------------------------------------------------------------------------------------
 */

static struct sw_section section_of(uint32_t kind, size_t entry, const void *entries, uint64_t count) {
  return (struct sw_section){
      .kind = kind, .entry_bytes = (uint32_t)entry, .offset = (uint64_t)(uintptr_t)entries, .used = count};
}

static int write_summary(const struct tables *tables) {
  struct sw_header header = *sw_shard.header;
  header.event_count = header.event_head = 0;
  header.dropped_calls = tables->dropped_calls;
  header.dropped_paths = tables->dropped_paths;
  header.dropped_requests = header.dropped_comms = 0;
  const struct sw_section sections[] = {
      section_of(SW_SECTION_MODULES, sizeof *tables->modules, tables->modules, tables->module_count),
      section_of(SW_SECTION_COMMS, sizeof(struct sw_comm), NULL, 0),
      section_of(SW_SECTION_PATHS, sizeof *tables->paths, tables->paths, tables->path_count),
      section_of(SW_SECTION_TABLE, sizeof(struct sw_call_stats), NULL, 0),
      section_of(SW_SECTION_RANKS, sizeof *tables->ranks, tables->ranks, tables->rank_count),
      section_of(SW_SECTION_REDUCED, sizeof *tables->reduced, tables->reduced, tables->reduced_count),
      section_of(SW_SECTION_MOST, sizeof *tables->most, tables->most, tables->most_count),
      section_of(SW_SECTION_EVENTS, sizeof(struct sw_event), NULL, 0),
  };
  char name[32];
  snprintf(name, sizeof name, "group%d", group);
  return sw_shard_write_other(&header, sections, sizeof sections / sizeof sections[0], name);
}

/* The ranks with the most and the least time in MPI: who waits, and who is waited for. */
static void choose(const struct tables *tables, struct notice *notice) {
  const struct sw_rank_summary *most = &tables->ranks[0], *least = &tables->ranks[0];
  for (uint64_t i = 1; i < tables->rank_count; ++i) {
    if (tables->ranks[i].mpi_ns > most->mpi_ns)
      most = &tables->ranks[i];
    if (tables->ranks[i].mpi_ns < least->mpi_ns)
      least = &tables->ranks[i];
  }
  notice->keep[0] = (uint64_t)most->rank;
  notice->keep[1] = (uint64_t)least->rank;
}

static struct tables *make_tables(void) {
  struct tables *tables = calloc(1, sizeof *tables);
  if (tables && !(tables->ranks = calloc((size_t)group_size, sizeof *tables->ranks))) {
    free(tables);
    tables = NULL;
  }
  return tables;
}

int sw_reduce(void) {
  if (group_size < 2)
    return 0;
  deadline = now() + patience();
  struct tables *tables = make_tables();
  int local = own_rank - group, complete = tables != NULL, distance = 1, silent = 0;
  if (tables)
    add_own(tables);
  /* Up: a rank waits for the children of which it is told by the bits below its own lowest one. */
  for (; distance < group_size && !(local & distance); distance <<= 1)
    if (local + distance < group_size && (!tables || receive(tables, own_rank + distance)))
      complete = 0;
  static struct notice notice;
  if (local) {
    if (send_up(tables, own_rank - distance, complete) || get(own_rank - distance, &notice, sizeof notice)) {
      notice.done = 0;
      silent = 1;
    }
  } else if (complete && !write_summary(tables)) {
    notice.done = sw_summary_written = 1;
    choose(tables, &notice);
  }
  /* Down: also after a failure, so that nobody waits for long. */
  if (silent)
    deadline = now() + 1;
  for (distance >>= 1; distance; distance >>= 1)
    if (local + distance < group_size)
      put(own_rank + distance, &notice, sizeof notice);
  if (tables)
    free(tables->ranks);
  free(tables);
  return notice.done && local && notice.keep[0] != (uint64_t)own_rank && notice.keep[1] != (uint64_t)own_rank;
}
