// Do the iterations of a loop stay apart from each other when the loops around it change their order?
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_LOOPINDEPENDENCE_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_LOOPINDEPENDENCE_H

#include "loops/LoopNest.h"

namespace stridewise {

/// Do the iterations of the loop of level `Shared` stay independent of each other when the loop of `Level`, which is
/// around it, becomes the innermost one? Threads divide the shared loop: what the outer loop kept in order until now
/// (the fronts of a wavefront, steps in time) would then be divided, too.
bool staysIndependent(const LoopNest &N, unsigned Level, unsigned Shared, StrideEngine &Engine);
/// Are the iterations of the innermost loop independent of each other, whatever those of the loops up to `Level` around
/// it are at? Takes arrays of different base for distinct. Threads may then divide it.
/// \param IsShared threads divide the loop of `Level` now: what all of its iterations meet in, a sum or a number in
/// memory, is made right by something that does the same for the other loop.
bool isInnerIndependent(const LoopNest &N, unsigned Level, StrideEngine &Engine, bool IsShared = false);

} // namespace stridewise
#endif
