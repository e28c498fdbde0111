// The layer above ScalarEvolution that loops/Strides.h describes: symbols, rewritten expressions and their steps.
#ifndef STRIDEWISE_LOOPS_STRIDEREWRITER_H
#define STRIDEWISE_LOOPS_STRIDEREWRITER_H

#include "loops/Strides.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <map>
#include <tuple>
#include <unordered_map>

namespace stridewise {

// Deep enough for real address arithmetic; beyond, a value is a symbol that varies everywhere.
constexpr unsigned MaxExpressionDepth = 200;

// Loops of the function by preorder number.
using LoopSet = llvm::SmallBitVector;

struct StrideSymbol {
  LoopSet Varies;
  const llvm::SCEV *LoadedFrom = nullptr;
  llvm::SmallVector<const llvm::Value *, 2>
      Originals; // what it stands for in the program; loads of one address share a symbol
};

struct StrideEngine::Impl {
  llvm::Function &F;
  llvm::ScalarEvolution &SE;
  llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const llvm::DataLayout &DL;
  llvm::Module Symbols; // holds one declaration per symbol, whose parameter is the symbol
  llvm::DenseMap<const llvm::Loop *, unsigned> Number;

  std::unordered_map<const llvm::SCEV *, const llvm::SCEV *> Rewritten;
  std::unordered_map<const llvm::SCEV *, LoopSet> VaryingIn;
  std::unordered_map<const llvm::Value *, LoopSet> OperandLoops;
  std::unordered_map<const llvm::Value *, StrideSymbol> SymbolInfo;
  std::map<std::pair<const llvm::SCEV *, llvm::Type *>, const llvm::SCEV *> LoadSymbols, OpaqueSymbols;
  std::map<std::pair<const llvm::Value *, llvm::Type *>, const llvm::SCEV *> FloatSymbols;
  // What loads of an address find in a loop that does not change it, though one around it does.
  std::map<std::tuple<const llvm::SCEV *, llvm::Type *, const llvm::Loop *>, const llvm::SCEV *> PassingSymbols;
  std::map<std::pair<const llvm::SCEV *, const llvm::Loop *>, const llvm::SCEV *> Steps;
  llvm::DenseMap<const llvm::Loop *, const llvm::SCEV *> Backedges;
  llvm::DenseMap<const llvm::Loop *, unsigned> Extents, TripsByArrays;
  // Loops in which the function overwrites an address that is the same in every iteration.
  std::unordered_map<const llvm::SCEV *, LoopSet> Overwritten;
  llvm::SmallPtrSet<const llvm::Value *, 16> Active;
  unsigned Depth = 0, Rewrites = 0;
  bool CollectingStores = false;

  Impl(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  // --- sets of loops ---------------------------------------------------------------------------------------------

  LoopSet none() const { return LoopSet(Number.size()); }
  LoopSet around(const llvm::BasicBlock *BB) const;

  const LoopSet &loopsOf(const llvm::SCEV *S);

  // Loops in which a value that ScalarEvolution cannot express (a condition, a floating-point number) may change.
  LoopSet loopsOf(llvm::Value *V);

  // --- symbols ---------------------------------------------------------------------------------------------------

  const llvm::SCEV *newSymbol(llvm::Type *T, LoopSet Varies, const llvm::SCEV *LoadedFrom, const llvm::Value *Original);

  // The symbol of an expression about which only the loops that change it are known.
  const llvm::SCEV *opaque(const llvm::SCEV *S, LoopSet Varies);

  // --- rewriting -------------------------------------------------------------------------------------------------

  const llvm::SCEV *extend(const llvm::SCEV *S, llvm::Type *T);

  const llvm::SCEV *rewrite(const llvm::SCEV *S);

  const llvm::SCEV *rewriteNew(const llvm::SCEV *S);

  // ScalarEvolution spells x % n as x - n * (x / n). Gives x, or null.
  const llvm::SCEV *dividendOfRemainder(const llvm::SCEV *S);

  const llvm::SCEV *containerSize(llvm::Instruction &I);

  const llvm::SCEV *rewriteUnknown(const llvm::SCEVUnknown *U);

  // A 64-bit counter that is passed as int and multiplied is (i * (n << 32)) >> 32 after instcombine: i * n under the
  // assumption of all extensions. Null when not all parts are multiples.
  const llvm::SCEV *quotient(const llvm::SCEV *S, std::uint64_t Shift);

  const llvm::SCEV *rewriteLoad(const llvm::SCEVUnknown *U, llvm::LoadInst &Load);

  // The outermost loop around a load, or the one that it comes before, in which an address keeps what it holds; null
  // where there is none.
  const llvm::Loop *keeping(const llvm::LoadInst &Load, const LoopSet &Changes) const;

  // What the code behind a loop gets from it though it is the same whether and as often as that runs: `n - 1` of the
  // bounds of one loop in those of the next. Null for any other value.
  const llvm::SCEV *handedOn(llvm::Instruction &I);

  const llvm::SCEV *rewritePhi(const llvm::SCEVUnknown *U, llvm::PHINode &P);
  std::optional<llvm::SmallVector<llvm::Value *, 4>> recurrenceInputs(llvm::PHINode &P) const;

  // A value chosen among several moves as the first of them that moves linearly.
  const llvm::SCEV *follow(const llvm::SCEVUnknown *U, llvm::ArrayRef<llvm::Value *> Choices, llvm::Value *Condition);

  // An index computed in floating point: (int)(i + 0.5) moves as i does.
  const llvm::SCEV *rewriteFloat(llvm::Value *V, llvm::Type *T, unsigned Nesting);

  // Addresses that the function overwrites while a loop runs. Addresses are compared as if every load were invariant,
  // which keys both sides alike.
  void collectStores();

  // --- strides ---------------------------------------------------------------------------------------------------

  bool varies(const llvm::SCEV *S, const llvm::Loop *L);

  const llvm::SCEV *step(const llvm::SCEV *S, const llvm::Loop *L);

  const llvm::SCEV *stepNew(const llvm::SCEV *S, const llvm::Loop *L);

  const llvm::SCEV *atStart(const llvm::SCEV *S, const llvm::Loop *L, unsigned Nesting = 0);

  // ScalarEvolution gives up when the bound is reloaded in each iteration; the exit compare still says how often the
  // loop runs.
  const llvm::SCEV *recoverBackedges(const llvm::Loop *L);
  unsigned tripsByArrays(const llvm::Loop *L);

  // How often a loop stays that does so while From, which grows by Step, is before Bound.
  const llvm::SCEV *backedgesBetween(const llvm::SCEV *From, const llvm::SCEV *Bound, const llvm::SCEV *Step,
                                     llvm::CmpInst::Predicate Stay, bool Down);

  // A loop that uses another element of an array in each iteration has no more iterations than a small array elements;
  // 0 where there is none.
  unsigned extentTrips(const llvm::Loop *L);

  // --- words -----------------------------------------------------------------------------------------------------

  std::string name(const llvm::Value *V, Namer Name);

  std::string words(const llvm::SCEV *S, Namer Name, bool Factor = false);
};

} // namespace stridewise
#endif
