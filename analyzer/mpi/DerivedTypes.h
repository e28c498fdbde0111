// What one element of an MPI datatype gathers from memory: predefined types, and those that the unit builds from them.
#ifndef STRIDEWISE_MPI_DERIVEDTYPES_H
#define STRIDEWISE_MPI_DERIVEDTYPES_H

#include "mpi/MpiFacts.h"

namespace stridewise {

struct TypeLayout {
  std::optional<std::uint64_t> Size;       // bytes of data
  std::optional<std::uint64_t> Extent;     // bytes from one element of the type to the next
  bool Strided = false;                    // in pieces that lie apart
  std::optional<std::uint64_t> PieceBytes; // contiguous bytes of one; nothing when unknown
  std::optional<std::uint64_t> Pieces;
  std::optional<std::int64_t> PitchBytes;   // from one piece to the next, where constant
  const llvm::CallBase *Made = nullptr;     // the call that built the type; null for predefined ones
  const llvm::Instruction *Inner = nullptr; // the call that made it strided
};

class DerivedTypes {
public:
  /// `Functions` as mpiFunctions() gives them.
  DerivedTypes(Unit &U, llvm::ArrayRef<MpiFunction *> Functions);
  /// The layout of a datatype as a call of function M names it; nothing when the unit does not show how it was made, or
  /// makes different types under one name.
  std::optional<TypeLayout> layout(MpiFunction &M, const llvm::Value *Datatype) { return layout(M, Datatype, 0); }

  /// Bytes of a message: exact where count and datatype are known, else a bound of them; nothing where there is none.
  struct Bytes {
    std::uint64_t Most;
    bool Exact;
  };
  std::optional<Bytes> messageBytes(MpiFunction &M, const MpiSite &S);

private:
  struct Maker {
    MpiFunction *M;
    MpiSite Site;
  };
  using Address = std::pair<const llvm::Value *, std::int64_t>;
  std::optional<TypeLayout> layout(MpiFunction &M, const llvm::Value *Datatype, unsigned Depth);
  std::optional<TypeLayout> made(const Maker &By, unsigned Depth);
  std::optional<TypeLayout> madeStruct(const Maker &By, unsigned Depth);
  std::optional<TypeLayout> madeSubarray(const Maker &By, unsigned Depth);
  std::optional<TypeLayout> madeIndexed(const Maker &By, unsigned Depth);
  std::optional<TypeLayout> repeat(TypeLayout Old, const llvm::Value *Count, const llvm::Value *Block,
                                   const llvm::Value *Step, bool StepInBytes, const Maker &By);
  const llvm::Value *element(const Maker &By, const llvm::Value *Array, unsigned Index, unsigned Bytes) const;
  const clang::FieldDecl *memberAt(const llvm::Instruction &I) const;

  Unit &U;
  SourceCalls Sources;
  std::map<Address, std::vector<Maker>> ByAddress; // variables
  llvm::DenseMap<const clang::FieldDecl *, std::vector<Maker>> ByMember;
  std::map<std::pair<clang::FileID, unsigned>, const clang::FieldDecl *> Members; // datatypes, by where they are named
};

} // namespace stridewise
#endif
