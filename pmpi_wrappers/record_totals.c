/* The table of totals: what each call took, by place, communicator, peer and size. */
#include "record.h"

/* Whose entry in the table of totals: number of the thread + 1, or ALL_THREADS. Under MPI_THREAD_SERIALIZED only. */
static uint16_t owners[SW_TABLE_SLOTS];
#define ALL_THREADS UINT16_MAX

static inline void name_stats(struct sw_call_stats *slot, const struct sw_call *call, uint16_t bucket, uint32_t comm,
                              int32_t peer) {
  slot->call = call->index;
  slot->size_bucket = bucket;
  slot->path = call->path;
  slot->comm = comm;
  slot->peer = peer;
  slot->first_ticks = call->begin;
}

static inline int stats_are(const struct sw_call_stats *slot, const struct sw_call *call, uint16_t bucket,
                            uint32_t comm, int32_t peer) {
  return slot->call == call->index && slot->size_bucket == bucket && slot->path == call->path && slot->comm == comm &&
         slot->peer == peer;
}

static inline void add_to_stats(struct sw_call_stats *slot, uint64_t begin, uint64_t ticks, uint64_t bytes) {
  slot->ticks += ticks;
  slot->ticks_max = ticks > slot->ticks_max ? ticks : slot->ticks_max;
  slot->bytes += bytes;
  slot->last_ticks = begin;
  __atomic_store_n(&slot->count, slot->count + 1, __ATOMIC_RELEASE);
}

static void add_to_shared_stats(struct sw_call_stats *slot, uint64_t begin, uint64_t ticks, uint64_t bytes) {
  uint64_t most = __atomic_load_n(&slot->ticks_max, __ATOMIC_RELAXED);
  __atomic_fetch_add(&slot->ticks, ticks, __ATOMIC_RELAXED);
  while (ticks > most &&
         !__atomic_compare_exchange_n(&slot->ticks_max, &most, ticks, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  __atomic_fetch_add(&slot->bytes, bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->last_ticks, begin, __ATOMIC_RELAXED);
  __atomic_fetch_add(&slot->count, 1, __ATOMIC_RELEASE);
}

/* The entry of an owner, or a new one; SW_NO_SLOT if there is neither. One of all threads that is still being named is
 * passed by: then there are two, which a reader adds up. */
static inline uint32_t find_stats(const struct sw_call *call, uint16_t owner, uint32_t home, uint16_t bucket,
                                  uint32_t comm, int32_t peer) {
  uint64_t *used = &sw_shard.table_section->used;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t index = (home + i) & (SW_TABLE_SLOTS - 1);
    struct sw_call_stats *slot = &sw_shard.table[index];
    uint16_t there = __atomic_load_n(&owners[index], __ATOMIC_ACQUIRE);
    if (SW_UNLIKELY(!there)) {
      if (owner != ALL_THREADS && __atomic_load_n(used, __ATOMIC_RELAXED) >= SW_TABLE_SLOTS / 2)
        return SW_NO_SLOT;
      if (__atomic_compare_exchange_n(&owners[index], &there, owner, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        __atomic_fetch_add(used, 1, __ATOMIC_RELAXED);
        name_stats(slot, call, bucket, comm, peer);
        return index;
      }
    }
    if (there == owner && (owner != ALL_THREADS || __atomic_load_n(&slot->count, __ATOMIC_ACQUIRE)) &&
        stats_are(slot, call, bucket, comm, peer))
      return index;
  }
  return SW_NO_SLOT;
}

/* As sw_add_stats, under MPI_THREAD_SERIALIZED: a thread has its own entries, which nobody else writes to. When half of
 * the table is taken, and for threads without a number of their own, new entries are for all threads. They follow no
 * bursts. */
static __attribute__((noinline)) uint32_t add_thread_stats(const struct sw_call *call, uint32_t home, uint16_t bucket,
                                                           uint32_t comm, int32_t peer, uint64_t bytes) {
  uint64_t ticks = call->end - call->begin;
  uint32_t number = call->thread->number, index = SW_NO_SLOT;
  if (number != SW_THREADS)
    index = find_stats(call, (uint16_t)(number + 1), home ^ number * 97, bucket, comm, peer);
  if (__builtin_expect(index != SW_NO_SLOT, 1)) {
    add_to_stats(&sw_shard.table[index], call->begin, ticks, bytes);
    return index;
  }
  index = find_stats(call, ALL_THREADS, home, bucket, comm, peer);
  if (index == SW_NO_SLOT)
    sw_count(&sw_shard.header->dropped_calls);
  else
    add_to_shared_stats(&sw_shard.table[index], call->begin, ticks, bytes);
  return SW_NO_SLOT;
}

/* Adds the call to the totals; returns its slot. */
uint32_t sw_add_stats(const struct sw_call *call, uint32_t comm, int32_t peer, uint64_t bytes) {
  uint16_t bucket = bytes ? (uint16_t)(64 - __builtin_clzll(bytes)) : 0;
  uint64_t what = (uint64_t)call->index | (uint64_t)bucket << 16 | (uint64_t)call->path << 32;
  uint64_t with = (uint64_t)comm | (uint64_t)(uint32_t)peer << 32;
  uint32_t home = (uint32_t)(sw_mix(sw_mix(what, UINT64_C(0x2545f4914f6cdd1d)), with) >> 32);
  if (SW_UNLIKELY(sw_multiple))
    return add_thread_stats(call, home, bucket, comm, peer, bytes);
  uint64_t ticks = call->end - call->begin;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t index = (home + i) & (SW_TABLE_SLOTS - 1);
    struct sw_call_stats *slot = &sw_shard.table[index];
    if (__builtin_expect(slot->count != 0, 1)) {
      if (!stats_are(slot, call, bucket, comm, peer))
        continue;
    } else {
      name_stats(slot, call, bucket, comm, peer);
      ++sw_shard.table_section->used;
    }
    add_to_stats(slot, call->begin, ticks, bytes);
    return index;
  }
  ++sw_shard.header->dropped_calls;
  return SW_NO_SLOT;
}
