// Which functions no program of the whole reaches: a compile database says what is compiled, not who calls it.
#ifndef STRIDEWISE_HOSTS_TOOL_REACH_H
#define STRIDEWISE_HOSTS_TOOL_REACH_H

#include "unit/Summary.h"
#include "unit/Unit.h"
#include "llvm/ADT/StringSet.h"

namespace stridewise {

/// Among the summaries of the checks.
constexpr llvm::StringLiteral ReachFacts = "reach";

/// Null where the unit has no code.
llvm::json::Value reachFacts(Unit &U);

struct Unreached {
  Place Where;
  bool Alone = false; // its own unit shows it: it has internal linkage, and no other function there leads to it
};

/// \param Named what the text of units names that could not be analysed, in which it may be called
std::vector<Unreached> unreachedFunctions(llvm::ArrayRef<stored::Value> Units, const llvm::StringSet<> &Named);

} // namespace stridewise
#endif
