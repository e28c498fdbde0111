// Keys of arrays and of the numbers that loops' lengths are made of (LoopFacts.h), for one function of the code.
#ifndef STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_ARRAYKEYS_H
#define STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_ARRAYKEYS_H

#include "checks/omp-serial-loop/LoopFacts.h"
#include "loops/LoopNest.h"

namespace stridewise {

class ArrayKeys {
public:
  ArrayKeys(const llvm::Function &F, StrideEngine &Engine, std::string UnitName)
      : F(F), Engine(Engine), UnitName(std::move(UnitName)) {}

  /// Of an address or a number, with the offset that is constant. Of one that loops or data choose it is the array's,
  /// or, `Exactly`, empty.
  std::string keyOf(const llvm::SCEV *S, bool Exactly = false, unsigned Depth = 0);
  /// What a loop at `Root` and those in it do with the array of the reference; nothing where the elements are chosen by
  /// data.
  std::optional<ArrayUse> useOf(const Reference &R, const llvm::Loop &Root);
  /// Whether the loop around comes back to the same elements in each of its iterations, perhaps of two arrays by turns.
  bool comesBack(llvm::Value *Pointer, const llvm::Loop &Around);
  /// Whether the loop is long, or of a length that nobody knows; not where data say how long it is in each iteration of
  /// the loops around: rows of sparse matrices, neighbours.
  bool isLong(const llvm::Loop &L);

private:
  struct Place {
    llvm::SmallVector<const llvm::SCEV *, 3> Offsets;
    const llvm::SCEV *Root = nullptr;
  };
  Place placeOf(const llvm::SCEV *Address);
  std::optional<bool> moves(const Place &P, const llvm::Loop &L);
  const llvm::SCEV *loadedFrom(const llvm::SCEV *Base);
  std::string nameOf(const llvm::Value *V);
  void addLength(const llvm::Loop &L, ArrayUse &Use);

  const llvm::Function &F;
  StrideEngine &Engine;
  std::string UnitName;
  llvm::DenseMap<const llvm::Value *, unsigned> Numbers;
};

} // namespace stridewise
#endif
