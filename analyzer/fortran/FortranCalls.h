// Which procedures of a Fortran unit call which, and how many loops are around the calls: what loops/CallHeat.h knows
// of C. To be asked before anything is inlined.
#ifndef STRIDEWISE_FORTRAN_FORTRANCALLS_H
#define STRIDEWISE_FORTRAN_FORTRANCALLS_H

#include "fortran/SourceText.h"
#include "unit/Unit.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/JSON.h"
#include <set>

namespace stridewise {

struct FortranCall {
  std::string Caller, Callee; // as the linker knows them, but for the main program, which is "main"
  unsigned Loops = 0;         // around the call
  unsigned Depth = 0;         // of them, those that no team shares
  bool Rare = false;          // behind a test that few of the iterations pass: the loops around it do not count
  bool Again = false;         // with the same arguments in each iteration of one of the loops
};

struct FortranCalls {
  std::vector<FortranCall> All;
  std::set<std::string> Escaping; // procedures that are handed over, and may be called from anywhere
  llvm::DenseMap<const llvm::DISubprogram *, std::string> Names;
  /// Loops by their statements, as CallHeat has them: whose iterations call something for the same data each time; that
  /// run in few iterations of the loops around them.
  llvm::DenseSet<const FortranStatement *> Steps, RareLoops;
};

FortranCalls fortranCalls(llvm::Module &M, Unit &U);

/// In the form of CallHeat::toJson(); null where there are none.
llvm::json::Value fortranCallEdges(Unit &U);

} // namespace stridewise
#endif
