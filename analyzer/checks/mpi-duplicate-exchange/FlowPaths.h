// Places in memory as the link phase compares them among the functions of all units.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWPATHS_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWPATHS_H

#include "mpi/MpiFacts.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Support/JSON.h"

namespace stridewise {

struct FlowOffset {
  std::optional<std::int64_t> Bytes;
  std::string Member;
  std::string From; // the value that the bytes are counted from, "V7", where it varies and is asked for
  /// What is known of bytes that vary: between `Rest` and `Rest + Span`, and some multiple of `Modulus` (1: anything).
  struct Window {
    std::uint64_t Modulus = 1;
    std::int64_t Rest = 0, Span = 0;
  };
  // Arrays of bounded length as a whole; and each of their records by itself.
  Window Whole, Records;
};

/// A pointer, or a number that was loaded: the last step has a load of its own then. The root is a parameter ("a0"), a
/// variable ("@u"), variable of the function's own ("L3"), memory that it gets ("H3"; "A3" for either where it keeps
/// the pointer; "H3 alloc" if `alloc` gives fresh memory), what a call returned ("R3") or unknown ("*").
struct FlowPath {
  std::string Root = "*";
  std::vector<FlowOffset> Steps;
  FlowOffset Last{0, "", ""};

  llvm::json::Array toJson() const;
  std::string text() const;
  /// Anywhere in what the last pointer leads to.
  FlowPath base() const;
  bool isKnown() const { return Root != "*"; }
  bool isOwn() const { return Root[0] == 'L' || Root[0] == 'H' || Root[0] == 'A'; }
};

/// Whether a value is memory that a library has just given.
bool isNewMemory(const llvm::Value *V, const llvm::TargetLibraryInfo &TLI);

/// The function's name among those of all units.
std::string flowName(const llvm::Function &F, Unit &U);

/// Of what is read or written: a float ("f"), an integer ("i"), a pointer ("p") or anything ("m").
llvm::StringRef kindOf(const llvm::Type *T);

/// Of one function.
class FlowPaths {
public:
  FlowPaths(llvm::Function &F, Unit &U);

  /// `Named`: what varies has the name of the value.
  FlowPath of(llvm::Value *V, bool Named = false) { return of(V, Named, 0); }
  /// With the member of the record that is read or written, or that it is a variable of its own.
  FlowPath ofAccess(llvm::Value *Pointer, const llvm::Instruction *Access);
  /// What stands behind the pointer that a place holds: the array of a descriptor.
  FlowPath behind(llvm::Value *Pointer);
  bool isNamed(const llvm::Value &V) const { return Ids.contains(&V); }
  std::string idOf(const llvm::Value &V);
  bool isOfUnit(const FlowPath &P) const { return llvm::StringRef(P.Root).contains(" in "); }

private:
  FlowPath of(llvm::Value *V, bool Named, unsigned Depth);
  bool areOnePlace(llvm::ArrayRef<const llvm::Value *> Objects, unsigned Depth);
  std::string rootOf(llvm::Value *V);
  std::string nameOf(const llvm::GlobalVariable &G) const;
  bool isStored(const llvm::Value *V) const;

  llvm::Function &F;
  Unit &U;
  MpiFunction &M;
  const llvm::TargetLibraryInfo &TLI;
  llvm::DenseMap<const llvm::Value *, unsigned> Own, Ids;
};

} // namespace stridewise
#endif
