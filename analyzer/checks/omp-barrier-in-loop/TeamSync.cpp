#include "checks/omp-barrier-in-loop/TeamSync.h"
#include "checks/omp-barrier-in-loop/TeamConflict.h"
#include "unit/Meter.h"
#include "unit/Visitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

// Judges the barriers of one graph.
class Judge {
public:
  Judge(const TeamGraph &G, PathResolver &Paths, const UnitFunctions &Unit, const ASTContext &Ctx)
      : Nodes(G.Nodes), Sides(Paths, Unit, Ctx, Paths.threadNumber()) {
    tellAccessesApart(Paths);
    findReachable();
  }

  struct Group {
    std::vector<unsigned> Nodes;
    BarrierVerdict Verdict;
  };

  /// Removes what can go, one after another, so that the verdicts hold together.
  std::vector<BarrierVerdict> run(llvm::DenseSet<const OMPExecutableDirective *> &Needed) {
    std::vector<Group> Groups;
    llvm::DenseMap<const OMPExecutableDirective *, unsigned> GroupOf;
    for (unsigned I = 0; I < Nodes.size(); ++I) {
      const TeamNode &N = Nodes[I];
      if (!N.Barrier || !Reachable.test(I))
        continue;
      auto [It, New] = GroupOf.try_emplace(N.Barrier, Groups.size());
      if (New) {
        Groups.emplace_back();
        Groups.back().Verdict.Barrier = N.Barrier;
        Groups.back().Verdict.Explicit = N.Explicit;
        Groups.back().Verdict.Function = N.Function;
      }
      Group &G = Groups[It->second];
      G.Nodes.push_back(I);
      if (N.Loop && N.EveryTime)
        G.Verdict.Loop = N.Loop;
      G.Verdict.SomeRounds |= N.Loop && !N.EveryTime;
    }
    std::vector<BarrierVerdict> Result;
    // What is surest goes first: a written barrier beside another one, then written ones, then those that nowait
    // removes.
    for (int Pass = 0; Pass < 3; ++Pass)
      for (Group &G : Groups) {
        if (G.Nodes.empty() || (Pass < 2) != G.Verdict.Explicit)
          continue;
        if (!G.Verdict.Explicit && !classify(*G.Verdict.Barrier, Sides.Ctx).CanTakeNowait)
          continue;
        if (!removable(G) || (Pass == 0 && !G.Verdict.Adjacent))
          continue;
        if (Needed.contains(G.Verdict.Barrier))
          continue;
        Result.push_back(G.Verdict);
        for (unsigned N : G.Nodes)
          Removed.set(N);
        G.Nodes.clear();
      }
    for (const Group &G : Groups)
      if (!G.Nodes.empty())
        Needed.insert(G.Verdict.Barrier);
    return Result;
  }

private:
  struct Stretch {
    std::vector<unsigned> Nodes;
    std::vector<const TeamAccess *> Accesses; // those that differ in anything that counts
    bool Opaque = false, Empty = true;
    bool Idle = true;  // reads data, and does nothing else
    bool Long = false; // too long to be judged; what is known of it is a part
  };

  // Of barriers that go one after another, the code between those that stay becomes longer, and each next one would be
  // judged by all of it: the time would grow with the square of their number. So one in so many stays; it is judged
  // anew when the others are gone from the source.
  static constexpr unsigned MostRemovedInARow = 32;

  void findReachable() {
    Reachable.resize(Nodes.size());
    Removed.resize(Nodes.size());
    Stamp.assign(Nodes.size(), 0);
    std::vector<unsigned> Work{0};
    Reachable.set(0);
    while (!Work.empty()) {
      unsigned N = Work.back();
      Work.pop_back();
      for (unsigned S : Nodes[N].Succ)
        if (!Reachable.test(S)) {
          Reachable.set(S);
          Work.push_back(S);
        }
    }
  }

