// The size that a record's fields need, in the order they have and in the best one, and the edit that reorders them.
#ifndef STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_RECORDLAYOUT_H
#define STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_RECORDLAYOUT_H

#include "unit/Finding.h"
#include "clang/AST/ASTContext.h"
#include <optional>

namespace stridewise {

struct FieldOrder {
  std::uint64_t SizeBytes = 0, BestSizeBytes = 0;
  std::vector<const clang::FieldDecl *> Best; // the fields in the better order
};

/// Null when the record has no layout of its own to choose: dependent, union, packed, with explicit
/// alignment, bit-fields without a name, or a flexible array member.
std::optional<FieldOrder> bestFieldOrder(const clang::RecordDecl *R, clang::ASTContext &Ctx);

/// The bytes of padding behind a field, in the order that the fields have; only of those that have some.
struct Padding {
  const clang::FieldDecl *Behind;
  std::uint64_t Bytes;
};
std::vector<Padding> paddingOf(const clang::RecordDecl *R, const clang::ASTContext &Ctx);

/// The edit that writes the declarations of the fields in that order, each with its comments. Null when the text does
/// not allow it: preprocessor lines or macros among them, several fields in one declaration, other members between.
std::optional<Edit> reorderEdit(const clang::RecordDecl *R, llvm::ArrayRef<const clang::FieldDecl *> Order,
                                clang::ASTContext &Ctx);

/// The record definitions of user code, also those local to functions and those that templates made; no closures.
std::vector<const clang::RecordDecl *> recordDefinitions(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
