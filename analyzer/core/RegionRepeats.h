// Parallel regions that a serial loop opens again and again: which loop, and how much work each opening does.
#ifndef STRIDEWISE_CORE_REGIONREPEATS_H
#define STRIDEWISE_CORE_REGIONREPEATS_H

#include "core/RegionWork.h"

namespace stridewise {

struct RegionRepeat {
  const clang::Stmt *Loop = nullptr; // the serial loop
  double Openings = 0;               // its iterations; 0 when unknown
  bool Spatial = false;              // it runs over the data as the shared loop does: each opening gets one row
  LoopWork Work;                     // of one opening
};

/// The innermost serial loop that opens the region of a combined directive, through inlined calls too; loops of fewer
/// iterations than `MinOpenings` are looked through. Of several copies the one with the most work per opening, nothing
/// when some copy stands in no such loop.
std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, double MinOpenings, RegionWork &Work);

} // namespace stridewise
#endif