  // Code names the same element again and again: one access of each kind will do.
  void tellAccessesApart(const PathResolver &Paths) {
    llvm::StringMap<unsigned> Known;
    Distinct.resize(Nodes.size());
    Quiet.resize(Nodes.size());
    Idle.resize(Nodes.size());
    for (unsigned I = 0; I < Nodes.size(); ++I) {
      Quiet[I] = !Nodes[I].Work && !Nodes[I].Opaque;
      Idle[I] = !Nodes[I].Busy && !Nodes[I].Opaque;
      llvm::DenseSet<unsigned> Here;
      for (const TeamAccess &A : Nodes[I].Accesses) {
        Meter::count();
        Idle[I] = Idle[I] && !A.Writes;
        Quiet[I] = Quiet[I] && !A.Writes && A.P.isPlainVariable() && A.P.Var->hasLocalStorage() &&
                   !Sides.Unit.AddressTaken.contains(A.P.Var);
        std::string Key = Paths.key(A.P);
        for (const ObjectPath::Step &S : A.P.Steps)
          Key += S.Embedded ? '=' : '-';
        llvm::raw_string_ostream(Key) << ' ' << A.Type.getAsOpaquePtr() << ' ' << int(A.By) << ' ' << A.Loop << ' '
                                      << A.Reads << A.Writes;
        unsigned Id = Known.try_emplace(Key, Known.size()).first->second;
        if (Here.insert(Id).second)
          Distinct[I].emplace_back(Id, &A);
      }
    }
    AccessStamp.assign(Known.size(), 0);
  }

  // The code between the barriers of the group and their next ones, in one direction.
  Stretch stretch(const std::vector<unsigned> &From, bool Forward) {
    Stretch S;
    ++Round;
    const llvm::DenseSet<unsigned> Own(From.begin(), From.end());
    std::vector<unsigned> Work(From);
    unsigned Passed = 0;
    while (!Work.empty()) {
      unsigned N = Work.back();
      Work.pop_back();
      for (unsigned X : Forward ? Nodes[N].Succ : Nodes[N].Pred) {
        if (!Reachable.test(X) || std::exchange(Stamp[X], Round) == Round)
          continue;
        Meter::count();
        const TeamNode &Next = Nodes[X];
        if (Next.isBarrier() && !Removed.test(X) && !Own.contains(X))
          continue;
        if (Removed.test(X) && ++Passed > MostRemovedInARow) {
          S.Long = true;
          return S;
        }
        S.Nodes.push_back(X);
        S.Opaque |= Next.Opaque;
        S.Empty &= Quiet[X];
        S.Idle &= Idle[X];
        for (auto [Id, A] : Distinct[X])
          if (std::exchange(AccessStamp[Id], Round) != Round)
            S.Accesses.push_back(A);
        Work.push_back(X);
      }
    }
    return S;
  }

  bool removable(Group &G) {
    BarrierVerdict &V = G.Verdict;
    V.Adjacent = V.Beside = V.AssumesDistinct = V.NeedsStatic = V.ThroughPointers = false;
    if (!Meter::spend())
      return false;
    Stretch Before = stretch(G.Nodes, false), After = stretch(G.Nodes, true);
    if (Before.Long || After.Long)
      return false;
    if (Before.Empty || After.Empty) {
      // The barrier beside it holds the team together, for a clock that is read next, too.
      V.Adjacent = true;
    } else if (Before.Opaque || After.Opaque) {
      return false;
    }
    Sides.clear();
    for (const Stretch *S : {&Before, &After}) {
      for (const TeamAccess *A : S->Accesses)
        if (A->Writes)
          Sides.wrote(*A);
      for (unsigned N : S->Nodes)
        Sides.PrivateWrites.insert(Nodes[N].PrivateWrites.begin(), Nodes[N].PrivateWrites.end());
    }
    if (mayMeet(Before.Accesses, After.Accesses, Sides, V))
      return false;
    V.Beside = Before.Idle || After.Idle;
    V.ThroughPointers = !V.Adjacent && (readsPointers(Before) || readsPointers(After));
    return true;
  }

  static bool readsPointers(const Stretch &S) {
    return llvm::any_of(S.Accesses, [](const TeamAccess *A) {
      return A->P.hops() || A->P.Root != ObjectPath::Variable || A->P.Var->getType()->isReferenceType();
    });
  }

