// Values that a function computes more than once: loads of one address that it does not write in between, and what is
// computed from them, count as equal. A call between two loads, which might change the memory, hides this from LLVM;
// whoever asks has to look at the calls in between.
#ifndef STRIDEWISE_MPI_STABLEVALUES_H
#define STRIDEWISE_MPI_STABLEVALUES_H

#include "mpi/MpiFacts.h"
#include "llvm/IR/Instructions.h"
#include <map>

namespace stridewise {

class StableValues {
public:
  StableValues(MpiFunction &M, const llvm::DominatorTree &DT) : M(M), DT(DT) {}
  /// Equal numbers: equal values, in one iteration of the loops around both.
  unsigned number(llvm::Value *V);
  bool same(llvm::Value *A, llvm::Value *B) { return A->getType() == B->getType() && number(A) == number(B); }
  /// The rewritten expression with one name for equal values.
  const llvm::SCEV *canonical(const llvm::SCEV *S);

private:
  using Key = std::vector<std::uintptr_t>;
  unsigned numberOf(Key K) { return Numbers.try_emplace(std::move(K), Numbers.size()).first->second; }
  unsigned unique(llvm::Value *V);
  unsigned compute(llvm::Value *V, unsigned Depth);
  unsigned computePhi(llvm::PHINode &P, unsigned Depth);
  unsigned number(llvm::Value *V, unsigned Depth);
  bool isStable(llvm::Value *Address);
  llvm::LoadInst *loadedBefore(llvm::LoadInst &Load);
  void collect();
  MpiFunction &M;
  const llvm::DominatorTree &DT;
  std::map<Key, unsigned> Numbers;
  llvm::DenseMap<llvm::Value *, unsigned> Known;
  llvm::DenseMap<const llvm::SCEV *, const llvm::SCEV *> Names;
  llvm::DenseMap<const llvm::SCEV *, llvm::SmallVector<const llvm::Instruction *, 2>> Written; // by address
  llvm::DenseMap<const llvm::SCEV *, llvm::SmallVector<llvm::LoadInst *, 4>> Loads;            // of what is written
  unsigned Walks = 0;
  bool Collected = false, Large = false;
};

} // namespace stridewise
#endif
