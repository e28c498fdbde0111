/* What handles stand for: communicators with their members and stable ids, windows and files with their communicator,
 * datatypes with their size. Filled when the program makes or first uses them, so that recording only looks up.
 *
 * Under MPI_THREAD_SERIALIZED the maps change under the lock, and their version is odd meanwhile: a look-up takes no
 * lock, and looks again if the version has changed. Entries of communicators never change once a handle leads to them.
 */
#include "recorder.h"
#include <stdlib.h>
#include <string.h>

/* Look-ups without a lock read slots while they change. */
static inline void put(struct sw_map_slot *slot, struct sw_map_slot content) {
  __atomic_store_n(&slot->key, content.key, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->value, content.value, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->used, content.used, __ATOMIC_RELAXED);
}

int sw_map_set(struct sw_map *map, uint64_t key, uint32_t value) {
  struct sw_map_slot *slot = sw_map_find(map, key);
  if (!slot) {
    if (map->used > map->mask / 2)
      return 0;
    uint32_t i = sw_map_home(map, key);
    while (map->slots[i].used)
      i = (i + 1) & map->mask;
    slot = &map->slots[i];
    ++map->used;
  }
  put(slot, (struct sw_map_slot){key, value, 1});
  return 1;
}

/* Moves later entries of the same run up, so that no tombstones pile up. */
void sw_map_remove(struct sw_map *map, uint64_t key) {
  struct sw_map_slot *slot = sw_map_find(map, key);
  if (!slot)
    return;
  uint32_t hole = (uint32_t)(slot - map->slots);
  for (uint32_t i = (hole + 1) & map->mask; map->slots[i].used; i = (i + 1) & map->mask) {
    uint32_t home = sw_map_home(map, map->slots[i].key);
    if (((i - home) & map->mask) >= ((i - hole) & map->mask)) {
      put(&map->slots[hole], map->slots[i]);
      hole = i;
    }
  }
  put(&map->slots[hole], (struct sw_map_slot){0, 0, 0});
  --map->used;
}

static void begin_change(uint32_t *version) {
  __atomic_store_n(version, *version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(uint32_t *version) { __atomic_store_n(version, *version + 1, __ATOMIC_RELEASE); }

static inline uint32_t begin_look(const uint32_t *version) {
  uint32_t now;
  while ((now = __atomic_load_n(version, __ATOMIC_ACQUIRE)) & 1)
    sw_pause();
  return now;
}

static inline int unchanged(const uint32_t *version, uint32_t before) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(version, __ATOMIC_RELAXED) == before;
}

/* Value of a key in a map that may change meanwhile, between begin_look and unchanged; UINT32_MAX if it is not there.
 */
static uint32_t look(const struct sw_map *map, uint64_t key) {
  uint32_t i = sw_map_home(map, key);
  for (uint32_t n = 0; n <= map->mask; ++n, i = (i + 1) & map->mask) {
    const struct sw_map_slot *slot = &map->slots[i];
    if (!__atomic_load_n(&slot->used, __ATOMIC_RELAXED))
      break;
    if (__atomic_load_n(&slot->key, __ATOMIC_RELAXED) == key)
      return __atomic_load_n(&slot->value, __ATOMIC_RELAXED);
  }
  return UINT32_MAX;
}

static struct sw_map_slot object_slots[SW_OBJECTS];
static struct sw_map objects = {object_slots, SW_OBJECTS - 1, 0};
static uint32_t object_version;
static struct sw_comm_entry comms[SW_COMMS];
static const struct sw_comm_entry no_comm = {.index = SW_NO_COMM};
static int own_world_size;

static struct sw_map_slot type_slots[2 * SW_TYPES];
static struct sw_map type_map = {type_slots, 2 * SW_TYPES - 1, 0};
static uint32_t type_version;
static struct sw_type_info types[SW_TYPES];
static uint32_t free_types[SW_TYPES];
static uint32_t free_type_count;

static uint64_t object_key(uint64_t handle, enum sw_handle_kind kind) { return handle << 3 | (uint64_t)kind; }

static void set_object(uint64_t handle, enum sw_handle_kind kind, uint32_t value) {
  begin_change(&object_version);
  sw_map_set(&objects, object_key(handle, kind), value);
  end_change(&object_version);
}

static __attribute__((noinline)) uint32_t look_for_object(uint64_t key) {
  uint32_t value, version;
  do {
    version = begin_look(&object_version);
    value = look(&objects, key);
  } while (!unchanged(&object_version, version));
  return value;
}

uint32_t sw_object_find(uint64_t handle, enum sw_handle_kind kind) {
  if (SW_UNLIKELY(sw_multiple))
    return look_for_object(object_key(handle, kind));
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, kind));
  return slot ? slot->value : SW_NO_COMM;
}

