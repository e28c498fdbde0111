#include "checks/mpi-redundant-barrier/BarrierNeed.h"
#include "library/LibraryCalls.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace stridewise {

using namespace effects;

namespace {

class BarrierJudge {
public:
  BarrierJudge(MpiFunction &M, MpiEffects &Effects) : M(M), Effects(Effects) {}

  std::vector<JudgedBarrier> judge() {
    std::vector<JudgedBarrier> Out;
    for (const MpiSite &S : counted(barriers())) {
      JudgedBarrier J = judge(S);
      if (J.Verdict == BarrierVerdict::Doubtful || J.Verdict == BarrierVerdict::Redundant)
        Removed.insert(S.Call);
      else if (J.Verdict == BarrierVerdict::Timed)
        Timed.insert(S.Call);
      Out.push_back(std::move(J));
    }
    return Out;
  }

  std::vector<JudgedBarrier> open() {
    std::vector<JudgedBarrier> Out = judge();
    erase_if(Out, [](const JudgedBarrier &J) { return J.Verdict != BarrierVerdict::Doubtful || !J.isOpen(); });
    Open = true;
    for (const MpiSite &S : counted(barriers())) {
      if (Removed.contains(S.Call) || Timed.contains(S.Call))
        continue;
      JudgedBarrier J = judge(S);
      bool Depends = J.Before.isForeign() || J.After.isForeign() || ((J.Before.any() | J.After.any()) & Atomic);
      if (Depends || (J.isBesideClock() && !J.Around))
        J.Verdict = atBest(J);
      if (Depends && (J.Verdict == BarrierVerdict::Redundant || J.Verdict == BarrierVerdict::Doubtful))
        Removed.insert(S.Call);
      else if (J.Verdict != BarrierVerdict::Abstain && J.Verdict != BarrierVerdict::Timed)
        J.Verdict = BarrierVerdict::Needed;
      Out.push_back(std::move(J));
    }
    return Out;
  }

private:
  SmallVector<MpiSite, 8> barriers() {
    SmallVector<MpiSite, 8> Out;
    for (const MpiSite &S : counted(M.sites())) {
      SiteOf[S.Call] = &S;
      if (S.is(MpiBarrier) && !S.is(MpiNonblocking))
        Out.push_back(S);
    }
    return Out;
  }

  // What the functions of other units may add in the barrier's disfavour: that something is computed and sent, or that
  // a clock is all it serves.
  static BarrierVerdict atBest(const JudgedBarrier &J) {
    BarrierSide Before = J.Before, After = J.After;
    for (BarrierSide *S : {&Before, &After})
      if (!S->CallsHere.Foreign.empty())
        S->Here |= Work | Message;
    // Nor is it known yet who calls the function.
    BarrierUse Use = J.use();
    Use.Steps |= !J.Around || !J.Untimed.Foreign.empty();
    BarrierVerdict V = decide(Before, After, Use, /*Whole=*/true);
    if (V < BarrierVerdict::Redundant && !(Before.ForeignBeside.empty() && After.ForeignBeside.empty())) {
      Before.ClockBeside = true;
      V = decide(Before, After, Use, true);
    }
    return V >= BarrierVerdict::Redundant ? V : decide(J.Before, J.After, Use, true);
  }

  JudgedBarrier judge(const MpiSite &Site) {
    JudgedBarrier J;
    J.Barrier = SiteOf[Site.Call];
    J.Around = M.engine().loops().getLoopFor(Site.Call->getParent());
    if (J.Around && runsOnce(Site, *J.Around))
      return J; // whatever it is for, it costs nothing
    J.Untimed = untimed(J.Around);
    J.Seldom = J.Around && meetsWithin(Site, *J.Around);
    // A loop that works and needs no barrier within needs none because of what the loops around it do once in a while.
    for (const Loop *L : {J.Around, J.Around ? J.Around->getOutermostLoop() : nullptr}) {
      Outermost = L;
      J.Before = Walk(*this, *J.Barrier, /*Forward=*/false).run();
      J.After = Walk(*this, *J.Barrier, /*Forward=*/true).run();
      J.Verdict = decide(J.Before, J.After, J.use(), Open);
      if (J.Verdict >= BarrierVerdict::Redundant)
        break;
    }
    return J;
  }

