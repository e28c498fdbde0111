#include "core/TeamSync.h"
#include "core/TeamConflict.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

// Judges the barriers of one graph.
class Judge {
public:
  Judge(const TeamGraph &G, PathResolver &Paths, const UnitFunctions &Unit, const ASTContext &Ctx)
      : Nodes(G.Nodes), Sides{Paths, Unit, Ctx, Paths.threadNumber(), {}, {}} {}

  struct Group {
    std::vector<unsigned> Nodes;
    BarrierVerdict Verdict;
  };

  /// Removes what can go, one after another, so that the verdicts hold together.
  std::vector<BarrierVerdict> run(llvm::DenseSet<const OMPExecutableDirective *> &Needed) {
    std::vector<Group> Groups;
    for (unsigned I = 0; I < Nodes.size(); ++I) {
      const TeamNode &N = Nodes[I];
      if (!N.Barrier || !reached(I))
        continue;
      auto It = llvm::find_if(Groups, [&](const Group &G) { return G.Verdict.Barrier == N.Barrier; });
      if (It == Groups.end()) {
        Groups.emplace_back();
        It = std::prev(Groups.end());
        It->Verdict.Barrier = N.Barrier;
        It->Verdict.Explicit = N.Explicit;
        It->Verdict.Function = N.Function;
      }
      It->Nodes.push_back(I);
      if (N.Loop)
        It->Verdict.Loop = N.Loop;
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
        Removed.insert(G.Nodes.begin(), G.Nodes.end());
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
    bool Opaque = false, Empty = true;
  };

  bool reached(unsigned Target) {
    if (Reachable.empty()) {
      std::vector<unsigned> Work{0};
      Reachable.insert(0);
      while (!Work.empty()) {
        unsigned N = Work.back();
        Work.pop_back();
        for (unsigned S : Nodes[N].Succ)
          if (Reachable.insert(S).second)
            Work.push_back(S);
      }
    }
    return Reachable.contains(Target);
  }

  // The code between the barriers of the group and their next ones, in one direction.
  Stretch stretch(const std::vector<unsigned> &From, bool Forward) {
    Stretch S;
    llvm::DenseSet<unsigned> Seen;
    std::vector<unsigned> Work(From);
    while (!Work.empty()) {
      unsigned N = Work.back();
      Work.pop_back();
      for (unsigned X : Forward ? Nodes[N].Succ : Nodes[N].Pred) {
        if (!reached(X) || !Seen.insert(X).second)
          continue;
        const TeamNode &Next = Nodes[X];
        bool Gone = Removed.contains(X) || llvm::is_contained(From, X);
        if (Next.isBarrier() && !Gone)
          continue;
        S.Nodes.push_back(X);
        S.Opaque |= Next.Opaque;
        S.Empty &= !Next.Work && !Next.Opaque && llvm::none_of(Next.Accesses, [&](const TeamAccess &A) {
          return A.Writes || !A.P.isPlainVariable() || !A.P.Var->hasLocalStorage() ||
                 Sides.Unit.AddressTaken.contains(A.P.Var);
        });
        Work.push_back(X);
      }
    }
    return S;
  }

  bool removable(Group &G) {
    BarrierVerdict &V = G.Verdict;
    V.Adjacent = V.AssumesDistinct = V.NeedsStatic = false;
    Stretch Before = stretch(G.Nodes, false), After = stretch(G.Nodes, true);
    if (Before.Empty || After.Empty) {
      V.Adjacent = true;
    } else if (Before.Opaque || After.Opaque) {
      return false;
    }
    Sides.Writes.clear();
    Sides.PrivateWrites.clear();
    for (const Stretch *S : {&Before, &After})
      for (unsigned N : S->Nodes) {
        for (const TeamAccess &A : Nodes[N].Accesses)
          if (A.Writes)
            Sides.Writes.push_back(&A);
        Sides.PrivateWrites.insert(Nodes[N].PrivateWrites.begin(), Nodes[N].PrivateWrites.end());
      }
    for (unsigned B : Before.Nodes)
      for (const TeamAccess &X : Nodes[B].Accesses)
        for (unsigned A : After.Nodes)
          for (const TeamAccess &Y : Nodes[A].Accesses)
            if ((X.Writes || Y.Writes) && mayMeet(X, Y, Sides, V))
              return false;
    return true;
  }

  const std::vector<TeamNode> &Nodes;
  TeamSides Sides;
  llvm::DenseSet<unsigned> Removed, Reachable;
};

// Parallel regions and orphaned constructs of a function, as they are written.
struct Constructs : RecursiveASTVisitor<Constructs> {
  const ASTContext &Ctx;
  std::vector<const OMPExecutableDirective *> Regions;
  bool Orphans = false, HasLoop = false;
  unsigned InRegion = 0;
  explicit Constructs(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool dataTraverseStmtPre(Stmt *S) {
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
  bool dataTraverseStmtPost(Stmt *S) {
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
  for (const BarrierVerdict &V : Found) {
    if (Needed.contains(V.Barrier))
      continue;
    auto It = llvm::find_if(Result, [&](const BarrierVerdict &R) { return R.Barrier == V.Barrier; });
    if (It == Result.end()) {
      Result.push_back(V);
      continue;
    }
    It->Adjacent &= V.Adjacent;
    It->AssumesDistinct |= V.AssumesDistinct;
    It->NeedsStatic |= V.NeedsStatic;
    if (!It->Loop)
      It->Loop = V.Loop;
  }
  llvm::erase_if(Result, [](const BarrierVerdict &V) { return !V.Loop; });
  return Result;
}

} // namespace stridewise
