// The barriers of a team's code and what stands between them: a graph of stretches of code and barriers, with the
// memory accesses of each stretch, and from it the barriers whose removal lets no two threads meet on the same data.
//
// A barrier is needed when some access since the barriers before it and some access up to the barriers after it may
// name the same memory, one of them writes, and they may come from different threads. Iterations of loops with the same
// number of iterations and the same static schedule belong to the same thread.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMSYNC_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMSYNC_H

#include "omp/OmpRegion.h"

namespace stridewise {

struct BarrierVerdict {
  const clang::OMPExecutableDirective *Barrier = nullptr; // the barrier, or the construct whose end it is
  bool Explicit = false;
  bool Adjacent = false;             // another barrier stands right beside it: no data had to be compared
  bool Beside = false;               // between it and another barrier data are read, and nothing else is done
  bool AssumesDistinct = false;      // different pointers are taken to point at different memory
  bool ThroughPointers = false;      // data behind pointers was compared: the verdict rests on the language's rules
  bool NeedsStatic = false;          // loops without schedule clause have to be given schedule(static) first
  const clang::Stmt *Loop = nullptr; // the innermost loop in the team's code around it; each iteration meets it. Null
                                     // for barriers that each run of the region meets once
  bool SomeRounds = false;           // a loop of the team stands around it, of which not all iterations meet it
  const clang::FunctionDecl *Function = nullptr;
};

/// The barriers of the unit that can go, all of them together, in source order, but for ends of constructs right before
/// the region's.
std::vector<BarrierVerdict> needlessBarriers(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
