// Which bytes an access touches over the iterations of the loops around it, as polynomials over sizes, and whether two
// accesses can meet.
#ifndef STRIDEWISE_MPI_MEMORYRANGE_H
#define STRIDEWISE_MPI_MEMORYRANGE_H

#include "mpi/StableValues.h"
#include "unit/Polynomial.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include <memory>

namespace stridewise {

/// Over opaque integers.
using SizePolynomial = Polynomial<const llvm::SCEV *>;

/// Integer extensions, and lower bounds that guard empty loops, are seen through.
SizePolynomial polynomialOf(const llvm::SCEV *S);

struct MemoryRange {
  /// What a pointer is derived from: a name of the source, or a pointer that the program loads from somewhere.
  struct Origin {
    const llvm::Value *Object = nullptr;
    std::shared_ptr<const MemoryRange> Slot; // where a loaded pointer was found; null when that is not known
    bool Row = false;                        // found in a table of pointers: it may be a part of any array
  };
  /// The same bytes seen modulo a row: [Begin, End) of every row, as offsets from its start.
  struct InRow {
    SizePolynomial Length, Begin, End;
  };
  llvm::Value *Pointer = nullptr;
  const llvm::SCEV *Base = nullptr;
  std::optional<SizePolynomial> Begin, End; // both or none: somewhere in the object
  std::vector<InRow> Rows;                  // one per step that is a row's length
  std::vector<Origin> Origins;              // the choices that the code makes between them
};

/// Whether two ranges share bytes; ordered by how much the answer takes for granted.
enum class Meeting {
  Never,  // proven: different objects, or different bytes of one
  Rows,   // different columns of one array, whose subscripts stay within their rows
  Sizes,  // different places of one array, whatever its sizes, if members of like place in two records are one size
  Names,  // different names, which the source hands over as different arrays, or rows of different places of a table
  Tables, // a row that a table of pointers holds, and an array that has another name
  Maybe
};

class MemoryRanges {
public:
  MemoryRanges(MpiFunction &M, llvm::AAResults &AA, const llvm::DominatorTree &DT) : M(M), AA(AA), Values(M, DT) {}
  /// All iterations of the loops from `Outer` inwards (null: one access, as it stands); without the first and the last
  /// of each long loop when `Interior`. `Bytes` null: of unknown length.
  MemoryRange of(llvm::Value *Pointer, const std::optional<SizePolynomial> &Bytes, const llvm::BasicBlock *At,
                 const llvm::Loop *Outer, bool Interior = false);
  /// A message's buffer: the send half, or the receive half.
  MemoryRange ofMessage(const MpiSite &S, bool Receive, const llvm::Loop *Outer);
  /// `AssumeSizes`: sizes are large, and those of one place in different records are equal (Meeting::Sizes).
  Meeting meet(const MemoryRange &A, const MemoryRange &B, bool AssumeSizes = false);
  StableValues &values() { return Values; }

private:
  /// How the bytes of a message lie in the rows that another access walks.
  bool apartForAllSizes(const MemoryRange &A, const MemoryRange &B);
  bool triesApart(const MemoryRange &A, const MemoryRange &B);
  /// A size that a record, a global variable or a caller gives, and its place there.
  std::optional<std::int64_t> placeOfSize(const llvm::SCEV *S);
  static std::optional<MemoryRange::InRow> inRows(const MemoryRange &R, const SizePolynomial &Length);
  const llvm::SCEV *startOf(const llvm::SCEV *S, const llvm::Loop *Outer, unsigned Depth = 0);
  void addOrigins(llvm::Value *Pointer, const llvm::Loop *Outer, bool Interior, MemoryRange &To, unsigned Depth);
  struct Sweep {
    SizePolynomial By, Low, High; // step; what the loop adds to the begin and the end
  };
  std::optional<Sweep> sweep(const llvm::SCEV *Step, const llvm::Loop *L, const llvm::Loop *Outer, bool Interior);
  MemoryRange bytesOf(llvm::Value *Pointer, const std::optional<SizePolynomial> &Bytes, const llvm::BasicBlock *At,
                      const llvm::Loop *Outer, bool Interior);
  bool isRow(const llvm::LoadInst &Load, const llvm::Loop *Outer);
  Meeting meetOrigins(const MemoryRange::Origin &A, const MemoryRange::Origin &B, bool AssumeSizes);
  MpiFunction &M;
  llvm::AAResults &AA;
  StableValues Values;
};

} // namespace stridewise
#endif
