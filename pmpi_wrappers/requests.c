/* Requests under way, by handle.
 *
 * Below MPI_THREAD_SERIALIZED there is one table. Under it the same space is cut into many small ones, and a thread
 * takes as many as it needs: what it starts it finds again in a table of its own, whose lock nobody else asks for. Only
 * a thread that completes what another has started looks through the tables of all. When none is free any more, threads
 * share.
 */
#include "recorder.h"
#include <sched.h>
#include <string.h>

#define TABLES 32u
#define ROOM (SW_REQUESTS / TABLES)
_Static_assert(TABLES <= 32, "the tables of a thread are bits of a word");

static struct table {
  int lock;
  uint32_t owner; /* number of the thread + 1, 0 for none */
  uint32_t base;  /* its requests begin here */
  uint32_t free_count;
  struct sw_map map;
} __attribute__((aligned(64))) tables[TABLES];

static struct sw_map_slot request_slots[2 * SW_REQUESTS];
static struct sw_request requests[SW_REQUESTS];
static uint32_t free_requests[SW_REQUESTS];

static void make_table(struct table *table, uint32_t base, uint32_t room) {
  *table = (struct table){
      .base = base, .free_count = room, .map = {.slots = request_slots + 2 * base, .mask = 2 * room - 1}};
  for (uint32_t i = 0; i < room; ++i)
    free_requests[base + i] = base + room - 1 - i;
}

void sw_requests_reset(void) {
  if (!sw_multiple)
    make_table(&tables[0], 0, SW_REQUESTS);
  for (uint32_t i = 0; sw_multiple && i < TABLES; ++i)
    make_table(&tables[i], i * ROOM, ROOM);
}

static void lock(struct table *table) {
  enum { SPINS = 100 };
  for (int i = 0; __atomic_exchange_n(&table->lock, 1, __ATOMIC_ACQUIRE); ++i) {
    sw_pause();
    if (i >= SPINS)
      sched_yield();
  }
}

static void unlock(struct table *table) { __atomic_store_n(&table->lock, 0, __ATOMIC_RELEASE); }

static struct sw_request *find(const struct table *table, uint64_t handle) {
  const struct sw_map_slot *slot = sw_map_find(&table->map, handle);
  return slot ? &requests[slot->value] : NULL;
}

/* MPIs hand out one and the same handle for all requests that are complete at once (eager sends, MPI_PROC_NULL, empty
 * collectives), so several may be under way with one handle: first in, first out. False if there is no room. */
static int append(struct table *table, uint64_t handle, const struct sw_request *request) {
  struct sw_map_slot *slot = sw_map_find(&table->map, handle);
  uint32_t *unused = free_requests + table->base;
  if (!table->free_count || (!slot && !sw_map_set(&table->map, handle, unused[table->free_count - 1])))
    return 0;
  uint32_t index = unused[--table->free_count];
  requests[index] = *request;
  if (slot) {
    struct sw_request *first = &requests[slot->value];
    requests[first->last ? first->last - 1 : slot->value].next = index + 1;
    first->last = index + 1;
  }
  return 1;
}

static void discard(struct table *table, uint64_t handle) {
  struct sw_map_slot *slot = sw_map_find(&table->map, handle);
  if (!slot)
    return;
  const struct sw_request *first = &requests[slot->value];
  free_requests[table->base + table->free_count++] = slot->value;
  if (first->next) {
    requests[first->next - 1].last = first->last == first->next ? 0 : first->last;
    slot->value = first->next - 1;
  } else {
    sw_map_remove(&table->map, handle);
  }
}

static uint32_t own_tables(uint32_t number) { return __atomic_load_n(&sw_lanes[number].tables, __ATOMIC_RELAXED); }

static int append_to(uint32_t index, uint64_t handle, const struct sw_request *request) {
  lock(&tables[index]);
  int done = append(&tables[index], handle, request);
  unlock(&tables[index]);
  return done;
}

