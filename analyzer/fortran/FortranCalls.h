// Which procedures of a Fortran unit call which, and how many loops are around the calls: what loops/CallHeat.h knows
// of C. To be asked before anything is inlined.
#ifndef STRIDEWISE_FORTRAN_FORTRANCALLS_H
#define STRIDEWISE_FORTRAN_FORTRANCALLS_H

#include "unit/Unit.h"
#include "llvm/Support/JSON.h"

namespace stridewise {

struct FortranCall {
  std::string Caller, Callee; // as the linker knows them
  unsigned Loops = 0;         // around the call
  unsigned Depth = 0;         // of them, those that no team shares
  bool Rare = false;          // behind a test that few of the iterations pass: the loops around it do not count
};

struct FortranCalls {
  std::vector<FortranCall> All;
  llvm::DenseMap<const llvm::DISubprogram *, std::string> Names;
};

FortranCalls fortranCalls(llvm::Module &M, Unit &U);

/// In the form of CallHeat::toJson(); null where there are none.
llvm::json::Value fortranCallEdges(Unit &U);

} // namespace stridewise
#endif
