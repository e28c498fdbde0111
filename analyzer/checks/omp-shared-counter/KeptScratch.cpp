#include "checks/omp-shared-counter/KeptScratch.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "unit/Visitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace stridewise {
namespace {

struct Uses : Visitor<Uses> {
  const VarDecl *V;
  const DeclRefExpr *First = nullptr;
  bool Reads = false, Escapes = false;
  explicit Uses(const VarDecl *V) : V(V) {}
  bool VisitDeclRefExpr(DeclRefExpr *R) override {
    if (!First && R->getDecl()->getCanonicalDecl() == V)
      First = R;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    Reads |= E->getCastKind() == CK_LValueToRValue && namedVariable(E->getSubExpr()) == V;
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    Escapes |= U->getOpcode() == UO_AddrOf && namedVariable(U->getSubExpr()) == V;
    return true;
  }
};

struct OwnNames : Visitor<OwnNames> {
  llvm::SmallPtrSet<const VarDecl *, 4> Names;
  bool VisitDeclRefExpr(DeclRefExpr *R) override {
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()); V && V->hasLocalStorage())
      Names.insert(V->getCanonicalDecl());
    return true;
  }
};

// The array that an element is of, with the subscripts that lead to it.
const DeclRefExpr *arrayOf(const Expr *Element, llvm::SmallVectorImpl<const Expr *> &Subscripts) {
  const Expr *Base = Element->IgnoreParenImpCasts();
  while (const auto *A = dyn_cast<ArraySubscriptExpr>(Base)) {
    Subscripts.push_back(A->getIdx());
    Base = A->getBase()->IgnoreParenImpCasts();
  }
  const auto *R = dyn_cast<DeclRefExpr>(Base);
  return R && !Subscripts.empty() && R->getDecl()->getType()->isConstantArrayType() ? R : nullptr;
}

// Uses of an array: by its elements, read or not, and in any other way.
struct ElementUses : Visitor<ElementUses> {
  const VarDecl *V;
  unsigned Names = 0, Elements = 0;
  bool Reads = false, Directives = false;
  explicit ElementUses(const VarDecl *V) : V(V) {}
  bool isOf(const Expr *E) const {
    llvm::SmallVector<const Expr *, 2> Subscripts;
    const DeclRefExpr *R = arrayOf(E, Subscripts);
    return R && R->getDecl()->getCanonicalDecl() == V;
  }
  bool VisitDeclRefExpr(DeclRefExpr *R) override {
    Names += R->getDecl()->getCanonicalDecl() == V;
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *A) override {
    Elements += A->getType()->isArithmeticType() && isOf(A);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    Reads |= E->getCastKind() == CK_LValueToRValue && isOf(E->getSubExpr());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    Names += U->getOpcode() == UO_AddrOf && isOf(U->getSubExpr()); // handed on
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective *) override {
    Directives = true; // a team that shares loops here fills the array together
    return true;
  }
};

// Whether each call counts the same numbers: all loops of the variable begin at a constant.
struct Begins : Visitor<Begins> {
  const VarDecl *V;
  const ASTContext &Ctx;
  bool Any = false, Others = false;
  Begins(const VarDecl *V, const ASTContext &Ctx) : V(V), Ctx(Ctx) {}
  bool VisitForStmt(ForStmt *F) override {
    const Expr *From = nullptr;
    if (const auto *S = dyn_cast_or_null<DeclStmt>(F->getInit()); S && S->isSingleDecl()) {
      const auto *Counter = dyn_cast<VarDecl>(S->getSingleDecl());
      From = Counter && Counter->getCanonicalDecl() == V ? Counter->getInit() : nullptr;
    } else if (const auto *B = dyn_cast_or_null<BinaryOperator>(F->getInit())) {
      From = B->getOpcode() == BO_Assign && namedVariable(B->getLHS()) == V ? B->getRHS() : nullptr;
    }
    Any |= From != nullptr;
    Others |= From && !From->isEvaluatable(Ctx);
    return true;
  }
};

