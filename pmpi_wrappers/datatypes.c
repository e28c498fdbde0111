/* Of how many contiguous pieces a datatype's data consist. Its description is read once, when a handle is first used:
 * the sizes that MPI tells of a datatype only show that there are gaps. */
#include "recorder.h"
#include <stdlib.h>

#define MOST_NUMBERS (1 << 20) /* of a description; a datatype with more stays unknown */
#define MOST_NESTING 16
#define UNKNOWN UINT64_MAX

/* What a datatype was made of. */
struct recipe {
  int combiner, int_count, address_count, type_count;
  int *ints;
  MPI_Aint *addresses;
  MPI_Datatype *types;
};

static uint64_t pieces_of(MPI_Datatype type, int nesting);

static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  if (a == UNKNOWN || b == UNKNOWN || __builtin_mul_overflow(a, b, &product))
    return UNKNOWN;
  return product;
}

static uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (a == UNKNOWN || b == UNKNOWN || __builtin_add_overflow(a, b, &sum))
    return UNKNOWN;
  return sum;
}

/* Whether any number of elements is one range of bytes without gaps; *extent is from one element to the next. */
static int is_dense(MPI_Datatype type, MPI_Aint *extent) {
  MPI_Aint lower, true_lower, true_extent;
  int bytes = 0;
  *extent = 0;
  return sw_pmpi.Type_size(type, &bytes) == MPI_SUCCESS &&
         sw_pmpi.Type_get_extent(type, &lower, extent) == MPI_SUCCESS &&
         sw_pmpi.Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS && *extent == bytes &&
         true_extent == bytes;
}

static int is_predefined(MPI_Datatype type) {
  int ints, addresses, types, combiner = MPI_COMBINER_NAMED;
  return sw_pmpi.Type_get_envelope(type, &ints, &addresses, &types, &combiner) != MPI_SUCCESS ||
         combiner == MPI_COMBINER_NAMED;
}

static void forget_recipe(struct recipe *recipe) {
  for (int i = 0; recipe->types && i < recipe->type_count; ++i)
    if (!is_predefined(recipe->types[i]))
      sw_pmpi.Type_free(&recipe->types[i]);
  free(recipe->ints);
  free(recipe->addresses);
  free(recipe->types);
}

/* Reads how a derived datatype was made; 0 if that cannot be told. */
static int read_recipe(MPI_Datatype type, struct recipe *recipe) {
  *recipe = (struct recipe){.combiner = MPI_COMBINER_NAMED};
  if (sw_pmpi.Type_get_envelope(type, &recipe->int_count, &recipe->address_count, &recipe->type_count,
                                &recipe->combiner) != MPI_SUCCESS ||
      recipe->combiner == MPI_COMBINER_NAMED || recipe->int_count < 0 || recipe->int_count > MOST_NUMBERS ||
      recipe->address_count < 0 || recipe->address_count > MOST_NUMBERS || recipe->type_count < 1 ||
      recipe->type_count > MOST_NUMBERS)
    return 0;
  recipe->ints = malloc(((size_t)recipe->int_count + 1) * sizeof *recipe->ints);
  recipe->addresses = malloc(((size_t)recipe->address_count + 1) * sizeof *recipe->addresses);
  MPI_Datatype *types = malloc((size_t)recipe->type_count * sizeof *types);
  if (!recipe->ints || !recipe->addresses || !types ||
      sw_pmpi.Type_get_contents(type, recipe->int_count, recipe->address_count, recipe->type_count, recipe->ints,
                                recipe->addresses, types) != MPI_SUCCESS) {
    free(types);
    forget_recipe(recipe);
    return 0;
  }
  recipe->types = types; /* only now are there handles in it to be freed */
  return 1;
}

/* Blocks of one dense datatype, which touch where one begins at the end of the one before. */
static uint64_t separate_blocks(const struct recipe *recipe, MPI_Aint extent) {
  const int *lengths = recipe->ints + 1, *displacements = NULL;
  int count = recipe->ints[0], same_length = 0;
  MPI_Aint unit = 1;
  switch (recipe->combiner) {
  case MPI_COMBINER_INDEXED:
    displacements = recipe->ints + 1 + count;
    unit = extent;
    break;
  case MPI_COMBINER_INDEXED_BLOCK:
    same_length = 1;
    displacements = recipe->ints + 2;
    unit = extent;
    break;
  case MPI_COMBINER_HINDEXED_BLOCK:
    same_length = 1;
    break;
  default:
    break;
  }
  uint64_t pieces = 0;
  MPI_Aint end = 0;
  for (int i = 0; i < count; ++i) {
    int length = lengths[same_length ? 0 : i];
    if (length <= 0)
      continue;
    MPI_Aint begin = displacements ? displacements[i] * unit : recipe->addresses[i];
    pieces += !pieces || begin != end;
    end = begin + length * extent;
  }
  return pieces;
}

