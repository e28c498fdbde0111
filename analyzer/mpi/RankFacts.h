// Which values are a process's own rank, or the number of processes, and of which communicator: variables, globals,
// members of records and parameters that MPI_Comm_rank and MPI_Comm_size filled somewhere in the unit.
#ifndef STRIDEWISE_MPI_RANKFACTS_H
#define STRIDEWISE_MPI_RANKFACTS_H

#include "mpi/MpiFacts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <set>
#include <string>

namespace stridewise {

/// Names of communicators by which two uses of one can be recognised: "world", "self", a global variable, a member of a
/// record, else a value of the function. Copies by MPI_Comm_dup have the name of the original. Empty: unknown.
using CommName = std::string;

class RankFacts {
public:
  explicit RankFacts(Unit &U);

  CommName communicator(llvm::Value *Comm, unsigned Depth = 0) const;
  /// The communicator of which V is the caller's rank; nothing when V is no rank.
  std::optional<CommName> rank(const llvm::Value *V) const { return find(V, Ranks); }
  /// The same for a rank or a simple function of it with other constants: rank + 1, rank % 4, rank / nodes.
  std::optional<CommName> rankTerm(const llvm::Value *V, unsigned Depth = 0) const;
  std::optional<CommName> size(const llvm::Value *V) const { return find(V, Sizes); }
  /// True for a size, or a sum, product or minimum with one.
  bool dependsOnSize(const llvm::Value *V, unsigned Depth = 0) const;

  /// What a condition says about ranks.
  struct Guard {
    CommName Comm;
    bool Whole = true;                 // the condition is about ranks only: no `&& verbose`
    bool Equality = false;             // one rank on one arm, the others on the other
    bool OneOnTrue = false;            // which arm the one rank takes, if Equality
    const llvm::Value *Root = nullptr; // the other side of an equality
    std::string Asked;                 // what another unit may know to be the rank: "call f", "member S::f", …
  };
  /// Nothing when the value of the condition is the same on all ranks, for all that is known.
  std::optional<Guard> guard(const llvm::Value *Condition) const;
  /// As guard(), with functions, members and variables that other units define or fill and that are compared here.
  std::optional<Guard> guardOrAsked(const llvm::Value *Condition) const { return guard(Condition, 0, true); }

  /// `for (p = 0; p < size; ++p) if (p == rank) …`: what a loop changes is compared with the rank, so that one rank
  /// after another comes to its turn.
  static bool takesTurns(const Guard &G, const llvm::BranchInst &Br, const llvm::LoopInfo &LI);

  /// The ranks that other units may ask for, with their communicators.
  std::vector<std::pair<std::string, CommName>> exported() const;
  /// The same as other units are told it (Unit::setKnownRanks): "global rank+0=world", "member Grid::rank=world".
  std::vector<std::string> toTell() const;
  /// What conditions of the unit compare that other units may know to be the rank, by the names of exported().
  std::vector<std::string> asked() const;
  /// True for names of communicators that mean the same in all units.
  static bool isGlobalName(llvm::StringRef Comm);

private:
  using Address = std::pair<const llvm::Value *, std::int64_t>;
  struct Table {
    llvm::DenseMap<Address, CommName> Places;                     // variables
    llvm::DenseMap<const clang::ValueDecl *, CommName> Variables; // members, and what passes them on
    llvm::DenseMap<const llvm::Argument *, CommName> Arguments;
    llvm::DenseMap<const llvm::Function *, CommName> Calls; // functions of other units that return it
  };
  static CommName memberName(const clang::FieldDecl *F);
  static const llvm::Value *stripCasts(const llvm::Value *V);
  static Address addressOf(const llvm::Value *Pointer, const llvm::DataLayout &DL);
  std::optional<CommName> find(const llvm::Value *V, const Table &T) const;
  std::optional<Guard> guard(const llvm::Value *Condition, unsigned Depth, bool Calls) const;
  std::optional<Guard> comparison(const llvm::ICmpInst &Compare, bool Calls) const;
  std::optional<Guard> joinedRank(const llvm::ICmpInst &Compare) const;
  std::optional<Guard> packedRank(const llvm::ICmpInst &Compare) const;
  /// The numbers that a call tells; null where it tells neither ranks nor sizes of communicators.
  Table *toldBy(const MpiSignature &Sig);
  void collectCommunicators(llvm::ArrayRef<llvm::Instruction *> Carriers);
  void collectQueries(llvm::Module &M);
  void learnFromOthers(llvm::Module &M, llvm::ArrayRef<llvm::Instruction *> Carriers);
  void propagate(llvm::ArrayRef<llvm::Instruction *> Carriers);
  void dropMixed(llvm::ArrayRef<llvm::Instruction *> Carriers);
  bool learn(Table &T, llvm::Instruction &I);
  struct VariableFlow;
  void collectVariables();
  std::string askedName(const llvm::Value *V) const;
  const clang::FieldDecl *memberAt(const llvm::Instruction &I) const;
  const clang::FieldDecl *memberAt(const llvm::Argument &A, unsigned Bit) const;
  const clang::FieldDecl *passedMember(const llvm::Value *V) const;
  CommName communicatorOf(const clang::Expr *E) const;

  Unit &U;
  Table Ranks, Sizes;
  std::set<const clang::ValueDecl *> Reassigned; // members that get anything in this unit
  llvm::DenseMap<const llvm::Argument *, CommName> Communicators;
  llvm::DenseMap<Address, CommName> Copies; // communicators that MPI_Comm_dup made
  std::map<std::pair<clang::FileID, unsigned>, const clang::FieldDecl *> Members; // by where they are named
  mutable llvm::DenseMap<const llvm::Function *, const clang::FunctionDecl *> Sources;
};

/// The unit's, made once.
const RankFacts &ranksOf(Unit &U);

} // namespace stridewise
#endif
