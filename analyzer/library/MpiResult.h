// What programs do with the return codes of MPI calls.
#ifndef STRIDEWISE_LIBRARY_MPIRESULT_H
#define STRIDEWISE_LIBRARY_MPIRESULT_H

#include "llvm/IR/Instruction.h"
#include <optional>

namespace stridewise {

/// The successor of `if (MPI_X(…) != MPI_SUCCESS)` that runs where the call has failed. Nothing for other branches,
/// such as those on what a call brings in its arguments.
std::optional<unsigned> failureArm(const llvm::Instruction &Branch);

} // namespace stridewise
#endif