  // `step % 10`, in the function of the source that has the barrier.
  bool comesRarely(const Value *Step, const RunCondition &C, const MpiSite &S, const Loop &Around) {
    using namespace PatternMatch;
    const APInt *Every = nullptr;
    Value *Counter = nullptr;
    const auto WrittenIn = [](const Instruction &I) {
      return I.getDebugLoc() ? I.getDebugLoc()->getScope()->getSubprogram() : nullptr;
    };
    // Where the loop ends with the first such step, LLVM has it as `step == 10 ? 0 : step`.
    ICmpInst::Predicate Compare;
    const auto Rest = m_CombineOr(m_SRem(m_Value(Counter), m_APInt(Every)), m_URem(m_Value(Counter), m_APInt(Every)));
    const auto Wrapped = m_Select(m_ICmp(Compare, m_Value(), m_APInt(Every)), m_Zero(), m_Value(Counter));
    return (match(Step, Rest) || (match(Step, Wrapped) && Compare == ICmpInst::ICMP_EQ)) &&
           Every->sge(limits::loops::RareStep) && M.engine().varies(Counter, &Around) &&
           WrittenIn(*C.Branch) == WrittenIn(*S.Call);
  }
  // In one iteration of the loop alone: `if (step == 1)`, or in one of many.
  bool runsOnce(const MpiSite &S, const Loop &Around) {
    ScalarEvolution &SE = M.engine().scalarEvolution();
    return any_of(M.conditions(S.Call->getParent()), [&](const RunCondition &C) {
      return any_of(C.Facts, [&](const auto &Fact) {
        const auto *Compare = dyn_cast<ICmpInst>(Fact.first);
        if (!Compare || !Compare->isEquality() || (Compare->getPredicate() == CmpInst::ICMP_EQ) != Fact.second ||
            !SE.isSCEVable(Compare->getOperand(0)->getType()))
          return false;
        if (comesRarely(Compare->getOperand(0), C, S, Around))
          return true;
        const auto *Counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Compare->getOperand(0)));
        return Counter && Counter->getLoop() == &Around && Counter->isAffine() &&
               Around.isLoopInvariant(Compare->getOperand(1));
      });
    });
  }

  // Whether a loop of the iteration has the ranks meet many times: one barrier more is nothing beside these.
  bool meetsWithin(const MpiSite &Barrier, const Loop &Around) {
    return any_of(M.sites(), [&](const MpiSite &S) {
      const Loop *L = M.engine().loops().getLoopFor(S.Call->getParent());
      const unsigned Trips = L ? M.engine().tripCount(L) : 0;
      return S.is(MpiFullSync) && L && L != &Around && Around.contains(L) && !L->contains(Barrier.Call) &&
             (Trips == 0 || Trips >= limits::loops::RareStep);
    });
  }

  bool isClockReading(const Value *V) {
    const auto *C = dyn_cast<CallBase>(V);
    if (!C || !C->getType()->isFloatingPointTy())
      return false;
    MpiEffects::Apart A;
    Effects.add(*C, M, A);
    return isTimer(A.Bits);
  }

  // Whether each iteration has a time of its own: between two readings of a clock, printed, compared or put beside the
  // others, and not added up over the iterations. That is a benchmark, whatever else it does.
  bool keepsEachTime(const Loop &L) {
    SmallVector<const Value *, 16> Times;
    SmallPtrSet<const Value *, 16> Seen;
    for (const BasicBlock *BB : L.blocks())
      for (const Instruction &I : counted(*BB))
        if (I.getOpcode() == Instruction::FSub && isClockReading(I.getOperand(0)) && isClockReading(I.getOperand(1)))
          Times.push_back(&I);
    while (!Times.empty()) {
      for (const User *Use : Times.pop_back_val()->users()) {
        const auto *I = dyn_cast<Instruction>(Use);
        if (!I || !L.contains(I) || I->getOpcode() == Instruction::FAdd || !Seen.insert(I).second)
          continue;
        const LibraryCall *Known = isa<CallBase>(I) ? findLibraryCall(cast<CallBase>(*I)) : nullptr;
        const auto *Kept = dyn_cast<StoreInst>(I);
        if ((Known && Known->does(LibOutput)) || isa<FCmpInst>(I) ||
            (Kept && M.engine().varies(const_cast<Value *>(Kept->getPointerOperand()), &L)))
          return true;
        if (isa<BinaryOperator, CastInst>(I))
          Times.push_back(I);
      }
    }
    return false;
  }

  UntimedPart untimed(const Loop *L) {
    UntimedPart Out;
    if (L && keepsEachTime(*L))
      return Out;
    for (bool Forward : {true, false}) {
      SmallPtrSet<const BasicBlock *, 16> Seen;
      SmallVector<const BasicBlock *, 16> Blocks;
      auto Enter = [&](const BasicBlock *BB) {
        if (L->contains(BB) && !isErrorPath(*BB) && Seen.insert(BB).second)
          Blocks.push_back(BB);
      };
      if (L && Forward)
        Enter(L->getHeader());
      if (L && !Forward) {
        SmallVector<BasicBlock *, 2> Latches;
        L->getLoopLatches(Latches);
        for_each(Latches, Enter);
      }
      while (!Blocks.empty() && !Out.Works) {
        const BasicBlock *BB = Blocks.pop_back_val();
        auto Visit = [&](const Instruction &I) { return visitUntimed(I, Out); };
        if (M.engine().loops().getLoopFor(BB) != L)
          Out.Works = true;
        else if (Forward && all_of(*BB, Visit))
          for_each(successors(BB), [&](const BasicBlock *Next) {
            if (Next != L->getHeader())
              Enter(Next);
          });
        else if (!Forward && all_of(reverse(*BB), Visit) && BB != L->getHeader())
          for_each(predecessors(BB), Enter);
      }
    }
    return Out;
  }
  // False where the part ends.
  bool visitUntimed(const Instruction &I, UntimedPart &Out) {
    const auto *C = dyn_cast<CallBase>(&I);
    auto It = C ? SiteOf.find(C) : SiteOf.end();
    if (!C || (It != SiteOf.end() && It->second->is(MpiBarrier)))
      return true;
    MpiEffects::Apart A;
    Effects.add(I, M, A);
    Out.Works |= !isTimer(A.Bits) && (A.Bits & (effects::Work | Message));
    Out.Foreign.insert(A.Foreign.begin(), A.Foreign.end());
    return !Out.Works && !(A.Bits & Clock) && A.Foreign.empty();
  }

  // What lies on one side of a barrier, up to what synchronises.
  class Walk {
  public:
    Walk(BarrierJudge &J, const MpiSite &Barrier, bool Forward) : J(J), Barrier(Barrier), Forward(Forward) {}

    BarrierSide run() {
      const BasicBlock *Home = Barrier.Call->getParent();
      SmallVector<const Instruction *, 32> Part;
      bool Past = false;
      for (const Instruction &I : counted(*Home)) {
        if (&I == Barrier.Call)
          Past = true;
        else if (Past == Forward)
          Part.push_back(&I);
      }
      scan(Part, Home, {Beside, ""});
      while (!Blocks.empty()) {
        auto [BB, Gone] = Blocks.back();
        Blocks.pop_back();
        Part.clear();
        for (const Instruction &I : counted(*BB))
          Part.push_back(&I);
        scan(Part, BB, Gone);
      }
      return std::move(Out);
    }

  private:
    // How far a path has come: only a few statements, one call that may read a clock, a loop or a function that
    // computes, communication.
    enum Stage : unsigned { Beside, Called, Worked, Talked };
    struct Distance {
      Stage At;
      std::string Behind; // the function of another unit that was called, at Called
      bool operator<(const Distance &O) const { return std::tie(At, Behind) < std::tie(O.At, O.Behind); }
    };

    bool isInside(const BasicBlock *BB) const { return !J.Outermost || J.Outermost->contains(BB); }
    unsigned &met(const BasicBlock *BB) { return isInside(BB) ? Out.Here : Out.Elsewhere; }

    void scan(ArrayRef<const Instruction *> Instructions, const BasicBlock *BB, Distance Gone) {
      if (isErrorPath(*BB))
        return;
      if (const Loop *L = J.M.engine().loops().getLoopFor(BB); L && !L->contains(Barrier.Call))
        Gone = atLeast(Gone, Worked);
      auto Visit = [&](const Instruction *I) { return visit(*I, Gone); };
      if (!(Forward ? all_of(Instructions, Visit) : all_of(reverse(Instructions), Visit)))
        return;
      if (Forward ? succ_empty(BB) : pred_empty(BB)) {
        if (!isa<UnreachableInst>(BB->getTerminator()))
          met(BB) |= J.M.function().getName() == "main" ? edge() : Boundary;
        return;
      }
      auto Enter = [&](const BasicBlock *Next) {
        const Distance Then = J.guards().contains(Forward ? BB : Next) ? atLeast(Gone, Worked) : Gone;
        if (Seen.insert({Next, Then}).second)
          Blocks.push_back({Next, Then});
      };
      if (Forward)
        for_each(successors(BB), Enter);
      else
        for_each(predecessors(BB), Enter);
    }
    unsigned edge() const { return Forward ? Finished : Started; }

    // False where the walk ends.
    bool visit(const Instruction &I, Distance &Gone) {
      const BasicBlock *BB = I.getParent();
      if (&I == Barrier.Call) {
        met(BB) |= Synchronised | Itself;
        return false;
      }
      if (auto It = J.SiteOf.find(&I); It != J.SiteOf.end()) {
        const MpiSite &S = *It->second;
        if (J.Removed.contains(S.Call))
          return true;
        if (unsigned End = endAt(S)) {
          met(BB) |= End;
          near(Gone, {Meeting, {}, {}});
          return false;
        }
      }
      MpiEffects::Apart A;
      J.Effects.add(I, J.M, A);
      for (const std::string &Name : A.Foreign)
        (isInside(BB) ? Out.CallsHere : Out.CallsElsewhere).add(Name, A.Alone.contains(Name));
      unsigned E = A.Bits | (A.Foreign.empty() || J.Open ? 0 : Unknown);
      met(BB) |= E;
      if (isInside(BB)) {
        Out.OutputBeside |= (E & Output) && Gone.At < Talked;
        Out.ClockBeside |= isTimer(E) && Gone.At == Beside;
        if (Gone.At == Beside)
          Out.ForeignBeside.insert(A.Foreign.begin(), A.Foreign.end());
        near(Gone, {E, A.Foreign, A.Alone});
      }
      bool Computes = isa<CallBase>(I) && ((E & effects::Work) || !A.Foreign.empty());
      if (Gone.At == Beside && (A.Foreign.size() == 1 || (Computes && isTimer(E) && A.Foreign.empty())))
        Gone = {Called, A.Foreign.empty() ? std::string() : *A.Foreign.begin()};
      else
        Gone = atLeast(Gone, E & Message ? Talked : Computes ? Worked : Beside);
      return true;
    }
    static Distance atLeast(Distance D, Stage S) { return D.At < S ? Distance{S, ""} : D; }
    void near(const Distance &Gone, const MpiEffects::Apart &A) {
      if (Gone.At > Called)
        return;
      MpiEffects::Apart &To = Gone.Behind.empty() ? Out.Near : Out.NearBehind[Gone.Behind];
      To.add(A);
    }
    // Waited for as soon as it is started.
    bool isAwaited(const MpiSite &S) {
      for (const Instruction *I = S.Call->getNextNode(); I; I = I->getNextNode()) {
        const MpiSignature *Sig = isa<CallBase>(I) ? findMpiCall(cast<CallBase>(*I)) : nullptr;
        if (Sig || (isa<CallBase>(I) && !isa<IntrinsicInst>(I)))
          return Sig && Sig->waitsForAll();
      }
      return false;
    }
    // What a call means that ends the walk, else nothing; the nearest call that communicates is kept.
    unsigned endAt(const MpiSite &S) {
      if (S.is(MpiLifecycle))
        return edge();
      bool Ahead = Forward ? &S > &Barrier : &S < &Barrier;
      bool Closer = !Out.Nearest || (Forward ? &S < Out.Nearest : &S > Out.Nearest);
      if (S.is(MpiSend | MpiRecv | MpiCollective) && Ahead && Closer)
        Out.Nearest = &S;
      bool Synchronises = S.is(MpiFullSync) && (!S.is(MpiNonblocking) || isAwaited(S)) &&
                          (MpiFunction::sameCommunicator(J.M, S, Barrier) || MpiFunction::isWorld(S.arg(S.Sig->Comm)));
      return Synchronises ? unsigned(Synchronised) : 0;
    }

    BarrierJudge &J;
    const MpiSite &Barrier;
    const bool Forward;
    BarrierSide Out;
    // A block may be met before and after the first communication: output counts as beside the barrier only before.
    std::set<std::pair<const BasicBlock *, Distance>> Seen;
    std::vector<std::pair<const BasicBlock *, Distance>> Blocks;
  };

  // Blocks that ask whether a loop has any iteration: the way around it is as far as the one through it.
  const SmallPtrSetImpl<const BasicBlock *> &guards() {
    if (!std::exchange(KnowsGuards, true))
      for (const Loop *L : M.engine().loops().getLoopsInPreorder())
        if (const BranchInst *Guard = L->getLoopGuardBranch())
          Guards.insert(Guard->getParent());
    return Guards;
  }

  MpiFunction &M;
  MpiEffects &Effects;
  const Loop *Outermost = nullptr;
  bool Open = false; // functions of other units are judged apart
  SmallPtrSet<const CallBase *, 8> Removed, Timed;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  SmallPtrSet<const BasicBlock *, 16> Guards;
  bool KnowsGuards = false;
};

} // namespace

