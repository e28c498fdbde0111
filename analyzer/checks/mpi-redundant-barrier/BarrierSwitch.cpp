#include "checks/mpi-redundant-barrier/BarrierSwitch.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

const clang::ValueDecl *declOf(const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Member = dyn_cast<clang::MemberExpr>(E))
    return Member->getMemberDecl();
  if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E))
    return Ref->getDecl();
  return nullptr;
}

// Ranks and sizes.
struct QueryResults : Visitor<QueryResults> {
  DenseSet<const clang::ValueDecl *> Decls;
  bool VisitCallExpr(clang::CallExpr *E) override {
    const MpiSignature *Sig = findMpiCall(*E);
    if (Sig && (Sig->Traits & MpiQuery))
      for (const clang::Expr *A : E->arguments())
        if (const auto *Ref = dyn_cast<clang::UnaryOperator>(A->IgnoreParenImpCasts());
            Ref && Ref->getOpcode() == clang::UO_AddrOf)
          if (const clang::ValueDecl *D = declOf(Ref->getSubExpr()))
            Decls.insert(D);
    return true;
  }
};

} // namespace

// Whether a branch ends or repeats a loop around the block: no choice of the source.
static bool steers(const Instruction &Branch, const BasicBlock &BB, const LoopInfo &LI) {
  for (const Loop *L = LI.getLoopFor(&BB); L; L = L->getParentLoop())
    if (L->contains(&Branch) && (L->isLoopExiting(Branch.getParent()) || L->isLoopLatch(Branch.getParent())))
      return true;
  // What guards a rotated loop asks whether it has any iteration.
  for (const Loop *L = LI.getLoopFor(&BB); L; L = L->getParentLoop())
    if (const BranchInst *Guard = L->getLoopGuardBranch(); Guard == &Branch)
      return true;
  return false;
}

bool BarrierSwitch::isOptionalCode(const JudgedBarrier &J, MpiFunction &M) {
  const BasicBlock &BB = *J.Barrier->Call->getParent();
  for (const RunCondition &C : M.conditions(&BB)) {
    if (steers(*C.Branch, BB, M.engine().loops()) || (J.Around && !J.Around->contains(C.Branch)))
      continue;
    const bool AboutRanks = any_of(C.Facts, [&](const auto &Fact) {
      const auto *Compare = dyn_cast<ICmpInst>(Fact.first);
      return Compare && any_of(Compare->operands(), [&](Value *Op) {
               return M.engine().scalarEvolution().isSCEVable(Op->getType()) && M.dependsOnRank(M.engine().rewrite(Op));
             });
    });
    const bool Shared = any_of(ArrayRef({J.Before.Nearest, J.After.Nearest}), [&](const MpiSite *S) {
      return S && any_of(M.conditions(S->Call->getParent()),
                         [&](const RunCondition &O) { return O.Branch == C.Branch && O.Arm == C.Arm; });
    });
    if (!AboutRanks && !Shared)
      return true;
  }
  return false;
}

bool BarrierSwitch::isOptional(const JudgedBarrier &J, MpiFunction &M, ArrayRef<SourceFrame> Frames) {
  if (U.isFortran())
    return isOptionalCode(J, M);
  clang::SourceLocation Loop = J.Around ? U.loopLocation(J.Around) : clang::SourceLocation();
  const clang::FunctionDecl *LoopIn = Loop.isValid() ? U.functionAt(Loop) : nullptr;
  bool LoopInside = false; // in a helper further in
  for (const SourceFrame &F : Frames) {
    for (const clang::Expr *Condition : Sources.conditionsAround(F.Where)) {
      if (isAboutRanks(Condition) || LoopInside || (LoopIn == F.Function && covers(Condition, LoopIn, Loop)))
        continue;
      bool Shared = false;
      for (const MpiSite *S : {J.Before.Nearest, J.After.Nearest})
        if (S)
          for (const SourceFrame &Other : Sources.frames(*S->Call))
            Shared |= Other.Function == F.Function && covers(Condition, F.Function, Other.Where);
      if (!Shared)
        return true;
    }
    LoopInside |= LoopIn && LoopIn == F.Function;
  }
  return false;
}

bool BarrierSwitch::covers(const clang::Expr *Condition, const clang::FunctionDecl *In, clang::SourceLocation Where) {
  return In && is_contained(Sources.conditionsAround(Where), Condition);
}

bool BarrierSwitch::isAboutRanks(const clang::Expr *Condition) {
  if (!Queried) {
    QueryResults Q;
    for (clang::Decl *D : ownDecls(U.ast()))
      Q.TraverseDecl(D);
    Queried = std::move(Q.Decls);
  }
  struct Finder : Visitor<Finder> {
    const DenseSet<const clang::ValueDecl *> &Decls;
    bool Found = false;
    explicit Finder(const DenseSet<const clang::ValueDecl *> &Decls) : Decls(Decls) {}
    bool VisitExpr(clang::Expr *E) override {
      if (const clang::ValueDecl *D = declOf(E))
        Found |= Decls.contains(D);
      Found |= isCommunicatorType(E->getType());
      return !Found;
    }
  } F(*Queried);
  F.TraverseStmt(const_cast<clang::Expr *>(Condition));
  return F.Found;
}

} // namespace stridewise
