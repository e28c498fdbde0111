// The array that an access of the IR goes to, as the source calls it.
#ifndef STRIDEWISE_CORE_ARRAYNAMES_H
#define STRIDEWISE_CORE_ARRAYNAMES_H

#include "core/Unit.h"
#include "llvm/IR/Instruction.h"
#include <string>

namespace stridewise {

/// Name of the array, pointer or object whose element the access reads or writes, as the function `Reader` names it:
/// an access in an inlined accessor is named at the accessor's call. Empty when the source has no single name for it.
std::string arrayName(const llvm::Instruction &Access, const clang::FunctionDecl *Reader, Unit &U);

/// The name of a loop's counter, or "its counter".
std::string counterName(const clang::Stmt *Loop);

} // namespace stridewise
#endif
