// What the analyser knows of MPI calls: made by the build from pmpi_wrappers/mpi_calls.toml, the same file that makes
// the wrappers. No check names an argument position.
#ifndef STRIDEWISE_LIBRARY_MPICALL_H
#define STRIDEWISE_LIBRARY_MPICALL_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  MpiCommManagement = 1u << 17,
  MpiVarying = 1u << 18,      // blocks of different sizes: Gatherv, …
  MpiSome = 1u << 19,         // completes one of several requests, or as many as have arrived
  MpiSharedMemory = 1u << 20, // gives memory that other ranks load from and store to
  MpiJoinsGroups = 1u << 21,  // all members make it, but it joins two groups, or processes that are not there yet
  MpiOutside = 1u << 22       // has to do with processes and servers outside the program, or with tools
};

/// What tells calls of the same traits apart. The nonblocking and the persistent form do what the blocking one does.
enum class MpiDoes {
  Nothing, // of these
  // What becomes of the data.
  Broadcast,
  Gather,
  Scatter,
  Allgather,
  Alltoall,
  Reduce,
  Allreduce,
  ReduceScatter,
  Scan,
  Combine, // two buffers of this rank
  // The program's life.
  Init,
  InitThread,
  Finalize,
  Abort,
  // What a call tells, or makes of ranks.
  Rank,
  Size,
  Coordinates,
  Shift, // the two neighbours in one dimension
  Grid,  // how many dimensions the ranks are laid out in
  Duplicate,
  Free, // a communicator
  // Constructors of datatypes, by the meaning of their arguments.
  TypeContiguous,
  TypeVector,
  TypeHvector,
  TypeSubarray,
  TypeResized,
  TypeDup,
  TypeIndexedBlock,
  TypeIndexed,
  TypeStruct
};

/// Positions of the arguments, from 0; -1 for none. For Sendrecv-like calls the plain names are the send half.
struct MpiSignature {
  const char *Name; // "MPI_Send"
  unsigned Traits;
  MpiDoes Does;
  int Buffer, Count, Type, Peer, Tag, Comm, Request;
  int RecvBuffer, RecvCount, RecvType, RecvPeer, RecvTag;
  const char *Passing; // a letter for each of C's parameters (mpi_table.py, Parameter.passing)

  bool is(unsigned Trait) const { return Traits & Trait; }
  /// Waits until all requests that it is given are complete.
  bool waitsForAll() const { return is(MpiWait) && !is(MpiNonblocking | MpiSome) && Request >= 0; }
};

/// Knows MPI_X and PMPI_X; null for anything else.
const MpiSignature *findMpiCall(llvm::StringRef Name);
const MpiSignature *findMpiCall(const llvm::CallBase &C);
const MpiSignature *findMpiCall(const clang::CallExpr &C);

/// True for a block that ends the program by MPI_Abort, or that runs where an MPI call has failed: an error path,
/// whatever it prints or calls.
bool isErrorPath(const llvm::BasicBlock &BB);

/// All rows of the table.
void forEachMpiCall(llvm::function_ref<void(const MpiSignature &)> Take);
/// The name of the blocking call that does this, with blocks of one size or of different ones; there must be one.
llvm::StringRef mpiCallThat(MpiDoes Does, bool Varying = false);
/// Whether a type is MPI's handle of communicators or of datatypes, by the name that the standard gives it.
bool isCommunicatorType(clang::QualType T);
bool isDatatypeType(clang::QualType T);
/// Whether the unit has read a header of MPI.
bool declaresMpi(clang::ASTContext &Ctx);

} // namespace stridewise
#endif
