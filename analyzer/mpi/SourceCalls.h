// Where the calls of the IR were written.
#ifndef STRIDEWISE_MPI_SOURCECALLS_H
#define STRIDEWISE_MPI_SOURCECALLS_H

#include "unit/Unit.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/IR/InstrTypes.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stridewise {

struct FortranStatement;

/// A call as it is written, and the function around it.
struct SourceFrame {
  clang::SourceLocation Where;
  const clang::FunctionDecl *Function = nullptr;
  const clang::CallExpr *Call = nullptr; // null when no call stands there
  const llvm::CallBase *Code = nullptr;  // of the innermost frame: the call of MPI
  // In Fortran, instead of these:
  const llvm::DISubprogram *Procedure = nullptr;
  const FortranStatement *Statement = nullptr;
  std::string ProcedureName;
  clang::SourceRange ProcedureRange;

  /// The same for all frames of one function.
  const void *around() const { return Function ? static_cast<const void *>(Function) : Procedure; }
  /// The function's name, and where it stands; the call's place.
  std::string function() const { return Procedure ? ProcedureName : Unit::functionName(Function); }
  clang::SourceRange scope() const { return Function ? Function->getSourceRange() : ProcedureRange; }
  clang::SourceRange range() const { return Call ? Call->getSourceRange() : clang::SourceRange(Where); }
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
  std::vector<SourceFrame> fortranFrames(const llvm::CallBase &C);
  struct FunctionIndex;
  const FunctionIndex &index(const clang::FunctionDecl *F);
  std::string text(const clang::Expr *E);
  Unit &U;
  std::map<const clang::FunctionDecl *, std::shared_ptr<FunctionIndex>> Indices;
};

/// The variable that a loop advances, or the first one that its condition names: "i" of `for (int i = …`. May be empty.
std::string loopVariable(const clang::Stmt *Loop);
std::string loopVariable(const llvm::Loop *L, Unit &U);
/// The loop's statement, header and body; invalid where the source has none.
clang::SourceRange loopRange(const llvm::Loop *L, Unit &U);

} // namespace stridewise
#endif
