// The events of a window brought together: messages with their two ends, collectives with all their ranks.
#ifndef STRIDEWISE_MERGE_MATCHING_H
#define STRIDEWISE_MERGE_MATCHING_H

#include "Trace.h"

namespace stridewise::merge {

/// Fills what Window holds beyond its events: messages, collectives, which sends are bursts, and an order of all that
/// no event contradicts.
void match(const Trace &T, Window &W);

} // namespace stridewise::merge
#endif