static uint64_t total_length(const struct recipe *recipe) {
  int same_length = recipe->combiner == MPI_COMBINER_INDEXED_BLOCK || recipe->combiner == MPI_COMBINER_HINDEXED_BLOCK;
  uint64_t total = 0;
  for (int i = 0; i < recipe->ints[0]; ++i)
    total += (uint64_t)recipe->ints[1 + (same_length ? 0 : i)];
  return total;
}

static uint64_t members(const struct recipe *recipe, int nesting) {
  uint64_t pieces = 0;
  MPI_Aint end = 0;
  int touching = 0; /* what came last was a dense run up to `end` */
  for (int i = 0; i < recipe->ints[0]; ++i) {
    MPI_Aint extent;
    int length = recipe->ints[1 + i];
    if (length <= 0)
      continue;
    if (!is_dense(recipe->types[i], &extent)) {
      pieces = plus(pieces, times((uint64_t)length, pieces_of(recipe->types[i], nesting)));
      touching = 0;
      continue;
    }
    pieces = plus(pieces, !touching || recipe->addresses[i] != end);
    end = recipe->addresses[i] + length * extent;
    touching = 1;
  }
  return pieces;
}

/* A box in an array: one run along all indices that it fills, and one piece for each of the others' values. */
static uint64_t box(const struct recipe *recipe, int dense) {
  int dimensions = recipe->ints[0];
  const int *sizes = recipe->ints + 1, *subsizes = sizes + dimensions;
  int fortran = recipe->ints[1 + 3 * dimensions] == MPI_ORDER_FORTRAN, in_run = dense;
  uint64_t pieces = 1;
  for (int i = 0; i < dimensions; ++i) {
    int d = fortran ? i : dimensions - 1 - i; /* the fastest index first */
    if (!in_run)
      pieces = times(pieces, (uint64_t)subsizes[d]);
    in_run &= subsizes[d] == sizes[d];
  }
  return pieces;
}

/* The pieces of a derived datatype; `inner` are those of each element that it is made of. */
static uint64_t combined(const struct recipe *recipe, int nesting) {
  MPI_Aint extent;
  if (recipe->combiner == MPI_COMBINER_STRUCT)
    return members(recipe, nesting);
  int dense = is_dense(recipe->types[0], &extent);
  uint64_t inner = dense ? 1 : pieces_of(recipe->types[0], nesting);
  const int *ints = recipe->ints;
  switch (recipe->combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return inner;
  case MPI_COMBINER_CONTIGUOUS:
    return dense ? ints[0] > 0 : times((uint64_t)ints[0], inner);
  case MPI_COMBINER_VECTOR:
  case MPI_COMBINER_HVECTOR: {
    MPI_Aint stride = recipe->combiner == MPI_COMBINER_VECTOR ? ints[2] * extent : recipe->addresses[0];
    if (ints[0] <= 0 || ints[1] <= 0)
      return 0;
    if (!dense)
      return times(times((uint64_t)ints[0], (uint64_t)ints[1]), inner);
    return stride == ints[1] * extent ? 1 : (uint64_t)ints[0];
  }
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED:
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    return dense ? separate_blocks(recipe, extent) : times(total_length(recipe), inner);
  case MPI_COMBINER_SUBARRAY:
    return times(box(recipe, dense), inner);
  default:
    return UNKNOWN;
  }
}

static uint64_t pieces_of(MPI_Datatype type, int nesting) {
  struct recipe recipe;
  if (nesting >= MOST_NESTING)
    return UNKNOWN;
  if (is_predefined(type))
    return 1;
  if (!read_recipe(type, &recipe))
    return UNKNOWN;
  uint64_t pieces = combined(&recipe, nesting + 1);
  forget_recipe(&recipe);
  return pieces;
}

uint64_t sw_type_pieces(MPI_Datatype type) {
  uint64_t pieces = pieces_of(type, 0);
  return pieces == UNKNOWN ? 0 : pieces;
}
