#include "omp/SharedLoops.h"
#include "omp/OmpRegion.h"
#include "unit/Visitor.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace stridewise {
namespace {

struct Directives : Visitor<Directives> {
  llvm::DenseMap<const Stmt *, const OMPLoopDirective *> ByLoop;
  explicit Directives(const FunctionDecl *F) { TraverseStmt(F->getBody()); }
  bool VisitOMPLoopDirective(OMPLoopDirective *D) override {
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
