#include "checks/omp-false-sharing/SlotWrites.h"
#include "checks/omp-false-sharing/TeamCode.h"
#include "checks/omp-false-sharing/ThreadQuery.h"
#include "unit/Counted.h"
#include "unit/Visitor.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

// The parallel regions of a function, and whether it holds team code outside of them.
struct RegionScan : Visitor<RegionScan> {
  std::vector<const OMPExecutableDirective *> Regions;
  llvm::DenseSet<const FunctionDecl *> Callees, Outside; // Outside: of the code around the regions
  bool Orphan = false;
  unsigned Inside = 0;
  bool TraverseStmt(Stmt *S) override {
    if (const auto *C = dyn_cast_or_null<CallExpr>(S))
      if (const FunctionDecl *F = C->getDirectCallee()) {
        Callees.insert(F->getCanonicalDecl());
        if (!Inside)
          Outside.insert(F->getCanonicalDecl());
      }
    const auto *D = dyn_cast_or_null<OMPExecutableDirective>(S);
    bool Region = D && isOpenMPParallelDirective(D->getDirectiveKind());
    if (Region)
      Regions.push_back(D);
    else if (!Inside && D && (D->getDirectiveKind() == OMPD_for || D->getDirectiveKind() == OMPD_for_simd))
      Orphan = true;
    else if (const auto *C = dyn_cast_or_null<CallExpr>(S); !Inside && C)
      Orphan |= isCall(C, [](llvm::StringRef N) { return N == "omp_get_thread_num"; });
    Inside += Region;
    bool Result = Visitor::TraverseStmt(S);
    Inside -= Region;
    return Result;
  }
};

} // namespace

// Whether the unit names any way to start a thread by itself.
static bool namesThreads(const ASTContext &Ctx) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"pthread_create", "thrd_create", "thread", "async"},
                      [&](llvm::StringRef Name) { return Ctx.Idents.find(Name) != Ctx.Idents.end(); });
}

// Two threads that run at the same time write parts of one object that lie in one line.
static std::optional<std::int64_t> betweenParts(const TeamCode::Repeated &A, const TeamCode::Repeated &B,
                                                const SlotLimits &Limits) {
  const auto Line = static_cast<std::int64_t>(Limits.LineBytes);
  const std::int64_t Distance = std::abs(A.Begin - B.Begin);
  if (A.Object != B.Object || (A.Begin < B.End && B.Begin < A.End) || Distance >= Line ||
      (A.Alignment % Line == 0 && A.Begin / Line != B.Begin / Line))
    return std::nullopt;
  return Distance;
}

static void startedWrites(const FunctionDecl *F, ASTContext &Ctx, const UnitFunctions &Unit, const SlotLimits &Limits,
                          llvm::function_ref<void(SlotWrite)> Take) {
  const std::vector<ThreadStart> Starts = startedThreads(F);
  std::vector<std::pair<unsigned, std::vector<TeamCode::Repeated>>> Singles;
  for (const ThreadStart &S : Starts) {
    PathResolver Paths(Ctx, Unit);
    TeamCode T(Ctx, Paths, Unit, F, Limits);
    T.started(S, S.Loop != nullptr);
    for (SlotWrite &W : T.Found)
      Take(std::move(W));
    if (!S.Loop)
      Singles.emplace_back(S.Group, T.repeated());
  }
  for (std::size_t I = 0; I < Singles.size(); ++I)
    for (std::size_t J = I + 1; J < Singles.size() && Singles[J].first == Singles[I].first; ++J)
      for (const TeamCode::Repeated &A : Singles[I].second)
        for (const TeamCode::Repeated &B : Singles[J].second)
          if (const std::optional<std::int64_t> Distance = Meter::spend() ? betweenParts(A, B, Limits) : std::nullopt) {
            SlotWrite W = A.Write;
            W.Other = B.Write.Write;
            W.DistanceBytes = *Distance;
            // A line may end between two parts of an object that begins anywhere.
            W.Sure &= B.Write.Sure && 2 * static_cast<double>(*Distance) < Limits.LineBytes;
            Take(std::move(W));
          }
}

// Adds the functions that call one of `Orphans`, directly or through others, and start no team: what runs inside of a
// team runs them too, and the loop that repeats the write may stand there.
static void callersOf(std::vector<const FunctionDecl *> &Orphans, llvm::ArrayRef<const FunctionDecl *> Functions,
                      const llvm::DenseMap<const FunctionDecl *, llvm::DenseSet<const FunctionDecl *>> &Callees,
                      llvm::DenseSet<const FunctionDecl *> &Teams) {
  const auto Closed = [&](llvm::DenseSet<const FunctionDecl *> &Set,
                          llvm::function_ref<void(const FunctionDecl *)> Add) {
    for (bool Grows = true; Grows;) {
      Grows = false;
      for (const FunctionDecl *F : Functions) {
        const FunctionDecl *Own = F->getCanonicalDecl();
        const auto It = Callees.find(Own);
        if (Set.contains(Own) || It == Callees.end() || !Meter::spend() ||
            llvm::none_of(It->second, [&](const FunctionDecl *C) { return Set.contains(C); }))
          continue;
        Set.insert(Own);
        Add(F);
        Grows = true;
      }
    }
  };
  Closed(Teams, [](const FunctionDecl *) {});
  llvm::DenseSet<const FunctionDecl *> Reached;
  for (const FunctionDecl *F : Orphans)
    Reached.insert(F->getCanonicalDecl());
  Closed(Reached, [&](const FunctionDecl *F) {
    if (!Teams.contains(F->getCanonicalDecl()))
      Orphans.push_back(F);
  });
}