void sw_object_set(uint64_t handle, enum sw_handle_kind kind, uint32_t value) {
  sw_lock();
  set_object(handle, kind, value);
  sw_unlock();
}

void sw_object_forget(uint64_t handle, enum sw_handle_kind kind) {
  sw_lock();
  begin_change(&object_version);
  sw_map_remove(&objects, object_key(handle, kind));
  end_change(&object_version);
  sw_unlock();
}

const struct sw_comm_entry *sw_comm_at(uint32_t index) { return index < SW_COMMS ? &comms[index] : &no_comm; }

/* World ranks of a group, in malloc'ed memory; null when there is none. */
static int32_t *world_ranks(MPI_Group group, int *size) {
  MPI_Group world;
  int32_t *ranks = NULL, *numbers = NULL;
  *size = 0;
  if (sw_pmpi.Group_size(group, size) == MPI_SUCCESS && *size > 0 &&
      sw_pmpi.Comm_group(sw_predefined.comm_world, &world) == MPI_SUCCESS) {
    ranks = malloc((size_t)*size * sizeof *ranks);
    numbers = malloc((size_t)*size * sizeof *numbers);
    if (ranks && numbers) {
      for (int i = 0; i < *size; ++i)
        numbers[i] = i;
      if (sw_pmpi.Group_translate_ranks(group, *size, numbers, world, ranks) != MPI_SUCCESS) {
        free(ranks);
        ranks = NULL;
      }
    } else {
      free(ranks);
      ranks = NULL;
    }
    free(numbers);
    sw_pmpi.Group_free(&world);
  }
  if (ranks)
    for (int i = 0; i < *size; ++i)
      if (ranks[i] < 0) /* MPI_UNDEFINED: not of this world */
        ranks[i] = SW_PEER_OTHER;
  return ranks;
}

static uint64_t hash_ranks(const int32_t *ranks, int size) {
  uint64_t hash = (uint64_t)size;
  for (int i = 0; i < size; ++i)
    hash = sw_mix(hash, (uint32_t)ranks[i]);
  return hash;
}

/* Index of the same list in the pool, entering it if it is new; UINT64_MAX when there is no room. */
static uint64_t keep_members(const int32_t *ranks, int size) {
  uint64_t used = sw_shard.member_section->used, count = sw_shard.comm_section->used;
  for (uint64_t i = 0; i < count; ++i)
    if (sw_shard.comms[i].members_first != UINT64_MAX && sw_shard.comms[i].size == (uint32_t)size &&
        !memcmp(sw_shard.members + sw_shard.comms[i].members_first, ranks, (size_t)size * sizeof *ranks))
      return sw_shard.comms[i].members_first;
  if ((uint64_t)size > SW_MEMBERS - used)
    return UINT64_MAX;
  memcpy(sw_shard.members + used, ranks, (size_t)size * sizeof *ranks);
  sw_shard.member_section->used = used + (uint64_t)size;
  return used;
}

/* Enters a communicator; its id follows from what all its members know: the parent, the members, and how many such
 * they have made before. Returns SW_NO_COMM when there is no room. */
static uint32_t enter(uint64_t parent_id, uint64_t members_id, const int32_t *ranks, int size, int rank, int inter,
                      uint64_t fixed_id) {
  uint64_t index = sw_shard.comm_section->used, first = UINT64_MAX;
  int identity = !inter && size == own_world_size;
  for (int i = 0; identity && i < size; ++i)
    identity = ranks[i] == i;
  if (index >= SW_COMMS || (!identity && (first = keep_members(ranks, size)) == UINT64_MAX)) {
    ++sw_shard.header->dropped_comms;
    return SW_NO_COMM;
  }
  uint64_t base = sw_mix(sw_mix(parent_id, members_id), (uint64_t)inter), before = 0;
  for (uint64_t i = 0; i < index; ++i)
    before += comms[i].base_id == base;
  uint64_t id = fixed_id ? fixed_id : sw_mix(base, before + 1) | UINT64_C(1) << 63;
  comms[index] = (struct sw_comm_entry){.index = (uint32_t)index,
                                        .size = (uint32_t)size,
                                        .world = identity || inter ? NULL : sw_shard.members + first,
                                        .inter = (uint8_t)inter,
                                        .identity = (uint8_t)identity,
                                        .base_id = base,
                                        .members_id = members_id};
  sw_shard.comms[index] =
      (struct sw_comm){.stable_id = id, .size = (uint32_t)size, .rank = rank, .members_first = first, .collectives = 0};
  __atomic_store_n(&sw_shard.comm_section->used, index + 1, __ATOMIC_RELEASE);
  return (uint32_t)index;
}

