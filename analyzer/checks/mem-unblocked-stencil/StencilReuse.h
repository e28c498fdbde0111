// Data that a loop nest needs again one iteration of an outer loop later: the rows and planes around a stencil's
// centre, and how many bytes pass through the cache in between.
#ifndef STRIDEWISE_CHECKS_MEM_UNBLOCKED_STENCIL_STENCILREUSE_H
#define STRIDEWISE_CHECKS_MEM_UNBLOCKED_STENCIL_STENCILREUSE_H

#include "loops/LoopNest.h"

namespace stridewise {

struct StencilReuse {
  unsigned Level = 0;                // of the loop that comes back to the data, 1 for the one around the innermost
  const Reference *Widest = nullptr; // of the array with the most rows or planes
  unsigned Planes = 0;               // of that array, side by side along the loop
  unsigned AllPlanes = 0;            // of all arrays
  unsigned Arrays = 0;
  /// Bytes that pass before the data is needed again; 0 when no size is known.
  double BytesBetween = 0;
  /// Bytes of AllPlanes per iteration of the loop just within (Level - 1): what a block of that loop costs each.
  double BytesPerStep = 0;
  bool Exact = false; // from the loops' lengths, not from the declared size of rows
};

/// What each outer loop of the nest comes back to, innermost first. Empty when the nest is no stencil in the order of
/// memory, when it is blocked, or when it updates an array in place.
std::vector<StencilReuse> stencilReuse(const LoopNest &N, StrideEngine &Engine);

} // namespace stridewise
#endif
