#include "core/BarrierNeed.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

using namespace effects;

namespace {

class BarrierJudge {
public:
  BarrierJudge(MpiFunction &M, MpiEffects &Effects) : M(M), Effects(Effects) {}

  std::vector<JudgedBarrier> judge() {
    for (const MpiSite &S : M.sites())
      SiteOf[S.Call] = &S;
    std::vector<JudgedBarrier> Out;
    for (const MpiSite &S : M.sites()) {
      if (!S.is(MpiBarrier) || S.is(MpiNonblocking))
        continue;
      JudgedBarrier J;
      J.Barrier = &S;
      J.Around = M.engine().loops().getLoopFor(S.Call->getParent());
      Outermost = J.Around ? J.Around->getOutermostLoop() : nullptr;
      J.Before = walk(S, /*Forward=*/false);
      J.After = walk(S, /*Forward=*/true);
      J.Timed = isTimed(Outermost);
      J.Verdict = decide(J);
      if (J.Verdict == BarrierVerdict::Doubtful || J.Verdict == BarrierVerdict::Redundant)
        Removed.insert(S.Call);
      Out.push_back(J);
    }
    return Out;
  }

private:
  static BarrierVerdict decide(const JudgedBarrier &J) {
    const BarrierSide &B = J.Before, &A = J.After;
    unsigned Here = B.Here | A.Here, Any = B.any() | A.any();
    bool InLoop = J.Around != nullptr;
    if ((Any & (Shared | Wildcard)) || (Here & Unknown) || B.OutputBeside || A.OutputBeside)
      return BarrierVerdict::Needed;
    if (((B.Here & Output) && (A.Here & (Output | RankOutput))) ||
        ((A.Here & Output) && (B.Here & (Output | RankOutput))))
      return BarrierVerdict::Needed;
    if (InLoop) {
      if ((Here & ToOneRank) || J.Timed)
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

  BarrierSide walk(const MpiSite &Barrier, bool Forward) {
    BarrierSide Out;
    // A block may be met before and after the first communication: output counts as beside the barrier only before.
    SmallPtrSet<const BasicBlock *, 32> Seen[2];
    SmallVector<std::pair<const BasicBlock *, bool>, 16> Work;
    const BasicBlock *Home = Barrier.Call->getParent();
    SmallVector<const Instruction *, 32> Part;
    bool Past = false;
    for (const Instruction &I : *Home) {
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
          if (S.is(MpiFullSync) && !S.is(MpiNonblocking) && MpiFunction::sameCommunicator(M, S, Barrier)) {
            Met |= Synchronised;
            return false;
          }
        }
        unsigned E = Effects.of(*I, M);
        if ((E & Output) && !Talked && (!Outermost || Outermost->contains(BB)))
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
      for (const Instruction &I : *BB)
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
  SmallPtrSet<const CallBase *, 8> Removed;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  DenseMap<const Loop *, bool> Timed;
};

} // namespace

std::vector<JudgedBarrier> judgeBarriers(MpiFunction &M, MpiEffects &Effects) {
  return BarrierJudge(M, Effects).judge();
}

} // namespace stridewise
