#include "checks/mpi-duplicate-exchange/DuplicateExchange.h"
#include "mpi/MessageFinder.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// A message is compared with so many before it. Two exchanges with all 26 neighbours are nearer, and the time grows
// with the length of the function, not with its square.
constexpr std::size_t MostBack = 64;

class DuplicateFinder : MessageFinder {
public:
  DuplicateFinder(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinBytes)
      : MessageFinder(M, U, Effects), MinBytes(MinBytes) {
    ReversePostOrderTraversal<const Function *> Order(&M.function());
    Ordered = !containsIrreducibleCFG<const BasicBlock *>(Order, LI);
    for (const BasicBlock *BB : Order)
      Number.try_emplace(BB, Number.size());
  }

  std::vector<DuplicateExchange> find() {
    std::vector<DuplicateExchange> Out;
    SmallVector<const MpiSite *, 16> Sites;
    for (const MpiSite &S : counted(M.sites()))
      if (carriesData(S))
        Sites.push_back(&S);
    for (std::size_t K = 0; K < Sites.size(); ++K) {
      std::optional<DuplicateExchange> Best;
      // The nearest earlier one: what both of them repeat is said of each.
      for (std::size_t Back = K; Back-- > 0 && K - Back <= MostBack && !Best;)
        Best = compare(*Sites[Back], *Sites[K]);
      if (!Best)
        Best = repeated(*Sites[K]);
      for (std::size_t Next = K + 1; Next < Sites.size() && Next - K <= MostBack && !Best; ++Next)
        Best = carried(*Sites[Next], *Sites[K]);
      if (Best)
        Out.push_back(*Best);
    }
    return Out;
  }

private:
  bool carriesData(const MpiSite &S) {
    if (S.is(MpiPersistent | MpiRma | MpiIo | MpiCommManagement | MpiLifecycle | MpiBarrier | MpiWait | MpiProbe) ||
        !S.is(MpiSend | MpiCollective))
      return false;
    Value *Buffer = S.arg(S.Sig->Buffer);
    if (!Buffer || !Buffer->getType()->isPointerTy() || isa<ConstantPointerNull>(Buffer) ||
        Operator::getOpcode(Buffer->stripPointerCasts()) == Instruction::IntToPtr || S.Sig->Count < 0)
      return false; // MPI_IN_PLACE is an integer in disguise
    if (S.is(MpiCollective))
      return true;
    if (const auto *Peer = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Peer)); Peer && Peer->isNegative())
      return false;
    std::optional<std::uint64_t> Bytes = M.messageBytes(S);
    return S.arg(S.Sig->Peer) && (!Bytes || double(*Bytes) * repetitions(S) >= MinBytes);
  }
  // Messages that the inner loops around the call send, when known; many otherwise.
  double repetitions(const MpiSite &S) {
    const Loop *L = LI.getLoopFor(S.Call->getParent());
    Value *Buffer = S.arg(S.Sig->Buffer);
    if (!L || !E.varies(E.rewrite(Buffer), L))
      return 1;
    unsigned Trips = E.tripCount(L);
    return Trips ? Trips : HUGE_VAL;
  }

  // --- equal values ------------------------------------------------------------------------------------------------

  using LoopMap = SmallDenseMap<const Loop *, const Loop *, 4>;

  // Equal values, or values that two loops walk through in the same way.
  bool sameShape(const SCEV *A, const SCEV *B, const LoopMap &Map, unsigned Depth = 0) {
    if (A == B)
      return none_of(Map, [&](const auto &P) { return E.varies(A, P.first) || E.varies(B, P.second); });
    if (Depth > 12 || A->getSCEVType() != B->getSCEVType() || A->getType() != B->getType())
      return false;
    if (const auto *R = dyn_cast<SCEVAddRecExpr>(A)) {
      const auto *O = cast<SCEVAddRecExpr>(B);
      if (R->getNumOperands() != O->getNumOperands() ||
          (R->getLoop() != O->getLoop() && Map.lookup(R->getLoop()) != O->getLoop()))
        return false;
      for (unsigned K = 0; K < R->getNumOperands(); ++K)
        if (!sameShape(R->getOperand(K), O->getOperand(K), Map, Depth + 1))
          return false;
      return true;
    }
    if (isa<SCEVUnknown>(A)) {
      const SCEV *From = E.loadedFrom(A), *Other = E.loadedFrom(B);
      return From && Other && sameShape(From, Other, Map, Depth + 1);
    }
    if (isa<SCEVConstant>(A) || A->operands().size() != B->operands().size())
      return false;
    SmallVector<const SCEV *, 4> Left(B->operands());
    for (const SCEV *Op : A->operands()) {
      auto It = find_if(Left, [&](const SCEV *O) { return sameShape(Op, O, Map, Depth + 1); });
      if (It == Left.end())
        return false;
      Left.erase(It);
    }
    return true;
  }
  bool sameShape(Value *A, Value *B, const LoopMap &Map) {
    if (!A || !B || A->getType() != B->getType())
      return A == B;
    if (A == B && isa<Constant>(A))
      return true;
    if (!E.scalarEvolution().isSCEVable(A->getType()))
      return false;
    auto Moves = [&](Value *V) {
      return any_of(Map, [&](const auto &P) { return E.varies(V, P.first) || E.varies(V, P.second); });
    };
    if (Ranges.values().same(A, B) && !Moves(A) && !Moves(B))
      return true;
    return sameShape(Ranges.values().canonical(E.rewrite(A)), Ranges.values().canonical(E.rewrite(B)), Map);
  }

  // As far from the beginning of two buffers that calls have given, such as an exchange allocates each time.
  bool sameInOwn(Value *A, Value *B, const LoopMap &Map) {
    const Value *X = A ? getUnderlyingObject(A) : nullptr, *Y = B ? getUnderlyingObject(B) : nullptr;
    if (!X || !Y || X == Y || !isNoAliasCall(X) || !isNoAliasCall(Y))
      return false;
    auto Offset = [&](Value *V) {
      const SCEV *Address = E.rewrite(V);
      return E.scalarEvolution().getMinusSCEV(Address, E.scalarEvolution().getPointerBase(Address));
    };
    return sameShape(Offset(A), Offset(B), Map);
  }
  bool samePlace(Value *A, Value *B, const LoopMap &Map) { return sameShape(A, B, Map) || sameInOwn(A, B, Map); }

  // The loops around A but not B, outermost last.
  SmallVector<const Loop *, 4> own(const BasicBlock *A, const BasicBlock *B) {
    SmallVector<const Loop *, 4> Out;
    for (const Loop *L = LI.getLoopFor(A); L && !L->contains(B); L = L->getParentLoop())
      Out.push_back(L);
    return Out;
  }
  bool mapLoops(const BasicBlock *A, const BasicBlock *B, LoopMap &Map) {
    SmallVector<const Loop *, 4> X = own(A, B), Y = own(B, A);
    if (X.size() != Y.size())
      return false;
    for (std::size_t K = X.size(); K-- > 0;) {
      const SCEV *P = E.backedges(X[K]), *Q = E.backedges(Y[K]);
      if (!P || !Q || isa<SCEVCouldNotCompute>(P) || isa<SCEVCouldNotCompute>(Q) || !sameShape(P, Q, Map))
        return false;
      Map[X[K]] = Y[K];
    }
    return true;
  }
  static const Loop *outermost(ArrayRef<const Loop *> Loops) { return Loops.empty() ? nullptr : Loops.back(); }

  // --- what lies between ---------------------------------------------------------------------------------------------

  struct Between {
    SmallVector<const Instruction *, 8> Rewrites; // stores and messages that may touch the data
    bool Unclear = false;                         // something that may write anything
    bool Assumed = false, AssumedSizes = false;
  };

  // The innermost loop around both.
  const Loop *common(const BasicBlock *A, const BasicBlock *B) {
    const Loop *L = LI.getLoopFor(A);
    while (L && !L->contains(B))
      L = L->getParentLoop();
    return L;
  }
  // A number that grows on every way through one iteration of loop `In` (null: through the function) on which blocks
  // and inner loops, each taken as a whole, lie: that of the block or of the inner loop's header. Nothing outside.
  std::optional<unsigned> place(const BasicBlock *BB, const Loop *In) {
    const Loop *L = LI.getLoopFor(BB);
    if (L == In)
      return Number.lookup(BB);
    while (L && L->getParentLoop() != In)
      L = L->getParentLoop();
    return L ? std::optional(Number.lookup(L->getHeader())) : std::nullopt;
  }
  bool precedes(const Instruction *A, const Instruction *B) {
    const BasicBlock *Begin = A->getParent(), *End = B->getParent();
    return (Begin == End && A->comesBefore(B)) || walk(Begin, End, true).contains(End);
  }

  // The blocks that can be met from there, without those that do not lead to the other one.
  SmallPtrSet<const BasicBlock *, 32> walk(const BasicBlock *Begin, const BasicBlock *Other, bool Forward) {
    const Loop *In = common(Begin, Other);
    const std::optional<unsigned> To = place(Other, In);
    auto Leads = [&](const BasicBlock *BB) {
      Meter::count();
      if (!Ordered)
        return true;
      std::optional<unsigned> N = place(BB, In);
      return N && (Forward ? *N <= *To : *N >= *To);
    };
    SmallPtrSet<const BasicBlock *, 8> Headers;
    for (const Loop *L = LI.getLoopFor(Begin); L; L = L->getParentLoop())
      if (L->contains(Other))
        Headers.insert(L->getHeader());
    SmallPtrSet<const BasicBlock *, 32> Seen;
    SmallVector<const BasicBlock *, 16> Work{Begin};
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (Forward) {
        for (const BasicBlock *Next : successors(BB))
          if (!Headers.contains(Next) && Leads(Next) && Seen.insert(Next).second)
            Work.push_back(Next);
      } else if (!Headers.contains(BB)) {
        for (const BasicBlock *Next : predecessors(BB))
          if (Leads(Next) && Seen.insert(Next).second)
            Work.push_back(Next);
      }
    }
    return Seen;
  }

  // Everything that can run after A and before B, in one iteration of the loops around both.
  SmallVector<const Instruction *, 64> between(const Instruction *A, const Instruction *B) {
    SmallVector<const Instruction *, 64> Out;
    const BasicBlock *Begin = A->getParent(), *End = B->getParent();
    auto Add = [&](BasicBlock::const_iterator I, BasicBlock::const_iterator Last) {
      for (; I != Last; ++I)
        if (&*I != A && &*I != B)
          Out.push_back(&*I);
    };
    if (Begin == End && A->comesBefore(B)) {
      Add(std::next(A->getIterator()), B->getIterator());
      return Out;
    }
    SmallPtrSet<const BasicBlock *, 32> From = walk(Begin, End, true), To = walk(End, Begin, false);
    for (const BasicBlock *BB : From)
      if (BB != Begin && BB != End && To.contains(BB) && !isErrorPath(*BB))
        Add(BB->begin(), BB->end());
    Add(From.contains(Begin) && To.contains(Begin) ? Begin->begin() : std::next(A->getIterator()), Begin->end());
    Add(End->begin(), From.contains(End) && To.contains(End) ? End->end() : B->getIterator());
    return Out;
  }

  MemoryRange rangeOf(Value *Pointer, Type *T, const BasicBlock *At, const Loop *Outer) {
    std::optional<SizePolynomial> Bytes;
    if (T)
      Bytes = polynomialOf(
          E.scalarEvolution().getConstant(APInt(64, M.function().getDataLayout().getTypeStoreSize(T).getFixedValue())));
    return Ranges.of(Pointer, Bytes, At, Outer);
  }

  void note(const MemoryRange &Written, const MemoryRange &Data, const Instruction &I, Between &Out) {
    Meeting How = Ranges.meet(Written, Data, /*AssumeSizes=*/true);
    Out.Assumed |= How == Meeting::Names;
    Out.AssumedSizes |= How == Meeting::Sizes;
    if (How >= Meeting::Tables)
      Out.Rewrites.push_back(&I);
  }

  // How the instructions, between places A and B, change `Data`. `Inputs`: addresses that the message's arguments were
  // loaded from.
  Between changes(ArrayRef<const Instruction *> Instructions, const MemoryRange &Data,
                  const SmallPtrSetImpl<const SCEV *> &Inputs, function_ref<const Loop *(const BasicBlock *)> Around) {
    Between Out;
    for (const Instruction *I : Instructions) {
      const Loop *Outer = Around(I->getParent());
      if (const auto *St = dyn_cast<StoreInst>(I)) {
        auto *To = const_cast<Value *>(St->getPointerOperand());
        Out.Unclear |= Inputs.contains(E.rewrite(To));
        note(rangeOf(To, St->getValueOperand()->getType(), I->getParent(), Outer), Data, *I, Out);
        continue;
      }
      const auto *C = dyn_cast<CallBase>(I);
      if (!C)
        continue;
      if (const auto *Mem = dyn_cast<MemIntrinsic>(C)) {
        note(Ranges.of(Mem->getDest(), polynomialOf(E.rewrite(Mem->getLength())), I->getParent(), Outer), Data, *I,
             Out);
        continue;
      }
      auto It = SiteOf.find(I);
      if (It == SiteOf.end()) {
        Out.Unclear |= isOpaque(*I, effects::Output | effects::RankOutput);
        continue;
      }
      const MpiSite &S = *It->second;
      Out.Unclear |= S.is(MpiTimer | MpiRma | MpiIo) || (S.is(MpiPersistent) && !S.is(MpiSend | MpiRecv));
      bool Fills = S.is(MpiRecv) || (S.is(MpiCollective) && !S.is(MpiBarrier));
      if (Fills)
        note(Ranges.ofMessage(S, /*Receive=*/true, Outer), Data, *I, Out);
      if (S.is(MpiWait))
        for (const MpiSite &R : counted(M.sites()))
          if (R.is(MpiRecv) && R.is(MpiNonblocking) && R.Call != I)
            note(Ranges.ofMessage(R, /*Receive=*/true, LI.getLoopFor(R.Call->getParent())), Data, *I, Out);
    }
    return Out;
  }
  void inputsOf(const MpiSite &S, SmallPtrSetImpl<const SCEV *> &Out) {
    for (Value *A : S.Call->args())
      if (E.scalarEvolution().isSCEVable(A->getType()))
        SCEVExprContains(E.rewrite(A), [&](const SCEV *Part) {
          if (const SCEV *From = E.loadedFrom(Part))
            Out.insert(From);
          return false;
        });
  }

  // --- two calls -----------------------------------------------------------------------------------------------------

  bool sameMessage(const MpiSite &A, const MpiSite &B, const LoopMap &Map, bool &SameTag, bool Apart = false) {
    if (A.is(MpiCollective) || B.is(MpiCollective)) {
      if (A.Sig != B.Sig)
        return false;
      for (unsigned K = 0; K < A.Call->arg_size(); ++K)
        if (int(K) != A.Sig->Request && !sameShape(A.arg(K), B.arg(K), Map))
          return false;
      return true;
    }
    Value *From = A.arg(A.Sig->Buffer), *Again = B.arg(B.Sig->Buffer);
    if (Apart ? !sameInOwn(From, Again, Map) : !sameShape(From, Again, Map))
      return false;
    for (auto [X, Y] : {std::pair(A.Sig->Count, B.Sig->Count),
                        {A.Sig->Type, B.Sig->Type},
                        {A.Sig->Peer, B.Sig->Peer},
                        {A.Sig->Comm, B.Sig->Comm}})
      if (!sameShape(A.arg(X), B.arg(Y), Map))
        return false;
    Value *X = A.arg(A.Sig->Tag), *Y = B.arg(B.Sig->Tag);
    SameTag = sameShape(X, Y, Map);
    return SameTag || (isa_and_nonnull<ConstantInt>(X) && isa_and_nonnull<ConstantInt>(Y));
  }

  // Both run, or neither: each condition of one is a condition of the other.
  bool sameConditions(const MpiSite &A, const MpiSite &B, const LoopMap &Map) {
    const LoopMap Back = reversed(Map);
    auto Covered = [&](const MpiSite &S, const MpiSite &O, const LoopMap &To) {
      SmallVector<const Loop *, 4> Loops = own(S.Call->getParent(), O.Call->getParent());
      ArrayRef<RunCondition> Others = M.conditions(O.Call->getParent());
      return all_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
        if (isOfLoops(C, Loops))
          return true;
        const bool Inside = any_of(Loops, [&](const Loop *L) { return L->contains(C.Branch); });
        return any_of(Others, [&](const RunCondition &P) {
          if (P.Branch == C.Branch)
            return P.Arm == C.Arm;
          return !C.Facts.empty() && all_of(C.Facts, [&](const auto &F) {
            return any_of(P.Facts, [&](const auto &G) {
              return F.second == G.second && (Inside ? sameFact(F.first, G.first, To) : sameFact(F.first, G.first));
            });
          });
        });
      });
    };
    return Covered(A, B, Map) && Covered(B, A, Back);
  }
  static LoopMap reversed(const LoopMap &Map) {
    LoopMap Out;
    for (const auto &[L, O] : Map)
      Out[O] = L;
    return Out;
  }
  // How often a loop runs: what its own iterations ask beyond that is not of it.
  static bool isOfLoops(const RunCondition &C, ArrayRef<const Loop *> Loops) {
    return any_of(Loops, [&](const Loop *L) {
      return L->getLoopGuardBranch() == C.Branch || (L->contains(C.Branch) && L->isLoopExiting(C.Branch->getParent()));
    });
  }
  // In iterations of two loops that walk alike.
  bool sameFact(Value *A, Value *B, const LoopMap &Map) {
    auto *X = dyn_cast<ICmpInst>(A), *Y = dyn_cast<ICmpInst>(B);
    return X && Y && X->getPredicate() == Y->getPredicate() && sameShape(X->getOperand(0), Y->getOperand(0), Map) &&
           sameShape(X->getOperand(1), Y->getOperand(1), Map);
  }
  bool sameFact(Value *A, Value *B) {
    if (M.sameValue(A, B))
      return true;
    auto *X = dyn_cast<ICmpInst>(A), *Y = dyn_cast<ICmpInst>(B);
    return X && Y && X->getPredicate() == Y->getPredicate() && M.sameValue(X->getOperand(0), Y->getOperand(0)) &&
           M.sameValue(X->getOperand(1), Y->getOperand(1));
  }

  std::optional<DuplicateExchange> compare(const MpiSite &A, const MpiSite &B) {
    DuplicateExchange D{&A, &B};
    LoopMap Map;
    const BasicBlock *First = A.Call->getParent(), *Second = B.Call->getParent();
    if (!mapLoops(First, Second, Map))
      return std::nullopt;
    const bool Apart = !sameMessage(A, B, Map, D.SameTag);
    if ((Apart && !sameMessage(A, B, Map, D.SameTag, Apart)) || !precedes(A.Call, B.Call) || precedes(B.Call, A.Call) ||
        !sameConditions(A, B, Map))
      return std::nullopt;
    MemoryRange Data =
        Ranges.ofMessage(Apart ? B : A, /*Receive=*/false, outermost(Apart ? own(Second, First) : own(First, Second)));
    SmallPtrSet<const SCEV *, 8> Inputs;
    inputsOf(A, Inputs);
    inputsOf(B, Inputs);
    auto Around = [&](const BasicBlock *BB) { return unit(BB, First, Second); };
    Between Met = changes(between(A.Call, B.Call), Data, Inputs, Around);
    if (Met.Unclear || isOwnReceive(A, Data))
      return std::nullopt;
    D.Assumed = Met.Assumed;
    D.AssumedSizes = Met.AssumedSizes;
    if ((Apart || !Met.Rewrites.empty()) && !isPackedAgain(A, B, Met, D))
      return std::nullopt;
    return D;
  }

  // Both run in each iteration of L, or neither does: what is asked on the way stays the same.
  bool runEachTime(const MpiSite &S, const MpiSite &O, const Loop *L, const LoopMap &Map) {
    SmallVector<const Loop *, 4> Loops = own(S.Call->getParent(), O.Call->getParent());
    ArrayRef<RunCondition> Others = M.conditions(O.Call->getParent());
    return all_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
      if (!L->contains(C.Branch) || L->isLoopExiting(C.Branch->getParent()) || isOfLoops(C, Loops))
        return true;
      const bool Inside = any_of(Loops, [&](const Loop *X) { return X->contains(C.Branch); });
      return !C.Facts.empty() && all_of(C.Facts, [&](const auto &F) {
        return !E.varies(F.first, L) && any_of(Others, [&](const RunCondition &P) {
          return any_of(P.Facts, [&](const auto &G) {
            return F.second == G.second && (Inside ? sameFact(F.first, G.first, Map) : sameFact(F.first, G.first));
          });
        });
      });
    });
  }

  // A at the end of an iteration, B at the begin of the next one.
  std::optional<DuplicateExchange> carried(const MpiSite &A, const MpiSite &B) {
    const BasicBlock *First = A.Call->getParent(), *Second = B.Call->getParent();
    const Loop *L = common(First, Second);
    const BasicBlock *Latch = L ? L->getLoopLatch() : nullptr;
    DuplicateExchange D{&A, &B};
    D.Carried = L;
    LoopMap Map;
    if (!Latch || !computes(L) || !mapLoops(First, Second, Map) || !sameMessage(A, B, Map, D.SameTag) ||
        !precedes(B.Call, A.Call) || precedes(A.Call, B.Call) || !runEachTime(A, B, L, Map) ||
        !runEachTime(B, A, L, reversed(Map)))
      return std::nullopt;
    const unsigned Trips = E.tripCount(L);
    if ((Trips && Trips < limits::mpi_duplicate_exchange::MinTrips) || any_of(A.Call->args(), [&](Value *V) {
          return !E.scalarEvolution().isSCEVable(V->getType()) || E.varies(E.rewrite(V), L);
        }))
      return std::nullopt;
    MemoryRange Data = Ranges.ofMessage(A, /*Receive=*/false, outermost(own(First, Second)));
    SmallPtrSet<const SCEV *, 8> Inputs;
    inputsOf(A, Inputs);
    inputsOf(B, Inputs);
    auto Around = [&](const BasicBlock *BB) { return unit(BB, First, Second); };
    SmallVector<const Instruction *, 64> Way = between(A.Call, Latch->getTerminator());
    append_range(Way, between(&L->getHeader()->front(), B.Call));
    Between Met = changes(Way, Data, Inputs, Around);
    if (Met.Unclear || !Met.Rewrites.empty() || isOwnReceive(A, Data))
      return std::nullopt;
    D.Assumed = Met.Assumed;
    D.AssumedSizes = Met.AssumedSizes;
    return D;
  }
  bool isOwnReceive(const MpiSite &S, const MemoryRange &Data) {
    return S.is(MpiRecv) && Ranges.meet(Ranges.ofMessage(S, true, nullptr), Data) >= Meeting::Tables;
  }
  // The outermost loop around a block that does not contain both calls.
  const Loop *unit(const BasicBlock *BB, const BasicBlock *First, const BasicBlock *Second) {
    const Loop *Out = nullptr;
    for (const Loop *L = LI.getLoopFor(BB); L && !(L->contains(First) && L->contains(Second)); L = L->getParentLoop())
      Out = L;
    return Out;
  }

  // A message buffer that is filled a second time from the same data, which nothing changed in between.
  bool isPackedAgain(const MpiSite &A, const MpiSite &B, const Between &Met, DuplicateExchange &D) {
    SmallVector<const Instruction *, 4> Packs;
    for (const Instruction *I : Met.Rewrites) {
      const std::optional<Copy> Again = copyOf(*I);
      if (!Again) {
        if (isa<StoreInst>(I))
          return false;
        continue;
      }
      const std::optional<Copy> Earlier = packedBefore(*Again, A);
      if (!Earlier || !isUnchanged(*Earlier, *Again, D))
        return false;
      Packs.push_back(I);
    }
    for (const Instruction *I : Met.Rewrites)
      if (!is_contained(Packs, I) && none_of(Packs, [&](const Instruction *P) {
            return M.reaches(I, P) && !M.reaches(P, I) && M.reaches(P, B.Call);
          }))
        return false;
    return !Packs.empty();
  }
  // One element, or a row by memcpy.
  struct Copy {
    const Instruction *At;
    Value *To, *From;
    const SCEV *Bytes;
  };
  std::optional<Copy> copyOf(const Instruction &I) {
    if (const auto *Row = dyn_cast<AnyMemTransferInst>(&I))
      return Copy{&I, Row->getRawDest(), Row->getRawSource(), E.rewrite(Row->getLength())};
    const auto *Store = dyn_cast<StoreInst>(&I);
    const Value *V = Store ? Store->getValueOperand() : nullptr;
    while (const auto *C = dyn_cast_or_null<CastInst>(V))
      V = C->getOperand(0);
    const auto *Load = dyn_cast_or_null<LoadInst>(V);
    if (!Load)
      return std::nullopt;
    const std::uint64_t Size = M.function().getDataLayout().getTypeStoreSize(Load->getType()).getFixedValue();
    return Copy{&I, const_cast<Value *>(Store->getPointerOperand()), const_cast<Value *>(Load->getPointerOperand()),
                E.scalarEvolution().getConstant(APInt(64, Size))};
  }
  std::optional<Copy> packedBefore(const Copy &Again, const MpiSite &A) {
    for (const BasicBlock &BB : M.function())
      for (const Instruction &I : counted(BB)) {
        const std::optional<Copy> First = &I == Again.At ? std::nullopt : copyOf(I);
        LoopMap Map;
        if (First && mapLoops(&BB, Again.At->getParent(), Map) && M.reaches(&I, A.Call) && !M.reaches(A.Call, &I) &&
            samePlace(First->To, Again.To, Map) && sameShape(First->From, Again.From, Map) &&
            sameShape(First->Bytes, Again.Bytes, Map))
          return First;
      }
    return std::nullopt;
  }
  bool isUnchanged(const Copy &Earlier, const Copy &Again, DuplicateExchange &D) {
    const BasicBlock *First = Earlier.At->getParent(), *Second = Again.At->getParent();
    MemoryRange Data = Ranges.of(Earlier.From, polynomialOf(Earlier.Bytes), First, outermost(own(First, Second)));
    auto Around = [&](const BasicBlock *BB) { return unit(BB, First, Second); };
    Between Met = changes(between(Earlier.At, Again.At), Data, SmallPtrSet<const SCEV *, 1>(), Around);
    D.Assumed |= Met.Assumed;
    D.AssumedSizes |= Met.AssumedSizes;
    return !Met.Unclear && Met.Rewrites.empty();
  }

  // --- one call in a loop --------------------------------------------------------------------------------------------

  std::optional<DuplicateExchange> repeated(const MpiSite &S) {
    std::optional<DuplicateExchange> Best;
    if (any_of(M.sites(), [](const MpiSite &O) { return O.is(MpiTimer); }))
      return std::nullopt;
    const BasicBlock *At = S.Call->getParent();
    for (const Loop *L = LI.getLoopFor(At), *Inner = nullptr; L; Inner = L, L = L->getParentLoop()) {
      if (any_of(S.Call->args(),
                 [&](Value *A) { return !E.scalarEvolution().isSCEVable(A->getType()) || E.varies(E.rewrite(A), L); }))
        continue;
      bool Always = all_of(M.conditions(At), [&](const RunCondition &C) {
        const auto *Br = dyn_cast<BranchInst>(C.Branch);
        return !L->contains(C.Branch) || (Inner && Inner->contains(C.Branch)) ||
               L->isLoopExiting(C.Branch->getParent()) || (Br && !E.varies(Br->getCondition(), L));
      });
      unsigned Trips = E.tripCount(L);
      if (!Always || (Trips && Trips < limits::mpi_duplicate_exchange::MinTrips) || !computes(L))
        return Best;
      MemoryRange Data = Ranges.ofMessage(S, /*Receive=*/false, Inner);
      SmallPtrSet<const SCEV *, 8> Inputs;
      inputsOf(S, Inputs);
      SmallVector<const Instruction *, 64> Body;
      for (const BasicBlock *BB : L->blocks())
        if (!isErrorPath(*BB))
          for (const Instruction &I : counted(*BB))
            if (&I != S.Call)
              Body.push_back(&I);
      auto Around = [&](const BasicBlock *BB) -> const Loop * {
        const Loop *Out = nullptr;
        for (const Loop *X = LI.getLoopFor(BB); X && X != L; X = X->getParentLoop())
          Out = X;
        return Out;
      };
      Between Met = changes(Body, Data, Inputs, Around);
      if (Met.Unclear || !Met.Rewrites.empty() || isOwnReceive(S, Data))
        return Best;
      Best = DuplicateExchange{&S, &S, L, nullptr, true, Met.Assumed, Met.AssumedSizes};
    }
    return Best;
  }

  double MinBytes;
  DenseMap<const BasicBlock *, unsigned> Number; // in reverse post-order
  bool Ordered = false;                          // each cycle is a loop that is known
};

} // namespace

std::vector<DuplicateExchange> findDuplicateExchanges(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinBytes) {
  return DuplicateFinder(M, U, Effects, MinBytes).find();
}

} // namespace stridewise
