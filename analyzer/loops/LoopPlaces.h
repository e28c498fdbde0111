// A loop as findings show it, whatever language its unit is written in.
#ifndef STRIDEWISE_LOOPS_LOOPPLACES_H
#define STRIDEWISE_LOOPS_LOOPPLACES_H

#include "unit/Unit.h"
#include "llvm/Analysis/LoopInfo.h"
#include <optional>

namespace stridewise {

struct LoopPlace {
  const void *Key = nullptr; // the same for all copies of one loop of the source
  clang::SourceRange Header, Range;
  std::string Counter;  // or "its counter"
  std::string Function; // that it stands in
};

/// Nothing where the source has no such loop, or where a device runs it.
std::optional<LoopPlace> loopPlace(const llvm::Loop *L, Unit &U);

} // namespace stridewise
#endif
