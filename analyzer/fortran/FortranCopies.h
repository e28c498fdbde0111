// Arguments that flang's code copies before a call and back behind it.
#ifndef STRIDEWISE_FORTRAN_FORTRANCOPIES_H
#define STRIDEWISE_FORTRAN_FORTRANCOPIES_H

#include "fortran/FortranCalls.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

/// Of a function before inlining. Left out: what may be side by side after all, as arrays that pointers
/// name, and messages.
void addCopies(const llvm::Function &F, const llvm::LoopInfo &LI, Unit &U, std::vector<FortranCopy> &Out);

/// Whether it calls an intrinsic, the library of flang or of C for what the language does by itself, or a mark of ours.
bool isOfRuntime(const llvm::CallBase &Call);

} // namespace stridewise
#endif
