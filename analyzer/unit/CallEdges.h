// Calls between functions as units keep them for the whole program: [callee, caller, loops around], and what stands in
// the caller's place.
#ifndef STRIDEWISE_UNIT_CALLEDGES_H
#define STRIDEWISE_UNIT_CALLEDGES_H

#include "llvm/ADT/StringRef.h"

namespace stridewise {

/// Beside the caller of what is called in few of a loop's iterations.
constexpr llvm::StringLiteral CallsNowAndThen = "%";
/// Beside the caller of what is called in a loop with the same arguments each time.
constexpr llvm::StringLiteral CallsAgain = "@";
/// The caller of what is called through a pointer.
constexpr llvm::StringLiteral CallsFromAnywhere = "*";

} // namespace stridewise
#endif