// What other ranks may meet without a message that names its source. Whether they reach what is accessed atomically,
// the whole program tells.
static unsigned reachedByOthers(bool Whole) { return Shared | Wildcard | (Whole ? 0u : unsigned(Atomic)); }

// Output on both sides, of which one part is by any rank.
static bool ordersOutput(const BarrierSide &B, const BarrierSide &A) {
  return ((B.Here & Output) && (A.Here & (Output | RankOutput))) ||
         ((A.Here & Output) && (B.Here & (Output | RankOutput)));
}

static BarrierVerdict decideInLoop(const BarrierSide &B, const BarrierSide &A) {
  const unsigned Here = B.Here | A.Here, Any = B.any() | A.any();
  // It may be there so that one rank is not flooded by what the others send; unless the loop has a further
  // synchronisation, here or in what it calls, which no rank passes before that one has received what the iteration
  // sent it.
  if ((Here & ToOneRank) && !(Here & Meeting) && !B.meetsAnother() && !A.meetsAnother())
    return BarrierVerdict::Needed;
  // A loop of calls alone, between clocks, measures them.
  if (!(Here & Work))
    return Any & (Unknown | Files) || !(Here & Message) ? BarrierVerdict::Needed : BarrierVerdict::Redundant;
  return BarrierVerdict::Redundant;
}

