#include "core/SharedLoops.h"
#include "core/OmpRegion.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace stridewise {
namespace {

struct Directives : RecursiveASTVisitor<Directives> {
  llvm::DenseMap<const Stmt *, const OMPLoopDirective *> ByLoop;
  explicit Directives(const FunctionDecl *F) { TraverseStmt(F->getBody()); }
  bool VisitOMPLoopDirective(OMPLoopDirective *D) {
    for (const Stmt *Loop : sharedLoops(*D))
      ByLoop[Loop] = D;
    return true;
  }
};

} // namespace

const OMPLoopDirective *sharingDirective(const Stmt *Loop, Unit &U) {
  const FunctionDecl *F = Loop && U.ast().getLangOpts().OpenMP ? U.functionAt(Loop->getBeginLoc()) : nullptr;
  if (!F || !F->hasBody())
    return nullptr;
  const Directives D(F);
  return D.ByLoop.lookup(Loop);
}

} // namespace stridewise
