// The graph of a team's code: stretches of code and barriers, with the memory accesses of each stretch.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMGRAPH_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMGRAPH_H

#include "omp/OmpRegion.h"

namespace stridewise {

/// A loop whose iterations the team divides.
struct SharedLoop {
  bool Known = false;   // bounds and schedule are understood
  bool Default = false; // no schedule clause
  std::vector<CounterRange> Ranges;
  std::vector<SymbolId> Counters; // number of the iteration, per collapsed loop
  std::optional<Poly> Chunk;
};

struct TeamAccess {
  enum Runner { Every, One, Master, Shared };
  ObjectPath P;
  clang::QualType Type;
  bool Reads, Writes;
  Runner By;
  const SharedLoop *Loop = nullptr;
};

struct TeamNode {
  std::vector<TeamAccess> Accesses;
  llvm::DenseSet<const clang::VarDecl *> PrivateWrites;
  bool Opaque = false; // code that the unit does not show, or that synchronises or tells the time
  bool Work = false;   // anything beyond the control of loops
  bool Busy = false;   // anything beyond the control of loops and the values of local integers
  // Of a barrier:
  const clang::OMPExecutableDirective *Barrier = nullptr;
  bool Fixed = false; // begin and end of the region
  bool Explicit = false;
  const clang::Stmt *Loop = nullptr;
  bool EveryTime = false; // every way through an iteration of that loop leads over it
  const clang::FunctionDecl *Function = nullptr;
  std::vector<unsigned> Succ, Pred;
  bool isBarrier() const { return Fixed || Barrier; }
};

struct TeamGraph {
  std::vector<TeamNode> Nodes; // the first is where the team begins
  std::vector<std::unique_ptr<SharedLoop>> Loops;
  llvm::DenseSet<const clang::FunctionDecl *> Inlined;
  bool Failed = false; // something in the code is beyond the walk; the nodes are those up to there
};

/// The graph of a parallel region of F, or, without one, of F as a function with orphaned constructs that some team
/// calls.
TeamGraph teamGraph(clang::ASTContext &Ctx, PathResolver &Paths, const UnitFunctions &Unit,
                    const clang::FunctionDecl *F, const clang::OMPExecutableDirective *Region);

} // namespace stridewise
#endif
