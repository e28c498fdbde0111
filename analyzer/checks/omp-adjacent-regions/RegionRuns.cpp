#include "checks/omp-adjacent-regions/RegionRuns.h"
#include "omp/RegionRepeats.h"
#include "unit/Visitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;

namespace stridewise {
namespace {

bool isCandidate(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  OpenMPDirectiveKind K = D.getDirectiveKind();
  if (K != llvm::omp::OMPD_parallel_for && K != llvm::omp::OMPD_parallel_for_simd &&
      (K != llvm::omp::OMPD_parallel || sharedParts(D).empty()))
    return false;
  return classify(D, Ctx).StartsTeam && !D.hasClausesOfKind<OMPCopyinClause>() && !D.hasClausesOfKind<OMPIfClause>();
}

// What decides the team: the same for regions that can be one.
std::string team(const OMPExecutableDirective &D, const ASTContext &Ctx) {
  std::string Text;
  for (const OMPClause *C : D.clauses())
    if (const auto *N = dyn_cast<OMPNumThreadsClause>(C))
      Text += "num_threads " + textOf(N->getNumThreads(), Ctx);
    else if (const auto *P = dyn_cast<OMPProcBindClause>(C))
      Text += "proc_bind " + std::to_string(unsigned(P->getProcBindKind()));
  return Text;
}

bool calls(const Stmt *S) {
  return S && (isa<CallExpr, LambdaExpr, CXXNewExpr, CXXConstructExpr>(S) ||
               llvm::any_of(S->children(), [](const Stmt *X) { return calls(X); }));
}

// Declarations, and assignments of values that need no call: one thread can do them between two shared loops.
bool isCheap(const Stmt *S) {
  if (isa<NullStmt>(S))
    return true;
  if (const auto *D = dyn_cast<DeclStmt>(S))
    return llvm::all_of(D->decls(), [&](const Decl *X) {
      const auto *V = dyn_cast<VarDecl>(X);
      return !V || (V->getType()->isScalarType() && (!V->getInit() || !calls(V->getInit())));
    });
  const auto *B = dyn_cast<BinaryOperator>(S);
  return B && B->isAssignmentOp() && isa<DeclRefExpr>(B->getLHS()->IgnoreParens()) && !calls(B->getRHS());
}

void runsOf(const OmpSite &Site, const ASTContext &Ctx, std::vector<RegionRun> &Into) {
  RegionRun Run{{}, &Site};
  std::string Team;
  auto Finish = [&] {
    if (Run.Regions.size() > 1)
      Into.push_back(Run);
    Run.Regions.clear();
  };
  for (const Stmt *S : Site.Block->body()) {
    const auto *D = dyn_cast<OMPExecutableDirective>(S);
    if (D && isCandidate(*D, Ctx)) {
      if (!Run.Regions.empty() && team(*D, Ctx) != Team)
        Finish();
      Team = team(*D, Ctx);
      Run.Regions.push_back(D);
    } else if (D || !isCheap(S)) {
      Finish();
    }
  }
  Finish();
}

bool written(const Stmt *S, llvm::DenseSet<const VarDecl *> &Into) {
  if (!S)
    return true;
  const Expr *Target = nullptr;
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Target = B->getLHS();
  else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    Target = U->getSubExpr();
  else if (isa<CallExpr>(S))
    return false;
  if (Target) {
    const Expr *E = Target->IgnoreParenImpCasts();
    while (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase()->IgnoreParenImpCasts();
    const auto *D = dyn_cast<DeclRefExpr>(E);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    if (!V)
      return false;
    Into.insert(V);
  }
  return llvm::all_of(S->children(), [&](const Stmt *X) { return written(X, Into); });
}

} // namespace

std::vector<RegionRun> regionRuns(const OmpSites &Sites, const ASTContext &Ctx) {
  std::vector<RegionRun> Runs;
  llvm::DenseSet<const CompoundStmt *> Done;
  for (const OmpSite &Site : Sites.Constructs)
    if (Site.Block && isCandidate(*Site.directive(), Ctx) && !Sites.runsInTeam(Site) && Done.insert(Site.Block).second)
      runsOf(Site, Ctx, Runs);
  return Runs;
}

bool shareNoWrites(llvm::ArrayRef<const OMPExecutableDirective *> Run) {
  for (const OMPExecutableDirective *D : Run) {
    if (D->getDirectiveKind() == llvm::omp::OMPD_parallel)
      return false;
    if (!resultVariables(*D).empty())
      return false;
    llvm::DenseSet<const VarDecl *> Written;
    if (!written(constructBody(*D), Written))
      return false;
    for (const OMPExecutableDirective *Other : Run)
      if (Other != D && llvm::any_of(Written, [&](const VarDecl *V) { return mentions(constructBody(*Other), V); }))
        return false;
  }
  return true;
}

bool mayBeNamedTwice(llvm::ArrayRef<const OMPExecutableDirective *> Run) {
  struct Finder : Visitor<Finder> {
    bool Found = false;
    bool consider(QualType T) {
      Found |= T->isReferenceType() || (T->isPointerType() && !T.isRestrictQualified());
      return !Found;
    }
    bool VisitDeclRefExpr(DeclRefExpr *R) override {
      return !isa<VarDecl>(R->getDecl()) || consider(R->getDecl()->getType());
    }
    bool VisitMemberExpr(MemberExpr *M) override { return consider(M->getType()); }
  } Search;
  for (const OMPExecutableDirective *D : Run)
    Search.TraverseStmt(const_cast<Stmt *>(constructBody(*D)));
  return Search.Found;
}

} // namespace stridewise
