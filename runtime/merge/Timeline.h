// What each rank was at, call by call: for pictures, and for other people's viewers.
#ifndef STRIDEWISE_MERGE_TIMELINE_H
#define STRIDEWISE_MERGE_TIMELINE_H

#include "Trace.h"

#include <string>

namespace stridewise::merge {

/// The content of the timeline file.
std::string timeline(const Trace &T);

} // namespace stridewise::merge
#endif
