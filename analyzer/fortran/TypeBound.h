// Procedures that are called by the name of a type's binding, `call solver%advance(dt)`: flang looks them up in a table
// of the object's type.
#ifndef STRIDEWISE_FORTRAN_TYPEBOUND_H
#define STRIDEWISE_FORTRAN_TYPEBOUND_H

#include "unit/Unit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

/// The procedures that such a call may mean, as far as the unit has types with that binding; none for other calls.
llvm::SmallVector<llvm::Function *, 2> boundProcedures(const llvm::CallBase &C, Unit &U);

/// Where there is but one, it is called directly. Types of other units may extend this one and have another.
void callBoundProcedures(llvm::Module &M, Unit &U);

} // namespace stridewise
#endif