// Functions that run inside of teams; what a region showed already is known better.
static void orphanWrites(llvm::ArrayRef<const FunctionDecl *> Orphans, ASTContext &Ctx, const UnitFunctions &Unit,
                         const SlotLimits &Limits, llvm::function_ref<bool(const FunctionDecl *)> IsTheTeams,
                         llvm::function_ref<void(SlotWrite)> Take) {
  std::vector<SlotWrite> InEachCall;
  for (const FunctionDecl *F : Orphans) {
    PathResolver Paths(Ctx, Unit);
    TeamCode T(Ctx, Paths, Unit, F, Limits);
    T.orphan(F);
    for (SlotWrite &W : T.Found)
      Take(std::move(W));
    if (IsTheTeams(F))
      llvm::move(T.inEachCall(), std::back_inserter(InEachCall));
  }
  // A loop that was found around a write says more of it.
  for (SlotWrite &W : InEachCall)
    Take(std::move(W));
}

std::vector<SlotWrite> slotWrites(ASTContext &Ctx, const SlotLimits &Limits,
                                  std::vector<const FunctionDecl *> &Numbers) {
  std::vector<SlotWrite> All;
  const bool Threads = namesThreads(Ctx);
  if (!Ctx.getLangOpts().OpenMP && !Threads)
    return All;
  std::optional<UnitFunctions> Unit;
  UnitFunctions &Known = Unit.emplace(Ctx);
  llvm::DenseSet<const Expr *> Taken;
  auto Take = [&](TeamCode &T) {
    for (SlotWrite &W : T.Found)
      if (Taken.insert(W.Write).second)
        All.push_back(std::move(W));
  };
  std::vector<const FunctionDecl *> Orphans;
  llvm::DenseSet<const FunctionDecl *> Teams; // functions that start teams, or call such
  llvm::DenseMap<const FunctionDecl *, llvm::DenseSet<const FunctionDecl *>> Callees, Outside;
  for (const FunctionDecl *F : Known.Functions) {
    if (Threads)
      startedWrites(F, Ctx, Known, Limits, [&](SlotWrite W) {
        if (Taken.insert(W.Write).second)
          All.push_back(std::move(W));
      });
    if (!Ctx.getLangOpts().OpenMP)
      continue;
    if (F->isExternallyVisible() && returnsThreadNumber(*F, Known))
      Numbers.push_back(F);
    RegionScan Scan;
    Scan.TraverseStmt(F->getBody());
    for (const OMPExecutableDirective *D : Scan.Regions) {
      if (!classify(*D, Ctx).StartsTeam || classify(*D, Ctx).Device)
        continue;
      PathResolver Paths(Ctx, Known);
      TeamCode T(Ctx, Paths, Known, F, Limits);
      T.region(*D);
      Take(T);
      if (!T.MayAsk)
        continue;
      PathResolver Others(Ctx, Known);
      TeamCode Trusting(Ctx, Others, Known, F, Limits);
      Trusting.TrustsQueries = true;
      Trusting.region(*D);
      for (SlotWrite &W : Trusting.Found)
        W.Asked = Trusting.Asked;
      Take(Trusting);
    }
    if (Scan.Orphan)
      Orphans.push_back(F);
    if (!Scan.Regions.empty() || F->isMain())
      Teams.insert(F->getCanonicalDecl());
    Callees[F->getCanonicalDecl()] = std::move(Scan.Callees);
    Outside[F->getCanonicalDecl()] = std::move(Scan.Outside);
  }
  callersOf(Orphans, Known.Functions, Callees, Teams);
  // Where the code around teams calls a function as well, it is not known to be the teams'.
  const auto IsTheTeams = [&](const FunctionDecl *F) {
    return F->isExternallyVisible() && llvm::none_of(Teams, [&](const FunctionDecl *D) {
             const auto It = Outside.find(D);
             return It != Outside.end() && It->second.contains(F->getCanonicalDecl());
           });
  };
  orphanWrites(Orphans, Ctx, Known, Limits, IsTheTeams, [&](SlotWrite W) {
    if (Taken.insert(W.Write).second)
      All.push_back(std::move(W));
  });
  return All;
}

} // namespace stridewise
