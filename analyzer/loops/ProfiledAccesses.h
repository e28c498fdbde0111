// The places of the source that a profiler shows for accesses of the program.
#ifndef STRIDEWISE_LOOPS_PROFILEDACCESSES_H
#define STRIDEWISE_LOOPS_PROFILEDACCESSES_H

#include "unit/Finding.h"
#include "unit/Unit.h"
#include "llvm/IR/Instruction.h"

namespace stridewise {

/// Each place once, in program order. `Scope` is the loop that the finding speaks of: calls in it count as places, too,
/// since an accessor's address may be used at the line of the call.
std::vector<Access> profiledAccesses(llvm::ArrayRef<llvm::Instruction *> At, clang::SourceRange Scope, Unit &U);

} // namespace stridewise
#endif
