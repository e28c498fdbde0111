#include "omp/StdLocks.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace stridewise {

static llvm::StringRef stdName(const CXXRecordDecl *R) {
  return R && R->isInStdNamespace() && R->getIdentifier() ? R->getName() : llvm::StringRef();
}

bool takesScopedLock(const Stmt *S) {
  const auto *D = dyn_cast_or_null<DeclStmt>(S);
  const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  if (!V || !V->hasLocalStorage() || !V->getInit())
    return false;
  llvm::StringRef Name = stdName(V->getType()->getAsCXXRecordDecl());
  const auto *Made = dyn_cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit());
  // With a tag it may not lock at all.
  return (Name == "lock_guard" || Name == "scoped_lock" || Name == "unique_lock") && Made && Made->getNumArgs() == 1 &&
         !isa<CXXDefaultArgExpr>(Made->getArg(0)) &&
         stdName(Made->getArg(0)->getType()->getAsCXXRecordDecl()).contains("mutex");
}

const Expr *scopedLock(const Stmt *S) {
  const auto *V = cast<VarDecl>(cast<DeclStmt>(S)->getSingleDecl());
  return cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit())->getArg(0);
}

// std::atomic<T>, or a base that the library gives its number types.
static bool isAtomicRecord(const CXXRecordDecl *R) {
  llvm::StringRef Name = stdName(R);
  return Name == "atomic" || Name.starts_with("__atomic_");
}

static QualType objectType(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  return E->getType().getNonReferenceType().getCanonicalType();
}

std::optional<StdAtomicUpdate> stdAtomicUpdate(const Stmt *S) {
  const auto *E = dyn_cast_or_null<Expr>(S);
  if (!E)
    return std::nullopt;
  E = E->IgnoreImplicit()->IgnoreParens();
  StdAtomicUpdate U;
  if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E); C && C->getNumArgs() > 0) {
    U.Target = C->getArg(0)->IgnoreParenImpCasts();
    switch (C->getOperator()) {
    case OO_PlusPlus:
    case OO_MinusMinus:
      U.Reduction = "+";
      break;
    case OO_PlusEqual:
    case OO_MinusEqual:
      U.Reduction = "+";
      U.Value = C->getNumArgs() > 1 ? C->getArg(1) : nullptr;
      break;
    case OO_PipeEqual:
      U.Reduction = "|";
      U.Value = C->getNumArgs() > 1 ? C->getArg(1) : nullptr;
      break;
    case OO_AmpEqual:
      U.Reduction = "&";
      U.Value = C->getNumArgs() > 1 ? C->getArg(1) : nullptr;
      break;
    default:
      return std::nullopt;
    }
  } else if (const auto *C = dyn_cast<CXXMemberCallExpr>(E); C && C->getNumArgs() > 0 && C->getMethodDecl()) {
    const IdentifierInfo *Name = C->getMethodDecl()->getIdentifier();
    U.Reduction = llvm::StringSwitch<const char *>(Name ? Name->getName() : "")
                      .Cases("fetch_add", "fetch_sub", "+")
                      .Case("fetch_or", "|")
                      .Case("fetch_and", "&")
                      .Default("");
    U.Target = C->getImplicitObjectArgument()->IgnoreParenImpCasts();
    U.Value = C->getArg(0);
  }
  if (U.Reduction.empty() || !U.Target || !isAtomicRecord(objectType(U.Target)->getAsCXXRecordDecl()))
    return std::nullopt;
  return U;
}

} // namespace stridewise
