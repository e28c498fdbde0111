// Which procedures of a Fortran unit call which, and how many loops are around the calls: what loops/CallHeat.h knows
// of C. To be asked before anything is inlined.
#ifndef STRIDEWISE_FORTRAN_FORTRANCALLS_H
#define STRIDEWISE_FORTRAN_FORTRANCALLS_H

#include "unit/Unit.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stridewise {

struct FortranCall {
  std::string Caller, Callee; // as the linker knows them
  unsigned Loops = 0;         // around the call
  unsigned Depth = 0;         // of them, those that no team shares
  bool Rare = false;          // behind a test that few of the iterations pass: the loops around it do not count
};

/// An argument that is handed over as a copy, since its elements do not lie side by side, to a procedure that needs
/// them to; all of a statement together.
struct FortranCopy {
  const llvm::DILocation *At = nullptr;
  std::string Caller, Callee; // as the linker knows them; no callee where a pointer is called
  unsigned Loops = 0;         // around it, but for those over a few components
  std::uint64_t Elements = 0; // of the largest; the most there are where an extent is no constant
  bool Back = false;          // some are copied back
};

struct FortranBody {
  unsigned Depth = 0;     // of its own loops
  bool CallsAway = false; // what is neither flang's library nor an intrinsic
};

struct FortranCalls {
  std::vector<FortranCall> All;
  std::vector<FortranCopy> Copies;
  std::map<std::string, FortranBody> Bodies;
  llvm::DenseMap<const llvm::DISubprogram *, std::string> Names;
};

FortranCalls fortranCalls(llvm::Module &M, Unit &U);

/// In the form of CallHeat::toJson(); null where there are none.
llvm::json::Value fortranCallEdges(Unit &U);

} // namespace stridewise
#endif
