// Assignments of Fortran that update a variable by its own value, as the language of OpenMP's atomic construct has
// them.
#ifndef STRIDEWISE_FORTRAN_UPDATES_H
#define STRIDEWISE_FORTRAN_UPDATES_H

#include "fortran/Procedures.h"

namespace stridewise {

struct FortranUpdate {
  enum Kind {
    Operation, // x = x op e
    Extremum,  // the smaller or the larger of x and e
    Store      // x = e
  } K = Store;
  std::string Target;    // "x", "a(i)", "cell%mass"
  std::string Variable;  // "x", "a", "cell"
  std::string Value;     // e
  std::string Reduction; // operator of the reduction that does the same: "+", "max", ".or."; empty for a store
  std::string Condition; // of a one-line if that is no part of an extremum
  bool isScalar() const { return Target == Variable; }
  bool isElement() const { return !isScalar() && llvm::StringRef(Target).drop_front(Variable.size()).starts_with("("); }
};

/// What the statement, of no block, does to a variable; nothing for other statements.
std::optional<FortranUpdate> fortranUpdate(llvm::StringRef Statement);
/// Of `if (e > x) then; x = e; end if`: the extremum that its first two statements make.
std::optional<FortranUpdate> fortranExtremum(llvm::StringRef Branch, llvm::StringRef Statement);
/// Whether a text names the variable.
bool namesVariable(llvm::StringRef Text, llvm::StringRef Variable);

} // namespace stridewise
#endif
