// The barriers of a team's code and what stands between them: a graph of stretches of code and barriers, with the
// memory accesses of each stretch, and from it the barriers whose removal lets no two threads meet on the same data.
//
// A barrier is needed when some access since the barriers before it and some access up to the barriers after it may
// name the same memory, one of them writes, and they may come from different threads. Iterations of loops with the same
// number of iterations and the same static schedule belong to the same thread.
#ifndef STRIDEWISE_CORE_TEAMSYNC_H
#define STRIDEWISE_CORE_TEAMSYNC_H

#include "core/OmpRegion.h"

namespace stridewise {

struct BarrierVerdict {
  const clang::OMPExecutableDirective *Barrier = nullptr; // the barrier, or the construct whose end it is
  bool Explicit = false;
  bool Adjacent = false;             // another barrier stands right beside it: no data had to be compared
  bool AssumesDistinct = false;      // different pointers are taken to point at different memory
  bool ThroughPointers = false;      // data behind pointers was compared: the verdict rests on the language's rules
  bool NeedsStatic = false;          // loops without schedule clause have to be given schedule(static) first
  const clang::Stmt *Loop = nullptr; // the innermost loop in the team's code around it; each iteration meets it
  const clang::FunctionDecl *Function = nullptr;
};

/// The barriers of the unit in loops that can go, all of them together; in source order.
std::vector<BarrierVerdict> needlessBarriers(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
