#include "checks/omp-false-sharing/ThreadQuery.h"
#include "checks/omp-false-sharing/TeamCode.h"
#include "library/LibraryCalls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

struct Returns : Visitor<Returns> {
  std::vector<const Expr *> Values;
  bool VisitReturnStmt(ReturnStmt *R) override {
    Values.push_back(R->getRetValue());
    return true;
  }
  bool TraverseStmt(Stmt *S) override { return isa_and_nonnull<LambdaExpr>(S) || Visitor::TraverseStmt(S); }
};

bool isThreadNumber(const Expr *E) {
  return isCall(E, [](llvm::StringRef Name) { return Name == "omp_get_thread_num"; });
}

} // namespace

bool returnsThreadNumber(const FunctionDecl &F, const UnitFunctions &Unit) {
  if (!F.getReturnType()->isIntegerType() || !F.hasBody() || F.getNumParams())
    return false;
  Returns All;
  All.TraverseStmt(F.getBody());
  bool Any = false;
  const auto IsPlain = [&](const Expr *E) {
    if (!E)
      return false;
    Any |= isThreadNumber(E);
    return isThreadNumber(E) || isa<IntegerLiteral>(E->IgnoreParenImpCasts());
  };
  const auto IsNumber = [&](const Expr *E) {
    const VarDecl *V = E ? variableOf(E) : nullptr;
    if (!V)
      return IsPlain(E);
    if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || Unit.AddressTaken.contains(V))
      return false;
    const auto It = Unit.Sources.find(V);
    return (!V->getInit() || IsPlain(V->getInit())) && (It == Unit.Sources.end() || llvm::all_of(It->second, IsPlain));
  };
  return !All.Values.empty() && llvm::all_of(All.Values, IsNumber) && Any;
}

const FunctionDecl *queryOf(const Expr *Value) {
  const auto *C = dyn_cast_or_null<CallExpr>(Value ? Value->IgnoreParenImpCasts() : nullptr);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && !isa<CXXMethodDecl>(F) && !C->getNumArgs() && !F->getNumParams() && F->getReturnType()->isIntegerType()
             ? F
             : nullptr;
}

const FunctionDecl *queryElsewhere(const Expr *Value) {
  const FunctionDecl *F = queryOf(Value);
  return F && !F->hasBody() && F->isExternallyVisible() && !findLibraryCall(F) && !F->getBuiltinID() &&
                 !F->getASTContext().getSourceManager().isInSystemHeader(F->getLocation())
             ? F
             : nullptr;
}

} // namespace stridewise
