// What each rank receives from the one before it and hands on: as it is, a broadcast; with a part of its own, a scan.
#ifndef STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_HANDEDON_H
#define STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_HANDEDON_H

#include "mpi/MpiFacts.h"

namespace stridewise {

/// Whether the number that S sends, or each one of an array, is what R has brought, but for a sum, product, extremum or
/// bits of it and a number that does not depend on it, and nothing is called in between.
bool isHandedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M);

/// Whether S sends what R has brought, unchanged, and nothing is called in between.
bool isPassedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M);

/// Whether S sends a number that is computed from the one that R has brought, and from constants alone.
bool isSteppedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M);

bool isOneNumber(const MpiSite &S, MpiFunction &M);

/// A broadcast behind S that passes on what the last rank has: then all ranks want the whole.
bool isToldToAll(const MpiSite &S, MpiFunction &M);

} // namespace stridewise
#endif
