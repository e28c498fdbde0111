// May the loop of an outer level of a nest become the innermost one?
//
// DependenceAnalysis proves what it can. What it cannot (it is confused by any two pointers that might overlap and by
// flattened subscripts) is decided on rewritten addresses, taking arrays of different base for distinct; such a verdict
// supports advice, never a fix.
#ifndef STRIDEWISE_LOOPS_LOOPLEGALITY_H
#define STRIDEWISE_LOOPS_LOOPLEGALITY_H

#include "loops/LoopNest.h"

namespace stridewise {

struct ExchangeVerdict {
  enum Kind {
    Proven,   // every dependence is kept
    Assumed,  // kept if different arrays do not overlap and index arithmetic stays within its rows
    Unclear,  // an address is beyond analysis
    Forbidden // some dependence, bound or effect forces the present order
  } K = Proven;
  const char *Why = "";        // of Unclear and Forbidden, for tests and debugging
  bool DistinctArrays = false; // Assumed because bases differ
  bool ReordersSum = false;    // a floating-point sum is rounded in another order
  bool CopiesScalars =
      false; // each iteration of the moved loop needs its own copy of scalars that the inner one carries
  /// Each iteration of the moved loop fills these arrays anew before it reads them, and needs its own copy: one access
  /// to each.
  llvm::SmallVector<const llvm::Instruction *, 4> Rows;
  bool AssumesFilled = false; // nothing tells whether all that is read of them is filled before
  bool TestsBound = false;    // the inner loop ends at another number in each row, which becomes a test in its body
  bool AsksFormulas = false; // functions that it calls are taken to give the same in any order (LoopNest::AsksFormulas)
  bool CallsBeside = false;  // calls beside the inner loop are taken to leave alone what it works on
  bool Substitutes = false;  // the inner loop reads what statements beside it made final in earlier iterations of A
  bool Searches = false;     // some iteration ends all loops, whichever it is, and leaves nothing else behind
  bool SiblingLoops = false; // the outer loop holds other loops, from which the inner one must be split first
  /// Of DistinctArrays: one access to each array that is taken for another than the rest.
  llvm::SmallVector<const llvm::Instruction *, 4> Distinct;
};

/// Judges moving the loop of `Level` to the innermost place.
ExchangeVerdict judgeExchange(const LoopNest &N, unsigned Level, llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace stridewise
#endif
