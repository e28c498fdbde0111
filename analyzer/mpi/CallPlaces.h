// Where a finding about an MPI call stands. In programs that keep MPI behind thin wrappers, `comm.send(x, peer)`, the
// call itself says nothing of the many places that come to it: there the call of the wrapper is the place.
#ifndef STRIDEWISE_MPI_CALLPLACES_H
#define STRIDEWISE_MPI_CALLPLACES_H

#include "mpi/MpiFacts.h"
#include <set>

namespace stridewise {

class CallPlaces {
public:
  using Key = std::pair<clang::FileID, unsigned>;

  CallPlaces(Unit &U, llvm::ArrayRef<MpiFunction *> Functions, SourceCalls &Sources);
  /// The frame of a call (SourceCalls::frames, not empty) at which to report it: the first that is not in a wrapper
  /// which several places of the unit call.
  std::size_t level(llvm::ArrayRef<SourceFrame> Frames) const;
  Key key(const SourceFrame &F) const;

private:
  bool isThin(const clang::FunctionDecl *F, const clang::FunctionDecl *Callee) const;

  Unit &U;
  std::map<Key, std::set<Key>> Callers; // of the function around a call
  mutable std::map<std::pair<const clang::FunctionDecl *, const clang::FunctionDecl *>, bool> Thin;
};

/// Whether a loop within `Around` makes collective calls of its own, in each of its iterations: a solver, beside which
/// what is called once in an iteration of the outer loop is a small part. Null is no loop.
bool isOutnumbered(MpiFunction &M, const llvm::Loop *Around);

} // namespace stridewise
#endif
