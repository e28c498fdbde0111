// What each rank receives from the one before it, combines with a part of its own and hands on: a scan.
#ifndef STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_HANDEDON_H
#define STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_HANDEDON_H

#include "mpi/MpiFacts.h"

namespace stridewise {

/// Whether the one number that S sends is what R has brought, but for a sum, product, extremum or bits of it and a
/// number that does not depend on it, and nothing is called in between.
bool isHandedOn(const MpiSite &S, const MpiSite &R, MpiFunction &M);

/// A broadcast behind S that passes on what the last rank has: then all ranks want the whole.
bool isToldToAll(const MpiSite &S, MpiFunction &M);

} // namespace stridewise
#endif
