// Files that a Fortran text includes.
#ifndef STRIDEWISE_FORTRAN_INCLUDEDTEXT_H
#define STRIDEWISE_FORTRAN_INCLUDEDTEXT_H

#include "unit/Unit.h"
#include "llvm/Support/MemoryBuffer.h"

namespace stridewise {

/// The file that the INCLUDE statement on this line of a text names, below the folder of the unit's file; null where it
/// is not there.
/// \param Raw the text as written: statements keep nothing of what stands between quotes.
std::unique_ptr<llvm::MemoryBuffer> includedFile(llvm::StringRef Raw, unsigned Line, Unit &U);

/// The name of the unit's file.
std::string nameOfFile(Unit &U);

} // namespace stridewise
#endif
