// What the functions of a program do with their arrays, in loops that a team shares and in loops that one thread runs;
// and which of the latter run step after step beside the former.
//
// An array has a key that holds in its function: where its address comes from ("a2" the third argument, "g…" a global,
// "v7" a value of the function) and through which loads (">", with the offset "+16" before). In a caller's terms the
// argument is replaced by what is handed over.
#ifndef STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_LOOPFACTS_H
#define STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_LOOPFACTS_H

#include "unit/Summary.h"
#include <optional>
#include <string>
#include <vector>

namespace stridewise {

/// A loop around that comes back to the same elements each time, by number in its function.
struct StepLoop {
  int Number = 0;
  int Order = 0; // long loops within it around the access or the call: the work of a step grows with that power
};

/// One loop's use of an array: which, over how many elements, and in which loops around again and again.
struct ArrayUse {
  std::string Key;
  std::vector<std::string> Sizes; // keys of the numbers that the lengths are made of, sorted
  double Elements = 1;            // product of the lengths that are known
  double Long = 1;                // of the long ones among them: without components, neighbours
  unsigned Unknown = 0;           // lengths of which nothing is known
  unsigned Dims = 0;              // loops that are long or of unknown length
  std::vector<StepLoop> Steps;    // of the function
  int Order = 0;                  // long loops around the access in the function
  std::string Name;               // in the source
  std::string File;
  unsigned Line = 0; // of the loop
  bool Own = true;   // stands in the function's own text, not in what was inlined
};

struct CallFact {
  std::string Callee;
  std::vector<std::string> Arguments; // keys; empty where there is none
  std::vector<StepLoop> Steps;        // that hand over the same addresses
  int Order = 0;
  bool Rare = false; // in few of the iterations
  bool InTeam = false;
};

struct SerialLoop {
  Place Where;
  unsigned Number = 0; // of the unit
  std::vector<ArrayUse> Uses;
  double Elements = 1;  // of all arrays, in the loops of known length within the others
  std::string Function; // as findings show it
  ArgMap Args;
  std::vector<std::string> Otherwise; // places of team's loops of the function that run where this one does not
  bool Own = true, Sums = false, Scatters = false, Heavy = false, Silenced = false;
  std::optional<Fix> Change; // that has a team share it
};

struct FunctionLoops {
  std::string Name;
  bool InTeam = false; // shares loops of a team that its callers start
  std::vector<ArrayUse> Shared;
  std::vector<CallFact> Calls;
  std::vector<SerialLoop> Serial;
};

struct UnitLoops {
  std::vector<FunctionLoops> Functions;
};

llvm::json::Value toJson(const UnitLoops &U);
UnitLoops unitLoopsFromJson(const stored::Value &V);

/// "solver.c:12", as SerialLoop::Otherwise has it.
std::string placeOf(const ArrayUse &Use);

/// A serial loop that runs again and again beside a team's loop over the same array.
struct SerialShare {
  const SerialLoop *Loop = nullptr;
  const ArrayUse *Own = nullptr;
  ArrayUse Team;
  int Steps = -1; // the loop of the function around both, if there is one
};
/// Each loop of the source once.
std::vector<SerialShare> serialShares(llvm::ArrayRef<const UnitLoops *> Program);

} // namespace stridewise
#endif
