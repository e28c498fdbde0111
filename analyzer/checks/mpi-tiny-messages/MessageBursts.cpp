#include "checks/mpi-tiny-messages/MessageBursts.h"
#include "checks/mpi-tiny-messages/PackedPieces.h"
#include "checks/mpi-tiny-messages/RowPlaces.h"
#include "checks/mpi-tiny-messages/SplitLoop.h"
#include "library/FileOutput.h"
#include "mpi/MemoryRange.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// A payload computed by more operations than this is no copy of an element.
constexpr unsigned MaxCopyDepth = 4;
// A test that computes more than this from the element is none of the element alone.
constexpr unsigned MaxTestDepth = 8;
// Tables that lead to an element: of subscripts, of rows, of blocks.
constexpr unsigned MaxTables = 3;

class BurstFinder {
public:
  BurstFinder(MpiFunction &M, DerivedTypes &Types, FunctionAnalysisManager &FAM, double MaxBytes, BurstLength Least)
      : M(M), E(M.engine()), Types(Types), TLI(FAM.getResult<TargetLibraryAnalysis>(M.function())), FAM(FAM),
        MaxBytes(MaxBytes), Least(Least) {}

  std::optional<Burst> find(const MpiSite &S) {
    Burst B;
    B.Site = S;
    B.Collective = S.is(MpiCollective);
    B.Sends = S.is(MpiSend) || B.Collective;
    Value *Peer = S.arg(S.Sig->Peer), *Buffer = payloadOf(S);
    const Loop *L = E.loops().getLoopFor(S.Call->getParent());
    if (!L || !Buffer || (!B.Collective && (!Peer || M.isWildcard(Peer))))
      return std::nullopt;
    std::optional<DerivedTypes::Bytes> Bytes = Types.messageBytes(M, S);
    if (!Bytes)
      B.Row = rowOf(S, Buffer, L, B.Element);
    if (!Bytes && sendsPackedPieces(M, S, L, TLI))
      return pieces(std::move(B), L);
    if (Bytes ? !Bytes->Most || Bytes->Most > MaxBytes : !B.Row)
      return std::nullopt;
    B.Bytes = Bytes ? Bytes->Most : 0;
    B.Exact = !Bytes || Bytes->Exact;
    const double Messages = addLoops(B, L, Buffer);
    B.Few = Messages < Least.Messages;
    B.Prints = B.Collective && !B.Loops.empty() && prints(*B.Loops.back());
    if (B.Loops.empty() || Messages < (B.Collective ? Least.Calls : Least.Messages))
      return std::nullopt;
    return B;
  }

private:
  // The loops of the burst, from the inside; how many messages they make.
  double addLoops(Burst &B, const Loop *L, Value *Buffer) {
    double Messages = 1;
    for (const Loop *Inner = nullptr; L && !(B.Row && Inner); Inner = L, L = L->getParentLoop()) {
      if (!holds(B, L, Inner)) {
        if (Inner || !isCut(B, L))
          break;
        B.Split = true;
        B.Payload = E.rewrite(Buffer);
        B.Sure = false;
        B.Loops.push_back(L);
        return iterations(L);
      }
      B.Loops.push_back(L);
      Messages *= iterations(L);
    }
    return Messages;
  }

  std::optional<Burst> pieces(Burst B, const Loop *L) {
    std::optional<TypeLayout> Type = Types.layout(M, B.Site.arg(B.Site.Sig->Type));
    Value *Count = B.Site.arg(B.Site.Sig->Count);
    if (!Type || !Type->Size || !Count)
      return std::nullopt;
    B.Element = *Type->Size;
    B.Row = E.rewrite(Count);
    B.Payload = E.rewrite(payloadOf(B.Site));
    B.Pieces = true;
    B.Sure = false;
    B.Loops.push_back(L);
    return B;
  }

  double iterations(const Loop *L) const {
    const unsigned Trips = E.tripCount(L);
    return Trips ? Trips : HUGE_VAL;
  }

