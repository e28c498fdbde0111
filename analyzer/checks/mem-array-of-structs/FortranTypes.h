// Where a Fortran file declares the derived types of its modules.
#ifndef STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_FORTRANTYPES_H
#define STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_FORTRANTYPES_H

#include "unit/Summary.h"
#include "unit/Unit.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>

namespace stridewise {

/// The places of the declarations by the types' symbols, as Record::Symbol has them; null where there are none.
llvm::json::Value fortranTypePlaces(Unit &U);

/// The same of all units, from those values.
std::map<std::string, Place> fortranTypePlaces(llvm::ArrayRef<const stored::Value *> OfUnits);

} // namespace stridewise
#endif
