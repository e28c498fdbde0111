#include "checks/omp-shared-counter/KeptScratch.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "library/LibraryCalls.h"
#include "unit/Visitor.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace stridewise {
namespace {

// Operations that tell one thread that it was the first: of them locks are made.
bool takesTurns(StringRef Operation) {
  return Operation.contains("exchange") || Operation.contains("compare") || Operation.contains("test_and_set");
}

// Locks, code that may hold one or make one, in a statement; functions of the unit are looked into.
struct LockFinder : Visitor<LockFinder> {
  using Depths = llvm::DenseMap<const FunctionDecl *, unsigned>;
  bool Found = false;
  unsigned Depth;
  Depths &Searched;
  LockFinder(unsigned Depth, Depths &Searched) : Depth(Depth), Searched(Searched) {}

  void lookInto(const FunctionDecl *F) {
    const FunctionDecl *Body = nullptr;
    if (Found || !Depth || !F || !F->hasBody(Body) || !Body->getBody())
      return;
    unsigned &Before = Searched[Body];
    if (Before >= Depth)
      return;
    Before = Depth;
    LockFinder Inner(Depth - 1, Searched);
    Inner.TraverseStmt(Body->getBody());
    Found |= Inner.Found;
  }

  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    const LibraryCall *Known = findLibraryCall(C);
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    const bool OfLibrary = F && (F->getBuiltinID() || (Method && Method->isInStdNamespace()));
    Found |= (Known && Known->does(LibLocks)) || (OfLibrary && F->getIdentifier() && takesTurns(F->getName()));
    if (!Known)
      for (const FunctionDecl *Each : calledFunctions(*C))
        lookInto(Each);
    return !Found;
  }
  bool VisitAtomicExpr(AtomicExpr *A) override {
    Found |= A->isCmpXChg() || A->getOp() == AtomicExpr::AO__c11_atomic_exchange ||
             A->getOp() == AtomicExpr::AO__atomic_exchange || A->getOp() == AtomicExpr::AO__atomic_exchange_n;
    return !Found;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *C) override {
    lookInto(C->getConstructor());
    return !Found;
  }
  bool VisitVarDecl(VarDecl *V) override {
    const auto *R = V->getType()->getAsCXXRecordDecl();
    if (!R || !R->hasDefinition())
      return true;
    if (R->isInStdNamespace()) { // std::lock_guard, std::unique_lock, …
      Found |= R->getIdentifier() && R->getName().contains("lock");
    } else if (const CXXDestructorDecl *End = R->hasUserDeclaredDestructor() ? R->getDestructor() : nullptr) {
      const FunctionDecl *Body = nullptr;
      Found |= !End->isDefaulted() && !End->hasBody(Body); // may give back what the constructor has taken
      lookInto(End);
    }
    return !Found;
  }

  // Loops that wait for another thread: they do nothing, or yield.
  void waits(const Expr *Condition, const Stmt *Body) {
    if (const auto *Block = dyn_cast<CompoundStmt>(Body); Block && Block->size() <= 1)
      Body = Block->body_empty() ? nullptr : Block->body_front();
    const auto *E = dyn_cast_or_null<Expr>(Body);
    const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
    Found |= Condition && (!Body || isa<NullStmt>(Body) || (Call && Call->getNumArgs() == 0));
  }
  bool VisitWhileStmt(WhileStmt *W) override {
    waits(W->getCond(), W->getBody());
    return !Found;
  }
  bool VisitDoStmt(DoStmt *D) override {
    waits(D->getCond(), D->getBody());
    return !Found;
  }
  bool VisitForStmt(ForStmt *F) override {
    if (!F->getInc())
      waits(F->getCond(), F->getBody());
    return !Found;
  }
};

} // namespace

bool mayTakeLock(const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
  return Call && !findLibraryCall(Call) && (!Call->getDirectCallee() || !Call->getDirectCallee()->hasBody());
}

bool mayHoldLock(const Stmt *S) {
  LockFinder::Depths Searched;
  LockFinder Locks(DeepestSharedCall + 1, Searched);
  Locks.TraverseStmt(const_cast<Stmt *>(S));
  return Locks.Found;
}

} // namespace stridewise
