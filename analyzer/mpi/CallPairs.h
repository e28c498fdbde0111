// Calls of functions of the program that follow each other.
#ifndef STRIDEWISE_MPI_CALLPAIRS_H
#define STRIDEWISE_MPI_CALLPAIRS_H

#include "mpi/SourceCalls.h"
#include "unit/Stored.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <set>

namespace stridewise {

/// A function that the program defines somewhere, for all that is known; else null.
const llvm::Function *programCallee(const llvm::CallBase &C);

/// The next call that counts on the only way from one, in no loop of its own; null also where a loop begins:
/// `Computes` says whether that does more than to copy.
const llvm::CallBase *nextProgramCall(const llvm::CallBase &From, const llvm::LoopInfo &LI, bool &Computes);

/// What comes first on the only way from a call: another one that counts, or a loop that does more than to copy.
/// Neither where a loop that copies begins, or the way forks. Clocks do not count, nor what asks for ranks.
struct NextWork {
  const llvm::CallBase *Call = nullptr;
  const llvm::Loop *Loop = nullptr;
};
NextWork nextWork(const llvm::CallBase &From, const llvm::LoopInfo &LI);

/// What the source calls the function that is called there. Names of Fortran are small letters, with those of modules
/// in front: "_QMhaloPbegin".
std::string calledName(const SourceFrame &At, const llvm::Function &Called);

/// How a function, or what it calls, takes part in an exchange.
struct CallPhase {
  bool Starts = false;                  // receives that it may leave under way
  bool Waits = false;                   // for all that is under way
  bool Sends = false, Receives = false; // from rank to rank
  bool Meets = false;                   // collective calls, files, one-sided access
  bool Computes = false;                // with floating-point numbers
  bool Works = false;                   // the same in a loop, or fills arrays in loops in loops
  std::set<unsigned> Into;              // parameters that point to what its receives fill, and no send takes
  bool talks() const { return Sends || Receives || Meets; }
};

/// The phases of the unit's functions, each by itself, with what they call, by their names among those of all units.
llvm::json::Object callPhases(Unit &U);

/// The same of all units, through all calls.
class CallPhases {
public:
  /// `Each`: what callPhases() has made of the units.
  explicit CallPhases(llvm::ArrayRef<const stored::Object *> Each);
  /// Nothing of functions that do not communicate.
  const CallPhase &of(const std::string &Name);
  /// Whether the function, or one that it calls, computes.
  bool compute(const std::string &Name) const;
  /// The same, in a loop.
  bool work(const std::string &Name) const;
  /// Whether it is called in a loop, or by a function that is.
  bool runAgain(const std::string &Name);

private:
  CallPhase closure(const std::string &Name) const;
  std::set<unsigned> intoOf(const std::string &Name, unsigned Depth) const;
  std::map<std::string, const stored::Object *> ByName;
  std::set<std::string> Talking; // functions that communicate, or call such
  std::map<std::string, CallPhase> Known;
  std::set<std::string> Again;
};

} // namespace stridewise
#endif
