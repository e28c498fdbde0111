// R11: parallel loops one after another, each with a team of its own.
//
// Regions are taken together when nothing but declarations and cheap assignments stands between them, their team
// clauses agree and their data clauses may stand on a `for` as well. It speaks when the regions run repeatedly and the
// work between two openings is small: known from core/RegionWork, or single loops of cheap iterations of unknown
// number. Beside large loops an opening costs nothing, and the rule is silent.
// Known false positives: short loops by source, long ones by input.
#include "core/Check.h"
#include "core/OmpSites.h"
#include "core/RegionWork.h"
#include "core/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-adjacent-regions";

class AdjacentRegions : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    Ctx = &U.ast();
    RegionWork Work(U);
    llvm::DenseSet<const CompoundStmt *> Done;
    for (const OmpSite &Site : Sites.Constructs)
      if (Site.Block && isCandidate(*Site.directive()) && !Sites.runsInTeam(Site) && Done.insert(Site.Block).second)
        block(Site, Sites, Work, R);
  }

private:
  bool isCandidate(const OMPExecutableDirective &D) const {
    OpenMPDirectiveKind K = D.getDirectiveKind();
    if (K != llvm::omp::OMPD_parallel_for && K != llvm::omp::OMPD_parallel_for_simd)
      return false;
    return classify(D, *Ctx).StartsTeam && !D.hasClausesOfKind<OMPCopyinClause>() && !D.hasClausesOfKind<OMPIfClause>();
  }

  // What decides the team: the same for regions that can be one.
  std::string team(const OMPExecutableDirective &D) const {
    std::string Text;
    for (const OMPClause *C : D.clauses())
      if (const auto *N = dyn_cast<OMPNumThreadsClause>(C))
        Text += "num_threads " + textOf(N->getNumThreads(), *Ctx);
      else if (const auto *P = dyn_cast<OMPProcBindClause>(C))
        Text += "proc_bind " + std::to_string(unsigned(P->getProcBindKind()));
    return Text;
  }

  // Declarations, and assignments of values that need no call: one thread can do them between two shared loops.
  bool isCheap(const Stmt *S) const {
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
  static bool calls(const Stmt *S) {
    return S && (isa<CallExpr, LambdaExpr, CXXNewExpr, CXXConstructExpr>(S) ||
                 llvm::any_of(S->children(), [](const Stmt *X) { return calls(X); }));
  }

  void block(const OmpSite &Site, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    std::vector<const OMPExecutableDirective *> Run;
    std::string Team;
    for (const Stmt *S : Site.Block->body()) {
      const auto *D = dyn_cast<OMPExecutableDirective>(S);
      if (D && isCandidate(*D)) {
        if (!Run.empty() && team(*D) != Team) {
          finish(Run, Site, Sites, Work, R);
          Run.clear();
        }
        Team = team(*D);
        Run.push_back(D);
      } else if (D || !isCheap(S)) {
        finish(Run, Site, Sites, Work, R);
        Run.clear();
      }
    }
    finish(Run, Site, Sites, Work, R);
  }

  void finish(llvm::ArrayRef<const OMPExecutableDirective *> Run, const OmpSite &Site, const OmpSites &Sites,
              RegionWork &Work, Reporter &R) const {
    if (Run.size() < 2)
      return;
    bool Repeated = Sites.isRepeated(Site);
    if (!Repeated && Site.In->isMain())
      return;
    double Microseconds = 0, Cheap = R.threshold(Slug, "max_iteration_ns") * CyclesPerMicrosecond / 1000;
    bool Known = true;
    for (const OMPExecutableDirective *D : Run) {
      std::optional<LoopWork> W = Work.largest(*D);
      if (!W || W->UnknownCalls || (!W->known() && (W->UnknownDepth > 0 || W->Cycles > Cheap)))
        return;
      Known &= W->known();
      if (W->known())
        Microseconds += W->total() / CyclesPerMicrosecond;
    }
    double Most = R.threshold(Slug, "max_region_us") * Run.size();
    if (Microseconds > Most || (!Known && !Repeated && Run.size() < 3))
      return;
    const SourceManager &SM = Ctx->getSourceManager();
    const OMPExecutableDirective &First = *Run.front();
    std::string Lines;
    for (std::size_t I = 1; I < Run.size(); ++I)
      Lines += (I == 1 ? "" : I + 1 == Run.size() ? " and " : ", ") + std::to_string(lineOf(Run[I]->getBeginLoc(), SM));
    Finding F;
    F.Rule = Slug;
    F.Conf = Known && Repeated && Microseconds < Most / 2 ? Confidence::High : Confidence::Medium;
    F.Range = {First.getBeginLoc(), First.getBeginLoc()};
    F.Function = Unit::functionName(Site.In);
    F.Scope = {First.getBeginLoc(), Run.back()->getEndLoc()};
    F.Args = {
        {"regions", static_cast<std::int64_t>(Run.size())},
        {"lines", (Run.size() == 2 ? "line " : "lines ") + Lines},
        {"nowait", std::string(independent(Run) ? ", with nowait: they share no data that one of them writes" : "")}};
    for (const OMPExecutableDirective *D : Run.drop_front())
      F.Relateds.push_back({D->getBeginLoc(), "the next region"});
    R.report(std::move(F));
  }

  // No variable that one of the loops writes to, or through, is named in another one.
  bool independent(llvm::ArrayRef<const OMPExecutableDirective *> Run) const {
    for (const OMPExecutableDirective *D : Run) {
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
  static bool written(const Stmt *S, llvm::DenseSet<const VarDecl *> &Into) {
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

  ASTContext *Ctx = nullptr;
};

STRIDEWISE_CHECK("omp-adjacent-regions", AdjacentRegions)

} // namespace
} // namespace stridewise
