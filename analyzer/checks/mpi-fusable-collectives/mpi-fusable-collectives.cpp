// Small collective calls of one kind, one straight after the other, of which none needs what the one before gives.
//
// On the IR: the same call, communicator, datatype, operation and root, on a path without branches, other than on the
// failure of a call, and without other MPI calls; each of known and small length. Two may be one where nothing in
// between touches what the first one receives or changes what it sends (then the first one can wait for the second), or
// where nothing in between changes what the second one sends or touches what it receives (then the second one can come
// forward), and the second one does not send what the first one receives. A number that goes in and comes out in a
// variable that only the call knows, as behind `total(x)`, can wait for whatever is computed in between, also by
// functions of other units. A value for the second one that is stored in between comes forward with it, where it does
// not need what the first one gives. A sum of arrays that are zero but for each rank's own part is a gather
// (ZeroGather.h): it sends and adds zeros. Arrays that steps hand to one function, which exchanges each with the
// neighbours, can go together, too (FieldExchanges.h), and functions of other units that each end in a reduction
// (ReducingCalls.h). Silent: a clock between the two, calls of unknown effect that
// may reach the buffers, lengths that are unknown.
#include "checks/mpi-fusable-collectives/FieldExchanges.h"
#include "checks/mpi-fusable-collectives/ReducingCalls.h"
#include "checks/mpi-fusable-collectives/ZeroGather.h"
#include "library/LibraryCalls.h"
#include "library/MpiResult.h"
#include "loops/CallHeat.h"
#include "loops/LoopNest.h"
#include "mpi/CallPlaces.h"
#include "mpi/MemoryRange.h"
#include "mpi/ProcedureHeat.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-fusable-collectives";
// Instructions between two calls that still follow each other.
constexpr unsigned MaxBetween = 500;

// What a call reads and what it writes. Both are the same for a broadcast and for MPI_IN_PLACE.
struct Buffers {
  Value *Sent, *Received;
  std::uint64_t Bytes;
  MemoryLocation sent() const { return MemoryLocation(Sent, LocationSize::precise(Bytes)); }
  MemoryLocation received() const { return MemoryLocation(Received, LocationSize::precise(Bytes)); }
};

// Calls whose values stand side by side as well as apart.
bool isFusable(const MpiSite &S) {
  MpiDoes D = S.Sig->Does;
  return (D == MpiDoes::Allreduce || D == MpiDoes::Reduce || D == MpiDoes::Broadcast) && !S.is(MpiNonblocking);
}

class FusableCollectives : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    SourceCalls Sources(U);
    MaxBytes = R.threshold(Slug, "max_bytes");
    if (U.ir()) {
      Exchanges = fieldExchangeFacts(U, Sources);
      Reducing = reducingFacts(U, Sources, MaxBytes);
    }
    if (none_of(Functions, [](MpiFunction *M) { return any_of(M->sites(), isFusable); }))
      return;
    Fortran = U.isFortran();
    CallHeat Heats(U.ast());
    CallPlaces Places(U, Functions, Sources);
    std::set<CallPlaces::Key> Said;
    for (MpiFunction *M : Functions) {
      for (const Row &Calls : rows(*M, U))
        report(*M, Calls, Heats, Sources, Places, Said, U, R);
      for (const MpiSite &S : M->sites())
        reportGather(*M, S, Heats, Sources, Places, Said, U, R);
    }
  }

  json::Value summarize(Unit &) override {
    if (json::Object *O = Exchanges.getAsObject())
      (*O)["reducing"] = std::move(Reducing);
    return std::move(Exchanges);
  }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    for (LinkFinding &F : linkFieldExchanges(Summaries))
      R.report(std::move(F));
    std::vector<const stored::Object *> Facts, Phases;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject()) {
        if (const stored::Object *Each = O->getObject("reducing"))
          Facts.push_back(Each);
        if (const stored::Object *Each = O->getObject("phases"))
          Phases.push_back(Each);
      }
    for (LinkFinding &F : linkReducingCalls(Facts, Phases))
      R.report(std::move(F));
  }