static uint32_t neighbours(MPI_Comm comm, int rank) {
  int topology = MPI_UNDEFINED, count = 0, in, weighted;
  if (sw_pmpi.Topo_test(comm, &topology) != MPI_SUCCESS)
    return 0;
  if (topology == MPI_CART && sw_pmpi.Cartdim_get(comm, &count) == MPI_SUCCESS)
    return 2 * (uint32_t)count;
  if (topology == MPI_GRAPH && sw_pmpi.Graph_neighbors_count(comm, rank, &count) == MPI_SUCCESS)
    return (uint32_t)count;
  if (topology == MPI_DIST_GRAPH && sw_pmpi.Dist_graph_neighbors_count(comm, &in, &count, &weighted) == MPI_SUCCESS)
    return (uint32_t)count;
  return 0;
}

static uint32_t examine(uint64_t handle, uint64_t parent_id, uint64_t fixed_id) {
  MPI_Comm comm = SW_HANDLE(MPI_Comm, handle);
  MPI_Group group;
  int size = 0, rank = 0, inter = 0;
  if (sw_pmpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS || sw_pmpi.Comm_rank(comm, &rank) != MPI_SUCCESS ||
      sw_pmpi.Comm_group(comm, &group) != MPI_SUCCESS)
    return SW_NO_COMM;
  int32_t *ranks = world_ranks(group, &size);
  sw_pmpi.Group_free(&group);
  if (!ranks)
    return SW_NO_COMM;
  uint64_t members_id = hash_ranks(ranks, size);
  if (inter && sw_pmpi.Comm_remote_group(comm, &group) == MPI_SUCCESS) {
    int remote_size;
    int32_t *remote = world_ranks(group, &remote_size);
    sw_pmpi.Group_free(&group);
    if (remote)
      members_id += hash_ranks(remote, remote_size); /* the same on both sides */
    free(remote);
  }
  /* The two sides of an intercommunicator have different parents. */
  uint32_t index = enter(inter ? 0 : parent_id, members_id, ranks, size, rank, inter, fixed_id);
  free(ranks);
  if (index != SW_NO_COMM && !inter)
    comms[index].neighbours = neighbours(comm, rank);
  return index;
}

static void enter_comm(uint64_t handle, const struct sw_comm_entry *parent) {
  uint64_t parent_id = parent->index == SW_NO_COMM ? 0 : sw_shard.comms[parent->index].stable_id;
  set_object(handle, SW_KIND_COMM, examine(handle, parent_id, 0));
}

void sw_comm_register(uint64_t handle, const struct sw_comm_entry *parent) {
  sw_lock();
  enter_comm(handle, parent);
  sw_unlock();
}

static uint32_t reserve_duplicate(const struct sw_comm_entry *parent) {
  const struct sw_comm *original = &sw_shard.comms[parent->index];
  int32_t *ranks = malloc((size_t)original->size * sizeof *ranks);
  if (!ranks)
    return SW_NO_COMM;
  for (uint32_t i = 0; i < original->size; ++i)
    ranks[i] = parent->identity ? (int32_t)i : sw_shard.members[original->members_first + i];
  uint32_t index = enter(parent->inter ? 0 : original->stable_id, parent->members_id, ranks, (int)original->size,
                         original->rank, parent->inter, 0);
  if (index != SW_NO_COMM)
    comms[index].neighbours = parent->neighbours;
  free(ranks);
  return index;
}

uint32_t sw_comm_reserve_duplicate(const struct sw_comm_entry *parent) {
  if (parent->index == SW_NO_COMM)
    return SW_NO_COMM;
  sw_lock();
  uint32_t index = reserve_duplicate(parent);
  sw_unlock();
  return index;
}

/* A communicator that was made by a call which is not watched. */
static __attribute__((noinline)) const struct sw_comm_entry *meet_comm(uint64_t handle) {
  sw_lock();
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, SW_KIND_COMM));
  uint32_t index = slot ? slot->value : SW_NO_COMM;
  if (!slot && objects.used <= objects.mask / 2) {
    enter_comm(handle, &no_comm);
    slot = sw_map_find(&objects, object_key(handle, SW_KIND_COMM));
    index = slot ? slot->value : SW_NO_COMM;
  }
  sw_unlock();
  return sw_comm_at(index);
}

