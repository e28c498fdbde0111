// Arrays of common blocks and modules as their declarations have them: names, dimensions, and where they stand, in
// files that are included, too.
#ifndef STRIDEWISE_FORTRAN_DECLAREDARRAYS_H
#define STRIDEWISE_FORTRAN_DECLAREDARRAYS_H

#include "unit/Unit.h"
#include "llvm/IR/Instruction.h"

namespace stridewise {

struct DeclaredArray {
  std::string Name, File;
  unsigned Line = 0;                           // of the text that declares it
  std::uint64_t ElementBytes = 0;              // 0 where that is not known
  llvm::SmallVector<std::uint64_t, 4> Extents; // the first dimension first; empty where one is not known
  const llvm::DISubprogram *In = nullptr;      // the procedure that sees it; null for what a module holds
  /// Number of elements that lie so many bytes apart; 0 where no dimension has that step.
  std::uint64_t extentOf(std::uint64_t StepBytes) const;
};

/// What a function's access goes to; nothing where that is no static variable that the code describes.
std::optional<DeclaredArray> declaredArray(const llvm::Instruction &Access);

/// Where that is declared, in the unit's file or in one that it includes; invalid where neither is known to do it.
clang::SourceLocation placeOf(const DeclaredArray &A, Unit &U);

} // namespace stridewise
#endif
