// Calls that write files, told apart from prints to the terminal.
#ifndef STRIDEWISE_LIBRARY_FILEOUTPUT_H
#define STRIDEWISE_LIBRARY_FILEOUTPUT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

/// Writes to a stream or a descriptor, the terminal's or a file's.
bool isOutput(const llvm::CallBase &C);
/// True for a write through stdio, POSIX or a C++ stream whose target is not the terminal for all that is known.
bool isFileWrite(const llvm::CallBase &C);
/// Opens a file for stdio, POSIX or a C++ stream.
bool isFileOpen(const llvm::CallBase &C);
/// The arguments of a write that carry data: all but the stream, the descriptor and the format.
llvm::SmallVector<llvm::Value *, 4> writtenData(const llvm::CallBase &C);

} // namespace stridewise
#endif
