/* What the threads' accesses to one line cost each other. See sharing.h.
 *
 * Two threads share a line falsely if one writes bytes of it that the other does not touch, while no byte that either
 * writes is touched by both. A load that would have found the line in the thread's own cache does not, if another
 * thread wrote to the line since the thread's access before; a store, if another thread as much as read it. Of n such
 * accesses and m events that spoil them, in any order, that happens to n m / (n + m). Only the parts of both in the
 * same span of the clock count. The first access in such a span counts as well, where both threads work on
 * the line then.
 */
#include "sharing.h"
#include <stdlib.h>
#include <string.h>

struct sw_group sw_groups[SW_GROUPS];
struct sw_seen sw_seens[SW_SEEN];

static atomic_flag sums_lock = ATOMIC_FLAG_INIT;

/* One thread's accesses to the line, its records joined. */
struct member {
  struct sw_record r;
  double transfers;
};

static const struct sw_team *settled; /* whose log is being gone through; with sums_lock */

/* Whether the two may have run at the same time: not if one of the program's own threads was joined before the other
 * was started. */
static bool meet_at_all(const struct sw_record *a, const struct sw_record *b) {
  return !settled->threads || (settled->joined[a->member] > settled->started[b->member] &&
                               settled->joined[b->member] > settled->started[a->member]);
}

static bool share_falsely(const struct sw_record *a, const struct sw_record *b) {
  uint64_t truly = (a->written & (b->read | b->written)) | (b->written & a->read);
  return !truly && (a->written | b->written) && meet_at_all(a, b);
}

static double overlap(uint64_t begin, uint64_t end, uint64_t other_begin, uint64_t other_end, uint64_t slack) {
  begin = begin > slack ? begin - slack : 0;
  other_begin = other_begin > slack ? other_begin - slack : 0;
  end += slack;
  other_end += slack;
  uint64_t from = begin > other_begin ? begin : other_begin, to = end < other_end ? end : other_end;
  return to > from ? (double)(to - from) / (double)(end - begin) : 0.0;
}

/* The share of a's span in which b is active as well. */
static double together(const struct sw_record *a, const struct sw_record *b) {
  double steps = overlap(a->first, a->last, b->first, b->last, SW_SLACK);
  double ticks = a->first_tick && b->first_tick
                     ? overlap(a->first_tick, a->last_tick, b->first_tick, b->last_tick, SW_SLACK_TICKS)
                     : 0.0;
  return steps > ticks ? steps : ticks;
}

/* Of n accesses and m events of others that spoil them, in any order. */
static double spoilt(double accesses, double events) {
  return accesses + events > 0.0 ? accesses * events / (accesses + events) : 0.0;
}

/* Whether the thread works on the line: one that comes by now and then finds it gone from its cache anyway. */
static bool is_dense(const struct sw_record *r) {
  return r->last - r->first <= SW_SLACK * ((uint64_t)r->reads + r->writes);
}

static double transfers_of(const struct member *all, uint32_t count, uint32_t which) {
  const struct sw_record *mine = &all[which].r;
  double written = 0.0, touched = 0.0, most = 0.0;
  bool meets = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (i == which || !share_falsely(mine, &all[i].r))
      continue;
    double share = together(mine, &all[i].r), back = together(&all[i].r, mine);
    if (share <= 0.0)
      continue;
    written += all[i].r.writes * back;
    touched += ((double)all[i].r.writes + all[i].r.reads) * back;
    most = share > most ? share : most;
    meets |= is_dense(mine) && is_dense(&all[i].r);
  }
  if (most <= 0.0)
    return 0.0;
  double hits = mine->reuses * most, stores = hits * mine->writes / ((double)mine->reads + mine->writes);
  return (meets ? 1.0 : 0.0) + spoilt(hits - stores, written) + spoilt(stores, touched);
}

