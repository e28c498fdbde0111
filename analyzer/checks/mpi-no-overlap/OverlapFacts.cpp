#include "checks/mpi-no-overlap/OverlapFacts.h"
#include "checks/mpi-no-overlap/StencilWork.h"
#include "mpi/MessageFinder.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// Accesses per loop nest beyond which nothing is said.
constexpr unsigned MaxAccesses = 400;

struct Access {
  Value *Pointer;
  std::uint64_t Bytes;
  const BasicBlock *At;
  bool Reads, Writes;
  bool Address = false; // what is read is an address, or a size that stays: what holds it is no data of a message
};

class OverlapFinder : MessageFinder {
public:
  OverlapFinder(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinIterations)
      : MessageFinder(M, U, Effects), U(U), MinIterations(MinIterations) {}

  std::vector<OverlapChance> find() {
    std::vector<OverlapChance> Out;
    for (const MpiSite &S : counted(M.sites())) {
      if (asks(S))
        return Out; // MPI_Test, MPI_Waitany: the program looks after its messages in another way
    }
    for (const MpiSite &W : counted(M.sites()))
      if (W.Sig->waitsForAll() && !Covered.contains(W.Call))
        if (std::optional<OverlapChance> C = judge(W))
          Out.push_back(*C);
    return Out;
  }

  std::vector<OverlapChance> findBare(bool InLoops) {
    std::vector<OverlapChance> Out;
    for (const MpiSite &S : counted(M.sites())) {
      if (asks(S))
        return {};
    }
    for (const MpiSite &W : counted(M.sites())) {
      if (!W.Sig->waitsForAll())
        continue;
      OverlapChance C;
      C.Wait = &W;
      C.Starts = startsOf(W);
      if (any_of(C.Starts, [](const MpiSite *S) { return S->is(MpiRecv); }) && (InLoops || !loopOf(C)) &&
          !isBusyBehindLast(C))
        Out.push_back(std::move(C));
    }
    return Out;
  }

private:
  static bool asks(const MpiSite &S) { return S.is(MpiWait) && S.is(MpiNonblocking | MpiSome); }
  static bool starts(const MpiSite &S) {
    return S.is(MpiNonblocking) && S.is(MpiSend | MpiRecv | MpiCollective) &&
           !S.is(MpiPersistent | MpiWait | MpiRma | MpiIo | MpiProbe | MpiCommManagement) && S.arg(S.Sig->Request);
  }
  static bool talks(const MpiSite &S) { return !S.is(MpiQuery | MpiTimer); }

  // The pointer among the wait's arguments that holds the requests.
  Value *requestsOf(const MpiSite &W) {
    if (Value *V = W.arg(W.Sig->Request))
      return V;
    for (Value *A : W.Call->args())
      if (A->getType()->isPointerTy())
        return A;
    return nullptr;
  }
  const SCEV *requestBase(Value *Request) {
    return Request && Request->getType()->isPointerTy() ? M.baseOf(Request, nullptr) : nullptr;
  }

  SmallVector<const MpiSite *, 4> startsOf(const MpiSite &W) {
    SmallVector<const MpiSite *, 4> Out;
    const SCEV *Requests = requestBase(requestsOf(W));
    auto Completed = [&](const Instruction &I) {
      auto It = SiteOf.find(&I);
      return It != SiteOf.end() && It->second->Sig->waitsForAll() && requestBase(requestsOf(*It->second)) == Requests;
    };
    for (const MpiSite &S : counted(M.sites()))
      if (starts(S) && Requests && requestBase(S.arg(S.Sig->Request)) == Requests &&
          M.reaches(S.Call, W.Call, Completed))
        Out.push_back(&S);
    return Out;
  }

  std::optional<OverlapChance> judge(const MpiSite &W) {
    OverlapChance C;
    C.Wait = &W;
    C.Starts = startsOf(W);
    // Waits that follow at once belong to the same exchange.
    for (const MpiSite &O : counted(M.sites()))
      if (O.Sig->waitsForAll() && O.Call != W.Call && M.reaches(W.Call, O.Call, [&](const Instruction &I) {
            auto It = SiteOf.find(&I);
            return It != SiteOf.end() && talks(*It->second) && !It->second->Sig->waitsForAll();
          })) {
        Covered.insert(O.Call);
        for (const MpiSite *S : counted(startsOf(O)))
          if (!is_contained(C.Starts, S))
            C.Starts.push_back(S);
      }
    bool Receives = any_of(C.Starts, [](const MpiSite *S) { return S->is(MpiRecv | MpiCollective); });
    if (!Receives || isBusyBetween(C))
      return std::nullopt;
    return follow(W, C) ? std::optional(C) : std::nullopt;
  }

