#include "omp/TeamSize.h"
#include "library/LibraryCalls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace stridewise {

bool isTeamSizeCall(const Expr *E) {
  const LibraryCall *Known = findLibraryCall(E);
  return Known &&
         llvm::StringSwitch<bool>(Known->Name)
             .Cases("omp_get_num_threads", "omp_get_max_threads", "omp_get_num_procs", "omp_get_thread_limit", true)
             .Default(false);
}

const Stmt *branchOfOneThread(const IfStmt &If, const ASTContext &Ctx) {
  const auto *Compare = dyn_cast<BinaryOperator>(If.getCond()->IgnoreParenImpCasts());
  Expr::EvalResult Number;
  if (!Compare || !Compare->isComparisonOp() || Compare->getRHS()->isValueDependent() ||
      !Compare->getRHS()->EvaluateAsInt(Number, Ctx))
    return nullptr;
  const Expr *Count = Compare->getLHS()->IgnoreParenImpCasts();
  bool IsKept = false;
  if (const auto *R = dyn_cast<DeclRefExpr>(Count))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()); V && V->hasLocalStorage() && V->getInit()) {
      Count = V->getInit()->IgnoreParenImpCasts();
      IsKept = true;
    }
  // Outside of regions the present team is one thread, whatever opens later.
  const LibraryCall *Asked = isTeamSizeCall(Count) ? findLibraryCall(Count) : nullptr;
  if (!Asked || (IsKept && llvm::StringRef(Asked->Name) == "omp_get_num_threads"))
    return nullptr;
  const std::int64_t Threads = Number.Val.getInt().getExtValue();
  switch (Compare->getOpcode()) {
  case BO_GT:
    return Threads == 1 ? If.getElse() : nullptr;
  case BO_GE:
    return Threads == 2 ? If.getElse() : nullptr;
  case BO_NE:
    return Threads == 1 ? If.getElse() : nullptr;
  case BO_LT:
    return Threads == 2 ? If.getThen() : nullptr;
  case BO_LE:
  case BO_EQ:
    return Threads == 1 ? If.getThen() : nullptr;
  default:
    return nullptr;
  }
}

namespace {

// Copies of copies: a parameter that is set from a field that is set from a variable.
constexpr unsigned MaxSteps = 6;

// What the unit assigns to its integers.
class Values : public Visitor<Values> {
public:
  explicit Values(ASTContext &Ctx) : SM(Ctx.getSourceManager()) {
    ShouldVisitTemplateInstantiations = true;
    // Without a declaration of these functions no value can come from them.
    IdentifierTable &Names = Ctx.Idents;
    for (const char *Name : {"omp_get_num_threads", "omp_get_max_threads", "omp_get_num_procs", "omp_get_thread_limit"})
      Any |= Names.find(Name) != Names.end();
    if (Any)
      TraverseDecl(Ctx.getTranslationUnitDecl());
  }
  bool TraverseDecl(Decl *D) override {
    bool Library = D && D->getDeclContext() && D->getDeclContext()->isFileContext() && D->getLocation().isValid() &&
                   SM.isInSystemHeader(D->getLocation());
    return !D || Library || Visitor::TraverseDecl(D);
  }

  bool VisitVarDecl(VarDecl *V) override {
    if (V->hasInit() && !isa<ParmVarDecl>(V))
      add(V, V->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->getOpcode() == BO_Assign)
      if (const ValueDecl *D = target(B->getLHS()))
        add(D, B->getRHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    if (const FunctionDecl *F = C->getDirectCallee(); F && (F = F->getDefinition()) && !F->isExternallyVisible())
      for (unsigned I = 0; I < C->getNumArgs() && I < F->getNumParams(); ++I)
        add(F->getParamDecl(I), C->getArg(I));
    return true;
  }

  bool isTeamSize(const Expr *E, unsigned Steps = MaxSteps) const {
    if (!E || !Any || !Steps)
      return false;
    E = E->IgnoreParenCasts();
    if (isTeamSizeCall(E))
      return true;
    if (const auto *C = dyn_cast<ConditionalOperator>(E))
      return isTeamSize(C->getTrueExpr(), Steps - 1) || isTeamSize(C->getFalseExpr(), Steps - 1);
    if (const auto *B = dyn_cast<BinaryOperator>(E))
      return (B->isAdditiveOp() || B->getOpcode() == BO_Div || B->getOpcode() == BO_Shr) &&
             isa<IntegerLiteral>(B->getRHS()->IgnoreParenCasts()) && isTeamSize(B->getLHS(), Steps - 1);
    const ValueDecl *D = target(E);
    auto It = Sources.find(D);
    if (!D || It == Sources.end())
      return false;
    auto Is = [&](const Expr *Value) { return isTeamSize(Value, Steps - 1); };
    // A variable may start at 1 and learn the number later; a function may serve arrays of any length.
    return isa<ParmVarDecl>(D) ? llvm::all_of(It->second, Is) : llvm::any_of(It->second, Is);
  }

private:
  static const ValueDecl *target(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (const auto *R = dyn_cast<DeclRefExpr>(E))
      return cast<ValueDecl>(R->getDecl()->getCanonicalDecl());
    const auto *M = dyn_cast<MemberExpr>(E);
    return M ? M->getMemberDecl() : nullptr;
  }
  void add(const ValueDecl *D, const Expr *Value) {
    if (D->getType().getNonReferenceType()->isIntegerType())
      Sources[cast<ValueDecl>(D->getCanonicalDecl())].push_back(Value);
  }

  const SourceManager &SM;
  bool Any = false;
  llvm::DenseMap<const ValueDecl *, llvm::SmallVector<const Expr *, 2>> Sources;
};

} // namespace

bool countsThreads(const Stmt *Loop, Unit &U) {
  const auto *For = dyn_cast_or_null<ForStmt>(Loop);
  const auto *Compare =
      dyn_cast_or_null<BinaryOperator>(For && For->getCond() ? For->getCond()->IgnoreParenImpCasts() : nullptr);
  if (!Compare || !Compare->isComparisonOp())
    return false;
  const Values &Known = U.fact<Values>([&] { return Values(U.ast()); });
  if (Known.isTeamSize(Compare->getLHS()) || Known.isTeamSize(Compare->getRHS()))
    return true;
  // Counting down to a constant.
  if (!isa<IntegerLiteral>(Compare->getRHS()->IgnoreParenImpCasts()))
    return false;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(For->getInit()))
    if (const auto *V = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr)
      return Known.isTeamSize(V->getInit());
  const auto *Start = dyn_cast_or_null<BinaryOperator>(For->getInit());
  return Start && Start->getOpcode() == BO_Assign && Known.isTeamSize(Start->getRHS());
}

} // namespace stridewise
