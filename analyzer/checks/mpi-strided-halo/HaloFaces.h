// What point-to-point messages between neighbours carry: contiguous borders of an array, or borders gathered piece by
// piece across its contiguous index, by a packing loop or a strided datatype.
#ifndef STRIDEWISE_CHECKS_MPI_STRIDED_HALO_HALOFACES_H
#define STRIDEWISE_CHECKS_MPI_STRIDED_HALO_HALOFACES_H

#include "mpi/DerivedTypes.h"

namespace stridewise {

struct HaloFace {
  enum Kind {
    Contiguous, // one run, or runs too long to cost anything
    Rows,       // long runs that lie apart
    Strided,    // short runs that lie apart
    Unclear     // gathered by an index list, or of a datatype that is built elsewhere
  } K = Contiguous;
  MpiFunction *M = nullptr;
  const MpiSite *Site = nullptr;
  std::uint64_t PieceBytes = 0;                 // of a strided face
  std::optional<std::uint64_t> Pieces;          // of one message
  std::optional<std::int64_t> PitchBytes;       // from one piece to the next, where constant
  const llvm::Instruction *Read = nullptr;      // what reads the array in the packing loop
  const llvm::Instruction *Described = nullptr; // the call that made the strided datatype
  bool Returns = false;                         // what arrives goes to places of the same array that lie as far apart
};

/// The faces that sends of a function carry to other than constant ranks. A message of at most `MaxPieceBytes`
/// contiguous bytes, such as a corner, is no face; runs beyond that are long.
std::vector<HaloFace> haloFaces(MpiFunction &M, DerivedTypes &Types, std::uint64_t MaxPieceBytes);

} // namespace stridewise
#endif