private:
  struct Row {
    SmallVector<const MpiSite *, 4> Sites;
    std::uint64_t Bytes = 0;
    bool Assumed = false;                  // that different names are different memory
    bool Waits = true;                     // all of them can wait for the last one
    SmallVector<MemoryLocation, 4> Left{}; // where their results are left, for later
  };

  std::vector<Row> rows(MpiFunction &M, Unit &U) {
    Function &F = M.function();
    AAResults &AA = U.analyses().getResult<AAManager>(F);
    const auto &TLI = U.analyses().getResult<TargetLibraryAnalysis>(F);
    MemoryRanges Ranges(M, AA, U.analyses().getResult<DominatorTreeAnalysis>(F));
    std::vector<Row> Out;
    SmallPtrSet<const CallBase *, 8> Joined;
    for (const MpiSite &First : M.sites()) {
      if (!isFusable(First) || Joined.contains(First.Call))
        continue;
      Row Calls;
      Calls.Sites.push_back(&First);
      std::optional<Buffers> Now = buffers(M, First);
      while (Now) {
        SmallVector<Instruction *, 32> Between;
        const MpiSite *Next = next(M, *Calls.Sites.back(), Between);
        if (!Next)
          Next = behindLoops(M, *Calls.Sites.back(), Between, U);
        std::optional<Buffers> Then = Next && isAlike(M, First, *Next) ? buffers(M, *Next) : std::nullopt;
        if (!Then || !joins(M, Calls, *Next, *Now, *Then, Between, Ranges, AA, TLI))
          break;
        Calls.Bytes = (Calls.Bytes ? Calls.Bytes : Now->Bytes) + Then->Bytes;
        Calls.Sites.push_back(Next);
        Joined.insert(Next->Call);
        Now = Then;
      }
      if (Calls.Sites.size() > 1)
        Out.push_back(std::move(Calls));
    }
    return Out;
  }

  // A constant address is no memory: MPI_IN_PLACE, as each library spells it.
  static bool isInPlace(const Value *V) {
    return isa<Constant>(V) && !isa<GlobalValue>(getUnderlyingObject(V)) && !isa<ConstantPointerNull>(V);
  }

  std::optional<Buffers> buffers(MpiFunction &M, const MpiSite &S) const {
    std::optional<std::uint64_t> Bytes = M.messageBytes(S);
    if (!Bytes || *Bytes == 0 || static_cast<double>(*Bytes) > MaxBytes)
      return std::nullopt;
    Value *Sent = S.arg(S.Sig->Buffer), *Received = S.arg(S.Sig->RecvBuffer);
    if (!Received)
      Received = Sent;
    if (!Sent || !Received)
      return std::nullopt;
    return Buffers{isInPlace(Sent) ? Received : Sent, Received, *Bytes};
  }

  // The next call of MPI on a path without branches, and what runs before it.
  static const MpiSite *next(MpiFunction &M, const MpiSite &From, SmallVectorImpl<Instruction *> &Between) {
    const Instruction *At = From.Call;
    for (unsigned Steps = 0; Steps < MaxBetween; ++Steps) {
      const BasicBlock *BB = At->getParent();
      if (At->isTerminator()) {
        const auto *Invoke = dyn_cast<InvokeInst>(At);
        const std::optional<unsigned> Failed = failureArm(*At);
        BB = Invoke ? Invoke->getNormalDest() : Failed ? At->getSuccessor(1 - *Failed) : BB->getSingleSuccessor();
        // What other paths lead to as well is no straight line.
        if (!BB || !all_of(predecessors(BB),
                           [&](const BasicBlock *Pred) { return Pred == At->getParent() || isErrorPath(*Pred); }))
          return nullptr;
        At = &BB->front();
      } else {
        At = At->getNextNode();
      }
      const auto *C = dyn_cast<CallBase>(At);
      const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
      // The collective call behind a barrier lets nobody go on before all have come, either.
      if (Sig && !Sig->is(MpiBarrier)) {
        const auto *Found = find_if(M.sites(), [&](const MpiSite &S) { return S.Call == C; });
        return Found == M.sites().end() ? nullptr : Found;
      }
      Between.push_back(const_cast<Instruction *>(At));
    }
    return nullptr;
  }

  // The next call of MPI behind loops, such as those that add up what it sends: none of the ways there leaves out one
  // of the two.
  static const MpiSite *behindLoops(MpiFunction &M, const MpiSite &From, SmallVectorImpl<Instruction *> &Between,
                                    Unit &U) {
    const auto &DT = U.analyses().getResult<DominatorTreeAnalysis>(M.function());
    const auto &PDT = U.analyses().getResult<PostDominatorTreeAnalysis>(M.function());
    const LoopInfo &LI = M.engine().loops();
    const Loop *Around = LI.getLoopFor(From.Call->getParent());
    // The sites are in program order.
    const MpiSite *Next = &From + 1 == M.sites().end() ? nullptr : &From + 1;
    if (!Next || Next->Call->getParent() == From.Call->getParent() ||
        LI.getLoopFor(Next->Call->getParent()) != Around || !DT.dominates(From.Call, Next->Call) ||
        !PDT.dominates(Next->Call->getParent(), From.Call->getParent()))
      return nullptr;
    Between.clear();
    const auto IsOther = [&](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return C && findMpiCall(*C);
    };
    SmallVector<BasicBlock *, 16> Work{const_cast<BasicBlock *>(From.Call->getParent())};
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Work.empty()) {
      BasicBlock *BB = Work.pop_back_val();
      for (Instruction &I : *BB) {
        if (&I == Next->Call)
          break;
        if (BB == From.Call->getParent() && (&I == From.Call || I.comesBefore(From.Call)))
          continue;
        if (IsOther(I) || Between.size() > MaxBetween)
          return nullptr;
        Between.push_back(&I);
      }
      if (BB != Next->Call->getParent())
        for (BasicBlock *Behind : successors(BB))
          // Round a loop that holds both it would be the next iteration.
          if (Behind != From.Call->getParent() && !isErrorPath(*Behind) && Seen.insert(Behind).second)
            Work.push_back(Behind);
    }
    return Next;
  }

  // The operation of a reduction stands behind its datatype in the standard's bindings.
  static bool isAlike(MpiFunction &M, const MpiSite &A, const MpiSite &B) {
    if (StringRef(A.Sig->Name) != B.Sig->Name || !MpiFunction::sameCommunicator(M, A, B))
      return false;
    auto Same = [&](int Position) {
      Value *X = A.arg(Position), *Y = B.arg(Position);
      return (!X && !Y) || (X && Y && M.sameValue(X, Y));
    };
    const bool Reduces = A.Sig->RecvBuffer >= 0;
    return Same(A.Sig->Type) && Same(A.Sig->Peer) && (!Reduces || Same(A.Sig->Type + 1));
  }

  bool joins(MpiFunction &M, Row &Calls, const MpiSite &Next, const Buffers &Now, const Buffers &Then,
             ArrayRef<Instruction *> Between, MemoryRanges &Ranges, AAResults &AA, const TargetLibraryInfo &TLI) const {
    // All that were joined so far: none of their results may be what the next one sends.
    for (const MpiSite *S : Calls.Sites) {
      std::optional<Buffers> Earlier = buffers(M, *S);
      if (!Earlier || AA.alias(Earlier->received(), Then.sent()) != AliasResult::NoAlias) {
        const bool Receives = S->Sig->RecvBuffer >= 0;
        switch (Ranges.meet(Ranges.ofMessage(*S, Receives, nullptr), Ranges.ofMessage(Next, isShared(Then), nullptr))) {
        case Meeting::Never:
          break;
        case Meeting::Rows:
        case Meeting::Names:
          Calls.Assumed = true;
          break;
        default:
          return false;
        }
      }
    }
    bool FirstWaits = true, NextComesForward = true;
    const SmallPtrSet<const Instruction *, 8> Moved = movesResult(Calls, Now, Then, Between, AA);
    Apart Names{Ranges, Fortran};
    // Whether it has to stay between the calls because of what the next one sends or receives.
    const auto Keeps = [&](Instruction *I, bool Receives, const MemoryLocation &Where, ModRefInfo Counts) {
      return isModOrRefSet(AA.getModRefInfo(I, Where) & Counts) && !Names.fromMessage(*I, Next, Receives) &&
             !fills(*I, Now, Where, Between, AA, Names);
    };
    for (Instruction *I : Between) {
      const auto *C = dyn_cast<CallBase>(I);
      if (!I->mayReadOrWriteMemory() || I->isLifetimeStartOrEnd() || (C && isHarmlessCall(*C, TLI)) ||
          isArgument(*I, *Calls.Sites.back(), Next, Ranges))
        continue;
      FirstWaits &= Moved.contains(I) || !touches(*I, Now, Calls, AA);
      NextComesForward &= !Keeps(I, isShared(Then), Then.sent(), ModRefInfo::Mod) &&
                          !Keeps(I, Next.Sig->RecvBuffer >= 0, Then.received(), ModRefInfo::ModRef);
    }
    Calls.Assumed |= NextComesForward && Names.Told;
    const bool OnlyMoved = !Moved.empty() && FirstWaits && Calls.Waits;
    Calls.Waits &= OnlyMoved;
    // Further calls of a row would have to wait or come forward together; only the latter holds for any number.
    return NextComesForward || OnlyMoved || (FirstWaits && Calls.Sites.size() == 1) ||
           (isInVariables(Then, Next) && allWait(M, Calls, Between));
  }

  // Whether it uses what the last call of the row brings or sends, or what the earlier ones have left.
  static bool touches(Instruction &I, const Buffers &Now, const Row &Calls, AAResults &AA) {
    return isModOrRefSet(AA.getModRefInfo(&I, Now.received())) || isModSet(AA.getModRefInfo(&I, Now.sent())) ||
           any_of(Calls.Left, [&](const MemoryLocation &L) { return isModOrRefSet(AA.getModRefInfo(&I, L)); });
  }

  // Loads of what the last call of the row has brought and stores that leave it elsewhere, where the next call does not
  // send it from: both can wait. Adds to where results are left.
  static SmallPtrSet<const Instruction *, 8> movesResult(Row &Calls, const Buffers &Now, const Buffers &Then,
                                                         ArrayRef<Instruction *> Between, AAResults &AA) {
    SmallPtrSet<const Instruction *, 8> Out;
    for (const Instruction *I : Between) {
      const auto *Ld = dyn_cast<LoadInst>(I);
      if (!Ld || !Ld->isSimple() || AA.alias(MemoryLocation::get(Ld), Now.received()) != AliasResult::MustAlias)
        continue;
      const auto IsLeft = [&](const User *Use) {
        const auto *St = dyn_cast<StoreInst>(Use);
        return St && St->isSimple() && St->getValueOperand() == Ld && is_contained(Between, St) &&
               AA.isNoAlias(MemoryLocation::get(St), Then.sent()) &&
               AA.isNoAlias(MemoryLocation::get(St), Now.received());
      };
      if (!all_of(Ld->users(), IsLeft))
        continue;
      Out.insert(Ld);
      for (const User *Use : Ld->users()) {
        Out.insert(cast<Instruction>(Use));
        Calls.Left.push_back(MemoryLocation::get(cast<StoreInst>(Use)));
      }
    }
    return Out;
  }

  // A number of the function that the call alone gets the address of.
  static const AllocaInst *ownVariable(const Value *Buffer) {
    const auto *Slot = dyn_cast<AllocaInst>(Buffer);
    return Slot && !Slot->isArrayAllocation() && !Slot->getAllocatedType()->isAggregateType() &&
                   all_of(Slot->users(),
                          [&](const User *Use) {
                            const auto *C = dyn_cast<CallBase>(Use);
                            const auto *St = dyn_cast<StoreInst>(Use);
                            if (St)
                              return St->getPointerOperand() == Slot;
                            const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
                            return isa<LoadInst>(Use) || cast<Instruction>(Use)->isLifetimeStartOrEnd() ||
                                   (Sig && !Sig->is(MpiNonblocking));
                          })
               ? Slot
               : nullptr;
  }
  static bool isInVariables(const Buffers &B, const MpiSite &S) {
    return S.Sig->Does == MpiDoes::Allreduce && ownVariable(B.Sent) && ownVariable(B.Received);
  }
  // Whether all calls of the row can wait for what comes: nothing in between asks for what they bring, or stores anew
  // what they send.
  bool allWait(MpiFunction &M, const Row &Calls, ArrayRef<Instruction *> Between) const {
    return all_of(Calls.Sites, [&](const MpiSite *S) {
      const std::optional<Buffers> Own = buffers(M, *S);
      if (!Own || !isInVariables(*Own, *S))
        return false;
      const auto IsLate = [&](const User *Use) { return !is_contained(Between, Use); };
      for (const Value *Slot : {Own->Sent, Own->Received})
        for (const User *Use : Slot->users())
          if (isa<StoreInst>(Use) ? is_contained(Between, Use) : isa<LoadInst>(Use) && !all_of(Use->users(), IsLate))
            return false;
      return true;
    });
  }
  // What goes to other variables than something else, where LLVM does not know but the names of arguments tell that:
  // Fortran has no two of them lead to one variable that is changed.
  struct Apart {
    MemoryRanges &Ranges;
    bool Fortran;
    bool Told = false; // by names

    bool fromMessage(const Instruction &I, const MpiSite &S, bool Receives) {
      return isApart(I, Ranges.ofMessage(S, Receives, nullptr));
    }
    bool fromLoad(const Instruction &I, const LoadInst &Load) {
      return isApart(I,
                     Ranges.of(const_cast<Value *>(Load.getPointerOperand()), std::nullopt, Load.getParent(), nullptr));
    }

  private:
    bool isApart(const Instruction &I, const MemoryRange &Other) {
      auto *P = const_cast<Value *>(getLoadStorePointerOperand(&I));
      const Meeting Where = P ? Ranges.meet(Ranges.of(P, std::nullopt, I.getParent(), nullptr), Other) : Meeting::Maybe;
      Told |= Fortran && Where == Meeting::Names;
      return Where < Meeting::Names || (Fortran && Where == Meeting::Names);
    }
  };

  // Whether the instruction loads a number for the next call alone, such as its communicator, from elsewhere than where
  // the result of the one before goes.
  static bool isArgument(const Instruction &I, const MpiSite &Before, const MpiSite &Next, MemoryRanges &Ranges) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    // The communicator, and what leads to it, is that of the call before.
    const Value *Comm = Next.arg(Next.Sig->Comm);
    if (Load && Load->isSimple() &&
        (Load == Comm || (!Load->use_empty() && all_of(Load->users(), [&](const User *Use) { return Use == Comm; }))))
      return true;
    if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy() ||
        any_of(Load->users(), [&](const User *Use) { return Use != Next.Call; }))
      return false;
    const MemoryRange From =
        Ranges.of(const_cast<Value *>(Load->getPointerOperand()), std::nullopt, Load->getParent(), nullptr);
    return Ranges.meet(From, Ranges.ofMessage(Before, Before.Sig->RecvBuffer >= 0, nullptr)) <= Meeting::Names;
  }
  // Whether all that the instruction does is to store a value that the next call sends, or overwrites, one that was
  // known before the first call: it can be stored in an element of its own that early.
  static bool fills(const Instruction &I, const Buffers &Now, const MemoryLocation &Where,
                    ArrayRef<Instruction *> Between, AAResults &AA, Apart &Names) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || !Store->isSimple() || AA.alias(MemoryLocation::get(Store), Where) == AliasResult::MayAlias)
      return false;
    SmallVector<const Value *, 8> Work{Store->getValueOperand(), Store->getPointerOperand()};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty()) {
      const auto *From = dyn_cast<Instruction>(Work.pop_back_val());
      if (!From || !is_contained(Between, From) || !Seen.insert(From).second)
        continue;
      const auto *Load = dyn_cast<LoadInst>(From);
      if (Load ? !isKnownBefore(*Load, Now, Between, AA, Names) : From->mayReadOrWriteMemory() || isa<PHINode>(From))
        return false;
      Work.append(From->value_op_begin(), From->value_op_end());
    }
    return true;
  }
  static bool isKnownBefore(const LoadInst &Load, const Buffers &Now, ArrayRef<Instruction *> Between, AAResults &AA,
                            Apart &Names) {
    const MemoryLocation From = MemoryLocation::get(&Load);
    return Load.isSimple() && AA.alias(From, Now.received()) == AliasResult::NoAlias &&
           none_of(Between,
                   [&](Instruction *I) { return isModSet(AA.getModRefInfo(I, From)) && !Names.fromLoad(*I, Load); });
  }
  static bool isShared(const Buffers &B) { return B.Sent == B.Received; }

  // What one rank passes on or is told, outside of loops, are parameters and results, and once in a step what the
  // step's report says, where they are two; steps agree on what all need. Beside the work of a whole step a few
  // microseconds count less than in each iteration of its solver.
  static Confidence confidence(MpiFunction &M, const Row &Calls, CallHeat &Heats, const SourceFrame &At,
                               const clang::FunctionDecl *Outermost, Unit &U) {
    const Loop *Around = M.engine().loops().getLoopFor(Calls.Sites.front()->Call->getParent());
    const bool Rare = At.Function && Heats.runsNowAndThen(At.Function);
    const Heat H = Around && !Rare ? Heat::Hot : heatOf(At, Heats, U);
    const bool OfOneRank = Calls.Sites.front()->Sig->Does != MpiDoes::Allreduce;
    const unsigned Loops = (Around ? Around->getLoopDepth() : 0) + (Outermost ? Heats.depth(Outermost) : 0);
    const bool InStep = H == Heat::Hot && Loops < 2;
    // A loop of known length is one over a few passes or components.
    const bool Many = Calls.Sites.front()->Sig->Does == MpiDoes::Reduce && Around && !M.engine().tripCount(Around) &&
                      Calls.Sites.size() >= limits::mpi_fusable_collectives::ManyOfOneRank;
    if (H == Heat::Cold || (H == Heat::Unknown && OfOneRank) || (InStep && OfOneRank && !Many) ||
        (Around && prints(M, *Around)) || isOutnumbered(M, Around))
      return Confidence::Low;
    return H == Heat::Hot && !InStep && !Calls.Assumed ? Confidence::High : Confidence::Medium;
  }

  // Where each call of a row stands: in the function that makes them all, where one helper makes several. Nothing where
  // two stand at one place: they are a loop's, or a helper's that another rule speaks of.
  static std::vector<const SourceFrame *> apart(ArrayRef<std::vector<SourceFrame>> All, const CallPlaces &Places) {
    std::vector<const SourceFrame *> Out;
    if (any_of(All, [](const auto &Frames) { return Frames.empty(); }))
      return Out;
    for (std::size_t Up = 0;; ++Up) {
      std::set<CallPlaces::Key> Keys;
      Out.clear();
      for (const std::vector<SourceFrame> &Frames : All) {
        const std::size_t Level = Places.level(Frames) + Up;
        if (Level >= Frames.size())
          return {};
        Out.push_back(&Frames[Level]);
        Keys.insert(Places.key(Frames[Level]));
      }
      if (Keys.size() == All.size())
        return Out;
    }
  }

  void report(MpiFunction &M, const Row &Calls, CallHeat &Heats, SourceCalls &Sources, const CallPlaces &Places,
              std::set<CallPlaces::Key> &Said, Unit &U, Reporter &R) {
    std::vector<std::vector<SourceFrame>> All;
    for (const MpiSite *S : Calls.Sites)
      All.push_back(Sources.frames(*S->Call));
    const std::vector<const SourceFrame *> Spots = apart(All, Places);
    if (Spots.empty())
      return;
    const SourceFrame &At = *Spots.front();
    if (!Said.insert(Places.key(At)).second)
      return;
    const clang::SourceManager &SM = U.sources();
    Finding F;
    F.Rule = Slug;
    F.Range = At.range();
    F.Function = At.function();
    F.Scope = At.scope();
    std::string Rest;
    for (std::size_t K = 1; K < Calls.Sites.size(); ++K) {
      const SourceFrame &Next = *Spots[K];
      F.Relateds.push_back({Next.Where, "could join the call above"});
      Rest += (K == 1                        ? "that of line "
               : K + 1 == Calls.Sites.size() ? " and "
                                             : ", ") +
              std::to_string(SM.getExpansionLineNumber(Next.Where));
    }
    if (Calls.Sites.size() > 2)
      Rest.replace(0, StringRef("that of line").size(), "those of lines");
    // The last frame is of the function that the others were inlined into.
    F.Conf = confidence(M, Calls, Heats, At, All.front().back().Function, U);
    const std::string Call = Calls.Sites.front()->Sig->Name;
    const auto Count = static_cast<std::int64_t>(Calls.Sites.size());
    F.Args = {{"count", Count},
              {"calls", variant(Slug, "row", {{"count", Count}, {"call", Call}})},
              {"effect", variant(Slug, "joins", {{"bytes", static_cast<std::int64_t>(Calls.Bytes)}, {"rest", Rest}})},
              {"remedy", variant(Slug,
                                 !Calls.Assumed  ? "one_array"
                                 : U.isFortran() ? "one_array_names"
                                                 : "one_array_assumed",
                                 {{"call", Call}})}};
    Place Line = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({Line.File, Line.Line, F.Function, -1});
    R.report(std::move(F));
  }

  void reportGather(MpiFunction &M, const MpiSite &S, CallHeat &Heats, SourceCalls &Sources, const CallPlaces &Places,
                    std::set<CallPlaces::Key> &Said, Unit &U, Reporter &R) {
    if (!S.Sig || (S.Sig->Does != MpiDoes::Allreduce && S.Sig->Does != MpiDoes::Reduce))
      return;
    Function &Fn = M.function();
    if (!isZeroGather(M, S, U.analyses().getResult<AAManager>(Fn), U.analyses().getResult<DominatorTreeAnalysis>(Fn),
                      U.analyses().getResult<TargetLibraryAnalysis>(Fn)))
      return;
    std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
    if (Frames.empty())
      return;
    const SourceFrame &At = Frames[Places.level(Frames)];
    if (!Said.insert(Places.key(At)).second)
      return;
    Finding F;
    F.Rule = Slug;
    F.Range = At.range();
    F.Function = At.function();
    F.Scope = At.scope();
    const Loop *Around = M.engine().loops().getLoopFor(S.Call->getParent());
    const Heat H = Around ? Heat::Hot : heatOf(At, Heats, U);
    // Whether the parts of two ranks meet is not proven; where they do, their sum is no gather.
    F.Conf = H == Heat::Hot ? Confidence::Medium : Confidence::Low;
    const bool ToAll = S.Sig->Does == MpiDoes::Allreduce;
    const std::string Gathers = mpiCallThat(ToAll ? MpiDoes::Allgather : MpiDoes::Gather).str();
    F.Args = {{"count", std::int64_t(1)},
              {"calls", variant(Slug, "sum_of_zeros", {{"call", std::string(S.Sig->Name)}})},
              {"effect", variant(Slug, "is_gather", {})},
              {"remedy", variant(Slug, "gather", {{"gathers", Gathers}})}};
    Place Line = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({Line.File, Line.Line, F.Function, -1});
    R.report(std::move(F));
  }

  // Whether all that the loop does is to reduce and to write lines of output, by itself or through a function that
  // takes a format as printf does: these take longer than the collectives.
  static bool prints(MpiFunction &M, const Loop &L) {
    bool Writes = false;
    if (!L.isInnermost())
      return false;
    for (const BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block) {
        const auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || isa<IntrinsicInst>(Call) || any_of(M.sites(), [&](const MpiSite &S) { return S.Call == Call; }))
          continue;
        const Function *Callee = Call->getCalledFunction();
        const LibraryCall *Known = findLibraryCall(*Call);
        StringRef Format;
        if ((Known && Known->does(LibOutput)) ||
            (Callee && Callee->isVarArg() && Callee->getFunctionType()->getNumParams() &&
             getConstantStringInfo(Call->getArgOperand(Callee->getFunctionType()->getNumParams() - 1), Format)))
          Writes = true;
        else
          return false;
      }
    return Writes;
  }

  static Heat heatOf(const SourceFrame &At, CallHeat &Heats, Unit &U) {
    if (At.Procedure)
      return stridewise::heatOf(At.Procedure, U);
    return At.Function ? Heats.of(At.Function) : Heat::Unknown;
  }

  double MaxBytes = 0;
  bool Fortran = false;
  json::Value Exchanges = nullptr, Reducing = nullptr;
};

STRIDEWISE_CHECK("mpi-fusable-collectives", FusableCollectives)

} // namespace
} // namespace stridewise
