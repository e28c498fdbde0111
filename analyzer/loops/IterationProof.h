// Whether a loop's iterations may run in any order, and at once: no address is met by two of them, no value is carried
// from one to the next but sums and extremes, and nothing is done that others could see. Local arrays that each
// iteration fills anew, and that nothing else uses, are its own.
#ifndef STRIDEWISE_LOOPS_ITERATIONPROOF_H
#define STRIDEWISE_LOOPS_ITERATIONPROOF_H

#include "loops/LoopNest.h"

namespace stridewise {

enum class ReductionKind { None, Sum, Product, Greatest, Least, Several };

struct IterationProof {
  bool Independent = false;
  ReductionKind Reduction = ReductionKind::None; // of what the iterations add up
  unsigned Reduced = 0;                          // how many values, or small arrays, they add up
  bool Scatters = false;                         // but for sums of floating-point numbers in elements that data choose
  std::vector<Reference> References;             // of the loop and those in it
};

/// Arrays of different names are taken for distinct. `IsOfLoop` tells whether code comes from the loop's text, directly
/// or through calls: what is stored once behind the loop now may have been stored in each iteration.
IterationProof proveIterations(const llvm::Loop &L, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                               llvm::function_ref<bool(const llvm::DebugLoc &)> IsOfLoop);

/// The accesses of a loop, without those to arrays that each iteration has for itself; nothing where there are too
/// many.
std::optional<std::vector<Reference>> accessesOf(const llvm::Loop &L, llvm::Function &F,
                                                 llvm::FunctionAnalysisManager &FAM);

} // namespace stridewise
#endif
