#include "checks/omp-shared-counter/KeptScratch.h"
#include "checks/omp-shared-counter/SharedPlaces.h"
#include "unit/Visitor.h"

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
  bool Found = false;
  bool VisitDeclRefExpr(DeclRefExpr *R) override {
    const auto *V = dyn_cast<VarDecl>(R->getDecl());
    Found |= V && V->hasLocalStorage();
    return !Found;
  }
};

} // namespace

bool isKeptScratch(const BinaryOperator &Assignment, const VarDecl *V, const FunctionDecl &F) {
  if (!V->hasGlobalStorage() || V->getType().isVolatileQualified() || !F.getBody())
    return false;
  OwnNames Own;
  Own.TraverseStmt(Assignment.getRHS());
  Uses All(V), Here(V);
  All.TraverseStmt(F.getBody());
  Here.TraverseStmt(Assignment.getRHS());
  return Own.Found && !Here.First && All.Reads && !All.Escapes &&
         All.First == dyn_cast<DeclRefExpr>(Assignment.getLHS()->IgnoreParenImpCasts());
}

} // namespace stridewise
