#include "checks/omp-critical-section/LockChoice.h"
#include "library/LibraryCalls.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

// Copies of copies that are followed to what an index is computed from.
constexpr unsigned MaxSteps = 8;

class Choice {
public:
  Choice(const SectionReach &At, const FunctionDecl &In, const ASTContext &Ctx)
      : At(At), Ctx(Ctx), Region(At.Region ? constructBody(*At.Region) : In.getBody()) {
    collect(Region);
  }

  // Whether the value or the place of the expression may differ from thread to thread, or from time to time.
  bool varies(const Expr *E, unsigned Steps = MaxSteps) const {
    if (!E || !Steps)
      return Steps == 0;
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      return variesVariable(D->getDecl(), Steps);
    if (isa<CXXThisExpr>(E)) {
      const auto *C = dyn_cast_or_null<CXXMemberCallExpr>(At.Call);
      return C && varies(C->getImplicitObjectArgument(), Steps - 1);
    }
    if (const auto *C = dyn_cast<CallExpr>(E)) {
      const CallEffect Effect = effectOf(C->getDirectCallee(), Ctx);
      // The thread's number, the next random number.
      if (C->getNumArgs() == 0 && !isa<CXXMemberCallExpr>(C))
        return Effect != CallEffect::Nothing || findLibraryCall(C);
    }
    return llvm::any_of(E->children(), [&](const Stmt *X) {
      const auto *Part = dyn_cast_or_null<Expr>(X);
      return Part && varies(Part, Steps);
    });
  }

  // The most that an index can choose among: the length of the array, a remainder's or a mask's bound.
  std::optional<std::int64_t> most(const Expr *E, unsigned Steps = MaxSteps) const {
    E = E ? E->IgnoreParenCasts() : nullptr;
    if (!E || !Steps)
      return std::nullopt;
    // A pointer or reference to one of them.
    if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      return V && V->hasInit() && !Assigned.contains(V->getCanonicalDecl()) ? most(V->getInit(), Steps - 1)
                                                                            : std::nullopt;
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      const std::optional<std::int64_t> Index = choices(A->getIdx(), Steps);
      const auto *Array = Ctx.getAsConstantArrayType(A->getBase()->IgnoreParenImpCasts()->getType());
      return Array ? std::min<std::int64_t>(Array->getSize().getLimitedValue(INT64_MAX), Index.value_or(INT64_MAX))
                   : Index;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      return choices(B->getRHS(), Steps);
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return most(M->getBase(), Steps - 1);
    if (const auto *U = dyn_cast<UnaryOperator>(E))
      return most(U->getSubExpr(), Steps - 1);
    if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E); C && C->getOperator() == OO_Subscript && C->getNumArgs() == 2)
      return choices(C->getArg(1), Steps);
    return std::nullopt;
  }

private:
  std::optional<std::int64_t> choices(const Expr *E, unsigned Steps) const {
    E = E->IgnoreParenCasts();
    if (const auto *D = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && V->hasInit() && Steps)
        return choices(V->getInit(), Steps - 1);
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || (B->getOpcode() != BO_Rem && B->getOpcode() != BO_And))
      return std::nullopt;
    std::optional<std::int64_t> Bound;
    for (const Expr *Side : {B->getRHS(), B->getLHS()}) {
      Expr::EvalResult R;
      if (!Side->isValueDependent() && Side->EvaluateAsInt(R, Ctx) && (Side == B->getRHS() || B->getOpcode() == BO_And))
        Bound = std::min(Bound.value_or(INT64_MAX), R.Val.getInt().getExtValue() + (B->getOpcode() == BO_And));
    }
    return Bound;
  }

  bool variesVariable(const ValueDecl *D, unsigned Steps) const {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V)
      return false;
    V = V->getCanonicalDecl();
    if (Assigned.contains(V))
      return true;
    if (const auto *P = dyn_cast<ParmVarDecl>(V)) {
      // Of the function that the region calls: what the call passes.
      const unsigned I = P->getFunctionScopeIndex();
      const FunctionDecl *Callee = At.Call ? At.Call->getDirectCallee() : nullptr;
      const auto *In = dyn_cast<FunctionDecl>(P->getDeclContext());
      if (!Callee || !In || In->getCanonicalDecl() != Callee->getCanonicalDecl())
        return false;
      const unsigned First = isa<CXXOperatorCallExpr>(At.Call) && isa<CXXMethodDecl>(Callee);
      return I + First < At.Call->getNumArgs() && varies(At.Call->getArg(I + First), Steps - 1);
    }
    if (!V->hasLocalStorage() || V->getType()->isReferenceType())
      return V->hasLocalStorage() && varies(V->getInit(), Steps - 1);
    // A variable of the region, or of the function that it calls, is set anew each time.
    const bool Inside = !At.Direct || Ctx.getSourceManager().isPointWithin(V->getLocation(), Region->getBeginLoc(),
                                                                           Region->getEndLoc());
    return Inside && (!V->hasInit() || varies(V->getInit(), Steps - 1));
  }

  void collect(const Stmt *S) {
    if (!S)
      return;
    const Expr *Target = nullptr;
    if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      Target = B->getLHS();
    else if (const auto *U = dyn_cast<UnaryOperator>(S);
             U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
      Target = U->getSubExpr();
    else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(S);
             C && C->getNumArgs() && (C->isAssignmentOp() || C->getOperator() == OO_PlusPlus))
      Target = C->getArg(0);
    else if (const auto *R = dyn_cast<CXXForRangeStmt>(S))
      Assigned.insert(R->getLoopVariable()->getCanonicalDecl());
    if (const auto *D = dyn_cast_or_null<DeclRefExpr>(Target ? Target->IgnoreParenImpCasts() : nullptr))
      // The address of the lock itself is what taking it needs.
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl());
          V && !isa<RecordType>(V->getType().getCanonicalType()) && (!isa<UnaryOperator>(S) || isNumber(*V)))
        Assigned.insert(V->getCanonicalDecl());
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      return collect(constructBody(*D));
    for (const Stmt *X : S->children())
      collect(X);
  }
  static bool isNumber(const VarDecl &V) { return V.getType()->isArithmeticType() || V.getType()->isPointerType(); }

  const SectionReach &At;
  const ASTContext &Ctx;
  const Stmt *Region;
  llvm::DenseSet<const VarDecl *> Assigned;
};

} // namespace

bool isOneOfMany(const LockedUpdates &L, const SectionReach &At, double MinLocks, const ASTContext &Ctx) {
  if (!L.Lock || !L.isLock())
    return false;
  const Choice C(At, *L.Site->In, Ctx);
  if (!C.varies(L.Lock))
    return false;
  const std::optional<std::int64_t> Most = C.most(L.Lock);
  return !Most || static_cast<double>(*Most) >= MinLocks;
}

} // namespace stridewise
