// Loops that call a function for each element which computes a number and does nothing else: one of another file, whose
// body no compiler sees there, or one that only the run knows.
//
// Which calls may be of that kind a unit tells by itself; what the function does is known where its body is, or those
// of all functions of its type whose address is taken. So the link phase joins the two.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_CALLEDFORMULAS_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_CALLEDFORMULAS_H

#include "checks/build-missed-vectorization/VectorAdvice.h"
#include "checks/build-missed-vectorization/Vectorization.h"
#include "unit/Summary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace stridewise {

/// Whether the call may be one of a formula, by its types and by what is called.
bool mayBeFormula(const llvm::CallBase &C, const llvm::TargetLibraryInfo &TLI);
/// Whether each iteration of the loop calls the same function there.
bool callsTheSame(const llvm::CallBase &C, const llvm::Loop &L, StrideEngine &Engine);
/// Puts in the call's place what the vectoriser can take: a sum of its arguments, and of what they point to.
void replaceByOperations(llvm::CallBase &C);

/// What to say of a loop that needs the bodies of such functions (InlinedCalls).
VectorAdvice callAdvice(const ScalarLoop &S, bool IsFortran);
/// What it calls, for `Formulas::areAll`.
llvm::json::Value formulaCalls(const ScalarLoop &S);

/// The unit's own formulas, and the functions whose address it takes; null where there are none.
llvm::json::Value unitFormulas(Unit &U);

/// The formulas of all units.
class Formulas {
public:
  explicit Formulas(llvm::ArrayRef<const stored::Value *> OfUnits);
  /// Whether the calls, as `formulaCalls` has them, are calls of formulas.
  bool areAll(const stored::Value &Calls) const;
  /// Where the first of them is defined that another file has.
  std::optional<Place> definition(const stored::Value &Calls) const;

private:
  std::map<std::string, Place> Known;
  std::map<std::string, bool> OfType; // whether all functions of the type are formulas
};

} // namespace stridewise
#endif
