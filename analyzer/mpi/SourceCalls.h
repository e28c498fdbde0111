// Where the calls of the IR were written.
#ifndef STRIDEWISE_MPI_SOURCECALLS_H
#define STRIDEWISE_MPI_SOURCECALLS_H

#include "unit/Unit.h"
#include "llvm/IR/InstrTypes.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stridewise {

/// A call as it is written, and the function around it.
struct SourceFrame {
  clang::SourceLocation Where;
  const clang::FunctionDecl *Function = nullptr;
  const clang::CallExpr *Call = nullptr; // null when no call stands there
};

/// Finds the source of inlined calls.
class SourceCalls {
public:
  explicit SourceCalls(Unit &U) : U(U) {}
  /// The call as written first, then the calls of the helpers that contain it, out to the function that was emitted.
  /// Frames in system headers are left out.
  std::vector<SourceFrame> frames(const llvm::CallBase &C);
  /// The text of argument `Position` of the innermost call, in the terms of frame `Level`: parameters of helpers are
  /// replaced by what was passed for them. Empty when the text is not plain.
  std::string argumentText(llvm::ArrayRef<SourceFrame> Frames, int Position, std::size_t Level);
  /// The `if`, `switch` and `?:` conditions around a place, within its function.
  std::vector<const clang::Expr *> conditionsAround(clang::SourceLocation Where);

private:
  struct FunctionIndex;
  const FunctionIndex &index(const clang::FunctionDecl *F);
  std::string text(const clang::Expr *E);
  Unit &U;
  std::map<const clang::FunctionDecl *, std::shared_ptr<FunctionIndex>> Indices;
};

/// The variable that a loop advances, or the first one that its condition names: "i" of `for (int i = …`. May be empty.
std::string loopVariable(const clang::Stmt *Loop);

} // namespace stridewise
#endif