static __attribute__((noinline)) const struct sw_comm_entry *look_for_comm(uint64_t handle) {
  uint32_t index = look_for_object(object_key(handle, SW_KIND_COMM));
  return SW_UNLIKELY(index == UINT32_MAX) ? meet_comm(handle) : sw_comm_at(index);
}

const struct sw_comm_entry *sw_comm_find(uint64_t handle) {
  if (SW_UNLIKELY(sw_multiple))
    return look_for_comm(handle);
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, SW_KIND_COMM));
  return SW_UNLIKELY(!slot) ? meet_comm(handle) : sw_comm_at(slot->value);
}

const struct sw_comm_entry *sw_comm_known(uint64_t handle) {
  if (SW_UNLIKELY(sw_multiple)) {
    uint32_t index = sw_object_find(handle, SW_KIND_COMM);
    return index == SW_NO_COMM ? NULL : sw_comm_at(index);
  }
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, SW_KIND_COMM));
  return slot ? sw_comm_at(slot->value) : NULL;
}

#define TYPE_MEMBERS(X) X(lower_bound) X(bytes) X(pieces) X(span) X(pitch) X(contiguous)

static void put_type(struct sw_type_info *entry, struct sw_type_info info) {
#define PUT(member) __atomic_store_n(&entry->member, info.member, __ATOMIC_RELAXED);
  TYPE_MEMBERS(PUT)
#undef PUT
}

static struct sw_type_info get_type(const struct sw_type_info *entry) {
  struct sw_type_info info;
#define GET(member) info.member = __atomic_load_n(&entry->member, __ATOMIC_RELAXED);
  TYPE_MEMBERS(GET)
#undef GET
  return info;
}

static __attribute__((noinline)) struct sw_type_info meet_type(uint64_t handle) {
  MPI_Datatype type = SW_HANDLE(MPI_Datatype, handle);
  struct sw_type_info info = {0};
  MPI_Aint lower, extent, true_lower, true_extent;
  int bytes = 0;
  if (sw_pmpi.Type_size(type, &bytes) != MPI_SUCCESS || bytes < 0)
    return info;
  info.bytes = (uint64_t)bytes;
  if (sw_pmpi.Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
      sw_pmpi.Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS) {
    info.lower_bound = true_lower;
    info.contiguous = extent == bytes && true_extent == bytes;
    if (!info.contiguous && true_extent >= 0) {
      info.pieces = sw_type_pieces(type);
      info.span = (uint64_t)true_extent;
      info.pitch = (uint64_t)(extent < 0 ? -extent : extent);
    }
  }
  sw_lock();
  begin_change(&type_version);
  if (!sw_map_find(&type_map, handle) && free_type_count &&
      sw_map_set(&type_map, handle, free_types[free_type_count - 1])) {
    put_type(&types[free_types[--free_type_count]], info);
  }
  end_change(&type_version);
  sw_unlock();
  return info;
}

static __attribute__((noinline)) struct sw_type_info look_for_type(uint64_t handle) {
  struct sw_type_info info = {0};
  uint32_t index, version;
  do {
    version = begin_look(&type_version);
    index = look(&type_map, handle);
    if (index < SW_TYPES)
      info = get_type(&types[index]);
  } while (!unchanged(&type_version, version));
  return index < SW_TYPES ? info : meet_type(handle);
}

struct sw_type_info sw_type_find(uint64_t handle) {
  if (SW_UNLIKELY(sw_multiple))
    return look_for_type(handle);
  const struct sw_map_slot *slot = sw_map_find(&type_map, handle);
  return __builtin_expect(slot != NULL, 1) ? types[slot->value] : meet_type(handle);
}

void sw_type_forget(uint64_t handle) {
  sw_lock();
  const struct sw_map_slot *slot = sw_map_find(&type_map, handle);
  if (slot) {
    free_types[free_type_count++] = slot->value;
    begin_change(&type_version);
    sw_map_remove(&type_map, handle);
    end_change(&type_version);
  }
  sw_unlock();
}

void sw_tables_init(int world_size) {
  own_world_size = world_size;
  for (uint32_t i = 0; i < SW_TYPES; ++i)
    free_types[i] = SW_TYPES - 1 - i;
  free_type_count = SW_TYPES;
  const MPI_Comm predefined[2] = {sw_predefined.comm_world, sw_predefined.comm_self};
  for (int i = 0; i < 2; ++i) {
    uint64_t handle = SW_NUMBER(predefined[i]);
    set_object(handle, SW_KIND_COMM, examine(handle, 0, (uint64_t)i + 1));
  }
}