  static bool prints(const Loop &L) {
    return any_of(L.blocks(), [](const BasicBlock *BB) {
      return any_of(*BB, [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && isOutput(*Call);
      });
    });
  }

  // The bytes of a message of a length that only the run knows. When each begins where the one before ends, one message
  // of all of them is no more to send, whatever the length is. Rows that lie apart, and that all ranks reduce or
  // exchange with each other, are taken to be short where they are one size of the data long, and not two or three of
  // them multiplied.
  const SCEV *rowOf(const MpiSite &S, Value *Buffer, const Loop *L, std::uint64_t &Element) {
    ScalarEvolution &SE = E.scalarEvolution();
    Value *Count = S.arg(S.Sig->Count);
    const SCEV *Address = E.rewrite(Buffer), *Step = E.step(Address, L);
    std::optional<TypeLayout> Type = Types.layout(M, S.arg(S.Sig->Type));
    if (!Count || !Type || !Type->Size || Type->Strided || E.varies(Count, L))
      return nullptr;
    Element = *Type->Size;
    const SCEV *Elements = E.rewrite(Count);
    for (const SCEV *Wide : {SE.getTruncateOrSignExtend(Elements, SE.getEffectiveSCEVType(Address->getType())),
                             SE.getTruncateOrZeroExtend(Elements, SE.getEffectiveSCEVType(Address->getType()))})
      if (const SCEV *Row = SE.getMulExpr(Wide, SE.getConstant(Wide->getType(), Element));
          Step && (polynomialOf(Row) - polynomialOf(Step)).isZero())
        return Row;
    // The part that a table gives each rank or block, from one entry to the next, is no row.
    const Loop *Around = L->getParentLoop();
    if (Around && E.varies(Count, Around->getOutermostLoop()) && isBetween(Elements))
      return nullptr;
    // A buffer that stays may hold a copy of another row each time.
    if (!isOneSize(Elements) || isa<SCEVConstant>(Elements) ||
        !(S.is(MpiCollective) ? !Step || !Step->isZero() : S.is(MpiSend)))
      return nullptr;
    const SCEV *Wide = SE.getTruncateOrSignExtend(Elements, SE.getEffectiveSCEVType(Address->getType()));
    return SE.getMulExpr(Wide, SE.getConstant(Wide->getType(), Element));
  }

  // With MPI_IN_PLACE, a constant, the elements lie where the result goes; the root alone may pass it.
  static Value *payloadOf(const MpiSite &S) {
    Value *Buffer = S.arg(S.Sig->Buffer);
    auto IsMark = [](const Value *V) {
      return isa<Constant>(V->stripPointerCasts()) && !isa<GlobalValue>(V->stripPointerCasts());
    };
    const bool IsChoice = isa_and_nonnull<SelectInst, PHINode>(Buffer);
    bool InPlace = Buffer && S.is(MpiCollective) && S.arg(S.Sig->RecvBuffer) &&
                   (IsMark(Buffer) || (IsChoice && any_of(cast<Instruction>(Buffer)->operands(), IsMark)));
    return InPlace ? S.arg(S.Sig->RecvBuffer) : Buffer;
  }

  // One collective call per iteration of L, each of a value that the iteration computes: the loop can be cut there.
  bool isCut(const Burst &B, const Loop *L) {
    const MpiSite &S = B.Site;
    Value *Payload = payloadOf(S);
    return B.Collective && !B.Row && S.Sig->Does != MpiDoes::Scan &&
           none_of(std::initializer_list<int>{S.Sig->Peer, S.Sig->Comm, S.Sig->Count, S.Sig->Type},
                   [&](int Position) { return S.arg(Position) && E.varies(S.arg(Position), L); }) &&
           runsAlways(S, L, nullptr) && splitsAt(M, S, Payload, L, TLI);
  }

