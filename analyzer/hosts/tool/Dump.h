// What the engines know of a unit, as text: looked at before a rule is blamed.
#ifndef STRIDEWISE_HOSTS_TOOL_DUMP_H
#define STRIDEWISE_HOSTS_TOOL_DUMP_H

#include "unit/Unit.h"
#include "llvm/Support/raw_ostream.h"

namespace stridewise {

/// The names of the engines, in the order of the help text.
llvm::ArrayRef<llvm::StringRef> dumpedEngines();
/// Writes what that engine knows, function by function; no address, no time, no absolute path.
void dump(llvm::StringRef Engine, Unit &U, llvm::raw_ostream &OS);

} // namespace stridewise
#endif
