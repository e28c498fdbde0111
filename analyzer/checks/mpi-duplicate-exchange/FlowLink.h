// Follows exchanges through the calls of the whole program: those that repeat what another function has exchanged.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWLINK_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWLINK_H

#include "unit/Summary.h"

namespace stridewise {

/// The findings, without rule and remedy. Each summary is an object with "flow", as exchangeFlow writes it.
std::vector<LinkFinding> linkFlow(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
