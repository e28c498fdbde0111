// Which functions of the program exchange data in a way that a second run repeats, and what they read and fill.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWREPEAT_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWREPEAT_H

#include "checks/mpi-duplicate-exchange/FlowModel.h"

namespace stridewise::flow {

/// A callee's place in the terms of its caller: none for memory of the callee's own and for constants, several where
/// the caller's own variables hold one pointer or another.
std::vector<Path> inCaller(const Path &P, const std::vector<Argument> &Arguments, const Code &Caller);

class Repeats {
public:
  explicit Repeats(Program &P) : P(P) {}
  /// Null for a function that does not exchange data, or does something else each time.
  const Moves *exchange(const std::string &Name);

private:
  const std::optional<Moves> &all(const std::string &Name);
  std::optional<Moves> join(const Code &C);
  bool add(const Call &Each, const Code &C, Moves &Out);
  static Moves withoutPrivate(Moves M);
  static bool repeats(const Moves &M);
  Program &P;
  std::map<std::string, std::optional<Moves>> Known;
  std::map<std::string, bool> Exchanges;
};

} // namespace stridewise::flow
#endif
