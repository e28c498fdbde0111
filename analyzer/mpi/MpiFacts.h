// What the message checks share: the MPI calls of a function in program order, what their arguments mean (datatype
// sizes, peers, ranks) and under which conditions they run.
#ifndef STRIDEWISE_MPI_MPIFACTS_H
#define STRIDEWISE_MPI_MPIFACTS_H

#include "library/MpiCall.h"
#include "loops/Strides.h"
#include "mpi/SourceCalls.h"
#include "unit/Unit.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>
#include <vector>

namespace stridewise {

/// One MPI call of the canonical IR.
struct MpiSite {
  llvm::CallBase *Call;
  const MpiSignature *Sig;

  bool is(unsigned Trait) const { return Sig->Traits & Trait; }
  /// The argument at a position of the signature; null for -1.
  llvm::Value *arg(int Position) const {
    return Position < 0 || unsigned(Position) >= Call->arg_size() ? nullptr : Call->getArgOperand(Position);
  }
  /// The rank that the receive half names, and its other arguments.
  llvm::Value *source() const { return arg(is(MpiSend) ? Sig->RecvPeer : Sig->Peer); }
  llvm::Value *receiveTag() const { return arg(is(MpiSend) ? Sig->RecvTag : Sig->Tag); }
};

/// How the rank that is sent to and the rank that is received from lie to each other.
enum class PeerRelation {
  Unrelated, // constants, wildcards, or nothing is known that makes them neighbours
  Same,      // one partner
  Mirrored,  // one partner, which each rank computes from its own: rank ^ 1
  Parallel,  // two values of like origin, as two fields of a record or two parameters
  Opposite   // proven: rank + d and rank - d, or the two ranks of one MPI_Cart_shift
};

/// A branch that decides whether a block runs.
struct RunCondition {
  const llvm::Instruction *Branch;
  unsigned Arm; // the successor that leads to the block
  /// Comparisons that hold on this arm, with their truth: `a && b` gives two.
  llvm::SmallVector<std::pair<llvm::Value *, bool>, 2> Facts;
};

/// The MPI calls of one function and the analyses that interpret them. Made once per function and shared by all checks.
class MpiFunction {
public:
  struct RankQueries; // the unit's calls that tell ranks
  MpiFunction(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, const RankQueries &Queries);
  static MpiFunction &get(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  llvm::Function &function() { return F; }
  /// In reverse post-order of the blocks, which is program order.
  llvm::ArrayRef<MpiSite> sites() const { return Sites; }
  StrideEngine &engine() { return Engine; }

  bool sameValue(llvm::Value *A, llvm::Value *B);
  static bool sameCommunicator(MpiFunction &M, const MpiSite &A, const MpiSite &B);
  /// Whether a communicator is MPI_COMM_WORLD, which has the members of all others.
  static bool isWorld(const llvm::Value *Communicator);
  /// Bytes of one element of a predefined datatype.
  std::optional<std::uint64_t> typeBytes(const llvm::Value *Datatype) const;
  /// Bytes of the message; nothing unless count and datatype are known.
  std::optional<std::uint64_t> messageBytes(const MpiSite &S) const;
  /// True when the peer is, or may be by one of its alternatives, MPI_ANY_SOURCE.
  bool isWildcard(const llvm::Value *Peer) const;
  PeerRelation relate(llvm::Value *To, llvm::Value *From);
  /// True for values that MPI_Comm_rank, MPI_Cart_coords and the like gave, however they were computed further.
  bool dependsOnRank(const llvm::SCEV *S);
  bool isRank(const llvm::SCEV *S);

  /// True when B can run after A without a further iteration of any loop around both. `Blocked` ends a path after the
  /// instruction for which it answers true.
  bool reaches(const llvm::Instruction *A, const llvm::Instruction *B,
               llvm::function_ref<bool(const llvm::Instruction &)> Blocked = nullptr);
  /// The branches on which a block depends, transitively.
  llvm::ArrayRef<RunCondition> conditions(const llvm::BasicBlock *BB);
  /// All arms of branches on which some block of the function depends, in the order of the blocks.
  llvm::ArrayRef<RunCondition> arms();
  /// The blocks that depend directly on one of arms(), by its index.
  llvm::ArrayRef<const llvm::BasicBlock *> dependents(unsigned Arm) const { return Dependents[Arm]; }
  /// The indices in arms() of those of a branch's block.
  std::pair<unsigned, unsigned> armsOf(const llvm::BasicBlock *Branch);
  /// The array, record or variable that an address points into, seen from loop L: row pointers that change in L are
  /// followed to the table that holds them.
  const llvm::SCEV *baseOf(llvm::Value *Pointer, const llvm::Loop *L);

private:
  void collectRanks(const RankQueries &Queries);
  void findDependences();
  void alternatives(llvm::Value *V, llvm::SmallVectorImpl<const llvm::SCEV *> &Out,
                    llvm::SmallVectorImpl<const llvm::SCEV *> &Moduli, unsigned Depth = 0);
  const void *originOf(const llvm::SCEV *S);
  bool sharesOrigin(const llvm::SCEV *S, const llvm::SCEV *R);
  bool isOppositeOf(const llvm::SCEV *S, const llvm::SCEV *R, llvm::ArrayRef<const llvm::SCEV *> Moduli, bool &Ranked);
  bool isMirrored(llvm::Value *V, llvm::ArrayRef<const llvm::SCEV *> Alternatives);

  llvm::Function &F;
  StrideEngine &Engine;
  llvm::LoopInfo &LI;
  llvm::PostDominatorTree &PDT;
  std::vector<MpiSite> Sites;
  bool PointerHandles = false; // Open MPI's handles are pointers, MPICH's integers
  llvm::SmallPtrSet<const llvm::SCEV *, 8> RankAddresses, RankArrays;
  std::vector<llvm::SmallVector<const llvm::SCEV *, 2>> Shifts; // addresses that one MPI_Cart_shift fills
  llvm::DenseMap<const llvm::BasicBlock *, std::vector<RunCondition>> Conditions;
  // Control dependence, by the frontiers of the tree of post-dominators.
  bool Depends = false;
  std::vector<RunCondition> Arms;
  std::vector<llvm::SmallVector<const llvm::BasicBlock *, 2>> Dependents;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<unsigned, 2>> DependsOn;
  llvm::DenseMap<const llvm::BasicBlock *, std::pair<unsigned, unsigned>> ArmsOf;
};

/// Functions with MPI calls, in the order of the module. Copies that other functions of the unit inlined are included.
std::vector<MpiFunction *> mpiFunctions(Unit &U);

/// True for a call that has no effect outside this process which a rank could wait for or compare with: arithmetic,
/// allocation, string and memory functions.
bool isLocalCall(const llvm::CallBase &C, const llvm::TargetLibraryInfo &TLI);
/// True for a local call that leaves the program's data alone as well: a library function that is given addresses may
/// read or write what lies behind them, in Fortran whole arrays.
bool isDataFreeCall(const llvm::CallBase &C, const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