static void join(struct sw_record *into, const struct sw_record *r) {
  into->read |= r->read;
  into->written |= r->written;
  into->reads += r->reads;
  into->writes += r->writes;
  into->reuses += r->reuses;
  into->first = r->first < into->first ? r->first : into->first;
  into->last = r->last > into->last ? r->last : into->last;
  into->first_tick = r->first_tick < into->first_tick ? r->first_tick : into->first_tick;
  into->last_tick = r->last_tick > into->last_tick ? r->last_tick : into->last_tick;
  for (unsigned i = 0; i < SW_SITES; ++i) {
    struct sw_site *least = into->sites;
    unsigned at = 0;
    for (; at < SW_SITES && into->sites[at].pc != r->sites[i].pc; ++at)
      if (into->sites[at].count < least->count)
        least = &into->sites[at];
    if (at < SW_SITES)
      into->sites[at].count += r->sites[i].count;
    else if (r->sites[i].count > least->count)
      *least = r->sites[i];
  }
}

/* --- Sums -------------------------------------------------------------------------------------------------------- */

static struct sw_seen *seen_at(uint32_t region, uint64_t pc) {
  for (uint32_t n = 0; n < SW_SEEN; ++n) {
    struct sw_seen *s = &sw_seens[((sw_hash(pc ^ (uint64_t)region << 48) >> 40) + n) % SW_SEEN];
    if (!s->pc) {
      s->pc = pc;
      s->region = region;
    }
    if (s->pc == pc && s->region == region)
      return s;
    if (n == 64)
      break;
  }
  atomic_fetch_add(&sw_lost.seen, 1);
  return NULL;
}

static void see_sites(uint32_t region, const struct member *all, uint32_t count, double scale) {
  for (uint32_t m = 0; m < count; ++m)
    for (unsigned i = 0; i < SW_SITES; ++i) {
      const struct sw_site *site = &all[m].r.sites[i];
      struct sw_seen *s = site->count ? seen_at(region, site->pc) : NULL;
      if (!s)
        continue;
      double share = (double)site->count / (double)(all[m].r.reads + all[m].r.writes);
      s->accesses += (uint64_t)(site->count * scale + 0.5);
      s->transfers += all[m].transfers * share * scale;
      s->most_members = count > s->most_members ? count : s->most_members;
    }
}

static uint64_t callers_hash(const struct sw_object *object) {
  uint64_t hash = object->place;
  for (unsigned i = 0; i < SW_FRAMES; ++i)
    hash = sw_hash(hash ^ object->callers[i]) ^ hash >> 29;
  return hash;
}

static struct sw_group *group_of(uint32_t region, const struct sw_object *object, uint64_t site) {
  uint64_t hash = callers_hash(object) ^ sw_hash(site) ^ region;
  for (uint32_t n = 0; n < SW_GROUPS; ++n) {
    struct sw_group *g = &sw_groups[((sw_hash(hash) >> 32) + n) % SW_GROUPS];
    if (!g->key_site) {
      g->key_site = site;
      g->region = region;
      g->object = *object;
      return g;
    }
    if (g->key_site == site && g->region == region && g->object.place == object->place &&
        !memcmp(g->object.callers, object->callers, sizeof(object->callers)))
      return g;
  }
  atomic_fetch_add(&sw_lost.groups, 1);
  return NULL;
}

static void add_sites(struct sw_group *g, const struct sw_record *r, double weight) {
  for (unsigned i = 0; i < SW_SITES; ++i) {
    if (!r->sites[i].count)
      continue;
    double share = weight * r->sites[i].count / (double)(r->reads + r->writes);
    unsigned at = 0, least = 0;
    for (; at < SW_GROUP_SITES && g->sites[at].pc && g->sites[at].pc != r->sites[i].pc; ++at)
      if (g->sites[at].weight < g->sites[least].weight)
        least = at;
    if (at == SW_GROUP_SITES && g->sites[least].weight >= share)
      continue;
    at = at == SW_GROUP_SITES ? least : at;
    g->sites[at].weight = g->sites[at].pc == r->sites[i].pc ? g->sites[at].weight + share : share;
    g->sites[at].pc = r->sites[i].pc;
  }
}

