// Assignments of array sections that flang leaves to its library, as loops.
#ifndef STRIDEWISE_FORTRAN_ARRAYASSIGNMENTS_H
#define STRIDEWISE_FORTRAN_ARRAYASSIGNMENTS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

/// Where flang cannot see that both sides of an assignment lie apart, it puts the right side into memory of its own and
/// calls the library, which copies elements by the two descriptors. Builds with other compilers have loops there. Left
/// alone: allocatable arrays, which an assignment may allocate anew, and elements that are no numbers.
void expandAssignments(llvm::Function &F);

/// Whether the call allocates or frees the memory of such a right side.
bool isOfTemporary(const llvm::CallBase &Call);

} // namespace stridewise
#endif
