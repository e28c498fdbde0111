// What a loop order fetches when neighbouring sweeps share lines: the yardstick that a cache run is held against.
#ifndef STRIDEWISE_LOOPS_LOOPREUSE_H
#define STRIDEWISE_LOOPS_LOOPREUSE_H

#include "loops/LoopNest.h"

namespace stridewise {

/// Cache lines that each group of N fetches per iteration of the effective innermost loop, when the loop of this level
/// runs innermost and the cache keeps a few sweeps of it: references a few rows, or an unknown number of cells, apart
/// find the lines that another one fetched, and count once together; planes of an array are fetched each.
std::vector<double> fetchedLines(const LoopNest &N, unsigned Level, StrideEngine &Engine);

} // namespace stridewise
#endif
