#include "checks/omp-critical-section/SectionNames.h"
#include "library/LibraryCalls.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/FoldingSet.h"

using namespace clang;

namespace stridewise {

const Expr *strip(const Expr *E) {
  while (E) {
    const Expr *Next = E->IgnoreParenImpCasts();
    if (const auto *F = dyn_cast<FullExpr>(Next))
      Next = F->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(Next))
      Next = M->getSubExpr();
    if (Next == E)
      break;
    E = Next;
  }
  return E;
}

bool same(const Stmt *A, const Stmt *B, const ASTContext &Ctx) {
  llvm::FoldingSetNodeID X, Y;
  A->Profile(X, Ctx, true);
  B->Profile(Y, Ctx, true);
  return X == Y;
}

const ValueDecl *rootOf(const Expr *E) {
  E = strip(E);
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return dyn_cast<VarDecl>(D->getDecl());
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()) ? M->getMemberDecl() : rootOf(M->getBase());
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return rootOf(A->getBase());
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf))
    return rootOf(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
    return rootOf(B->getLHS());
  if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E); C && C->getNumArgs() > 0)
    return rootOf(C->getArg(0));
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E))
    return rootOf(C->getImplicitObjectArgument());
  return nullptr;
}

using FieldPath = llvm::SmallVector<const FieldDecl *, 4>;

// The fields on the way from the root to what is named: of `mesh->force[i]` they are {force}.
static void fieldsTo(const Expr *E, FieldPath &Fields) {
  E = strip(E);
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (!isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts())) {
      fieldsTo(M->getBase(), Fields);
      Fields.push_back(dyn_cast<FieldDecl>(M->getMemberDecl()));
    }
  } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    fieldsTo(A->getBase(), Fields);
  } else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    fieldsTo(U->getSubExpr(), Fields);
  } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    fieldsTo(B->getLHS(), Fields);
  } else if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E); O && O->getNumArgs() > 0) {
    fieldsTo(O->getArg(0), Fields);
  } else if (const auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    fieldsTo(C->getImplicitObjectArgument(), Fields);
  }
}

bool subscriptsMayName(const Expr *E, const Expr *Target) {
  E = strip(E);
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return subscriptsMayName(M->getBase(), Target);
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return mayName(A->getIdx(), Target) || subscriptsMayName(A->getBase(), Target);
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return subscriptsMayName(U->getSubExpr(), Target);
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return mayName(B->getRHS(), Target) || subscriptsMayName(B->getLHS(), Target);
  if (const auto *C = dyn_cast<CallExpr>(E))
    return llvm::any_of(C->arguments(), [&](const Expr *A) {
      return rootOf(A) == rootOf(E) ? subscriptsMayName(A, Target) : mayName(A, Target);
    });
  return false;
}

bool mayName(const Stmt *S, const Expr *Target) {
  if (!S)
    return false;
  const ValueDecl *Root = rootOf(Target);
  if (const auto *E = dyn_cast<Expr>(S); E && Root && rootOf(E) == Root) {
    FieldPath Mine, Other;
    fieldsTo(E, Mine);
    fieldsTo(Target, Other);
    auto [A, B] = std::mismatch(Mine.begin(), Mine.begin() + std::min(Mine.size(), Other.size()), Other.begin());
    const bool Apart = A != Mine.begin() + std::min(Mine.size(), Other.size()) && *A && *B;
    return !Apart || subscriptsMayName(E, Target);
  }
  return llvm::any_of(S->children(), [&](const Stmt *X) { return mayName(X, Target); });
}

// A local variable's own memory; what a local pointer is set to, is set outside of the function, too.
static bool isOwn(const Expr *Target, bool Assigned) {
  const auto *V = dyn_cast_or_null<VarDecl>(rootOf(Target));
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType() && !(Assigned && V->getType()->isPointerType());
}

static bool isKnownPure(const CallExpr &C, const ASTContext &Ctx) {
  ContainerCall K = PathResolver::containerCall(&C);
  if (K == ContainerCall::Element || K == ContainerCall::Pointer || K == ContainerCall::Size)
    return true;
  const FunctionDecl *F = C.getDirectCallee();
  const LibraryCall *Library = findLibraryCall(F);
  return effectOf(F, Ctx) == CallEffect::Nothing || (Library && Library->onlyDoes(LibPure | LibQueries | LibReads));
}

bool isPure(const Stmt *S, const ASTContext &Ctx, unsigned Depth) {
  if (!S)
    return true;
  const bool Shown = Depth == DeepestShown; // the expression itself, which may change nothing at all
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp() && (Shown || !isOwn(B->getLHS(), true)))
    return false;
  if (const auto *U = dyn_cast<UnaryOperator>(S);
      U && U->isIncrementDecrementOp() && (Shown || !isOwn(U->getSubExpr(), false)))
    return false;
  if (isa<CXXNewExpr, CXXDeleteExpr, CXXThrowExpr, LambdaExpr, AsmStmt, OMPExecutableDirective>(S))
    return false;
  // Each look at a volatile or atomic object is an effect of its own.
  if (const auto *E = dyn_cast<Expr>(S);
      E && E->isGLValue() && (E->getType().isVolatileQualified() || E->getType()->isAtomicType()))
    return false;
  if (const auto *C = dyn_cast<CallExpr>(S); C && !isKnownPure(*C, Ctx)) {
    const FunctionDecl *Body = PathResolver::definition(C);
    if (!Body || !Depth || !isPure(Body->getBody(), Ctx, Depth - 1))
      return false;
  }
  return llvm::all_of(S->children(), [&](const Stmt *X) { return isPure(X, Ctx, Depth); });
}

} // namespace stridewise
