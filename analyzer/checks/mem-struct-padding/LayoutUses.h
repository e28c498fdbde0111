// What of a unit depends on the order of a record's fields: what breaks under another order, what might, and by which
// names other units know the record.
#ifndef STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_LAYOUTUSES_H
#define STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_LAYOUTUSES_H

#include "checks/mem-struct-padding/RecordLayout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace stridewise {

struct LayoutUse {
  clang::SourceLocation Where;
  std::string Why;
  bool Breaks = false; // with another order the program computes something else, or does not compile; else it might
};

/// A function or variable of external linkage that this unit defines or uses.
struct ExternalSymbol {
  std::string Name; // mangled
  std::string Shown;
  bool Defined = false;
  llvm::SmallVector<const clang::RecordDecl *, 2> Reaches; // improvable records that its type leads to
};

struct LayoutUses {
  llvm::MapVector<const clang::RecordDecl *, FieldOrder> Improvable; // by definition
  llvm::DenseMap<const clang::RecordDecl *, std::vector<LayoutUse>> Of;
  std::vector<ExternalSymbol> Symbols; // those of pointers, arrays and records
  bool HasMain = false;

  /// Reads the user's part of the unit. `Records` are its record definitions.
  LayoutUses(clang::ASTContext &Ctx, llvm::ArrayRef<const clang::RecordDecl *> Records);

  /// The first use that breaks, or null; then the first that might.
  const LayoutUse *worst(const clang::RecordDecl *R) const;
};

} // namespace stridewise
#endif
