// Where statements of a Fortran file's teams stand: what lets one thread pass alone, what holds a lock, who has a name.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANTEAMPLACES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_FORTRANTEAMPLACES_H

#include "fortran/Constructs.h"
#include "fortran/Updates.h"

namespace stridewise {

class FortranTeamPlaces {
protected:
  explicit FortranTeamPlaces(Unit &U);

  /// On a device, under what lets one thread pass, or one of two directives before one loop.
  bool isInOther(const FortranConstruct &C) const;
  /// Shared by a clause or by default; of an argument in a procedure that a team runs it is most likely.
  bool isEverybodys(unsigned Statement, llvm::StringRef Name, const FortranConstruct &Share) const;
  bool mayHoldLock(const FortranConstruct &C) const;
  /// Nothing lets threads, or all but one of them, pass one after the other.
  bool isProtectedByNothing(unsigned Statement, const FortranConstruct &Region) const;
  /// Under a condition, or behind a call that may have taken a lock.
  bool isConditional(unsigned Statement, const FortranUpdate &X, const FortranConstruct &Region) const;
  /// Whether a name of a subscript or bound has one value for the team: no variable of each thread's, no function but
  /// the language's.
  bool isSameForAll(unsigned Statement, llvm::StringRef Name, const FortranConstruct &Share) const;
  std::string procedureAt(unsigned Statement) const;

  Unit &U;
  llvm::ArrayRef<FortranStatement> Statements;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;

private:
  bool isForOneOnly(unsigned Statement, const FortranConstruct &Region) const;
  bool leavesOthersOut(unsigned Statement) const;
  bool hasElse(const FortranBlock &B) const;
  bool isSetInRegion(unsigned Statement, llvm::StringRef Name) const;
};

} // namespace stridewise
#endif