static void add_shared(const struct sw_thread *thread, uint64_t handle, const struct sw_request *request) {
  uint32_t own = own_tables(thread->number);
  for (uint32_t rest = own; rest; rest &= rest - 1)
    if (append_to((uint32_t)__builtin_ctz(rest), handle, request))
      return;
  for (uint32_t i = 0; i < TABLES; ++i) {
    uint32_t owner = 0;
    if (!__atomic_compare_exchange_n(&tables[i].owner, &owner, thread->number + 1u, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
      continue;
    __atomic_fetch_or(&sw_lanes[thread->number].tables, 1u << i, __ATOMIC_RELAXED);
    if (append_to(i, handle, request))
      return;
  }
  for (uint32_t i = 0; i < TABLES; ++i)
    if (append_to((thread->number + i) % TABLES, handle, request))
      return;
  sw_count(&sw_shard.header->dropped_requests);
}

/* A receive of a message or a persistent request has its handle to itself: finding it again means that its end was not
 * seen, or that another thread has not yet come to record the end that freed the handle. */
void sw_request_add(const struct sw_thread *thread, uint64_t handle, const struct sw_request *request) {
  if (SW_UNLIKELY(sw_multiple)) {
    add_shared(thread, handle, request);
    return;
  }
  struct sw_request *first = find(&tables[0], handle);
  if (first && (first->persistent || (first->flags & SW_EV_RECV && first->peer != SW_PEER_NULL)))
    *first = *request;
  else if (!append(&tables[0], handle, request))
    ++sw_shard.header->dropped_requests;
}

struct sw_request *sw_request_find(uint64_t handle) { return find(&tables[0], handle); }

void sw_request_remove(uint64_t handle) { discard(&tables[0], handle); }

/* The table that a thread's request is in, locked; its own first, in the order of starting, then those of others. */
static struct table *locate(const struct sw_thread *thread, uint64_t handle) {
  uint32_t own = own_tables(thread->number);
  struct table *best = NULL;
  uint64_t first = 0;
  for (uint32_t rest = own; rest; rest &= rest - 1) {
    struct table *table = &tables[__builtin_ctz(rest)];
    lock(table);
    const struct sw_request *request = find(table, handle);
    if (request && own == (own & -own))
      return table;
    if (request && (!best || request->serial < first)) {
      best = table;
      first = request->serial;
    }
    unlock(table);
  }
  if (best) {
    lock(best);
    if (find(best, handle))
      return best;
    unlock(best);
  }
  for (uint32_t i = 0; i < TABLES; ++i) {
    if (own & 1u << i || !__atomic_load_n(&tables[i].owner, __ATOMIC_RELAXED))
      continue;
    lock(&tables[i]);
    if (find(&tables[i], handle))
      return &tables[i];
    unlock(&tables[i]);
  }
  return NULL;
}

struct sw_request *sw_request_hold(const struct sw_thread *thread, uint64_t handle) {
  if (!sw_multiple)
    return find(&tables[0], handle);
  struct table *table = locate(thread, handle);
  return table ? find(table, handle) : NULL;
}

void sw_request_let_go(const struct sw_request *request) {
  if (sw_multiple && request)
    unlock(&tables[(uint32_t)(request - requests) / ROOM]);
}

int sw_request_take(const struct sw_thread *thread, uint64_t handle, struct sw_request *out) {
  struct table *table = sw_multiple ? locate(thread, handle) : &tables[0];
  struct sw_request *request = table ? find(table, handle) : NULL;
  if (request) {
    *out = *request;
    if (request->persistent)
      request->active = 0;
    else
      discard(table, handle);
  }
  if (sw_multiple && table)
    unlock(table);
  return request != NULL;
}

static int drop_one(const struct sw_thread *thread, uint64_t handle) {
  struct table *table = sw_multiple ? locate(thread, handle) : &tables[0];
  const struct sw_request *request = table ? find(table, handle) : NULL;
  int pair = request && request->pair;
  if (request)
    discard(table, handle);
  if (sw_multiple && table)
    unlock(table);
  return pair;
}

void sw_request_drop(const struct sw_thread *thread, uint64_t handle) {
  if (drop_one(thread, handle))
    drop_one(thread, handle);
}

void sw_requests_leave(uint32_t number) {
  for (uint32_t rest = sw_multiple ? own_tables(number) : 0; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(rest);
    lock(&tables[i]);
    if (tables[i].free_count == ROOM) {
      __atomic_fetch_and(&sw_lanes[number].tables, ~(1u << i), __ATOMIC_RELAXED);
      __atomic_store_n(&tables[i].owner, 0, __ATOMIC_RELAXED);
    }
    unlock(&tables[i]);
  }
}
