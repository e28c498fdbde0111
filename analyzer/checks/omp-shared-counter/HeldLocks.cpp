#include "checks/omp-shared-counter/RegionUpdates.h"
#include "library/LibraryCalls.h"
#include "unit/Visitor.h"

using namespace clang;

namespace stridewise {
namespace {

// Locks, and code that may hold one, in a statement; functions of the unit are looked into.
struct LockFinder : Visitor<LockFinder> {
  bool Found = false;
  unsigned Depth;
  explicit LockFinder(unsigned Depth) : Depth(Depth) {}
  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee(), *Body = nullptr;
    const LibraryCall *Known = findLibraryCall(C);
    Found |= Known && Known->does(LibLocks);
    if (!Found && Depth && F && !Known && F->hasBody(Body) && Body->getBody()) {
      LockFinder Inner(Depth - 1);
      Inner.TraverseStmt(Body->getBody());
      Found |= Inner.Found;
    }
    return !Found;
  }
  bool VisitVarDecl(VarDecl *V) override {
    const auto *R = V->getType()->getAsCXXRecordDecl(); // std::lock_guard, std::unique_lock, …
    Found |= R && R->isInStdNamespace() && R->getIdentifier() && R->getName().contains("lock");
    return !Found;
  }
};

} // namespace

bool mayHoldLock(const Stmt *S) {
  LockFinder Locks(DeepestSharedCall);
  Locks.TraverseStmt(const_cast<Stmt *>(S));
  return Locks.Found;
}

} // namespace stridewise
