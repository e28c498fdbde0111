#include "loops/TileLoops.h"
#include "fortran/FortranLoops.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace stridewise {
namespace {

using Start = std::pair<const VarDecl *, const Expr *>;

void addAssigned(const Expr *E, llvm::SmallVectorImpl<Start> &Out) {
  const auto *Op = dyn_cast_or_null<BinaryOperator>(E);
  if (!Op)
    return;
  if (Op->getOpcode() == BO_Comma) {
    addAssigned(Op->getLHS()->IgnoreParenImpCasts(), Out);
    addAssigned(Op->getRHS()->IgnoreParenImpCasts(), Out);
  } else if (Op->getOpcode() == BO_Assign) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Op->getLHS()->IgnoreParenImpCasts()))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        Out.emplace_back(V, Op->getRHS());
  }
}

// The counters that a loop starts with, and where they start.
llvm::SmallVector<Start, 2> startsOf(const ForStmt &S) {
  llvm::SmallVector<Start, 2> Out;
  if (const auto *Declared = dyn_cast_or_null<DeclStmt>(S.getInit()))
    for (const Decl *D : Declared->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit())
        Out.emplace_back(V, V->getInit());
  addAssigned(dyn_cast_or_null<Expr>(S.getInit()), Out);
  return Out;
}

bool stepsByOne(const ForStmt &S) {
  const Expr *Step = S.getInc() ? S.getInc()->IgnoreParenImpCasts() : nullptr;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Step))
    return Unary->isIncrementDecrementOp();
  const auto *Added = dyn_cast_or_null<CompoundAssignOperator>(Step);
  const auto *One = Added ? dyn_cast<IntegerLiteral>(Added->getRHS()->IgnoreParenImpCasts()) : nullptr;
  return !Added || (One && One->getValue() == 1);
}

// Finds the loops that start where a block does. Values that memory holds, as the rows of a sparse matrix, name none.
class BlockSearch {
public:
  BlockSearch(const VarDecl *Counter, bool Numbers) : Counter(Counter), Numbers(Numbers) { From.insert(Counter); }

  bool inside(const Stmt *S) {
    if (!S)
      return false;
    if (const auto *Declared = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declared->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit() && names(V->getInit()))
          From.insert(V);
    if (const auto *For = dyn_cast<ForStmt>(S))
      if (For->getCond() && llvm::any_of(startsOf(*For), [&](const Start &Own) { return names(Own.second); }))
        return true;
    if (const auto *Directive = dyn_cast<OMPExecutableDirective>(S))
      return Directive->hasAssociatedStmt() && inside(Directive->getRawStmt());
    return llvm::any_of(S->children(), [&](const Stmt *Each) { return inside(Each); });
  }

private:
  // The beginning of a block: the counter of the loop over blocks, or its product with their length.
  bool names(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()); V && From.contains(V))
        return !Numbers || Multiplied || V != Counter;
    const auto *Op = dyn_cast<BinaryOperator>(E);
    if (!Op || (Op->getOpcode() != BO_Mul && Op->getOpcode() != BO_Add))
      return false;
    const Expr *Sides[2] = {Op->getLHS()->IgnoreParenImpCasts(), Op->getRHS()->IgnoreParenImpCasts()};
    for (unsigned K : {0u, 1u}) {
      // A product with a length that varies begins a row, and rows are what a loop without blocks goes through, too.
      if (Op->getOpcode() == BO_Mul && !isFixed(Sides[1 - K]))
        continue;
      bool Outer = std::exchange(Multiplied, Multiplied || Op->getOpcode() == BO_Mul);
      bool Out = names(Sides[K]);
      Multiplied = Outer;
      if (Out)
        return true;
    }
    return false;
  }

  static bool isFixed(const Expr *E) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    return isa<IntegerLiteral>(E) ||
           (Ref && (isa<EnumConstantDecl>(Ref->getDecl()) || Ref->getType().isConstQualified()));
  }

  const VarDecl *Counter;
  llvm::SmallPtrSet<const VarDecl *, 4> From; // it, and what is computed from it
  bool Numbers;                               // it numbers the blocks
  bool Multiplied = false;
};

// The length that a loop adds to its counter, when it is a variable; null for steps of one and for other steps.
const VarDecl *lengthOfStep(const ForStmt &S) {
  const auto *Added =
      dyn_cast_or_null<CompoundAssignOperator>(S.getInc() ? S.getInc()->IgnoreParenImpCasts() : nullptr);
  const auto *Length = Added && Added->getOpcode() == BO_AddAssign
                           ? dyn_cast<DeclRefExpr>(Added->getRHS()->IgnoreParenImpCasts())
                           : nullptr;
  return Length ? dyn_cast<VarDecl>(Length->getDecl()) : nullptr;
}

bool mentions(const Stmt *S, const VarDecl *V) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S);
  return S && ((Ref && Ref->getDecl() == V) ||
               llvm::any_of(S->children(), [&](const Stmt *Each) { return mentions(Each, V); }));
}

// That length, or what is left of it at the end: `const int columns = min(block, n - jj)`.
bool isLengthOfBlock(const Expr *Bound, const VarDecl *Length) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Bound->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && (V == Length || (V->isLocalVarDecl() && V->getInit() && mentions(V->getInit(), Length)));
}

// A loop from 0 below that length: it goes through one block, by offsets from the block's beginning.
bool countsTo(const VarDecl *Length, const Stmt *S) {
  if (!S)
    return false;
  if (const auto *For = dyn_cast<ForStmt>(S)) {
    const auto *Cond =
        dyn_cast_or_null<BinaryOperator>(For->getCond() ? For->getCond()->IgnoreParenImpCasts() : nullptr);
    if (Cond && Cond->getOpcode() == BO_LT && isLengthOfBlock(Cond->getRHS(), Length) && stepsByOne(*For))
      return true;
  }
  if (const auto *Directive = dyn_cast<OMPExecutableDirective>(S))
    return Directive->hasAssociatedStmt() && countsTo(Length, Directive->getRawStmt());
  return llvm::any_of(S->children(), [&](const Stmt *Each) { return countsTo(Length, Each); });
}

} // namespace

bool isTileLoop(const Stmt *Loop) {
  const auto *For = dyn_cast_or_null<ForStmt>(Loop);
  if (!For)
    return false;
  if (const VarDecl *Length = lengthOfStep(*For); Length && countsTo(Length, For->getBody()))
    return true;
  return llvm::any_of(startsOf(*For), [&](const Start &Own) {
    return BlockSearch(Own.first, stepsByOne(*For)).inside(For->getBody());
  });
}

bool isTileLoop(const llvm::Loop *L, Unit &U) {
  if (!U.isFortran())
    return isTileLoop(U.loopStatement(L));
  const std::optional<FortranLoop> Known = fortranLoop(L, U);
  return Known && !Known->IsSection && fortranText(U).goesByBlocks(*Known->Statement);
}

} // namespace stridewise