  const std::vector<TeamNode> &Nodes;
  TeamSides Sides;
  llvm::BitVector Removed, Reachable;
  std::vector<std::vector<std::pair<unsigned, const TeamAccess *>>> Distinct; // of each node, with their numbers
  std::vector<bool> Quiet;                  // nodes that do nothing another thread could notice
  std::vector<bool> Idle;                   // nodes that only read
  std::vector<unsigned> Stamp, AccessStamp; // the last round that met a node, an access
  unsigned Round = 0;
};

// Parallel regions and orphaned constructs of a function, as they are written.
struct Constructs : Visitor<Constructs> {
  const ASTContext &Ctx;
  std::vector<const OMPExecutableDirective *> Regions;
  bool Orphans = false, HasLoop = false;
  unsigned InRegion = 0;
  explicit Constructs(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool dataTraverseStmtPre(Stmt *S) override {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
      OpenMPDirectiveKind K = D->getDirectiveKind();
      if (K == OMPD_parallel && !InRegion)
        Regions.push_back(D);
      OmpConstruct C = classify(*D, Ctx);
      Orphans |= !InRegion && C.EndsWithBarrier;
      InRegion += isOpenMPParallelDirective(K) || C.Device;
    }
    HasLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    return true;
  }
  bool dataTraverseStmtPost(Stmt *S) override {
    if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
      InRegion -= isOpenMPParallelDirective(D->getDirectiveKind()) || classify(*D, Ctx).Device;
    return true;
  }
};

} // namespace

std::vector<BarrierVerdict> needlessBarriers(ASTContext &Ctx) {
  // Code that does not compile may hide accesses.
  if (!Ctx.getLangOpts().OpenMP || Ctx.getDiagnostics().hasUncompilableErrorOccurred())
    return {};
  UnitFunctions Unit(Ctx);
  llvm::DenseSet<const OMPExecutableDirective *> Needed;
  std::vector<BarrierVerdict> Found;
  llvm::DenseSet<const FunctionDecl *> Inlined;
  std::vector<const FunctionDecl *> Orphaned;

  auto Study = [&](const FunctionDecl *F, const OMPExecutableDirective *Region) {
    PathResolver Paths(Ctx, Unit);
    TeamGraph G = teamGraph(Ctx, Paths, Unit, F, Region);
    Inlined.insert(G.Inlined.begin(), G.Inlined.end());
    if (G.Failed) {
      for (const TeamNode &N : G.Nodes)
        if (N.Barrier)
          Needed.insert(N.Barrier);
      return;
    }
    Judge J(G, Paths, Unit, Ctx);
    for (BarrierVerdict &V : J.run(Needed))
      Found.push_back(std::move(V));
  };

  for (const FunctionDecl *F : Unit.Functions) {
    Constructs C(Ctx);
    C.TraverseStmt(F->getBody());
    for (const OMPExecutableDirective *D : C.Regions)
      Study(F, D);
    if (C.Orphans)
      Orphaned.push_back(F);
  }
  // Callers that the unit does not show: what they do around the call is unknown.
  for (const FunctionDecl *F : Orphaned)
    if (F->isExternallyVisible() || !Inlined.contains(F->getCanonicalDecl()))
      Study(F, nullptr);

  // One verdict per barrier: every context has to agree, and some context has to repeat it.
  std::vector<BarrierVerdict> Result;
  llvm::DenseMap<const OMPExecutableDirective *, unsigned> At;
  for (const BarrierVerdict &V : Found) {
    if (Needed.contains(V.Barrier))
      continue;
    auto [It, New] = At.try_emplace(V.Barrier, Result.size());
    if (New) {
      Result.push_back(V);
      continue;
    }
    BarrierVerdict &R = Result[It->second];
    R.Adjacent &= V.Adjacent;
    R.Beside &= V.Beside;
    R.AssumesDistinct |= V.AssumesDistinct;
    R.NeedsStatic |= V.NeedsStatic;
    R.ThroughPointers |= V.ThroughPointers;
    R.SomeRounds |= V.SomeRounds;
    if (!R.Loop)
      R.Loop = V.Loop;
  }
  // What some rounds of a loop meet alone is the business of those; the end of a construct right before the region's is
  // no matter.
  llvm::erase_if(Result, [](const BarrierVerdict &V) {
    return !V.Loop && (V.SomeRounds || (!V.Explicit && (V.Adjacent || V.Beside)));
  });
  return Result;
}

} // namespace stridewise