  // --- between start and wait --------------------------------------------------------------------------------------

  using MessageFinder::isOpaque;
  bool isOpaque(const Instruction &I) { return isOpaque(I, effects::Clock | effects::Output | effects::RankOutput); }

  // Blocks from A to B that do not go through a further iteration of a loop around both.
  SmallPtrSet<const BasicBlock *, 32> reachable(const BasicBlock *From, const BasicBlock *Other) {
    SmallPtrSet<const BasicBlock *, 8> Headers;
    for (const Loop *L = LI.getLoopFor(From); L; L = L->getParentLoop())
      if (L->contains(Other))
        Headers.insert(L->getHeader());
    SmallPtrSet<const BasicBlock *, 32> Seen;
    SmallVector<const BasicBlock *, 16> Work{From};
    while (!Work.empty())
      for (const BasicBlock *Next : successors(Work.pop_back_val()))
        if (!Headers.contains(Next) && Seen.insert(Next).second)
          Work.push_back(Next);
    return Seen;
  }

  // True when something other than packing and the start of further messages happens before the wait.
  bool isBusyBetween(const OverlapChance &C) {
    return any_of(C.Starts, [&](const MpiSite *S) { return isBusyBetween(*S, *C.Wait); });
  }
  bool isBusyBetween(const MpiSite &Start, const MpiSite &Wait) {
    const BasicBlock *Begin = Start.Call->getParent(), *End = Wait.Call->getParent();
    SmallPtrSet<const BasicBlock *, 32> From = reachable(Begin, End);
    const bool Straight = Begin == End && Start.Call->comesBefore(Wait.Call);
    SmallPtrSet<const BasicBlock *, 32> Before{End};
    if (!Straight)
      addBlocksBefore(Before, From, Begin, End);
    Before.insert(Begin);
    return any_of(Before, [&](const BasicBlock *BB) {
      if (isErrorPath(*BB))
        return false;
      const Loop *L = LI.getLoopFor(BB);
      if (L && !L->contains(Start.Call) && !L->contains(Wait.Call) && computes(L))
        return true;
      auto First = BB == Begin && (Straight || !From.contains(BB)) ? std::next(Start.Call->getIterator()) : BB->begin();
      auto Last = BB == End ? Wait.Call->getIterator() : BB->end();
      return isBusy(*BB, First, Last);
    });
  }
  // The blocks among `From` that lead to the end without a further iteration of a loop around the begin.
  void addBlocksBefore(SmallPtrSetImpl<const BasicBlock *> &Before, const SmallPtrSetImpl<const BasicBlock *> &From,
                       const BasicBlock *Begin, const BasicBlock *End) {
    SmallVector<const BasicBlock *, 16> Work{End};
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      const Loop *Own = LI.getLoopFor(BB);
      const bool Repeats = Own && Own->getHeader() == BB && Own->contains(Begin);
      for (const BasicBlock *P : predecessors(BB))
        if (From.contains(P) && !(Repeats && Own->contains(P)) && Before.insert(P).second)
          Work.push_back(P);
    }
  }
  bool isBusy(const BasicBlock &BB, BasicBlock::const_iterator First, BasicBlock::const_iterator Last) {
    for (auto I = First; I != Last && I != BB.end(); ++I) {
      auto It = SiteOf.find(&*I);
      if (It == SiteOf.end() ? isOpaque(*I) : isForeign(*It->second))
        return true;
    }
    return false;
  }
  // The same between the last start on each path and the wait.
  bool isBusyBehindLast(const OverlapChance &C) {
    const BasicBlock *End = C.Wait->Call->getParent();
    SmallPtrSet<const BasicBlock *, 32> Started;
    for (const MpiSite *S : C.Starts) {
      Started.insert(S->Call->getParent());
      for (const BasicBlock *BB : reachable(S->Call->getParent(), End))
        Started.insert(BB);
    }
    SmallPtrSet<const BasicBlock *, 32> Seen{End};
    SmallVector<std::pair<const BasicBlock *, const Instruction *>, 16> Work{{End, C.Wait->Call->getPrevNode()}};
    while (!Work.empty()) {
      auto [BB, I] = Work.pop_back_val();
      const Loop *L = LI.getLoopFor(BB);
      if (isErrorPath(*BB))
        continue;
      if (L && !L->contains(End) && computes(L))
        return true;
      const auto IsStart = [&](const Instruction *At) {
        return any_of(C.Starts, [&](const MpiSite *S) { return S->Call == At; });
      };
      while (I && !IsStart(I) && !isBusy(*BB, I->getIterator(), std::next(I->getIterator())))
        I = I->getPrevNode();
      if (I && !IsStart(I))
        return true;
      for (const BasicBlock *P : predecessors(BB))
        if (!I && Started.contains(P) && Seen.insert(P).second)
          Work.push_back({P, &P->back()});
    }
    return false;
  }
  // Communication that is no part of a non-blocking exchange.
  static bool isForeign(const MpiSite &S) {
    return talks(S) && !starts(S) && !S.Sig->waitsForAll() && !(S.is(MpiSend) && !S.is(MpiRecv | MpiCollective));
  }

  // --- behind the wait -----------------------------------------------------------------------------------------------

  // The outermost loop around a block that does not contain the wait.
  const Loop *unitOf(const BasicBlock *BB, const MpiSite &W) {
    const Loop *Out = nullptr;
    for (const Loop *L = LI.getLoopFor(BB); L && !L->contains(W.Call); L = L->getParentLoop())
      Out = L;
    return Out;
  }

  bool collect(const Loop *L, std::vector<Access> &Out) {
    for (const BasicBlock *BB : L->blocks()) {
      if (isErrorPath(*BB))
        continue;
      for (const Instruction &I : counted(*BB)) {
        if (SiteOf.contains(&I) ? talks(*SiteOf[&I]) : isOpaque(I))
          return false;
        if (const auto *Ld = dyn_cast<LoadInst>(&I))
          Out.push_back({const_cast<Value *>(Ld->getPointerOperand()), bytes(Ld->getType()), BB, true, false,
                         Ld->getType()->isPointerTy() || (Ld->getType()->isIntegerTy() &&
                                                          !E.varies(const_cast<Value *>(Ld->getPointerOperand()), L))});
        else if (const auto *St = dyn_cast<StoreInst>(&I))
          Out.push_back(
              {const_cast<Value *>(St->getPointerOperand()), bytes(St->getValueOperand()->getType()), BB, false, true});
        else if (const auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
          Out.push_back({Mem->getDest(), 0, BB, false, true});
          if (const auto *Copy = dyn_cast<MemTransferInst>(Mem))
            Out.push_back({Copy->getSource(), 0, BB, true, false});
        } else if (I.mayWriteToMemory() && !isa<IntrinsicInst>(I) && !isDataFreeCall(cast<CallBase>(I), TLI))
          return false;
        if (Out.size() > MaxAccesses)
          return false;
      }
    }
    return true;
  }
  std::uint64_t bytes(Type *T) { return M.function().getDataLayout().getTypeStoreSize(T).getFixedValue(); }
  MemoryRange rangeOf(const Access &A, const Loop *L, bool Interior = false) {
    std::optional<SizePolynomial> Bytes;
    if (A.Bytes)
      Bytes = polynomialOf(E.scalarEvolution().getConstant(APInt(64, A.Bytes)));
    return Ranges.of(A.Pointer, Bytes, A.At, L, Interior);
  }

  // What may not be touched before the wait, as it grows on the way behind it.
  struct State {
    std::vector<MemoryRange> Arriving;                // received, or computed from that
    std::vector<MemoryRange> Needed;                  // read by work that has to stay behind the wait, or sent
    SmallPtrSet<const Instruction *, 32> FromArrived; // values computed from received data
    bool Computed = false;                            // a dependent loop did more than copy
    bool Renamed = false;                             // pointers were stored: a name may mean another array than before
  };

  static bool storesPointer(const Instruction &I) {
    const auto *St = dyn_cast<StoreInst>(&I);
    return St && St->getValueOperand()->getType()->isPointerTy() && !isa<Constant>(St->getValueOperand());
  }
  static bool uses(const Instruction &I, const State &S) {
    return any_of(I.operands(), [&](const Use &U) {
      const auto *D = dyn_cast<Instruction>(U.get());
      return D && S.FromArrived.contains(D);
    });
  }

  Meeting worst(const Access &A, const MemoryRange &Range, const State &S) {
    Meeting Out = Meeting::Never;
    auto With = [&](const std::vector<MemoryRange> &Others) {
      for (const MemoryRange &O : Others)
        Out = std::max(Out, Ranges.meet(Range, O));
    };
    With(S.Arriving);
    if (A.Writes)
      With(S.Needed);
    if (A.Address && Out == Meeting::Tables)
      Out = Meeting::Names;
    return S.Renamed && Out >= Meeting::Names ? Meeting::Maybe : Out;
  }

  // Whether the loop runs for every exchange, but for bounds that may be empty.
  bool runsAlways(const Loop *L, const MpiSite &W) {
    ArrayRef<RunCondition> OfWait = M.conditions(W.Call->getParent());
    SmallVector<const Instruction *, 4> Known;
    for (const RunCondition &C : OfWait)
      Known.push_back(C.Branch);
    for (const RunCondition &C : M.conditions(L->getHeader())) {
      if (is_contained(Known, C.Branch) || L->contains(C.Branch) || C.Branch == L->getLoopGuardBranch())
        continue;
      for (auto [V, Holds] : C.Facts) {
        const auto *Compare = dyn_cast<ICmpInst>(V);
        if (!Compare || Compare->isEquality() || any_of(Compare->operands(), [&](Value *Op) {
              const auto *B = dyn_cast<BinaryOperator>(Op);
              return M.dependsOnRank(E.rewrite(Op)) ||
                     (B && is_contained({Instruction::SRem, Instruction::URem, Instruction::And}, B->getOpcode()));
            }))
          return false;
      }
      if (C.Facts.empty())
        return false;
    }
    return true;
  }

  std::pair<unsigned, double> sizeOf(const Loop *L) {
    unsigned Depth = 1;
    double Inner = 1;
    for (const Loop *S : L->getSubLoops()) {
      auto [D, N] = sizeOf(S);
      Depth = std::max(Depth, D + 1);
      Inner = std::max(Inner, N);
    }
    unsigned Trips = E.tripCount(L);
    return {Depth, Trips ? Trips * Inner : HUGE_VAL};
  }

  // Whether iterations may read what others of the nest write, at another place than their own: Gauss-Seidel's interior
  // needs its border first.
  bool feedsItself(const std::vector<Access> &Accesses, const std::vector<MemoryRange> &Whole) {
    for (std::size_t W = 0; W < Accesses.size(); ++W)
      for (std::size_t R = 0; Accesses[W].Writes && R < Accesses.size(); ++R)
        if (Accesses[R].Reads && !Accesses[R].Address &&
            E.rewrite(Accesses[W].Pointer) != E.rewrite(Accesses[R].Pointer) &&
            Ranges.meet(Whole[W], Whole[R]) == Meeting::Maybe)
          return true;
    return false;
  }

  bool isStencilNest(const Loop *L) { return holdsStencil(*L, M.function(), U); }

  // Where all but the first and last iterations need nothing that arrives, or that may be.
  void takeInterior(const Loop *L, const std::vector<Access> &Accesses, const std::vector<MemoryRange> &Whole,
                    const State &S, function_ref<void(OverlapChance::Kind, Meeting)> Take) {
    Meeting Inside = Meeting::Never;
    bool Regular = true; // a gather may need any of the data
    std::map<const SCEV *, unsigned> Taps;
    for (std::size_t K = 0; K < Accesses.size(); ++K) {
      Meeting Part = worst(Accesses[K], Whole[K], S);
      if (Part == Meeting::Maybe) {
        MemoryRange Inner = rangeOf(Accesses[K], L, /*Interior=*/true);
        Regular &= Inner.Begin.has_value();
        Taps[Inner.Base] += Accesses[K].Reads;
        Part = worst(Accesses[K], Inner, S);
      }
      Inside = std::max(Inside, Part);
    }
    if (Inside != Meeting::Maybe)
      Take(OverlapChance::Interior, Inside);
    else if (Regular && any_of(Taps, [](const auto &T) { return T.second >= limits::mpi_no_overlap::FewestTaps; }))
      Take(OverlapChance::Border, Meeting::Never);
  }

  // Judges one loop nest; false ends the walk.
  bool visit(const Loop *L, const MpiSite &W, State &S, OverlapChance &C, bool &Found) {
    std::vector<Access> Accesses;
    if (!collect(L, Accesses))
      return false;
    std::vector<MemoryRange> Whole;
    Meeting Worst = Meeting::Never;
    for (const Access &A : Accesses) {
      Whole.push_back(rangeOf(A, L));
      Worst = std::max(Worst, worst(A, Whole.back(), S));
    }
    bool Fed = any_of(L->blocks(), [&](const BasicBlock *BB) {
      return any_of(*BB, [&](const Instruction &I) { return uses(I, S); });
    });
    auto [Depth, Iterations] = sizeOf(L);
    bool Work = computes(L) && Iterations >= MinIterations && runsAlways(L, W);
    auto Take = [&](OverlapChance::Kind K, Meeting Rests) {
      auto Better = std::tuple(-int(K), -int(Rests), Depth, Iterations);
      if (Found && Better <= std::tuple(-int(C.K), -int(C.Rests), C.Depth, C.Iterations))
        return;
      C.K = K;
      C.Work = L;
      C.Depth = Depth;
      C.Iterations = Iterations;
      C.Rests = Rests;
      C.Stencil = K == OverlapChance::Border && isStencilNest(L);
      C.Repeats = false;
      for (const Loop *Up = L->getParentLoop(); Up; Up = Up->getParentLoop())
        C.Repeats |= Up->contains(W.Call);
      Found = true;
    };
    if (!Fed && Worst != Meeting::Maybe) {
      if (Work)
        Take(OverlapChance::Independent, Worst);
      return true;
    }
    if (Work && !Fed && !S.Computed && Depth >= 2) {
      if (!feedsItself(Accesses, Whole))
        takeInterior(L, Accesses, Whole, S, Take);
      if (!Found && isStencilNest(L))
        Take(OverlapChance::Border, Meeting::Never);
    }
    S.Computed |= computes(L);
    S.Renamed |= any_of(L->blocks(), [](const BasicBlock *BB) { return any_of(*BB, storesPointer); });
    for (std::size_t K = 0; K < Accesses.size(); ++K)
      (Accesses[K].Writes ? S.Arriving : S.Needed).push_back(Whole[K]);
    for (const BasicBlock *BB : L->blocks())
      for (const Instruction &I : counted(*BB))
        S.FromArrived.insert(&I);
    return true;
  }

  bool follow(const MpiSite &W, OverlapChance &C) {
    State S;
    const Loop *Around = LI.getLoopFor(W.Call->getParent());
    for (const MpiSite *Start : C.Starts) {
      // Buffers that one loop of starts fills: all of them, seen from outside that loop.
      const Loop *Outer = nullptr;
      for (const Loop *L = LI.getLoopFor(Start->Call->getParent()); L && !L->contains(W.Call); L = L->getParentLoop())
        Outer = L;
      if (Start->is(MpiRecv | MpiCollective))
        S.Arriving.push_back(Ranges.ofMessage(*Start, true, Outer));
      if (Start->is(MpiSend | MpiCollective))
        S.Needed.push_back(Ranges.ofMessage(*Start, false, Outer));
    }
    SmallPtrSet<const BasicBlock *, 32> Blocks = reachable(W.Call->getParent(), W.Call->getParent());
    SmallPtrSet<const BasicBlock *, 32> Reached{W.Call->getParent()};
    // Behind what ends the walk nothing counts, even where another way leads past it: a loop that has no iteration.
    auto End = [&](const BasicBlock *At) {
      for (const BasicBlock *Behind : reachable(At, W.Call->getParent()))
        Blocks.erase(Behind);
    };
    // What runs once behind many exchanges belongs to none of them.
    const Loop *Exchange = loopOf(C);
    SmallPtrSet<const Loop *, 8> Seen;
    bool Found = false;
    for (const BasicBlock *BB : ReversePostOrderTraversal<Function *>(&M.function())) {
      bool Home = BB == W.Call->getParent();
      if (!Home && (!Blocks.contains(BB) || none_of(predecessors(BB), [&](auto *P) { return Reached.contains(P); }) ||
                    isErrorPath(*BB)))
        continue;
      // The loop that waits for one request after another has no other business.
      if (!Home && Around && Around->contains(BB) && !isTimeLoop(Around))
        continue;
      if (Exchange && !Exchange->contains(BB))
        continue;
      if (const Loop *L = unitOf(BB, W)) {
        if (!Seen.insert(L).second) {
          Reached.insert(BB);
          continue;
        }
        if (visit(L, W, S, C, Found))
          Reached.insert(BB);
        else
          End(BB);
        continue;
      }
      if (scan(*BB, Home ? std::next(W.Call->getIterator()) : BB->begin(), W, S))
        Reached.insert(BB);
      else if (Home)
        return Found;
      else
        End(BB);
    }
    return Found;
  }
  // The innermost loop of which each iteration starts the messages and waits for them.
  const Loop *loopOf(const OverlapChance &C) const {
    for (const Loop *L = LI.getLoopFor(C.Wait->Call->getParent()); L; L = L->getParentLoop())
      if (any_of(C.Starts, [&](const MpiSite *S) { return L->contains(S->Call); }))
        return L;
    return nullptr;
  }
  // A loop that starts messages as well as it waits for them.
  bool isTimeLoop(const Loop *L) {
    return any_of(M.sites(), [&](const MpiSite &S) { return starts(S) && L->contains(S.Call); });
  }

  // Straight-line code; false where the walk ends.
  bool scan(const BasicBlock &BB, BasicBlock::const_iterator I, const MpiSite &W, State &S) {
    for (; I != BB.end(); ++I) {
      if (auto It = SiteOf.find(&*I); It != SiteOf.end()) {
        if (talks(*It->second) && !It->second->Sig->waitsForAll())
          return false;
        continue;
      }
      if (isOpaque(*I))
        return false;
      S.Renamed |= storesPointer(*I);
      bool Tainted = uses(*I, S);
      if (const auto *Ld = dyn_cast<LoadInst>(&*I)) {
        Access A{const_cast<Value *>(Ld->getPointerOperand()), bytes(Ld->getType()), &BB, true, false};
        Tainted |= worst(A, rangeOf(A, nullptr), S) == Meeting::Maybe;
      } else if (const auto *St = dyn_cast<StoreInst>(&*I); St && Tainted) {
        Access A{const_cast<Value *>(St->getPointerOperand()), bytes(St->getValueOperand()->getType()), &BB, false,
                 true};
        S.Arriving.push_back(rangeOf(A, nullptr));
      } else if (const auto *Copy = dyn_cast<MemTransferInst>(&*I)) {
        Access From{Copy->getSource(), 0, &BB, true, false}, To{Copy->getDest(), 0, &BB, false, true};
        if (worst(From, rangeOf(From, nullptr), S) == Meeting::Maybe)
          S.Arriving.push_back(rangeOf(To, nullptr));
      }
      if (Tainted)
        S.FromArrived.insert(&*I);
    }
    return true;
  }

  Unit &U;
  double MinIterations;
  SmallPtrSet<const CallBase *, 8> Covered;
};

} // namespace

std::vector<OverlapChance> findOverlapChances(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinIterations) {
  bool Any = any_of(M.sites(), [](const MpiSite &S) { return S.is(MpiWait); });
  return Any ? OverlapFinder(M, U, Effects, MinIterations).find() : std::vector<OverlapChance>();
}

std::vector<OverlapChance> findBareWaits(MpiFunction &M, Unit &U, MpiEffects &Effects, bool InLoops) {
  bool Any = any_of(M.sites(), [](const MpiSite &S) { return S.Sig->waitsForAll(); });
  return Any ? OverlapFinder(M, U, Effects, 0).findBare(InLoops) : std::vector<OverlapChance>();
}

} // namespace stridewise
