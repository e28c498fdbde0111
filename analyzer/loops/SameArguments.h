// Whether the iterations of a loop call a function for the same data.
#ifndef STRIDEWISE_LOOPS_SAMEARGUMENTS_H
#define STRIDEWISE_LOOPS_SAMEARGUMENTS_H

#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace stridewise {

class SameArguments {
public:
  explicit SameArguments(const clang::SourceManager &SM) : SM(SM) {}

  /// Whether nothing that the call passes, its object included, is another one in each iteration of the loop around it,
  /// or a buffer that the iteration fills. Floating-point numbers (the time of a step) choose no data, and pointers
  /// that change places are the same pair.
  bool hold(const clang::Expr *Call, const clang::Stmt *Loop);

private:
  using Variables = llvm::DenseSet<const clang::VarDecl *>;
  const clang::SourceManager &SM;
  llvm::DenseMap<const clang::Stmt *, Variables> Changed;
};

} // namespace stridewise
#endif
