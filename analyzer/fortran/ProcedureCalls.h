// Which procedures of a Fortran file call which, as loops/CallHeat.h says it of functions that have a syntax tree: by
// the text, where any name with brackets behind it that is declared as no array may be a function.
#ifndef STRIDEWISE_FORTRAN_PROCEDURECALLS_H
#define STRIDEWISE_FORTRAN_PROCEDURECALLS_H

#include "fortran/Constructs.h"
#include "llvm/Support/JSON.h"

namespace stridewise {

class FortranCalls {
public:
  explicit FortranCalls(Unit &U);

  /// The calls in the form of CallHeat::toJson(); null where there are none.
  llvm::json::Value toJson() const;
  /// As CallHeat has them, of loops by the numbers of their statements.
  bool isSteps(unsigned Loop) const { return Steps.contains(Loop); }
  bool runsNowAndThen(unsigned Loop) const { return RareLoops.contains(Loop); }
  /// A procedure's name among those of all files: Fortran has one space for all but what modules and procedures
  /// contain, and of these few are called alike.
  static std::string name(const FortranProcedure &P);

private:
  friend class FortranCallReader;
  std::map<std::pair<std::string, std::string>, unsigned> Edges; // callee, caller; the loops around the call
  llvm::DenseSet<unsigned> Steps, RareLoops;
};

const FortranCalls &fortranCalls(Unit &U);

} // namespace stridewise
#endif
