// Messages that carry what was sent before: the same bytes to the same rank, with nothing written to them in between.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_DUPLICATEEXCHANGE_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_DUPLICATEEXCHANGE_H

#include "mpi/MemoryRange.h"
#include "mpi/MpiEffects.h"

namespace stridewise {

struct DuplicateExchange {
  const MpiSite *First = nullptr, *Again = nullptr; // one and the same when a loop repeats it
  const llvm::Loop *Repeats = nullptr;
  const llvm::Loop *Carried = nullptr; // the first one runs in the iteration before the other one's
  bool SameTag = true;
  bool Assumed = false;      // rests on different names being different arrays
  bool AssumedSizes = false; // rests on sizes that different records give being equal
};

/// At most one per second message, in program order. Point-to-point messages below `MinBytes` are signals, not data.
std::vector<DuplicateExchange> findDuplicateExchanges(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinBytes);

} // namespace stridewise
#endif
