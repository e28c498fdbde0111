// Which innermost loops LLVM's vectoriser leaves alone, and under which assumption it would not.
//
// Legality is asked first, on the canonical IR, for every loop that works on arrays. The few that fail are tried for
// real: their functions are cloned, brought nearer to -O2 and given to the loop vectoriser for the unit's own target,
// first as they are, then under one assumption after another. What makes a loop vectorise is its obstacle; a loop
// that nothing helps depends on itself, and nothing is said of it.
#ifndef STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_VECTORIZATION_H
#define STRIDEWISE_CHECKS_BUILD_MISSED_VECTORIZATION_VECTORIZATION_H

#include "loops/Strides.h"
#include "unit/Unit.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include <set>
#include <string>
#include <vector>

namespace stridewise {

/// What would have to hold for the vectoriser to succeed; flags.
enum VectorAssumption : unsigned {
  FreeOrder = 1,       // floating-point operations may be reassociated
  DistinctArrays = 2,  // different pointers address different memory
  VectorFunctions = 4, // mathematical functions set no errno and have vector versions
  InlinedCalls = 8,    // functions that it calls for each element are expanded there (CalledFormulas.h)
};

struct ScalarLoop {
  const llvm::Loop *L = nullptr;
  llvm::Function *F = nullptr;
  unsigned Needs = 0; // the fewest VectorAssumptions under which it vectorises
  /// Results that are combined over the iterations in a fixed order: the instructions that do it.
  llvm::SmallVector<const llvm::Instruction *, 2> Chains;
  /// Stores to an address that does not move in the loop and that is also read there.
  llvm::SmallVector<const llvm::Instruction *, 2> Accumulators;
  /// The number of iterations rests on memory that the loop might change.
  bool BoundReloaded = false;
  /// Some access is neither contiguous nor invariant in the loop.
  bool Scattered = false;
  /// What ShortLoops.h says of it; `BesideMore` is calls or work, `…OfFunction` takes the whole function for one
  /// iteration.
  bool TableRow = false, GatheredList = false, Reports = false, NowAndThen = false, WaitsForMemory = false;
  bool BesideMore = false, BesideMoreOfFunction = false;
  /// Some access follows no stride.
  bool Gathers = false;
  /// It does arithmetic under conditions.
  bool Conditional = false;
  /// An enclosing loop walks over some of the same data again.
  bool Repeated = false;
  /// Pointers that the loop writes through, and all others; named values only, each array once.
  llvm::SmallVector<const llvm::Value *, 4> Written, Others;
  std::set<std::string> Functions;                       // mathematical functions called
  llvm::SmallVector<const llvm::CallBase *, 2> Formulas; // calls of InlinedCalls
};

/// The loops of the unit that stay scalar and that `Wanted` accepts, in program order. Arrays of Fortran are distinct,
/// and its compilers have vector versions of its functions: what one does not see of that is no matter of the source.
std::vector<ScalarLoop> scalarLoops(Unit &U, llvm::function_ref<bool(const llvm::Loop *)> Wanted, unsigned MinTrips);

} // namespace stridewise
#endif
