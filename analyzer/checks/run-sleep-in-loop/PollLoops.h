// Loops of which nothing is told but the sleep in them: they ask again and again whether something is there.
#ifndef STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_POLLLOOPS_H
#define STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_POLLLOOPS_H

#include "mpi/MpiFacts.h"

namespace stridewise {

/// A loop that asks for messages of its own, or for one rank's, and only sleeps else: MPI_Wait or MPI_Probe comes back
/// when they are there.
bool waitsForMessages(const llvm::Loop &L, const llvm::CallBase &Sleep, const MpiFunction &M);
/// A loop that asks whether any rank's message has come, sleeps else, and receives it: MPI_Recv waits for each.
bool collectsMessages(const llvm::Loop &L, const llvm::CallBase &Sleep);
/// A loop that asks a clock, and only sleeps else, until a time that was left somewhere before: an interval is kept,
/// whatever the work has cost. One that counts from a time that its function has just asked for stands for work.
bool waitsForTime(const llvm::Loop &L, const llvm::CallBase &Sleep);
/// Whether the first iteration sleeps, whatever is there already.
bool sleepsAtFirst(const llvm::Loop &L, const llvm::CallBase &Sleep);

} // namespace stridewise
#endif
