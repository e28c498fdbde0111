#include "checks/omp-region-in-loop/HaloDepths.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"

using namespace clang;

namespace stridewise {
namespace {

const ValueDecl *named(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    return isa<VarDecl>(D->getDecl()) ? cast<ValueDecl>(D->getDecl()->getCanonicalDecl()) : nullptr;
  const auto *M = dyn_cast<MemberExpr>(E);
  return M ? M->getMemberDecl() : nullptr;
}

// Whether a sum subtracts (or adds) the variable.
bool hasTerm(const Expr *E, const ValueDecl *V, bool Minus) {
  E = E->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
    return hasTerm(U->getSubExpr(), V, !Minus);
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
    return hasTerm(B->getLHS(), V, Minus) || hasTerm(B->getRHS(), V, Minus != (B->getOpcode() == BO_Sub));
  return !Minus && named(E) == V;
}

class Widened : public Visitor<Widened> {
public:
  bool VisitForStmt(ForStmt *F) override {
    const Expr *Start = nullptr;
    if (const auto *D = dyn_cast_or_null<DeclStmt>(F->getInit()); D && D->isSingleDecl())
      if (const auto *V = dyn_cast<VarDecl>(D->getSingleDecl()))
        Start = V->getInit();
    if (const auto *A = dyn_cast_or_null<BinaryOperator>(F->getInit()); A && A->getOpcode() == BO_Assign)
      Start = A->getRHS();
    const auto *Test = dyn_cast_or_null<BinaryOperator>(F->getCond() ? F->getCond()->IgnoreParenImpCasts() : nullptr);
    if (!Start || !Test || (Test->getOpcode() != BO_LT && Test->getOpcode() != BO_LE))
      return true;
    const auto *End = dyn_cast<BinaryOperator>(Test->getRHS()->IgnoreParenImpCasts());
    const ValueDecl *Depth = End && End->getOpcode() == BO_Add ? named(End->getRHS()) : nullptr;
    if (Depth && hasTerm(Start, Depth, /*Minus=*/true))
      Found.insert(Depth);
    return true;
  }
  llvm::DenseSet<const ValueDecl *> Found;
};

} // namespace

llvm::DenseSet<const ValueDecl *> haloDepths(ASTContext &Ctx) {
  Widened Search;
  for (Decl *D : ownDecls(Ctx))
    Search.TraverseDecl(D);
  return Search.Found;
}

} // namespace stridewise
