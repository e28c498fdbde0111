// Locks and atomic variables of the C++ library, as statements that only lock or only update.
#ifndef STRIDEWISE_OMP_STDLOCKS_H
#define STRIDEWISE_OMP_STDLOCKS_H

#include "clang/AST/Stmt.h"
#include <optional>
#include <string>

namespace stridewise {

/// A statement that declares a std::lock_guard, scoped_lock or unique_lock of one mutex, which it holds until the end
/// of the block.
bool takesScopedLock(const clang::Stmt *S);
/// The mutex of such a statement.
const clang::Expr *scopedLock(const clang::Stmt *S);

/// An update of a std::atomic whose result nobody takes.
struct StdAtomicUpdate {
  const clang::Expr *Target = nullptr; // the atomic variable
  const clang::Expr *Value = nullptr;  // null for ++ and --
  std::string Reduction;               // the operator of a reduction that does the same
};
std::optional<StdAtomicUpdate> stdAtomicUpdate(const clang::Stmt *S);

} // namespace stridewise
#endif
