#include "checks/omp-shared-counter/ValueUses.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace stridewise {
namespace {

bool isPart(const Stmt *S, const VarDecl *V) {
  const auto *E = dyn_cast_or_null<Expr>(S);
  return E && namedVariable(E->IgnoreParenImpCasts()) == V;
}

// A condition's value counts, a statement's does not, nor that of the last part of a loop's header.
bool isDropped(const Stmt *Child, const Stmt &S) {
  if (const auto *For = dyn_cast<ForStmt>(&S))
    return Child != For->getCond();
  if (const auto *If = dyn_cast<IfStmt>(&S))
    return Child != If->getCond();
  if (isa<WhileStmt, DoStmt, SwitchStmt, ReturnStmt, DeclStmt>(S))
    return isa_and_nonnull<CompoundStmt>(Child);
  return !isa<Expr>(S);
}

// `Unused`: nobody looks at the value of the expression.
bool uses(const Stmt *S, const VarDecl *V, bool Unused) {
  if (!S)
    return false;
  if (const auto *Clean = dyn_cast<ExprWithCleanups>(S))
    return uses(Clean->getSubExpr(), V, Unused);
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    return D->hasAssociatedStmt() && uses(D->getAssociatedStmt(), V, true);
  if (const auto *Region = dyn_cast<CapturedStmt>(S)) // its children are what it captures
    return uses(Region->getCapturedStmt(), V, true);
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp() && isPart(U->getSubExpr(), V))
    return !Unused;
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp() && isPart(B->getLHS(), V)) {
    const auto *Sum = dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenImpCasts());
    if (B->getOpcode() == BO_Assign && Sum && (isPart(Sum->getLHS(), V) || isPart(Sum->getRHS(), V)))
      return !Unused || uses(isPart(Sum->getLHS(), V) ? Sum->getRHS() : Sum->getLHS(), V, false);
    return !Unused || uses(B->getRHS(), V, false);
  }
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(S);
      Cast && Cast->getCastKind() == CK_LValueToRValue && isPart(Cast->getSubExpr(), V))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return uses(Child, V, isDropped(Child, *S)); });
}

} // namespace

bool usesValue(const Stmt *Code, const VarDecl *V) { return uses(Code, V->getCanonicalDecl(), true); }

} // namespace stridewise