/* The most active store of the line, among the threads that lose it to others. */
static uint64_t key_site(const struct member *all, uint32_t count) {
  uint64_t best = 0;
  uint32_t most = 0;
  for (uint32_t m = 0; m < count; ++m)
    for (unsigned i = 0; i < SW_SITES; ++i) {
      const struct sw_site *s = &all[m].r.sites[i];
      if (all[m].transfers > 0.0 && (s->pc & SW_STORE_BIT) && (s->count > most || (s->count == most && s->pc < best))) {
        most = s->count;
        best = s->pc;
      }
    }
  return best;
}

/* What lies at an address. Between barriers that follow one another quickly the same few lines are in conflict again
 * and again, and a search goes through all blocks: so what was found is kept, as long as the block is there. With
 * sums_lock. */
static void object_at(uint64_t address, struct sw_object *last, struct sw_object *out) {
  static struct {
    uint64_t address;
    struct sw_object object;
  } known[256];
  if (last->place != SW_PLACE_HEAP || address - last->begin >= last->size) {
    unsigned at = (unsigned)(sw_hash(address) >> 56);
    const struct sw_object *object = &known[at].object;
    if (known[at].address != address || (object->place == SW_PLACE_HEAP && !sw_is_block(object->begin, object->size))) {
      sw_find_block(address, &known[at].object);
      known[at].address = address;
    }
    *last = known[at].object;
  }
  *out = *last;
}

static uint32_t lowest_byte(uint64_t bits) { return bits ? (uint32_t)__builtin_ctzll(bits) : 0; }

static uint32_t span(uint64_t bits) {
  return bits ? 64u - (uint32_t)__builtin_clzll(bits) - (uint32_t)__builtin_ctzll(bits) : 0;
}

/* Two threads that lose the line to each other: a writer, and the one whose bytes lie nearest. */
static void choose_pair(const struct member *all, uint32_t count, uint32_t pair[2]) {
  uint32_t nearest = UINT32_MAX;
  pair[0] = pair[1] = 0;
  for (uint32_t a = 0; a < count; ++a)
    for (uint32_t b = 0; b < count; ++b) {
      if (a == b || !all[a].r.written || all[a].transfers <= 0.0 || all[b].transfers <= 0.0 ||
          !share_falsely(&all[a].r, &all[b].r))
        continue;
      uint32_t at = lowest_byte(all[a].r.written);
      uint32_t other = lowest_byte(all[b].r.written ? all[b].r.written : all[b].r.read);
      uint32_t distance = at > other ? at - other : other - at;
      if (distance < nearest) {
        nearest = distance;
        pair[0] = a;
        pair[1] = b;
      }
    }
}

static void add_conflict(struct sw_team *team, const struct member *all, uint32_t count, double scale, bool sampled,
                         struct sw_object *last) {
  double transfers = 0.0, accesses = 0.0, writes = 0.0;
  uint32_t members = 0;
  // NOLINTNEXTLINE(stridewise-mem-array-of-structs): one member per thread of the team
  for (uint32_t m = 0; m < count; ++m) {
    transfers += all[m].transfers;
    members += all[m].transfers > 0.0;
    accesses += all[m].r.reads + all[m].r.writes;
    writes += all[m].r.writes;
  }
  uint32_t pair[2];
  choose_pair(all, count, pair);
  uint64_t site = key_site(all, count), line = all[0].r.line << SW_LINE_SHIFT;
  if (!site || pair[0] == pair[1])
    return;
  struct sw_object objects[2];
  uint32_t offset[2], bytes[2];
  for (unsigned i = 0; i < 2; ++i) {
    const struct sw_record *r = &all[pair[i]].r;
    uint64_t bits = r->written ? r->written : r->read;
    offset[i] = lowest_byte(bits);
    bytes[i] = span(bits) | (r->written ? 0 : SW_ONLY_READS);
    object_at(line + offset[i], last, &objects[i]);
  }
  struct sw_group *g = group_of(team->region, &objects[0], site);
  if (!g)
    return;
  if (transfers * scale > 0.0 && !g->example) {
    g->object = objects[0];
    g->other = objects[1];
    g->example = line;
    for (unsigned i = 0; i < 2; ++i) {
      g->member[i] = all[pair[i]].r.member;
      g->offset[i] = offset[i];
      g->bytes[i] = bytes[i];
    }
  }
  g->members = members > g->members ? members : g->members;
  g->transfers += transfers * scale;
  g->accesses += accesses * scale;
  g->writes += writes * scale;
  g->lines += 1.0;
  uint64_t mark = (uint64_t)team->serial << 32 | all[0].r.epoch;
  g->epochs += mark != g->last_epoch;
  g->last_epoch = mark;
  if (sampled) {
    g->sampled_transfers += transfers;
    g->sampled_lines++;
  }
  for (uint32_t m = 0; m < count; ++m)
    if (all[m].transfers > 0.0)
      add_sites(g, &all[m].r, all[m].transfers * scale);
}

