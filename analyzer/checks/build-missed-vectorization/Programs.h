// Which units make up which program, where a compile database has several: no command of it says what is linked.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_PROGRAMS_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_PROGRAMS_H

#include "unit/Summary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace stridewise {

/// A unit as programs are made of it.
struct ProgramUnit {
  std::string File;
  const stored::Value *Calls = nullptr;  // CallHeat::toJson, or null
  const stored::Value *Depths = nullptr; // nestDepths, or null
};

/// The units of each program, by their numbers: those that its `main` reaches by calls. A function that several units
/// have is the caller's own, else that of the unit in the folder nearest to `main`; where several are as near, none.
/// All units are one program's if one alone has a `main`; without any there is none.
std::vector<std::vector<unsigned>> programsOf(llvm::ArrayRef<ProgramUnit> Units);

/// The places that `Judge` finds in each program of which their unit is a part, by what the program's units say of them
/// (`Said`, by unit: objects with a "place") and by their calls.
std::vector<Place> placesInAll(llvm::ArrayRef<std::vector<unsigned>> Programs, llvm::ArrayRef<ProgramUnit> Units,
                               llvm::ArrayRef<const stored::Value *> Said,
                               llvm::function_ref<std::vector<Place>(llvm::ArrayRef<const stored::Value *> Said,
                                                                     llvm::ArrayRef<const stored::Value *> Calls)>
                                   Judge);

} // namespace stridewise
#endif