  // One message per iteration of L, whose payloads all exist when L starts.
  bool holds(Burst &B, const Loop *L, const Loop *Inner) {
    const MpiSite &S = B.Site;
    for (int Position : {S.Sig->Peer, S.Sig->Comm, S.Sig->Count, S.Sig->Type})
      if (Value *V = S.arg(Position); V && E.varies(V, L))
        return false;
    if (!runsAlways(S, L, Inner) && !(isChosen(B, L, Inner) && (B.Chosen = true)))
      return false;
    B.Sure &= !B.Chosen;
    const SCEV *BufferBase = M.baseOf(payloadOf(S), L), *Payload = payloadIn(B, L, BufferBase);
    if (!Payload)
      return false;
    const SCEV *Base = baseOf(Payload, L);
    if (B.Collective) {
      // A result that the next call takes, and a loop that ends when a result says so.
      Value *Into = S.arg(S.Sig->RecvBuffer);
      if (Into && writes(Into, L, Base) && E.rewrite(Into) != Payload)
        return false;
      SmallVector<BasicBlock *, 4> Exiting;
      L->getExitingBlocks(Exiting);
      B.Sure &= Exiting.size() == 1;
    }
    if (Value *Into = B.Row && S.is(MpiSend) && S.is(MpiRecv) ? S.arg(S.Sig->RecvBuffer) : nullptr;
        Into && writes(Into, L, Base) && isSentLater(E, Into, Payload, L) && !liesElsewhere(S, S, L))
      return false;
    if (isDisturbed(B, L, Payload, Base == BufferBase ? nullptr : BufferBase))
      return false;
    B.Payload = Payload;
    return true;
  }

  // The address of the element, which moves in L; null where none does.
  const SCEV *payloadIn(Burst &B, const Loop *L, const SCEV *BufferBase) {
    const MpiSite &S = B.Site;
    const SCEV *Payload = B.Payload ? B.Payload : E.rewrite(payloadOf(S));
    if (moves(Payload, L, B))
      return Payload;
    if (B.Payload || !(S.is(MpiSend) || (B.Collective && S.arg(S.Sig->RecvBuffer))))
      return nullptr;
    // The element may be copied to a buffer that stays.
    Payload = copiedFrom(BufferBase, L);
    B.Copied = Payload && moves(Payload, L, B);
    return B.Copied ? Payload : nullptr;
  }

  // Whether something in the loop changes what is sent, answers, or keeps the ranks in step.
  bool isDisturbed(Burst &B, const Loop *L, const SCEV *Payload, const SCEV *CopyBase) {
    const SCEV *Base = baseOf(Payload, L);
    return any_of(L->blocks(), [&](BasicBlock *BB) {
      return !isErrorPath(*BB) && any_of(counted(*BB), [&](Instruction &I) {
        return conflicts(I, B.Site, L, Base, CopyBase, B) && !(bringsBack(B) && putsBack(I, B, L, Payload)) &&
               !followsInRow(I, B.Site, L, Payload);
      });
    });
  }

  const SCEV *baseOf(const SCEV *Address, const Loop *L) {
    ScalarEvolution &SE = E.scalarEvolution();
    const SCEV *Base = SE.getPointerBase(Address);
    for (unsigned Depth = 0; Depth < 4 && E.varies(Base, L); ++Depth) {
      const SCEV *Table = E.loadedFrom(Base);
      if (!Table)
        break;
      Base = SE.getPointerBase(Table);
    }
    return Base;
  }

  // Every iteration sends, or none: the branches on the way ask nothing that varies in the loop. Whether an inner loop
  // of the burst runs at all may vary.
  bool runsAlways(const MpiSite &S, const Loop *L, const Loop *Inner) {
    return allTests(S, L, Inner, [&](Value *Test) { return !E.varies(Test, L) || isBound(Test, L); });
  }

  // Messages of the elements that pass a test of what lies in memory along the loop, such as particles that leave.
  bool isChosen(const Burst &B, const Loop *L, const Loop *Inner) {
    return B.Site.is(MpiSend) && !B.Site.is(MpiRecv) && !B.Collective && allTests(B.Site, L, Inner, [&](Value *Test) {
             return !E.varies(Test, L) || isBound(Test, L) || readsElement(Test, L);
           });
  }

