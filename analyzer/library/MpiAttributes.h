// What the MPI standard says of calls, for LLVM's own analyses.
#ifndef STRIDEWISE_LIBRARY_MPIATTRIBUTES_H
#define STRIDEWISE_LIBRARY_MPIATTRIBUTES_H

#include "llvm/IR/Module.h"

namespace stridewise {

/// Blocking calls that move data keep no pointer that they are given: behind them, their buffers are the program's own
/// again (MPI 4.1, 3.4 and 6.1). Without that, no variable that a reduction sums up later would stay in a register.
void markBlockingCalls(llvm::Module &M);

} // namespace stridewise
#endif
