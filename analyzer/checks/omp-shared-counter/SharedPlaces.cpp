#include "checks/omp-shared-counter/SharedPlaces.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace stridewise {

const VarDecl *namedVariable(const Expr *E) {
  const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

static const SharedPlace *bound(const VarDecl *V, const UpdateContext &C) {
  for (const auto &[Parameter, Place] : llvm::reverse(C.Bound))
    if (Parameter == V)
      return &Place;
  return nullptr;
}

// A value that a copy would hold as well, and that a call may change.
static bool isState(const Expr &Object) {
  const QualType T = Object.getType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  const auto IsCopy = [](const CXXConstructorDecl *C) { return C->isCopyConstructor() && !C->isDeleted(); };
  return R && R->isInStdNamespace() && Object.isLValue() && !T.isConstQualified() &&
         (R->needsImplicitCopyConstructor() || llvm::any_of(R->ctors(), IsCopy)) &&
         llvm::any_of(R->decls(), [](const Decl *D) {
           const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
           const auto *M = dyn_cast<CXXMethodDecl>(Template ? Template->getTemplatedDecl() : D);
           return M && M->getOverloadedOperator() == OO_Call && !M->isConst();
         });
}

llvm::SmallVector<const Expr *, 2> advancedBy(const CXXOperatorCallExpr &Call) {
  llvm::SmallVector<const Expr *, 2> Out;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call.getDirectCallee());
  if (Method && !Method->isConst() && Method->getParent()->isInStdNamespace())
    for (const Expr *Each : Call.arguments())
      if (isState(*Each))
        Out.push_back(Each);
  return Out;
}

void addCounter(const ForStmt &Loop, llvm::SmallPtrSetImpl<const VarDecl *> &Counters) {
  if (const auto *S = dyn_cast_or_null<DeclStmt>(Loop.getInit()); S && S->isSingleDecl())
    Counters.insert(cast<VarDecl>(S->getSingleDecl())->getCanonicalDecl());
  if (const auto *B = dyn_cast_or_null<BinaryOperator>(Loop.getInit()))
    if (const VarDecl *V = namedVariable(B->getLHS()))
      Counters.insert(V);
}

bool isChanged(const VarDecl *Variable, const Stmt *Code) {
  struct Finder : Visitor<Finder> {
    const VarDecl *V;
    bool Found = false;
    explicit Finder(const VarDecl *V) : V(V) {}
    bool VisitBinaryOperator(BinaryOperator *B) override {
      Found |= B->isAssignmentOp() && namedVariable(B->getLHS()) == V;
      return !Found;
    }
    bool VisitUnaryOperator(UnaryOperator *U) override {
      Found |= (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf) && namedVariable(U->getSubExpr()) == V;
      return !Found;
    }
  } Search(Variable);
  Search.TraverseStmt(const_cast<Stmt *>(Code));
  return Search.Found;
}

bool SharedPlaces::isSharedVariable(const VarDecl *V, const Context &C) const {
  return !C.Private.contains(V) && V->getTLSKind() == VarDecl::TLS_None && !V->hasAttr<OMPThreadPrivateDeclAttr>() &&
         (!Own.contains(V) || V->isStaticLocal());
}

std::optional<SharedPlace> SharedPlaces::placeOf(const Expr *E, const Context &C) const {
  E = E->IgnoreParenImpCasts();
  if (const VarDecl *V = namedVariable(E)) {
    if (const SharedPlace *Known = bound(V, C); Known && V->getType()->isReferenceType())
      return *Known;
    // A reference of another function may name anything; a variable of the region is the thread's.
    return isSharedVariable(V, C) ? std::optional(SharedPlace{V, {}}) : std::nullopt;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (const auto *V = dyn_cast<VarDecl>(M->getMemberDecl())) // a static member
      return isSharedVariable(V->getCanonicalDecl(), C) ? std::optional(SharedPlace{V->getCanonicalDecl(), {}})
                                                        : std::nullopt;
    const auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    std::optional<SharedPlace> Object = M->isArrow() ? pointee(M->getBase(), C) : placeOf(M->getBase(), C);
    if (!Field || !Object || Field->getType()->isReferenceType())
      return std::nullopt;
    Object->Steps.push_back({Field->getCanonicalDecl(), 0});
    return Object;
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    Expr::EvalResult Index;
    if (!A->getIdx()->isValueDependent() && A->getIdx()->EvaluateAsInt(Index, Ctx))
      if (std::optional<SharedPlace> Place = pointee(A->getBase(), C)) {
        Place->Steps.back().Index = Index.Val.getInt().getExtValue();
        return Place->Steps.back().Field ? std::nullopt : Place;
      }
    return std::nullopt;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
    return pointee(U->getSubExpr(), C);
  return std::nullopt;
}

// What a pointer points to, as far as all threads mean the same by it.
std::optional<SharedPlace> SharedPlaces::pointee(const Expr *E, const Context &C) const {
  E = E->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(E))
    return C.This;
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf)
    return placeOf(U->getSubExpr(), C);
  std::optional<SharedPlace> Place;
  if (E->getType()->isArrayType()) {
    Place = placeOf(E, C);
  } else if (const VarDecl *V = namedVariable(E)) {
    if (const SharedPlace *Known = bound(V, C); Known && V->getType()->isPointerType())
      return *Known;
    if (V->getType()->isPointerType() && isSharedVariable(V, C) && !isChanged(V, Body))
      Place = SharedPlace{V, {}};
  }
  if (Place)
    Place->Steps.push_back({nullptr, 0});
  return Place;
}

bool SharedPlaces::means(const Expr *E, const SharedPlace &P, const Context &C) const {
  std::optional<SharedPlace> Other = placeOf(E, C);
  return Other && *Other == P;
}

bool SharedPlaces::mentions(const Expr *E, const SharedPlace &P, const Context &C) const {
  if (means(E, P, C))
    return true;
  return llvm::any_of(E->children(), [&](const Stmt *S) {
    const auto *Part = dyn_cast_or_null<Expr>(S);
    return Part && mentions(Part, P, C);
  });
}

} // namespace stridewise
