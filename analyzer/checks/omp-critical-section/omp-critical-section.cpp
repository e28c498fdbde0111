// R13: a critical section, or a lock, around an update that an atomic construct or a reduction does, or around what
// each thread could append to a list of its own; an atomic update of one variable where a reduction does, or of the
// bins of a small array of known size.
//
// Core/CriticalUpdate reads what the section does; here it is asked how often the team comes by: in every iteration of
// a loop, or once per thread after it, which is how a sum made by hand should end and is silent.
// Known false positives: sections that few iterations reach, behind a condition (confidence medium).
#include "checks/omp-critical-section/CriticalFix.h"
#include "checks/omp-critical-section/FortranSections.h"
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
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return fortranSections(U, R);
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
        report(L, *Found, Sites, Work, R);
    }
  }

private:
  // What the threads of the team meet at a section for.
  struct Section {
    const LockedUpdates &L;
    const SectionReach &At;
    std::optional<LoopWork> Inner, Shared; // the loop that comes by; the loop that the team shares
    bool OneOfMany = false;                // threads seldom meet at one lock of many
    bool Reducible = false, ByLocal = false;
    bool Bins = false;      // an element, which the data choose, of an array that each thread could have for itself
    bool Appends = false;   // to a list
    bool LongMerge = false; // of arrays that each thread has gathered, one thread after the other
    bool Tally = false;     // to a global variable, in a function that the loop calls
    bool several() const { return L.Updates.size() > 1 || holdsLoop(L.Body); }
  };

  // Other code under the same lock keeps a variable consistent with something else.
  bool isTheTeams(const LockedUpdates &L, const SectionReach &At) {
    return llvm::none_of(L.Updates, [&](const ScalarUpdate &U) {
      return isPrivate(U, L, At, *Ctx) ||
             (!L.IsAtomic && OtherUses[lockOf(L)].contains(cast<ValueDecl>(U.Root->getCanonicalDecl())));
    });
  }

  // Each thread hands over a few results of its own, once: how sums and arrays made by hand should end.
  static bool handsOver(const Section &S, double MinTrips) {
    if (S.At.Share || S.At.Tasks)
      return false;
    if (S.Inner && S.Inner->Trips > 0 && S.Inner->Trips < MinTrips)
      return true;
    // Arrays that each thread has gathered are merged like this, also once per step.
    return holdsLoop(S.L.Body) || (S.L.Updates.size() > 1 && llvm::all_of(S.L.Updates, [](const ScalarUpdate &U) {
                                     return !isa<DeclRefExpr>(U.Target);
                                   }));
  }

  // What the loops of a section take, as far as their lengths are known.
  static double mergeCycles(const Stmt *Body, RegionWork &Work) {
    if (isa<ForStmt>(Body)) {
      const std::optional<LoopWork> Loop = Work.largest(Body);
      return Loop && Loop->known() ? Loop->total() : 0;
    }
    double Cycles = 0;
    for (const Stmt *S : Body->children())
      Cycles += S ? mergeCycles(S, Work) : 0;
    return Cycles;
  }

  // `if (e > x)` around the section that asks the same again: those iterations alone come by that find a new extremum.
  bool looksFirst(const LockedUpdates &L, const SectionReach &At) const {
    const auto Loop = llvm::find(L.Site->Around, At.Loop);
    return llvm::all_of(L.Updates, [&](const ScalarUpdate &U) {
      return U.K == ScalarUpdate::Extremum && std::any_of(Loop, L.Site->Around.end(), [&](const Stmt *S) {
               const auto *If = dyn_cast<IfStmt>(S);
               const auto *Compare = If ? dyn_cast<BinaryOperator>(If->getCond()->IgnoreParenImpCasts()) : nullptr;
               return Compare && Compare->isRelationalOp() &&
                      llvm::any_of(std::initializer_list<const Expr *>{Compare->getLHS(), Compare->getRHS()},
                                   [&](const Expr *Side) { return textOf(Side, *Ctx) == textOf(U.Target, *Ctx); });
             });
    });
  }

  // 0 where a length is unknown.
  static double passesOf(const Section &S) {
    const auto *Shares = dyn_cast_or_null<OMPLoopDirective>(S.At.Share);
    const bool SameLoop =
        Shares && (Shares->getLoopsNumber() > 1 ||
                   Shares->getInnermostCapturedStmt()->getCapturedStmt()->IgnoreContainers() == S.At.Loop);
    return S.Shared ? passes(*S.Shared, S.Inner, SameLoop) : 0;
  }

  Confidence confidence(const Section &S, bool Fixed, Reporter &R) const {
    const LockedUpdates &L = S.L;
    const SectionReach &At = S.At;
    if (S.LongMerge)
      return At.Guarded ? Confidence::Low : Confidence::Medium;
    const double Passes = passesOf(S);
    if ((Passes > 0 && Passes < R.threshold(Slug, "min_iterations")) ||
        (S.Inner && S.Inner->Cycles > R.threshold(Slug, "max_iteration_us") * CyclesPerMicrosecond))
      return Confidence::Low;
    // Other functions may look at a member meanwhile; what is seldom counted costs little.
    if (L.IsAtomic && !Fixed && (At.Guarded || !isa<DeclRefExpr>(L.Updates.front().Target)))
      return At.Guarded ? Confidence::Low : Confidence::Medium;
    if (S.OneOfMany || S.Tally) // two atomic steps in place of one, but no queue
      return Confidence::Medium;
    const bool Updates = llvm::all_of(L.Updates, [](const ScalarUpdate &U) {
      return U.K == ScalarUpdate::Operation || U.K == ScalarUpdate::Extremum;
    });
    const bool Unknown = S.Inner && (S.Inner->UnknownDepth > 1 || S.Inner->UnknownCalls);
    if (!Updates || At.Guarded || !At.Share || Unknown || (!S.Reducible && S.several()))
      return Confidence::Medium;
    return Confidence::High;
  }

  const UnitFunctions &functions() {
    if (!Functions)
      Functions.emplace(*Ctx);
    return *Functions;
  }

  // What is known of a section; nothing where each thread's coming by is as it should be.
  std::optional<Section> judge(const LockedUpdates &L, const SectionReach &At, RegionWork &Work, Reporter &R) const {
    Section S{L, At, Work.largest(At.Loop), At.Share ? Work.largest(*At.Share) : std::nullopt};
    S.LongMerge = !At.Share && mergeCycles(L.Body, Work) > R.threshold(Slug, "max_merge_us") * CyclesPerMicrosecond;
    if (!S.LongMerge && handsOver(S, R.threshold(Slug, "min_iterations")))
      return std::nullopt;
    // One lock for all updates of a row costs less than an atomic for each.
    S.OneOfMany = isOneOfMany(L, At, R.threshold(Slug, "min_locks"), *Ctx);
    S.Appends = L.Updates.front().K == ScalarUpdate::Append;
    if ((S.OneOfMany && (S.several() || S.Appends)) || (S.Appends && !isOnlyGathered(L, At)))
      return std::nullopt;
    // Behind a first look, few iterations come by; and what looks at the place meanwhile wants that of all threads.
    if (L.Updates.front().K == ScalarUpdate::Located && !isOnlyGathered(L, At))
      return std::nullopt;
    return S;
  }

  void report(const LockedUpdates &L, const SectionReach &At, const OmpSites &Sites, RegionWork &Work, Reporter &R) {
    std::optional<Section> Judged = isTheTeams(L, At) ? judge(L, At, Work, R) : std::nullopt;
    if (!Judged)
      return;
    Section &S = *Judged;
    S.Reducible = isReducible(L, At);
    S.ByLocal = !S.Reducible && isReducibleByLocal(L, At);
    std::optional<Fix> X = withoutLock(L, At, All, *Ctx);
    if (L.IsAtomic && !X && !S.ByLocal) {
      S.Bins = areBins(S, R.threshold(Slug, "max_private_bytes"));
      S.Tally = !S.Bins && isOnlyGatheredByTeams(L, At, Sites, functions(), *Ctx);
      if (!S.Bins && !S.Tally)
        return; // an element that the data chooses, or a value that others look at meanwhile
    }
    Finding F;
    F.Rule = Slug;
    F.Conf = At.Guarded && looksFirst(L, At) ? Confidence::Low : confidence(S, X.has_value(), R);
    F.Range = {L.Site->S->getBeginLoc(), L.isLock() ? L.Site->S->getEndLoc() : L.Site->S->getBeginLoc()};
    F.Function = Unit::functionName(L.Site->In);
    F.Scope = At.Loop->getSourceRange();
    F.Args = {{"lock", std::string(S.OneOfMany  ? "an element's lock"
                                   : L.isLock() ? "a lock"
                                   : L.IsAtomic ? "an atomic update"
                                                : "a critical section")},
              {"loop_line", lineOf(At.Loop->getBeginLoc(), Ctx->getSourceManager())},
              {"variable", variables(L)},
              {"remedy", remedy(S)}};
    F.Relateds.push_back({At.Loop->getBeginLoc(), "the loop that comes by in every iteration"});
    if (X)
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  // Whether the loop only counts in an array so small that each thread can have one.
  bool areBins(const Section &S, double MaxBytes) const {
    const double Bytes = S.At.Share ? bytesOfArray(S.L.Updates.front().Target) : 0;
    return Bytes > 0 && Bytes <= MaxBytes && isOnlyGathered(S.L, S.At);
  }

  // What an element is of, and which one it is.
  static std::pair<const Expr *, const Expr *> elementOf(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      return {A->getBase()->IgnoreParenImpCasts(), A->getIdx()};
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E); O && O->getOperator() == OO_Subscript && O->getNumArgs() == 2)
      return {O->getArg(0)->IgnoreParenImpCasts(), O->getArg(1)};
    return {nullptr, nullptr};
  }

  // The size of the array whose element is named, of all dimensions that are not fixed, where its type says it; else 0.
  double bytesOfArray(const Expr *Element) const {
    const Expr *Base = elementOf(Element).first;
    if (!Base || Base->isTypeDependent())
      return 0;
    for (auto Outer = elementOf(Base);
         Outer.first && !Outer.second->isValueDependent() && !Outer.second->isEvaluatable(*Ctx);
         Outer = elementOf(Base))
      Base = Outer.first;
    if (Base->isTypeDependent())
      return 0;
    const QualType T = Base->getType().getNonReferenceType();
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    const bool Fixed = T->isConstantArrayType() || (R && R->isInStdNamespace() && R->getIdentifier() &&
                                                    R->getName() == "array" && R->isCompleteDefinition());
    return Fixed ? static_cast<double>(Ctx->getTypeSizeInChars(T).getQuantity()) : 0;
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

  std::string remedy(const Section &S) const {
    const LockedUpdates &L = S.L;
    const SectionReach &At = S.At;
    const bool Reducible = S.Reducible, ByLocal = S.ByLocal;
    if (S.Bins)
      return variant(Slug, "own_bins", {{"operator", L.Updates.front().Reduction}});
    if (S.Appends)
      return variant(Slug, "own_list");
    if (S.Tally)
      return variant(Slug, "own_tally", {{"variables", variables(L)}});
    const std::string Without = variant(Slug, L.isLock()                                             ? "drop_lock"
                                              : L.IsAtomic && isa<OMPExecutableDirective>(L.Site->S) ? "delete_atomic"
                                              : L.IsAtomic                                           ? "leave_atomic"
                                                           : "delete_critical");
    if (ByLocal || Reducible) {
      const OMPExecutableDirective &To = At.reducer();
      const bool Same =
          llvm::all_of(L.Updates, [&](const ScalarUpdate &U) { return U.Reduction == L.Updates.front().Reduction; });
      const std::string Clause = !ByLocal ? reductionClauses(L)
                                 : Same   ? "reduction(" + L.Updates.front().Reduction + ":…)"
                                          : "reduction clauses";
      return variant(Slug,
                     !ByLocal               ? "reduce"
                     : L.Updates.size() > 1 ? "collect_several"
                                            : "collect_one",
                     {{"clause", Clause},
                      {"directive", directiveName(To)},
                      {"line", lineOf(To.getBeginLoc(), Ctx->getSourceManager())},
                      {"variables", variables(L)},
                      {"without", Without}});
    }
    if (S.LongMerge)
      return variant(Slug, "own_range", {{"operator", L.Updates.front().Reduction}});
    if (holdsLoop(L.Body))
      return variant(Slug, "own_array");
    const ScalarUpdate &U = L.Updates.front();
    const ArgMap Instead = {{"instead", variant(Slug, L.isLock() ? "not_locked" : "not_critical")},
                            {"operator", U.Reduction}};
    if (L.Updates.size() > 1)
      return variant(Slug, "each_atomic", Instead);
    switch (U.K) {
    case ScalarUpdate::Store:
      return variant(Slug, "atomic_write", Instead);
    case ScalarUpdate::Capture:
      return variant(Slug, "atomic_capture", Instead);
    case ScalarUpdate::Extremum:
      return variant(Slug, "extremum", Instead);
    case ScalarUpdate::Located:
      return variant(Slug, "own_place");
    case ScalarUpdate::Append:
    case ScalarUpdate::Operation:
      break;
    }
    return variant(Slug, isa<DeclRefExpr, MemberExpr>(U.Target) ? "atomic" : "atomic_element", Instead);
  }

  ASTContext *Ctx = nullptr;
  std::optional<UnitFunctions> Functions;
  std::vector<LockedUpdates> All;
  // What the sections of each lock name that do more than update.
  std::map<LockId, llvm::DenseSet<const ValueDecl *>> OtherUses;
};

STRIDEWISE_CHECK("omp-critical-section", CriticalSection)

} // namespace
} // namespace stridewise
