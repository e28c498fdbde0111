// What two classes of ranks do in one function, from its beginning to its end: the branches that the rank decides are
// taken as it decides them, all others alike by both. Where one class asks something that the other never asks (whether
// a file could be opened), either answer is possible.
#ifndef STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_RANKPATHS_H
#define STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_RANKPATHS_H

#include "mpi/RankFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"

namespace stridewise {

/// Ranks that all comparisons of a function treat alike: one number, or the root that it compares with.
struct RankClass {
  std::optional<std::int64_t> Number;
  const llvm::Value *Root = nullptr;
  bool IsRoot = false;
};

enum class PathVerdict {
  Same,      // the same calls in the same order, whatever else is asked
  Open,      // the same ones for some answers that one class alone gets
  Different, // never the same ones for some answers that both get
  Unknown    // too much to follow
};

struct PathComparison {
  PathVerdict Verdict = PathVerdict::Unknown;
  /// The ranks on that arm alone call functions which are not seen here and may make such calls.
  bool CallsAway[2] = {false, false};
};

class RankPaths {
public:
  /// A call that counts: equal numbers are calls that match each other.
  using StepOf = llvm::function_ref<std::optional<unsigned>(const llvm::Instruction &)>;
  RankPaths(llvm::Function &F, const RankFacts &Ranks, const llvm::LoopInfo &LI, const llvm::TargetLibraryInfo &TLI);

  /// The ranks that part at a branch, each pair of classes that may take different arms.
  PathComparison compare(const llvm::BranchInst &Br, const RankFacts::Guard &G, StepOf Step);
  /// True when both branches ask the same of the rank and each one runs exactly when the other does.
  bool partAlike(const llvm::BranchInst &A, const RankFacts::Guard &GA, const llvm::BranchInst &B,
                 const RankFacts::Guard &GB) const;

private:
  using Question = std::pair<std::string, unsigned>;
  struct Path {
    std::vector<unsigned> Steps;
    std::set<const llvm::Instruction *> Away;
    std::set<Question> Asked;
    bool Dies = false;
  };
  struct Exploration;

  std::optional<std::int64_t> number(const llvm::Value *V, const RankClass &C, unsigned Depth = 0) const;
  std::optional<bool> truth(const llvm::Value *V, const RankClass &C, unsigned Depth = 0) const;
  std::optional<unsigned> direction(const llvm::Instruction &T, const RankClass &C, unsigned Depth = 0) const;
  bool isFeasible(const llvm::PHINode &P, unsigned In, const RankClass &C, unsigned Depth) const;
  const llvm::Constant *constant(const llvm::Value *V, const RankClass &C, unsigned Depth) const;
  std::vector<RankClass> classes() const;
  bool walk(const RankClass &C, Exploration &X, Path &Out, std::optional<Question> &Missing, unsigned &Choices) const;
  void explore(Exploration &X) const;
  const llvm::BasicBlock *skipTo(const llvm::BasicBlock &BB, Exploration &X, Path &Out) const;

  llvm::Function &F;
  const RankFacts &Ranks;
  const llvm::LoopInfo &LI;
  const llvm::TargetLibraryInfo &TLI;
  llvm::DominatorTree DT;
  llvm::PostDominatorTree PDT;
};

} // namespace stridewise
#endif
