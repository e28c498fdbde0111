// Rows that the program itself makes a power of two long, or whole pages: a function rounds their length up, and loops
// walk down the columns.
#ifndef STRIDEWISE_CHECKS_MEM_POWER_OF_TWO_STRIDE_PADDEDROWS_H
#define STRIDEWISE_CHECKS_MEM_POWER_OF_TWO_STRIDE_PADDEDROWS_H

#include "loops/Strides.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace stridewise {

/// A function whose result is a power of two, or a multiple of one, whatever it is given.
struct RoundingFunction {
  const llvm::Instruction *Return;
  std::string Name;
  bool IsPower;
  std::uint64_t Multiple; // a power of two
};
std::vector<RoundingFunction> roundingFunctions(llvm::Module &M);

/// A walk down a column to whose lines the loop around it comes back, by rows whose length a function of another unit
/// has returned.
struct PaddedWalk {
  llvm::Instruction *At;
  const llvm::Loop *Walked;
  std::string Function; // that made the length
  std::uint64_t Bytes;  // of a row for each unit of that length
};
std::vector<PaddedWalk> paddedWalks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, unsigned LineBytes);

} // namespace stridewise
#endif
