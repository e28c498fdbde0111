// flang's code, made ready for the engines: dummy arguments have the names of the source, and arrays of assumed shape
// are taken to be contiguous along their first index.
#ifndef STRIDEWISE_FORTRAN_FORTRANCODE_H
#define STRIDEWISE_FORTRAN_FORTRANCODE_H

#include "llvm/IR/Module.h"

namespace stridewise {

/// \param InAnyOrder the build lets the compiler reorder floating-point operations.
void prepareFortran(llvm::Module &M, bool InAnyOrder = false);

/// Whether the address rests on that assumption: its array is of assumed shape.
bool isAssumedShape(const llvm::Value *Pointer);

} // namespace stridewise
#endif
