// Exchanges behind functions of other units: which functions fill the ghost cells of an array, and the loops that call
// one for an array that nothing in them changes.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGELINK_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGELINK_H

#include "mpi/MpiEffects.h"
#include "unit/Summary.h"

namespace stridewise {

class Reporter;

/// The unit's functions that exchange a part of an array, and write nothing else that others see: for each, the number
/// of the array's parameter and the variables of the program that it reads.
llvm::json::Object exchangers(Unit &U, llvm::ArrayRef<MpiFunction *> Functions);
/// Calls of functions of other units that are the same in each iteration of a loop, as far as the unit shows.
llvm::json::Array repeatedCalls(Unit &U, MpiEffects &Effects, SourceCalls &Sources, Reporter &R);
/// The findings of those that exchange. Each summary is an object with "exchangers" and "repeated", as made by the two
/// above.
std::vector<LinkFinding> linkExchanges(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
