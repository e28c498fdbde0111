/* What handles stand for: communicators with their members and stable ids, windows and files with their communicator,
 * datatypes with their size. Filled when the program makes or first uses them, so that recording only looks up. */
#include "recorder.h"
#include <stdlib.h>
#include <string.h>

int sw_map_set(struct sw_map *map, uint64_t key, uint32_t value) {
  struct sw_map_slot *slot = sw_map_find(map, key);
  if (!slot) {
    if (map->used > map->mask / 2)
      return 0;
    uint32_t i = sw_map_home(map, key);
    while (map->slots[i].used)
      i = (i + 1) & map->mask;
    slot = &map->slots[i];
    slot->key = key;
    slot->used = 1;
    ++map->used;
  }
  slot->value = value;
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
      map->slots[hole] = map->slots[i];
      hole = i;
    }
  }
  map->slots[hole].used = 0;
  --map->used;
}

static struct sw_map_slot object_slots[SW_OBJECTS];
static struct sw_map objects = {object_slots, SW_OBJECTS - 1, 0};
static struct sw_comm_entry comms[SW_COMMS];
static const struct sw_comm_entry no_comm = {.index = SW_NO_COMM};
static int own_world_size;

static struct sw_map_slot type_slots[2 * SW_TYPES];
static struct sw_map type_map = {type_slots, 2 * SW_TYPES - 1, 0};
static struct sw_type_info types[SW_TYPES];
static uint32_t free_types[SW_TYPES];
static uint32_t free_type_count;

static uint64_t object_key(uint64_t handle, enum sw_handle_kind kind) { return handle << 3 | (uint64_t)kind; }

void sw_object_set(uint64_t handle, enum sw_handle_kind kind, uint32_t value) {
  sw_map_set(&objects, object_key(handle, kind), value);
}

uint32_t sw_object_find(uint64_t handle, enum sw_handle_kind kind) {
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, kind));
  return slot ? slot->value : SW_NO_COMM;
}

void sw_object_forget(uint64_t handle, enum sw_handle_kind kind) { sw_map_remove(&objects, object_key(handle, kind)); }

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

void sw_comm_register(uint64_t handle, const struct sw_comm_entry *parent) {
  uint64_t parent_id = parent->index == SW_NO_COMM ? 0 : sw_shard.comms[parent->index].stable_id;
  sw_object_set(handle, SW_KIND_COMM, examine(handle, parent_id, 0));
}

uint32_t sw_comm_reserve_duplicate(const struct sw_comm_entry *parent) {
  if (parent->index == SW_NO_COMM)
    return SW_NO_COMM;
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

const struct sw_comm_entry *sw_comm_find(uint64_t handle) {
  const struct sw_map_slot *slot = sw_map_find(&objects, object_key(handle, SW_KIND_COMM));
  if (SW_UNLIKELY(!slot)) {
    if (objects.used > objects.mask / 2)
      return &no_comm;
    sw_comm_register(handle, &no_comm); /* made by a call that is not watched */
    return sw_comm_at(sw_object_find(handle, SW_KIND_COMM));
  }
  return sw_comm_at(slot->value);
}

struct sw_type_info sw_type_find(uint64_t handle) {
  const struct sw_map_slot *slot = sw_map_find(&type_map, handle);
  if (__builtin_expect(slot != NULL, 1))
    return types[slot->value];
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
  if (free_type_count && sw_map_set(&type_map, handle, free_types[free_type_count - 1]))
    types[free_types[--free_type_count]] = info;
  return info;
}

void sw_type_forget(uint64_t handle) {
  const struct sw_map_slot *slot = sw_map_find(&type_map, handle);
  if (!slot)
    return;
  free_types[free_type_count++] = slot->value;
  sw_map_remove(&type_map, handle);
}

void sw_tables_init(int world_size) {
  own_world_size = world_size;
  for (uint32_t i = 0; i < SW_TYPES; ++i)
    free_types[i] = SW_TYPES - 1 - i;
  free_type_count = SW_TYPES;
  const MPI_Comm predefined[2] = {sw_predefined.comm_world, sw_predefined.comm_self};
  for (int i = 0; i < 2; ++i) {
    uint64_t handle = SW_NUMBER(predefined[i]);
    sw_object_set(handle, SW_KIND_COMM, examine(handle, 0, (uint64_t)i + 1));
  }
}
