#include "loops/SameArguments.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

// The variable whose elements an expression names: `v` of `v[i]`, `&v[i]`, `*v`, `v.begin()`.
const VarDecl *arrayOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E))
    return arrayOf(Element->getBase());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return arrayOf(Unary->getSubExpr());
  if (const auto *Element = dyn_cast<CXXOperatorCallExpr>(E))
    return arrayOf(Element->getArg(0));
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    return arrayOf(Member->getImplicitObjectArgument());
  return variableOf(E);
}

// The variable that an expression gives another value, or other elements; null for none, and for a pointer that takes
// another one's place.
const VarDecl *changedBy(const Stmt *S, const SourceManager &SM) {
  if (const auto *Unary = dyn_cast<UnaryOperator>(S))
    return Unary->isIncrementDecrementOp() ? arrayOf(Unary->getSubExpr()) : nullptr;
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(S))
    return Operator->isAssignmentOp() ? arrayOf(Operator->getArg(0)) : nullptr;
  // memcpy, std::fill and the like.
  if (const auto *Call = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = Call->getDirectCallee();
    return F && Call->getNumArgs() && SM.isInSystemHeader(F->getLocation()) ? arrayOf(Call->getArg(0)) : nullptr;
  }
  const auto *Binary = dyn_cast<BinaryOperator>(S);
  if (!Binary || !Binary->isAssignmentOp())
    return nullptr;
  const VarDecl *V = arrayOf(Binary->getLHS());
  return V && Binary->getOpcode() == BO_Assign && V->getType()->isPointerType() && variableOf(Binary->getLHS()) &&
                 variableOf(Binary->getRHS())
             ? nullptr
             : V;
}

void collect(const Stmt *S, const Stmt *Loop, const SourceManager &SM, llvm::DenseSet<const VarDecl *> &Out) {
  const auto Add = [&](const VarDecl *V) {
    if (V && !V->getType()->isRealFloatingType())
      Out.insert(V->getCanonicalDecl());
  };
  if (const auto *Declares = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declares->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasInit())
        Add(V);
  Add(changedBy(S, SM));
  if (const auto *Region = dyn_cast<CapturedStmt>(S))
    return collect(Region->getCapturedStmt(), Loop, SM, Out);
  // What an inner loop counts runs through the same numbers each time.
  const auto *Inner = S == Loop ? nullptr : dyn_cast<ForStmt>(S);
  for (const Stmt *Child : S->children())
    if (Child && !(Inner && (Child == Inner->getInit() || Child == Inner->getInc())))
      collect(Child, Loop, SM, Out);
}

bool uses(const Stmt *S, const llvm::DenseSet<const VarDecl *> &Variables) {
  const auto *E = dyn_cast<Expr>(S);
  if (const VarDecl *V = E ? variableOf(E) : nullptr; V && Variables.contains(V))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return Child && uses(Child, Variables); });
}

} // namespace

bool SameArguments::hold(const Expr *Call, const Stmt *Loop) {
  auto [It, New] = Changed.try_emplace(Loop);
  if (New)
    collect(Loop, Loop, SM, It->second);
  return !uses(Call, It->second);
}

} // namespace stridewise