  bool readsElement(Value *Test, const Loop *L) {
    bool Reads = false;
    return isOfElement(Test, L, MaxTestDepth, Reads) && Reads;
  }

  // Whether a value comes from memory that L walks and from what stays: from no counter, and nothing that an iteration
  // leaves to the next.
  bool isOfElement(Value *V, const Loop *L, unsigned Depth, bool &Reads) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L->contains(I))
      return true;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      const SCEV *From = E.rewrite(Load->getPointerOperand());
      const Stride::Kind Step = E.stride(From, L).K;
      const bool Walks = Step == Stride::Constant || Step == Stride::Symbolic || isLoadedAlong(From, L, MaxTables);
      Reads |= Walks;
      return Walks || (!E.varies(Load, L) && !isStoredTo(Load->getPointerOperand(), L));
    }
    const bool Computes = isa<CastInst, BinaryOperator, UnaryOperator, CmpInst, SelectInst, FreezeInst>(I) ||
                          (isa<IntrinsicInst>(I) && !I->mayReadOrWriteMemory());
    return Depth > 0 && Computes &&
           all_of(I->operands(), [&](Value *Part) { return isOfElement(Part, L, Depth - 1, Reads); });
  }

  bool isStoredTo(Value *Pointer, const Loop *L) {
    const SCEV *Base = M.baseOf(Pointer, L);
    return any_of(L->blocks(), [&](BasicBlock *BB) {
      return any_of(*BB, [&](Instruction &I) {
        auto *Store = dyn_cast<StoreInst>(&I);
        return Store && writes(Store->getPointerOperand(), L, Base);
      });
    });
  }

  bool allTests(const MpiSite &S, const Loop *L, const Loop *Inner, function_ref<bool(Value *)> Holds) {
    for (const RunCondition &C : M.conditions(S.Call->getParent())) {
      const BasicBlock *BB = C.Branch->getParent();
      if (!L->contains(BB) || (Inner && Inner->contains(BB)))
        continue;
      bool Leaves = false, EntersInner = false;
      for (const BasicBlock *Next : successors(BB)) {
        Leaves |= !L->contains(Next);
        EntersInner |= Inner && (Inner->contains(Next) || Next == Inner->getLoopPreheader());
      }
      if (Leaves || EntersInner)
        continue;
      const auto *Br = dyn_cast<BranchInst>(C.Branch);
      Value *Condition = Br ? Br->getCondition() : C.Branch->getOperand(0);
      if (!Holds(Condition))
        return false;
    }
    return true;
  }

  // `if (i < count)` in a loop over more than that: the call runs in the loop's first or last iterations.
  bool isBound(Value *Condition, const Loop *L) const {
    const auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || Compare->isEquality())
      return false;
    for (unsigned K : {0u, 1u}) {
      const auto *Counter = dyn_cast<SCEVAddRecExpr>(E.rewrite(Compare->getOperand(K)));
      if (Counter && Counter->getLoop() == L && Counter->isAffine() && !E.varies(Compare->getOperand(1 - K), L))
        return true;
    }
    return false;
  }

  bool moves(const SCEV *Address, const Loop *L, Burst &B) {
    switch (E.stride(Address, L).K) {
    case Stride::Zero:
      return false;
    case Stride::Constant:
    case Stride::Symbolic:
      return true;
    case Stride::Unknown:
      B.Sure = false;
      // Rows through pointers and gathers: some part is loaded from a table that the loop walks.
      return isLoadedAlong(Address, L, MaxTables);
    }
    llvm_unreachable("all kinds handled");
  }

  // Whether an address is loaded from a table that L walks, or by subscripts that are: `rows[column[i]][k]`.
  bool isLoadedAlong(const SCEV *Address, const Loop *L, unsigned Depth) {
    return SCEVExprContains(Address, [&](const SCEV *Part) {
      const SCEV *Table = E.loadedFrom(Part);
      const Stride::Kind K = Table ? E.stride(Table, L).K : Stride::Zero;
      return K == Stride::Constant || K == Stride::Symbolic ||
             (K == Stride::Unknown && Depth > 1 && isLoadedAlong(Table, L, Depth - 1));
    });
  }

  // The first moving address from which a stored value is computed, if it is computed from loads only.
  const SCEV *sourceOf(Value *V, const Loop *L, unsigned Depth) {
    if (auto *Load = dyn_cast<LoadInst>(V))
      return E.rewrite(Load->getPointerOperand());
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth == 0 || !isa<CastInst, BinaryOperator, UnaryOperator, GetElementPtrInst>(I))
      return nullptr;
    if (any_of(I->operands(), [&](Value *Op) { return carries(Op, L, Depth - 1); }))
      return nullptr;
    for (Value *Op : I->operands())
      if (const SCEV *S = sourceOf(Op, L, Depth - 1); S && E.stride(S, L).K != Stride::Zero)
        return S;
    return nullptr;
  }

  // Whether a value holds what an earlier iteration made, its message's result perhaps: a scalar that goes around the
  // loop, in a register or in memory. Counters do not.
  bool carries(Value *V, const Loop *L, unsigned Depth) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L->contains(I))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(I))
      return E.stride(Load->getPointerOperand(), L).K == Stride::Zero;
    if (isa<PHINode>(I))
      return !E.scalarEvolution().isSCEVable(I->getType()) || !E.step(E.rewrite(I), L);
    return Depth > 0 && any_of(I->operands(), [&](Value *Op) { return carries(Op, L, Depth - 1); });
  }

  const SCEV *copiedFrom(const SCEV *BufferBase, const Loop *L) {
    const SCEV *Found = nullptr;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB)) {
        const SCEV *From = nullptr;
        if (auto *St = dyn_cast<StoreInst>(&I)) {
          if (M.baseOf(St->getPointerOperand(), L) != BufferBase)
            continue;
          From = sourceOf(St->getValueOperand(), L, MaxCopyDepth);
        } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
          if (M.baseOf(Copy->getDest(), L) != BufferBase)
            continue;
          From = E.rewrite(Copy->getSource());
        } else {
          continue;
        }
        if (!From || E.stride(From, L).K == Stride::Zero)
          return nullptr;
        Found = Found ? Found : From;
      }
    return Found;
  }

  static bool bringsBack(const Burst &B) { return B.Collective || (B.Site.is(MpiSend) && B.Site.is(MpiRecv)); }
  // What the call has brought takes the place of the element that went into it, which a table may have led to: it is
  // taken to name each element once.
  bool putsBack(Instruction &I, Burst &B, const Loop *L, const SCEV *Payload) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !M.reaches(B.Site.Call, Store))
      return false;
    const SCEV *To = E.rewrite(Store->getPointerOperand());
    const Stride Step = E.stride(Payload, L);
    if (Step.K == Stride::Constant || Step.K == Stride::Symbolic)
      return To == Payload;
    MemoryRanges Ranges = ranges();
    const bool Listed =
        isLoadedAlong(Payload, L, MaxTables) && Ranges.values().canonical(To) == Ranges.values().canonical(Payload);
    B.Sure &= !Listed;
    return Listed;
  }
  MemoryRanges ranges() {
    Function &F = M.function();
    return MemoryRanges(M, FAM.getResult<AAManager>(F), FAM.getResult<DominatorTreeAnalysis>(F));
  }

  // What an iteration writes to its own row behind its message, as it unpacks what came the other way.
  bool followsInRow(Instruction &I, const MpiSite &S, const Loop *L, const SCEV *Payload) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Mem = dyn_cast<MemIntrinsic>(&I);
    Value *Into = Store ? Store->getPointerOperand() : Mem ? Mem->getDest() : nullptr;
    return Into && S.is(MpiSend) && !M.reaches(&I, S.Call) && !isSentLater(E, Into, Payload, L);
  }

  bool conflicts(Instruction &I, const MpiSite &S, const Loop *L, const SCEV *Base, const SCEV *CopyBase, Burst &B) {
    if (&I == S.Call)
      return false;
    if (auto *St = dyn_cast<StoreInst>(&I))
      return writes(St->getPointerOperand(), L, Base);
    auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      return I.mayWriteToMemory();
    const MpiSignature *Sig = findMpiCall(*C);
    if (!Sig) {
      if (auto *Mem = dyn_cast<MemIntrinsic>(C))
        return writes(Mem->getDest(), L, Base);
      // What calls have brought can be printed behind the one call.
      return !isDataFreeCall(*C, TLI) && !(B.Collective && isOutput(*C));
    }
    return conflicts(MpiSite{C, Sig}, S, L, Base, CopyBase, B);
  }

  bool conflicts(const MpiSite &O, const MpiSite &S, const Loop *L, const SCEV *Base, const SCEV *CopyBase, Burst &B) {
    if (O.is(MpiQuery) && !O.is(MpiCollective))
      return false;
    if (B.Collective)
      return collectiveConflicts(O, S, L, Base, CopyBase);
    if (O.is(MpiWait))
      return !S.is(MpiNonblocking) && !startsOnlyReceives(L);
    // A clock beside each message is instrumentation, or a benchmark; the latter sends one buffer again and again.
    if (O.is(MpiTimer)) {
      B.Sure = false;
      return false;
    }
    if (O.is(MpiCollective | MpiProbe | MpiRma | MpiIo | MpiLifecycle | MpiCommManagement | MpiPersistent))
      return true;
    Value *Peer = S.arg(S.Sig->Peer);
    if (!B.Sends)
      return O.is(MpiSend) && M.sameValue(O.arg(O.Sig->Peer), Peer);
    if (!O.is(MpiRecv))
      return false;
    B.Sure = false;
    Value *Into = O.arg(O.is(MpiSend) ? O.Sig->RecvBuffer : O.Sig->Buffer);
    // What the peer sends may be its answer; not so where both sides send and receive at once.
    const bool Exchanges = O.is(MpiSend) && S.is(MpiSend) && S.is(MpiRecv);
    const bool Answers = M.sameValue(O.source(), Peer) && !Exchanges && !exchangesWithTwo(L, Peer);
    if (M.isWildcard(O.source()) || Answers || !Into)
      return true;
    if (CopyBase && writes(Into, L, CopyBase))
      return true;
    return writes(Into, L, Base) && !comesElsewhere(Into, O, L, B);
  }

  bool comesElsewhere(Value *Into, const MpiSite &O, const Loop *L, Burst &B) {
    const SCEV *Payload = B.Payload ? B.Payload : E.rewrite(payloadOf(B.Site));
    return (!B.Row && staysBehind(Into, O, L, B)) || !isSentLater(E, Into, Payload, L) || liesElsewhere(O, B.Site, L);
  }

  // Rows that are received lie at other places of one array, or table, than those that are sent.
  bool liesElsewhere(const MpiSite &Received, const MpiSite &Sent, const Loop *L) {
    MemoryRanges Ranges = ranges();
    return Ranges.meet(Ranges.ofMessage(Received, true, L), Ranges.ofMessage(Sent, false, L), /*AssumeSizes=*/true) <=
           Meeting::Names;
  }

  // Whether the loop sends to, and receives from, this rank and another one, as with the neighbours on both sides:
  // where all ranks do the same, neither of them answers.
  bool exchangesWithTwo(const Loop *L, Value *Peer) const {
    auto Has = [&](unsigned Trait, function_ref<bool(Value *)> Fits) {
      return any_of(M.sites(), [&](const MpiSite &S) {
        Value *Rank = Trait == MpiRecv ? S.source() : S.arg(S.Sig->Peer);
        return S.is(Trait) && !S.is(MpiCollective) && L->contains(S.Call) && Rank && Fits(Rank);
      });
    };
    return Has(MpiRecv, [&](Value *From) { return M.sameValue(From, Peer); }) && Has(MpiSend, [&](Value *To) {
             return !M.sameValue(To, Peer) && Has(MpiRecv, [&](Value *From) { return M.sameValue(From, To); });
           });
  }

  // Whether what the loop waits for are receives of its own, each of which is judged where it starts.
  bool startsOnlyReceives(const Loop *L) const {
    bool Any = false;
    for (const MpiSite &S : M.sites()) {
      if (!S.is(MpiNonblocking) || !L->contains(S.Call))
        continue;
      if (!S.is(MpiRecv) || S.is(MpiSend | MpiCollective))
        return false;
      Any = true;
    }
    return Any;
  }

  // What it brings must not be what a later call takes. A broadcast leaves the root's data as they are.
  bool collectiveConflicts(const MpiSite &O, const MpiSite &S, const Loop *L, const SCEV *Base, const SCEV *CopyBase) {
    if (!isElementwise(O) || !MpiFunction::sameCommunicator(M, S, O))
      return true;
    Value *Into = O.arg(O.Sig->RecvBuffer);
    if (!Into && !S.arg(S.Sig->RecvBuffer))
      return !M.sameValue(S.arg(S.Sig->Peer), O.arg(O.Sig->Peer));
    Into = Into ? Into : O.arg(O.Sig->Buffer);
    return !Into || writes(Into, L, Base) || (CopyBase && writes(Into, L, CopyBase));
  }

  // What an iteration receives is sent neither by it nor by a later one, although it is the same array: another column
  // or row of it. Sizes that the function does not know are taken to be FewestColumns at least.
  bool staysBehind(Value *Into, const MpiSite &O, const Loop *L, Burst &B) {
    ScalarEvolution &SE = E.scalarEvolution();
    std::optional<DerivedTypes::Bytes> Received = Types.messageBytes(M, O);
    const SCEV *From = B.Payload ? B.Payload : E.rewrite(B.Site.arg(B.Site.Sig->Buffer)), *To = E.rewrite(Into);
    const SCEV *Step = E.step(From, L);
    if (!Received || !Received->Most || !Step || Step != E.step(To, L))
      return false;
    const SCEV *Ahead = SE.getMinusSCEV(From, To), *Behind = SE.getNegativeSCEV(Ahead);
    auto Clears = [&](const SCEV *Distance, std::uint64_t Bytes) {
      std::optional<std::int64_t> Least = leastValue(Distance);
      return Least && *Least >= static_cast<std::int64_t>(Bytes);
    };
    if (isa<SCEVCouldNotCompute>(Ahead) || E.varies(Ahead, L) || !Clears(Step, 1))
      return false;
    // Later payloads lie at From + k * Step, k = 1, 2, …; all of them are beyond To if the first one is.
    const SCEV *Next = SE.getAddExpr(Ahead, SE.getTruncateOrSignExtend(Step, Ahead->getType()));
    return Clears(Next, Received->Most) && (Clears(Ahead, Received->Most) || Clears(Behind, B.Bytes));
  }

  bool writes(Value *Pointer, const Loop *L, const SCEV *Base) { return M.baseOf(Pointer, L) == Base; }

  MpiFunction &M;
  StrideEngine &E;
  DerivedTypes &Types;
  const TargetLibraryInfo &TLI;
  FunctionAnalysisManager &FAM;
  double MaxBytes;
  BurstLength Least;
};

} // namespace

std::optional<Burst> findBurst(MpiFunction &M, const MpiSite &S, DerivedTypes &Types, FunctionAnalysisManager &FAM,
                               double MaxBytes, BurstLength Least) {
  return BurstFinder(M, Types, FAM, MaxBytes, Least).find(S);
}

bool isElementwise(const MpiSite &S) {
  MpiDoes D = S.Sig->Does;
  return (D == MpiDoes::Broadcast || D == MpiDoes::Reduce || D == MpiDoes::Allreduce || D == MpiDoes::Scan) &&
         !S.is(MpiNonblocking);
}

} // namespace stridewise
