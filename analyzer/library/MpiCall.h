// What the analyser knows of MPI calls: made by the build from pmpi_wrappers/mpi_calls.toml, the same file that makes
// the wrappers. No check names an argument position.
#ifndef STRIDEWISE_LIBRARY_MPICALL_H
#define STRIDEWISE_LIBRARY_MPICALL_H

#include "clang/AST/Expr.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace stridewise {

/// What a call does, as bits; a Sendrecv has Send and Recv.
enum MpiTraits : unsigned {
  MpiSend = 1u << 0,
  MpiRecv = 1u << 1,
  MpiCollective = 1u << 2,
  MpiBarrier = 1u << 3,
  MpiNonblocking = 1u << 4, // only starts; a wait completes it
  MpiWait = 1u << 5,        // waits for or tests requests
  MpiProbe = 1u << 6,
  MpiRma = 1u << 7,
  MpiIo = 1u << 8,
  MpiTimer = 1u << 9,
  MpiSynchronous = 1u << 10, // Ssend
  MpiReady = 1u << 11,
  MpiBuffered = 1u << 12,
  MpiPersistent = 1u << 13,
  MpiLifecycle = 1u << 14, // Init, Finalize, Abort, …
  MpiQuery = 1u << 15,     // local, moves nothing: Comm_rank, Get_count, …
  MpiFullSync = 1u << 16,  // nobody leaves before all have entered
  MpiCommManagement = 1u << 17
};

/// Positions of the arguments, from 0; -1 for none. For Sendrecv-like calls the plain names are the send half.
struct MpiSignature {
  const char *Name; // "MPI_Send"
  unsigned Traits;
  int Buffer, Count, Type, Peer, Tag, Comm, Request;
  int RecvBuffer, RecvCount, RecvType, RecvPeer, RecvTag;
};

/// Knows MPI_X and PMPI_X; null for anything else.
const MpiSignature *findMpiCall(llvm::StringRef Name);
const MpiSignature *findMpiCall(const llvm::CallBase &C);
const MpiSignature *findMpiCall(const clang::CallExpr &C);

} // namespace stridewise
#endif