// The ranks meet to be timed. Outside of loops that costs little, and a benchmark is made for it.
static BarrierVerdict decideTimed(const BarrierSide &B, const BarrierSide &A, BarrierUse Use, bool Whole) {
  const unsigned Here = B.Here | A.Here, Any = B.any() | A.any(), Near = B.Near.Bits | A.Near.Bits;
  // What comes next meets anyway, or has an order to keep.
  if (Near & (Meeting | Unknown | Files | Output))
    return BarrierVerdict::Needed;
  if ((Any & reachedByOthers(Whole)) || ((Here & ToOneRank) && !(Here & Meeting)) ||
      (!Whole && (Here & (Unknown | Files))))
    return BarrierVerdict::Needed;
  // A function that does no more than to time the wait has a barrier for a reason of its own.
  const bool Alone = !Use.InLoop && B.ClockBeside && A.ClockBeside && !(Here & Message);
  return Use.Steps && !Alone ? BarrierVerdict::Timed : BarrierVerdict::Needed;
}

bool isTimer(unsigned Effects) { return (Effects & Clock) && !(Effects & Message); }

// Between a clock and what it times, a barrier adds to the time and evens nothing out.
static bool servesClock(const BarrierSide &B, const BarrierSide &A) {
  return A.ClockBeside || (B.ClockBeside && !A.isBesideSynchronisation());
}

