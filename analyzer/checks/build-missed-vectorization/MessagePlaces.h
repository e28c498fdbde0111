// Where a unit calls MPI outside of loops, or in a loop over the ranks alone, and where its functions that communicate
// write files: in a function that the program runs once these calls cost it once.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_MESSAGEPLACES_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_MESSAGEPLACES_H

#include "loops/CallHeat.h"
#include "unit/Summary.h"
#include "unit/Unit.h"

namespace stridewise {

/// The lines of calls of MPI, of output to files, and of the helpers that lead to them, each with the functions that
/// run it, whether a loop is around some copy of it, and whether such a loop goes over the ranks alone; null where
/// there are none.
llvm::json::Value messagePlaces(Unit &U, const CallHeat &Calls);

/// Of those of all units, the ones that the whole program comes by once; a loop over the ranks where others are sent
/// again and again.
std::vector<Place> messagesSentOnce(llvm::ArrayRef<const stored::Value *> Places,
                                    llvm::ArrayRef<const stored::Value *> Calls);

} // namespace stridewise
#endif
