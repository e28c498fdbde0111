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

/// A member of a record that the program sets to a power of two, whatever it is given.
struct PowerMember {
  const llvm::Instruction *Made;    // where the number is made, or stored
  const llvm::Instruction *Doubled; // where a loop makes it; null where none does
  std::string Member;               // in words that all units share
};
std::vector<PowerMember> powerMembers(llvm::Module &M);

/// A walk down a column to whose lines the loop around it comes back, by rows whose length a function of another unit
/// has returned, a member of a record holds, or this function itself makes a power of two.
struct PaddedWalk {
  llvm::Instruction *At;
  const llvm::Loop *Walked;
  std::string Source;  // of the length: that function, or the member; empty where this function makes it
  std::uint64_t Bytes; // of a row for each unit of that length
  const llvm::Instruction *Made = nullptr; // where this function makes it
};
/// Walks of more steps than a set has ways.
std::vector<PaddedWalk> paddedWalks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, unsigned LineBytes,
                                    unsigned Ways);

} // namespace stridewise
#endif
