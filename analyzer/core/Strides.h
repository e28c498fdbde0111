// The step of an address per iteration of each loop around it, in bytes: ScalarEvolution, with a layer above that
// rewrites what ScalarEvolution leaves opaque (loads of loop-invariant bounds and row pointers, integer extensions,
// clamps), each under an assumption that the advice can state.
#ifndef STRIDEWISE_CORE_STRIDES_H
#define STRIDEWISE_CORE_STRIDES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace stridewise {

struct Stride {
  enum Kind {
    Zero,     // does not move
    Constant, // Bytes per iteration
    Symbolic, // loop-invariant but unknown at compile time (8 * height)
    Unknown   // depends on data or is not linear
  } K = Zero;
  std::int64_t Bytes = 0;
  friend bool operator==(const Stride &, const Stride &) = default;
};

class StrideEngine {
public:
  StrideEngine(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  ~StrideEngine();

  /// The rewritten address of a pointer (or value of an integer) as seen inside the innermost loop around `At`.
  const llvm::SCEV *rewrite(llvm::Value *V);
  /// Step of a rewritten expression per iteration of L.
  Stride stride(const llvm::SCEV *S, const llvm::Loop *L);
  Stride stride(llvm::Value *V, const llvm::Loop *L) { return stride(rewrite(V), L); }
  /// True when the expression may change between iterations of L.
  bool varies(const llvm::SCEV *S, const llvm::Loop *L);
  bool varies(llvm::Value *V, const llvm::Loop *L) { return varies(rewrite(V), L); }
  /// Constant trip count, or an upper bound of it; 0 when unknown.
  unsigned tripCount(const llvm::Loop *L);
  /// Backedge-taken count, rewritten; also recovered from the exit compare. Null when the loop is not countable.
  const llvm::SCEV *backedges(const llvm::Loop *L);

  /// A stride or trip count in words for messages: "8 bytes", "8 * height bytes" where names are known, else
  /// "a row".
  std::string describe(const llvm::SCEV *S, const llvm::Loop *L);

  llvm::ScalarEvolution &scalarEvolution();

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace stridewise
#endif