bool isCountedByEachCall(const VarDecl *V, const FunctionDecl &F, const ASTContext &Ctx) {
  if (!V || !V->hasLocalStorage() || isa<ParmVarDecl>(V))
    return false;
  Begins Loops(V, Ctx);
  Loops.TraverseStmt(F.getBody());
  return Loops.Any && !Loops.Others;
}

} // namespace

const VarDecl *keptScratchArray(const BinaryOperator &Assignment, const FunctionDecl &F, const ASTContext &Ctx) {
  llvm::SmallVector<const Expr *, 2> Subscripts;
  const DeclRefExpr *Name = arrayOf(Assignment.getLHS(), Subscripts);
  const auto *V = Name ? dyn_cast<VarDecl>(Name->getDecl()->getCanonicalDecl()) : nullptr;
  if (!V || !V->hasGlobalStorage() || !Assignment.getLHS()->getType()->isArithmeticType() ||
      Assignment.getLHS()->getType().isVolatileQualified() || !F.getBody() ||
      llvm::all_of(Subscripts, [&](const Expr *S) { return S->isEvaluatable(Ctx); }) ||
      !llvm::all_of(Subscripts, [&](const Expr *S) {
        return S->isEvaluatable(Ctx) || isCountedByEachCall(namedVariable(S->IgnoreParenImpCasts()), F, Ctx);
      }))
    return nullptr;
  OwnNames Own;
  Own.TraverseStmt(Assignment.getRHS());
  Uses All(V), Here(V);
  All.TraverseStmt(F.getBody());
  Here.TraverseStmt(Assignment.getRHS());
  ElementUses Elements(V);
  Elements.TraverseStmt(F.getBody());
  // What the counters alone give, is the same in all calls.
  const bool Gives = llvm::any_of(Own.Names, [&](const VarDecl *From) { return !isCountedByEachCall(From, F, Ctx); });
  return Gives && !Here.First && All.First == Name && Elements.Reads && !Elements.Directives &&
                 Elements.Names == Elements.Elements
             ? V
             : nullptr;
}

llvm::SmallVector<const FunctionDecl *, 4> calledFunctions(const CallExpr &Call) {
  llvm::SmallVector<const FunctionDecl *, 4> Out;
  if (const FunctionDecl *F = Call.getDirectCallee()) {
    Out.push_back(F);
    return Out;
  }
  const Expr *Callee = Call.getCallee()->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Callee); U && U->getOpcode() == UO_Deref)
    Callee = U->getSubExpr()->IgnoreParenImpCasts();
  llvm::SmallVector<const Expr *, 2> Subscripts;
  const DeclRefExpr *Table = arrayOf(Callee, Subscripts);
  const auto *V = Table ? dyn_cast<VarDecl>(Table->getDecl()) : nullptr;
  const auto *List = V && V->getAnyInitializer() ? dyn_cast<InitListExpr>(V->getAnyInitializer()) : nullptr;
  for (const Expr *Each : List ? List->inits() : llvm::ArrayRef<Expr *>())
    if (const auto *R = dyn_cast<DeclRefExpr>(Each->IgnoreParenImpCasts()))
      if (const auto *F = dyn_cast<FunctionDecl>(R->getDecl()))
        Out.push_back(F);
  return Out;
}

bool isKeptScratch(const BinaryOperator &Assignment, const VarDecl *V, const FunctionDecl &F) {
  if (!V->hasGlobalStorage() || V->getType().isVolatileQualified() || !F.getBody())
    return false;
  OwnNames Own;
  Own.TraverseStmt(Assignment.getRHS());
  Uses All(V), Here(V);
  All.TraverseStmt(F.getBody());
  Here.TraverseStmt(Assignment.getRHS());
  return !Own.Names.empty() && !Here.First && All.Reads && !All.Escapes &&
         All.First == dyn_cast<DeclRefExpr>(Assignment.getLHS()->IgnoreParenImpCasts());
}

} // namespace stridewise
