// Whether two accesses of a team on the two sides of a barrier may name the same memory and come from different
// threads.
#ifndef STRIDEWISE_CORE_TEAMCONFLICT_H
#define STRIDEWISE_CORE_TEAMCONFLICT_H

#include "core/TeamGraph.h"
#include "core/TeamSync.h"

namespace stridewise {

/// The code on both sides: what is written there may differ from one side to the other.
struct TeamSides {
  const PathResolver &Paths;
  const UnitFunctions &Unit;
  const clang::ASTContext &Ctx;
  SymbolId ThreadNumber;
  std::vector<const TeamAccess *> Writes;
  llvm::DenseSet<const clang::VarDecl *> PrivateWrites;
};

/// Of two accesses, one of which writes. What the answer "no" rests on is noted in the verdict.
bool mayMeet(const TeamAccess &X, const TeamAccess &Y, const TeamSides &Sides, BarrierVerdict &V);

} // namespace stridewise
#endif
