#include "checks/omp-false-sharing/Bisection.h"
#include "checks/omp-false-sharing/TeamCode.h"
#include "unit/Visitor.h"

using namespace clang;

namespace stridewise {
namespace {

using Variables = llvm::SmallDenseSet<const VarDecl *, 4>;

struct Named : Visitor<Named> {
  Variables Found;
  bool VisitDeclRefExpr(DeclRefExpr *D) override {
    if (const VarDecl *V = variableOf(D); V && V->getType()->isIntegralOrEnumerationType())
      Found.insert(V);
    return true;
  }
};

Variables named(const Expr *E) {
  Named N;
  N.TraverseStmt(const_cast<Expr *>(E));
  return N.Found;
}

// Whether half of something is in there that both ends are in.
struct Halves : Visitor<Halves> {
  const Variables &Ends;
  bool Found = false;
  explicit Halves(const Variables &Ends) : Ends(Ends) {}
  bool VisitBinaryOperator(BinaryOperator *B) override {
    const auto *By = dyn_cast<IntegerLiteral>(B->getRHS()->IgnoreParenImpCasts());
    if (By && ((B->getOpcode() == BO_Div && By->getValue() == 2) || (B->getOpcode() == BO_Shr && By->getValue() == 1)))
      Found |= llvm::count_if(named(B->getLHS()), [&](const VarDecl *V) { return Ends.contains(V); }) >= 2;
    return true;
  }
};

struct Steps : Visitor<Steps> {
  const Variables &Ends;
  Variables Middles;
  std::vector<const Expr *> Moves; // what the ends become
  bool Otherwise = false;          // an end changes in another way
  explicit Steps(const Variables &Ends) : Ends(Ends) {}

  void gets(const VarDecl *V, const Expr *Value) {
    if (!V || !Value)
      return;
    Halves Search(Ends);
    Search.TraverseStmt(const_cast<Expr *>(Value));
    if (Ends.contains(V))
      Moves.push_back(Value);
    else if (Search.Found)
      Middles.insert(V);
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->getOpcode() == BO_Assign)
      gets(variableOf(B->getLHS()), B->getRHS());
    else if (B->isCompoundAssignmentOp())
      Otherwise |= Ends.contains(variableOf(B->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      Otherwise |= Ends.contains(variableOf(U->getSubExpr()));
    return true;
  }
  bool VisitVarDecl(VarDecl *V) override {
    gets(V->getCanonicalDecl(), V->getInit());
    return true;
  }
};

} // namespace

bool isBisection(const WhileStmt &Loop) {
  const Variables Ends = named(Loop.getCond());
  if (Ends.size() != 2)
    return false;
  Steps S(Ends);
  S.TraverseStmt(const_cast<Stmt *>(Loop.getBody()));
  return !S.Otherwise && !S.Moves.empty() && llvm::all_of(S.Moves, [&](const Expr *Value) {
    return llvm::any_of(named(Value), [&](const VarDecl *V) { return S.Middles.contains(V); });
  });
}

} // namespace stridewise
