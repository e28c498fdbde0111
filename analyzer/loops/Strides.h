// The step of an address per iteration of each loop around it, in bytes: ScalarEvolution, with a layer above that
// rewrites what ScalarEvolution leaves opaque (loads of loop-invariant bounds and row pointers, integer extensions,
// clamps), each under an assumption that the advice can state.
//
// What stays opaque becomes a *symbol*: a value with the set of loops in which it may change. Symbols live in a module
// of their own, so the program's IR is never touched. Expressions are valid as long as the engine.
#ifndef STRIDEWISE_LOOPS_STRIDES_H
#define STRIDEWISE_LOOPS_STRIDES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <string>

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
  /// The engine of a function, made once and shared by all checks.
  static StrideEngine &get(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  /// The rewritten address of a pointer, or value of an integer. V must be of a type that ScalarEvolution handles.
  const llvm::SCEV *rewrite(llvm::Value *V);
  /// Step of a rewritten expression per iteration of L.
  Stride stride(const llvm::SCEV *S, const llvm::Loop *L);
  Stride stride(llvm::Value *V, const llvm::Loop *L) { return stride(rewrite(V), L); }
  /// The step itself, in bytes for a pointer: null when it is not linear in L, zero when it does not vary.
  const llvm::SCEV *step(const llvm::SCEV *S, const llvm::Loop *L);
  /// The expression with its extensions distributed, as rewritten expressions have them.
  const llvm::SCEV *simplify(const llvm::SCEV *S);
  /// True when the expression may change between iterations of L.
  bool varies(const llvm::SCEV *S, const llvm::Loop *L);
  bool varies(llvm::Value *V, const llvm::Loop *L);
  /// True when the expression may change in any loop of its function.
  bool varies(const llvm::SCEV *S);
  /// Constant trip count, or an upper bound of it; 0 when unknown.
  unsigned tripCount(const llvm::Loop *L);
  /// Backedge-taken count, rewritten; also recovered from the exit compare. Null when the loop is not countable.
  const llvm::SCEV *backedges(const llvm::Loop *L);
  /// The expression at the first iteration of every loop strictly inside L.
  const llvm::SCEV *atStart(const llvm::SCEV *S, const llvm::Loop *L);
  /// For a symbol that stands for a loaded value: the rewritten address that it was loaded from; null otherwise.
  const llvm::SCEV *loadedFrom(const llvm::SCEV *Symbol);
  /// For a symbol that stands for a value which a loop changes: the load that it was first met in; null otherwise.
  const llvm::LoadInst *changingLoad(const llvm::SCEV *Symbol);
  /// True when the expression rests on a symbol, whose value is only assumed to be what the program computes.
  bool isAssumed(const llvm::SCEV *S);

  /// Names a value in the source's terms; an empty answer means that there is no name for it.
  using Namer = llvm::function_ref<std::string(const llvm::Value *)>;
  /// The size of the step of S in L (or S itself when L is null) in words, without unit: "8", "72 * height"; empty when
  /// some part has no name. Arguments of the function and named globals have names of their own.
  std::string describe(const llvm::SCEV *S, const llvm::Loop *L, Namer Name = nullptr);

  llvm::ScalarEvolution &scalarEvolution();
  llvm::LoopInfo &loops();

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

/// A count without the case that the loop does not run at all; null for null.
const llvm::SCEV *unclamped(const llvm::SCEV *Count, llvm::ScalarEvolution &SE);

} // namespace stridewise
#endif
