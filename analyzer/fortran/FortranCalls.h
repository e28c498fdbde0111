// Which procedures of a Fortran unit call which, and how many loops are around the calls: what loops/CallHeat.h knows
// of C. To be asked before anything is inlined.
#ifndef STRIDEWISE_FORTRAN_FORTRANCALLS_H
#define STRIDEWISE_FORTRAN_FORTRANCALLS_H

#include "fortran/SourceText.h"
#include "unit/Unit.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stridewise {

struct FortranCall {
  std::string Caller, Callee; // as the linker knows them, but for the main program, which is "main"
  unsigned Loops = 0;         // around the call
  unsigned Depth = 0;         // of them, those that no team shares
  bool Rare = false;          // behind a test that few of the iterations pass: the loops around it do not count
  bool Again = false;         // with the same arguments in each iteration of one of the loops
  unsigned Arguments = 0;
  const llvm::DILocation *At = nullptr;
  const FortranStatement *Loop = nullptr; // the innermost one around that no team shares and the text has
};

/// An argument that is handed over as a copy, since its elements do not lie side by side, to a procedure that needs
/// them to; all of a statement together.
struct FortranCopy {
  const llvm::DILocation *At = nullptr;
  std::string Caller, Callee; // as the linker knows them; no callee where a pointer is called
  unsigned Loops = 0;         // around it, but for those over a few components
  std::uint64_t Elements = 0; // of the largest; the most there are where an extent is no constant
  unsigned Rank = 0;          // of the one with the most dimensions
  bool Back = false;          // some are copied back
  bool MayBeWhole = false;    // the descriptor alone tells whether the elements lie side by side
};

struct FortranBody {
  unsigned Depth = 0;     // of its own loops
  bool CallsAway = false; // what is neither flang's library nor an intrinsic
};

/// What a procedure calls behind its first and its last call of another one, in the same iterations of the loops around
/// that: in the order of the text, the first few.
struct FortranSequel {
  unsigned Line = 0; // of the first call
  std::vector<std::string> First, Last;
};

struct FortranCalls {
  std::vector<FortranCall> All;
  /// The procedure that the statement on the line calls by a binding, with so many arguments; empty where several may
  /// be called there.
  std::string boundAt(unsigned Line, unsigned Arguments) const;
  std::set<std::string> Escaping; // procedures that are handed over, and may be called from anywhere
  std::vector<FortranCopy> Copies;
  std::map<std::string, FortranBody> Bodies;
  llvm::DenseMap<const llvm::DISubprogram *, std::string> Names;
  /// By caller and callee.
  std::map<std::pair<std::string, std::string>, FortranSequel> Sequels;
  /// Loops by their statements, as CallHeat has them: whose iterations call something for the same data each time; that
  /// run in few iterations of the loops around them.
  llvm::DenseSet<const FortranStatement *> Steps, RareLoops;
};

/// A procedure's name for the linker, or "main".
std::string callName(const llvm::Function &F);
/// To be asked while the unit's code is made, before anything is inlined; fortranCalls() gives them from then on.
void rememberCalls(llvm::Module &M, Unit &U);
const FortranCalls &fortranCalls(Unit &U);

/// In the form of CallHeat::toJson(); null where there are none.
llvm::json::Value fortranCallEdges(Unit &U);

} // namespace stridewise
#endif
