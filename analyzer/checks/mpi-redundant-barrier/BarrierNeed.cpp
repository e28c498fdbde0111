#include "checks/mpi-redundant-barrier/BarrierNeed.h"
#include "unit/Counted.h"
#include "llvm/IR/Instructions.h"

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
      Out.push_back(std::move(J));
    }
    return Out;
  }

  std::vector<JudgedBarrier> open() {
    judge();
    Open = true;
    std::vector<JudgedBarrier> Out;
    for (const MpiSite &S : counted(barriers())) {
      if (Removed.contains(S.Call))
        continue;
      JudgedBarrier J = judge(S);
      bool Depends = J.Before.isForeign() || J.After.isForeign();
      if (Depends)
        J.Verdict = atBest(J);
      if (Depends && (J.Verdict == BarrierVerdict::Redundant || J.Verdict == BarrierVerdict::Doubtful))
        Removed.insert(S.Call);
      else if (J.Verdict != BarrierVerdict::Abstain)
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

  // What the functions of other units may add in the barrier's disfavour: that something is computed and sent.
  static BarrierVerdict atBest(const JudgedBarrier &J) {
    BarrierSide Before = J.Before, After = J.After;
    for (BarrierSide *S : {&Before, &After})
      if (!S->ForeignHere.empty())
        S->Here |= Work | Message;
    BarrierVerdict V = decide(Before, After, J.Around != nullptr, J.Timed, /*Whole=*/true);
    return V == BarrierVerdict::Redundant ? V : decide(J.Before, J.After, J.Around != nullptr, J.Timed, true);
  }

  JudgedBarrier judge(const MpiSite &Site) {
    JudgedBarrier J;
    J.Barrier = SiteOf[Site.Call];
    J.Around = M.engine().loops().getLoopFor(Site.Call->getParent());
    J.Timed = J.Around && isTimed(J.Around->getOutermostLoop());
    // A loop that works and needs no barrier within needs none because of what the loops around it do once in a while.
    for (const Loop *L : {J.Around, J.Around ? J.Around->getOutermostLoop() : nullptr}) {
      Outermost = L;
      J.Before = walk(*J.Barrier, /*Forward=*/false);
      J.After = walk(*J.Barrier, /*Forward=*/true);
      J.Verdict = decide(J.Before, J.After, J.Around != nullptr, J.Timed, Open);
      if (J.Verdict == BarrierVerdict::Redundant)
        break;
    }
    return J;
  }

  BarrierSide walk(const MpiSite &Barrier, bool Forward) {
    BarrierSide Out;
    // A block may be met before and after the first communication: output counts as beside the barrier only before.
    SmallPtrSet<const BasicBlock *, 32> Seen[2];
    SmallVector<std::pair<const BasicBlock *, bool>, 16> Work;
    const BasicBlock *Home = Barrier.Call->getParent();
    SmallVector<const Instruction *, 32> Part;
    bool Past = false;
    for (const Instruction &I : counted(*Home)) {
      if (&I == Barrier.Call)
        Past = true;
      else if (Past == Forward)
        Part.push_back(&I);
    }
    auto Scan = [&](ArrayRef<const Instruction *> Instructions, const BasicBlock *BB, bool Talked) {
      unsigned &Met = !Outermost || Outermost->contains(BB) ? Out.Here : Out.Elsewhere;
      if (isErrorPath(*BB))
        return;
      auto Visit = [&](const Instruction *I) {
        if (I == Barrier.Call) {
          Met |= Synchronised;
          return false;
        }
        if (auto It = SiteOf.find(I); It != SiteOf.end()) {
          const MpiSite &S = *It->second;
          if (Removed.contains(S.Call))
            return true;
          if (S.is(MpiLifecycle)) {
            Met |= Forward ? Finished : Started;
            return false;
          }
          bool Ahead = Forward ? &S > &Barrier : &S < &Barrier;
          bool Closer = !Out.Nearest || (Forward ? &S < Out.Nearest : &S > Out.Nearest);
          if (S.is(MpiSend | MpiRecv | MpiCollective) && Ahead && Closer)
            Out.Nearest = &S;
          if (S.is(MpiFullSync) && !S.is(MpiNonblocking) &&
              (MpiFunction::sameCommunicator(M, S, Barrier) || MpiFunction::isWorld(S.arg(S.Sig->Comm)))) {
            Met |= Synchronised;
            return false;
          }
        }
        MpiEffects::Apart A;
        Effects.add(*I, M, A);
        bool Inside = !Outermost || Outermost->contains(BB);
        (Inside ? Out.ForeignHere : Out.ForeignElsewhere).insert(A.Foreign.begin(), A.Foreign.end());
        unsigned E = A.Bits | (A.Foreign.empty() || Open ? 0 : Unknown);
        if ((E & Output) && !Talked && Inside)
          Out.OutputBeside = true;
        Talked |= (E & Message) != 0;
        Met |= E;
        return true;
      };
      bool Ended = Forward ? !all_of(Instructions, Visit) : !all_of(reverse(Instructions), Visit);
      if (Ended)
        return;
      if (Forward ? succ_empty(BB) : pred_empty(BB)) {
        if (!isa<UnreachableInst>(BB->getTerminator()))
          Met |= M.function().getName() == "main" ? (Forward ? Finished : Started) : Boundary;
        return;
      }
      auto Enter = [&](const BasicBlock *Next) {
        if (Seen[Talked].insert(Next).second)
          Work.push_back({Next, Talked});
      };
      if (Forward)
        for_each(successors(BB), Enter);
      else
        for_each(predecessors(BB), Enter);
    };
    Scan(Part, Home, false);
    while (!Work.empty()) {
      auto [BB, Talked] = Work.pop_back_val();
      Part.clear();
      for (const Instruction &I : counted(*BB))
        Part.push_back(&I);
      Scan(Part, BB, Talked);
    }
    return Out;
  }

  bool isTimed(const Loop *L) {
    if (!L)
      return false;
    auto [It, New] = Timed.try_emplace(L, false);
    if (New)
      It->second = any_of(L->blocks(), [&](const BasicBlock *BB) {
        return any_of(*BB, [&](const Instruction &I) { return Effects.of(I, M) & Clock; });
      });
    return It->second;
  }

  MpiFunction &M;
  MpiEffects &Effects;
  const Loop *Outermost = nullptr;
  bool Open = false; // functions of other units are judged apart
  SmallPtrSet<const CallBase *, 8> Removed;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  DenseMap<const Loop *, bool> Timed;
};

} // namespace

