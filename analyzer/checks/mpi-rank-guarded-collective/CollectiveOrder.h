// Collective calls that ranks of one communicator do not make alike: from each branch on the rank, the sequences of
// collective calls on both arms are compared up to the place where the arms meet.
#ifndef STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_COLLECTIVEORDER_H
#define STRIDEWISE_CHECKS_MPI_RANK_GUARDED_COLLECTIVE_COLLECTIVEORDER_H

#include "mpi/RankFacts.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace stridewise {

struct CollectiveMismatch {
  const llvm::Instruction *Branch = nullptr; // on the rank
  RankFacts::Guard Guard;
  unsigned Arm = 0;                  // the successor of Branch on which Call stands
  llvm::CallBase *Call = nullptr;    // the collective call that has no partner
  std::string Name, Comm;            // of the call
  llvm::CallBase *Instead = nullptr; // what the other arm calls at this point; null when it calls none
  bool Leaves = false;               // the other arm ends the function
  bool Always = true;                // nothing else decides whether the call is made
  bool Deferred = false;             // the other arm calls functions that may make it, too: for the link phase
  bool Open = false;                 // the other ranks may make the call elsewhere, for all that is seen
  bool Made = false;                 // they do make it elsewhere: no mismatch
};

/// The mismatches of a function in program order, at most one per branch. Calls that the other ranks make elsewhere in
/// the function are among them, marked as such: a helper that is judged by itself may lack only what its callers add.
std::vector<CollectiveMismatch> findMismatches(MpiFunction &M, const RankFacts &Ranks,
                                               const llvm::TargetLibraryInfo &TLI);
/// True for a call of a function of the program that is not seen here and may make collective calls.
bool isForeignCall(const llvm::CallBase &C, const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
