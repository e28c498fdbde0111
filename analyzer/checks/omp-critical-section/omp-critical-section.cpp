// R13: a critical section, or a lock, around an update that an atomic construct or a reduction does; an atomic update
// of one variable where a reduction does.
//
// Core/CriticalUpdate reads what the section does; here it is asked how often the team comes by: in every iteration of
// a loop, or once per thread after it, which is how a sum made by hand should end and is silent.
// Known false positives: sections that few iterations reach, behind a condition (confidence medium).
#include "checks/omp-critical-section/CriticalFix.h"
#include "checks/omp-critical-section/LockChoice.h"
#include "omp/RegionWork.h"
#include "unit/Check.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-critical-section";

class CriticalSection : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    OmpSites Sites(U.ast());
    if (Sites.Constructs.empty())
      return;
    Ctx = &U.ast();
    RegionWork Work(U);
    All = lockedUpdates(Sites, *Ctx);
    for (const LockedUpdates &L : All)
      if (L.Updates.empty() && !L.IsAtomic)
        collectNames(L.Body, OtherUses[lockOf(L)]);
    for (const LockedUpdates &L : All) {
      Meter::count();
      if (L.Updates.empty())
        continue;
      if (std::optional<SectionReach> Found = reachOf(L, Sites, *Ctx))
        report(L, *Found, Work, R);
    }
  }