/* --- One epoch --------------------------------------------------------------------------------------------------- */

static const struct sw_record *sorted_log;

static int by_epoch_line_member(const void *left, const void *right) {
  const struct sw_record *a = &sorted_log[*(const uint32_t *)left], *b = &sorted_log[*(const uint32_t *)right];
  if (a->epoch != b->epoch)
    return a->epoch < b->epoch ? -1 : 1;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return (int)a->member - (int)b->member;
}

static void settle_line(struct sw_team *team, struct member *all, uint32_t count, struct sw_object *last) {
  const struct sw_progress *p = &team->progress[all[0].r.epoch & 3];
  bool sampled = (sw_hash(all[0].r.line) & (SW_THIN_MASK | team->log_mask)) == 0;
  double scale = sampled || !p->watched ? 1.0 : (double)p->accesses / (double)p->watched;
  scale = scale < 1.0 ? 1.0 : scale;
  uint32_t reuses = 0;
  double transfers = 0.0;
  for (uint32_t m = 0; m < count; ++m)
    reuses = all[m].r.reuses > reuses ? all[m].r.reuses : reuses;
  if (!sampled && reuses < 64)
    scale *= (double)(UINT64_C(1) << __builtin_popcountll(team->log_mask));
  for (uint32_t m = 0; m < count; ++m)
    transfers += all[m].transfers = count > 1 ? transfers_of(all, count, m) : 0.0;
  see_sites(team->region, all, count, scale);
  if (transfers > 0.0)
    add_conflict(team, all, count, scale, sampled, last);
}

void sw_settle(struct sw_team *team, uint32_t epoch) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < team->count; ++i)
    if (team->log[i].epoch <= epoch)
      team->order[count++] = i;
  if (!count)
    return;
  static struct member all[SW_TEAM_MAX];
  sw_lock(&sums_lock);
  sorted_log = team->log;
  settled = team;
  qsort(team->order, count, sizeof(*team->order), by_epoch_line_member);
  struct sw_object last = {0};
  uint32_t members = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const struct sw_record *r = &team->log[team->order[i]];
    if (members && (all[0].r.line != r->line || all[0].r.epoch != r->epoch)) {
      settle_line(team, all, members, &last);
      members = 0;
    }
    if (members && all[members - 1].r.member == r->member)
      join(&all[members - 1].r, r);
    else if (members < SW_TEAM_MAX)
      all[members++].r = *r;
  }
  settle_line(team, all, members, &last);
  sw_unlock(&sums_lock);
  uint32_t left = 0;
  for (uint32_t i = 0; i < team->count; ++i)
    if (team->log[i].epoch > epoch)
      team->log[left++] = team->log[i];
  team->count = left;
  if (epoch != UINT32_MAX)
    memset(&team->progress[epoch & 3], 0, sizeof(team->progress[0]));
}