BarrierVerdict decide(const BarrierSide &B, const BarrierSide &A, BarrierUse Use, bool Whole) {
  unsigned Here = B.Here | A.Here, Any = B.any() | A.any();
  if (servesClock(B, A))
    return decideTimed(B, A, Use, Whole);
  // Right behind or before a synchronisation nothing is left to order, whatever the other side does.
  if ((B.isBesideSynchronisation() || A.isBesideSynchronisation()) && !(Here & (Started | Finished)))
    return BarrierVerdict::Redundant;
  if ((B.isSynchronised() || A.isSynchronised()) &&
      !(Here & ((Whole ? 0u : unsigned(Unknown | Files)) | Started | Finished)))
    return BarrierVerdict::Redundant;
  if ((Any & reachedByOthers(Whole)) || (Here & (Unknown | Files)) || B.OutputBeside || A.OutputBeside ||
      ordersOutput(B, A))
    return BarrierVerdict::Needed;
  if (Use.InLoop)
    return decideInLoop(B, A);
  if ((Here & Boundary) && !(Here & (Message | Synchronised)))
    return BarrierVerdict::Abstain;
  // Callers may have something to order, but hardly by a barrier in the midst of what the function sends and computes.
  const bool Amid = (B.Here & A.Here & Message) && (B.Here & A.Here & Work);
  bool Open = (B.Here & Boundary) && (A.Here & Boundary) && !Amid;
  return Open || B.isEdge() || A.isEdge() ? BarrierVerdict::Doubtful : BarrierVerdict::Redundant;
}

std::vector<JudgedBarrier> judgeBarriers(MpiFunction &M, MpiEffects &Effects) {
  return BarrierJudge(M, Effects).judge();
}

std::vector<JudgedBarrier> openBarriers(MpiFunction &M, MpiEffects &Effects) { return BarrierJudge(M, Effects).open(); }

} // namespace stridewise