private:
  void report(const LockedUpdates &L, const SectionReach &At, RegionWork &Work, Reporter &R) {
    const SourceManager &SM = Ctx->getSourceManager();
    for (const ScalarUpdate &U : L.Updates) {
      if (isPrivate(U, L, At, *Ctx))
        return;
      // Other code under the same lock keeps the variable consistent with something else.
      if (!L.IsAtomic && OtherUses[lockOf(L)].contains(cast<ValueDecl>(U.Root->getCanonicalDecl())))
        return;
    }
    std::optional<LoopWork> Inner = Work.largest(At.Loop);
    std::optional<LoopWork> Shared = At.Share ? Work.largest(*At.Share) : std::nullopt;
    double MinTrips = R.threshold(Slug, "min_iterations");
    if (!At.Share && !At.Tasks && Inner && Inner->Trips > 0 && Inner->Trips < MinTrips)
      return; // each thread hands over a few results of its own
    // Arrays that each thread has gathered are merged like this, also once per step.
    bool Merges = holdsLoop(L.Body) || (L.Updates.size() > 1 && llvm::all_of(L.Updates, [](const ScalarUpdate &U) {
                                          return !isa<DeclRefExpr>(U.Target);
                                        }));
    if (Merges && !At.Share && !At.Tasks)
      return;
    // Threads seldom meet at one lock of many; one for all updates of a row costs less than an atomic for each.
    const bool OneOfMany = isOneOfMany(L, At, R.threshold(Slug, "min_locks"), *Ctx);
    if (OneOfMany && (L.Updates.size() > 1 || holdsLoop(L.Body)))
      return;
    bool Reducible = isReducible(L, At), ByLocal = !Reducible && isReducibleByLocal(L, At);
    std::optional<Fix> X = withoutLock(L, At, All, *Ctx);
    if (L.IsAtomic && !X && !ByLocal)
      return; // an element that the data chooses, or a value that others look at meanwhile
    bool Updates = llvm::all_of(L.Updates, [](const ScalarUpdate &U) {
      return U.K == ScalarUpdate::Operation || U.K == ScalarUpdate::Extremum;
    });
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::High;
    if (!Updates || At.Guarded || !At.Share || (Inner && (Inner->UnknownDepth > 1 || Inner->UnknownCalls)) ||
        (!Reducible && (L.Updates.size() > 1 || holdsLoop(L.Body))))
      F.Conf = Confidence::Medium;
    if (OneOfMany)
      F.Conf = std::min(F.Conf, Confidence::Medium); // two atomic steps in place of one, but no queue
    // Other functions may look at a member meanwhile; what is seldom counted costs little.
    if (L.IsAtomic && !X && (At.Guarded || !isa<DeclRefExpr>(L.Updates.front().Target)))
      F.Conf = At.Guarded ? Confidence::Low : Confidence::Medium;
    double Most = R.threshold(Slug, "max_iteration_us") * CyclesPerMicrosecond;
    if ((Shared && Shared->Trips > 0 && Shared->Trips < MinTrips) || (Inner && Inner->Cycles > Most))
      F.Conf = Confidence::Low;
    F.Range = {L.Site->S->getBeginLoc(), L.isLock() ? L.Site->S->getEndLoc() : L.Site->S->getBeginLoc()};
    F.Function = Unit::functionName(L.Site->In);
    F.Scope = At.Loop->getSourceRange();
    F.Args = {{"lock", std::string(OneOfMany    ? "an element's lock"
                                   : L.isLock() ? "a lock"
                                   : L.IsAtomic ? "an atomic update"
                                                : "a critical section")},
              {"loop_line", lineOf(At.Loop->getBeginLoc(), SM)},
              {"variable", variables(L)},
              {"remedy", remedy(L, At, Reducible, ByLocal)}};
    F.Relateds.push_back({At.Loop->getBeginLoc(), "the loop that comes by in every iteration"});
    if (X)
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  // Sections of equal ones exclude each other.
  using LockId = std::pair<bool, std::string>;
  static LockId lockOf(const LockedUpdates &L) { return {L.isLock(), L.Name}; }

  static bool holdsLoop(const Stmt *S) {
    return isa<ForStmt>(S) || llvm::any_of(S->children(), [](const Stmt *X) { return X && holdsLoop(X); });
  }

  std::string variables(const LockedUpdates &L) const {
    std::string Text;
    for (std::size_t I = 0; I < L.Updates.size(); ++I)
      Text += (I == 0 ? "'" : I + 1 == L.Updates.size() ? "' and '" : "', '") + textOf(L.Updates[I].Target, *Ctx);
    return Text + "'";
  }

  std::string remedy(const LockedUpdates &L, const SectionReach &At, bool Reducible, bool ByLocal) const {
    std::string Without = L.isLock()                                             ? "drop the lock"
                          : L.IsAtomic && isa<OMPExecutableDirective>(L.Site->S) ? "delete the atomic construct"
                          : L.IsAtomic                                           ? "leave the atomic variable alone"
                                                                                 : "delete the critical construct";
    if (ByLocal) {
      const OMPExecutableDirective &To = At.reducer();
      const bool Same =
          llvm::all_of(L.Updates, [&](const ScalarUpdate &U) { return U.Reduction == L.Updates.front().Reduction; });
      return (L.Updates.size() > 1 ? "collect in local variables with " : "collect in a local variable with ") +
             (Same ? "reduction(" + L.Updates.front().Reduction + ":…)" : "reduction clauses") + " on the '" +
             directiveName(To) + "' at line " + std::to_string(lineOf(To.getBeginLoc(), Ctx->getSourceManager())) +
             ", take it into " + variables(L) + " once, behind the loop, and " + Without + " in it";
    }
    if (Reducible) {
      const OMPExecutableDirective &To = At.reducer();
      return "add " + reductionClauses(L) + " to the '" + directiveName(To) + "' at line " +
             std::to_string(lineOf(To.getBeginLoc(), Ctx->getSourceManager())) + " and " + Without;
    }
    if (holdsLoop(L.Body))
      return "let each thread collect in an array of its own and add these up once per thread (an array reduction does "
             "so), or put '#pragma omp atomic' before each update";
    const ScalarUpdate &U = L.Updates.front();
    std::string Instead = L.isLock() ? " instead of taking the lock" : " instead of critical";
    if (L.Updates.size() > 1)
      return "put '#pragma omp atomic' before each update" + Instead;
    switch (U.K) {
    case ScalarUpdate::Store:
      return "use '#pragma omp atomic write'" + Instead;
    case ScalarUpdate::Capture:
      return "take the value with '#pragma omp atomic capture'" + Instead;
    case ScalarUpdate::Extremum:
      return "keep one extremum per thread (reduction(" + U.Reduction + ":…)) or use '#pragma omp atomic compare'" +
             Instead;
    case ScalarUpdate::Operation:
      break;
    }
    bool Element = !isa<DeclRefExpr, MemberExpr>(U.Target);
    return "use '#pragma omp atomic'" + Instead + (Element ? ", or an array reduction when the array is small" : "");
  }

  ASTContext *Ctx = nullptr;
  std::vector<LockedUpdates> All;
  // What the sections of each lock name that do more than update.
  std::map<LockId, llvm::DenseSet<const ValueDecl *>> OtherUses;
};

STRIDEWISE_CHECK("omp-critical-section", CriticalSection)

} // namespace
} // namespace stridewise
