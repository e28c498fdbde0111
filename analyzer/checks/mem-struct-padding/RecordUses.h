// What a unit does with each record type: where many of them exist, and which fields it names.
#ifndef STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_RECORDUSES_H
#define STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_RECORDUSES_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <string>

namespace stridewise {

struct RecordUse {
  enum Multiplicity {
    Single,  // nothing says that there are many
    Indexed, // a pointer to the record is indexed or advanced: an array whose allocation is elsewhere
    Many     // element of an array, an allocation or a container
  } Count = Single;
  clang::SourceLocation Where;           // that array or allocation
  std::string What;                      // "array of 4096", "allocation", "std::vector"
  std::optional<std::uint64_t> Elements; // of the largest array, when constant
};

struct RecordUses {
  llvm::DenseMap<const clang::RecordDecl *, RecordUse> Of; // by definition
  llvm::DenseSet<const clang::FieldDecl *> Referenced;     // canonical fields that some expression names

  /// Reads the user's part of the unit: declarations outside system headers.
  explicit RecordUses(clang::ASTContext &Ctx);
};

} // namespace stridewise
#endif
