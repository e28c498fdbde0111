// Derived types of Fortran: their components, as flang's code has them, and where their declarations stand.
#ifndef STRIDEWISE_FORTRAN_DERIVEDTYPES_H
#define STRIDEWISE_FORTRAN_DERIVEDTYPES_H

#include "unit/Summary.h"
#include "unit/Unit.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>
#include <vector>

namespace stridewise {

struct FortranComponent {
  std::string Name;
  std::uint64_t Begin = 0, Bytes = 0, Alignment = 1;
  bool Numbers = false; // floating-point numbers, or another type
};

struct DerivedType {
  std::string Name, Symbol; // "particle", "_QMparticlesTparticle"
  std::uint64_t Bytes = 0;
  std::vector<FortranComponent> Components;
};

/// The types of modules that the unit's code uses, but for those with components that are allocated or pointers.
std::vector<DerivedType> derivedTypes(Unit &U);

/// The statement that declares a type of a module.
struct TypeDeclaration {
  std::string Symbol;
  const struct FortranStatement *At = nullptr;
  bool HasOrder = false; // `sequence`, `bind(c)`: the order of its components is known elsewhere, too
};
/// Of the unit's file.
std::vector<TypeDeclaration> typeDeclarations(Unit &U);

/// The places where modules, and types in them, declare arrays of records, by the types' names; null where there are
/// none.
llvm::json::Value fortranRecordArrays(Unit &U);

/// The places of these declarations by the types' symbols; null where there are none.
llvm::json::Value fortranTypePlaces(Unit &U);
/// The same of all units, from those values.
std::map<std::string, Place> fortranTypePlaces(llvm::ArrayRef<const stored::Value *> OfUnits);

} // namespace stridewise
#endif
