/* The table of a thread's places: found by address, region around it and kind. */
#ifndef STRIDEWISE_OMP_TABLE_H
#define STRIDEWISE_OMP_TABLE_H

#include "recorder.h"

/* The entry of a place, made if there is room; null if there is none. */
static inline struct swo_entry *swo_find(struct recorder *recorder, uint32_t kind, uint64_t address, uint64_t region) {
  uint64_t mix = (address ^ region << 20 ^ (uint64_t)kind << 52) * UINT64_C(0x9E3779B97F4A7C15);
  uint64_t phase = UINT64_C(1) << __atomic_load_n(&swo_phase, __ATOMIC_RELAXED);
  struct swo_section *section = &recorder->thread->entries;
  for (unsigned slot = mix >> 53;; slot = (slot + 1) % SWO_INDEX) {
    unsigned position = recorder->index[slot];
    if (!position) {
      if (section->used >= SWO_ENTRIES) {
        recorder->thread->dropped++;
        return NULL;
      }
      struct swo_entry *entry = &recorder->entries[section->used];
      entry->address = address;
      entry->region = region;
      entry->kind = kind;
      entry->phases = phase;
      recorder->index[slot] = (uint16_t)++section->used;
      return entry;
    }
    struct swo_entry *entry = &recorder->entries[position - 1];
    if (entry->address == address && entry->region == region && entry->kind == kind) {
      entry->phases |= phase;
      return entry;
    }
  }
}

/* One more event of that many ticks. */
static inline void swo_add(struct swo_entry *entry, uint64_t ticks) {
  if (!entry->count || ticks < entry->ticks_min)
    entry->ticks_min = ticks;
  if (ticks > entry->ticks_max)
    entry->ticks_max = ticks;
  entry->count++;
  entry->ticks += ticks;
}

/* Moves an estimate of the lower quartile towards a new value, the count-th: up by a third of the step down, so that it
 * comes to rest where three of four values are above it, in steps that get smaller. What takes long by chance (a
 * processor given to somebody else) hardly moves it; the first values, of a team that has yet to be made, are soon
 * forgotten. */
static inline void swo_typical(uint64_t *estimate, uint64_t value, uint64_t count) {
  unsigned shift = count < 64 ? 4 : count < 1024 ? 6 : 8;
  if (!*estimate || value < *estimate / 4)
    *estimate = *estimate ? *estimate / 2 : value;
  else if (value > *estimate)
    *estimate += (*estimate >> shift) / 3 + 1;
  else if (value < *estimate)
    *estimate -= *estimate >> shift;
}

#endif