BarrierVerdict decide(const BarrierSide &B, const BarrierSide &A, bool InLoop, bool Timed, bool Whole) {
  unsigned Here = B.Here | A.Here, Any = B.any() | A.any();
  // Right behind or before a synchronisation nothing is left to order; clocks want the ranks to start together.
  if ((B.isSynchronised() || A.isSynchronised()) && !Timed &&
      !(Here & (Clock | (Whole ? 0u : unsigned(Unknown)) | Started | Finished)))
    return BarrierVerdict::Redundant;
  if ((Any & (Shared | Wildcard)) || (Here & Unknown) || B.OutputBeside || A.OutputBeside)
    return BarrierVerdict::Needed;
  if (((B.Here & Output) && (A.Here & (Output | RankOutput))) ||
      ((A.Here & Output) && (B.Here & (Output | RankOutput))))
    return BarrierVerdict::Needed;
  if (InLoop) {
    if ((Here & ToOneRank) || Timed)
      return BarrierVerdict::Needed;
    // A loop of calls alone, between clocks, measures them.
    if (!(Here & Work))
      return Any & Unknown || !(Here & Message) ? BarrierVerdict::Needed : BarrierVerdict::Redundant;
    return BarrierVerdict::Redundant;
  }
  bool Open = (B.Here & Boundary) && (A.Here & Boundary);
  if (!(Here & Message) && ((B.Here | A.Here) & Boundary) && !(Here & Synchronised))
    return BarrierVerdict::Abstain;
  return Open || B.isEdge() || A.isEdge() ? BarrierVerdict::Doubtful : BarrierVerdict::Redundant;
}

std::vector<JudgedBarrier> judgeBarriers(MpiFunction &M, MpiEffects &Effects) {
  return BarrierJudge(M, Effects).judge();
}

std::vector<JudgedBarrier> openBarriers(MpiFunction &M, MpiEffects &Effects) { return BarrierJudge(M, Effects).open(); }

} // namespace stridewise
