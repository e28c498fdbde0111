#include "mpi/MpiEffects.h"
#include "library/LibraryCalls.h"
#include "mpi/RankFacts.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace stridewise {

using namespace effects;

// One rank for all: a constant, or the number that each rank compares its own with.
static bool isRoot(const MpiSite &S, MpiFunction &In) {
  Value *Peer = S.arg(S.Sig->Peer);
  if (isa_and_nonnull<ConstantInt>(Peer))
    return true;
  for (const RunCondition &C : In.conditions(S.Call->getParent()))
    for (auto [V, Holds] : C.Facts)
      if (auto *Compare = dyn_cast<ICmpInst>(V); Compare && Compare->isEquality())
        for (unsigned K : {0u, 1u})
          if (In.sameValue(Compare->getOperand(K), Peer) && !isa<Constant>(Compare->getOperand(1 - K)))
            return true;
  return false;
}

// The sender waits for what that rank says to it: it is never more than one message ahead.
static bool isAnswered(const MpiSite &S, MpiFunction &In) {
  const LoopInfo &LI = In.engine().loops();
  const Loop *L = LI.getLoopFor(S.Call->getParent());
  const auto *Sent = find_if(In.sites(), [&](const MpiSite &O) { return O.Call == S.Call; });
  unsigned Receives = 0;
  for (const MpiSite &O : make_range(Sent, In.sites().end())) { // in program order
    if (!O.is(MpiRecv) || O.is(MpiNonblocking | MpiPersistent | MpiCollective) || !O.source() ||
        LI.getLoopFor(O.Call->getParent()) != L)
      continue;
    if (In.sameValue(O.source(), S.arg(S.Sig->Peer)) && MpiFunction::sameCommunicator(In, O, S))
      return In.reaches(S.Call, O.Call);
    if (++Receives == limits::mpi::ReceivesBetween)
      return false;
  }
  return false;
}

// `if (rank == 0) printf(…)`: program order is all that such output needs among itself.
static bool byOneRank(const Instruction &I, MpiFunction &In, const RankFacts &Ranks) {
  for (const RunCondition &C : In.conditions(I.getParent()))
    for (auto [V, Holds] : C.Facts) {
      if (const std::optional<RankFacts::Guard> G = Ranks.guard(V);
          G && G->Equality && G->OneOnTrue == Holds && isa_and_nonnull<ConstantInt>(G->Root))
        return true;
      auto *Compare = dyn_cast<ICmpInst>(V);
      if (!Compare || !Compare->isEquality() || (Compare->getPredicate() == CmpInst::ICMP_EQ) != Holds)
        continue;
      for (unsigned K : {0u, 1u})
        if (isa<ConstantInt>(Compare->getOperand(1 - K)) && In.isRank(In.engine().rewrite(Compare->getOperand(K))))
          return true;
    }
  return false;
}

unsigned ofOneRank(unsigned Bits) {
  return Bits & (Output | Files) ? (Bits & ~unsigned(Output | Files)) | RankOutput : Bits;
}

bool isOfOneRank(const Instruction &I, Function &F, Unit &U) {
  if (!U.mpiCalls() && U.knownRanks().empty())
    return false;
  MpiFunction &In = MpiFunction::get(F, U.analyses());
  const RankFacts &Ranks = ranksOf(U);
  const DominatorTree &DT = U.analyses().getResult<DominatorTreeAnalysis>(F);
  return any_of(In.conditions(I.getParent()), [&](const RunCondition &C) {
    return any_of(C.Facts, [&](const auto &Fact) {
      const std::optional<RankFacts::Guard> G = Ranks.guard(Fact.first);
      const auto *Root = G ? dyn_cast_or_null<ConstantInt>(G->Root) : nullptr;
      if (!Root || !Root->isZero() || !G->Equality || G->OneOnTrue != Fact.second || G->Comm != "world")
        return false;
      // There may be another way: `rank == 0 || first`.
      return DT.dominates(BasicBlockEdge(C.Branch->getParent(), C.Branch->getSuccessor(C.Arm)), I.getParent());
    });
  });
}

std::string linkName(const Function &F) {
  return F.hasLocalLinkage() ? (F.getName() + " in " + F.getParent()->getSourceFileName()).str() : F.getName().str();
}

std::string pointerName(const FunctionType &Type) {
  std::string Name;
  raw_string_ostream Out(Name);
  Out << "through a pointer: " << Type;
  return Name;
}

unsigned MpiEffects::of(const Instruction &I, MpiFunction &In) {
  Apart A;
  add(I, In.function(), A);
  return A.Bits | (A.Foreign.empty() && !(A.Bits & Files) ? 0 : Unknown) | (A.Bits & Atomic ? unsigned(Shared) : 0u);
}

// The facts of the function are asked for only where a call makes them matter: most functions have none.
void MpiEffects::add(const Instruction &I, Function &In, Apart &To) {
  if (I.isVolatile() || I.isAtomic()) {
    const Value *P = getLoadStorePointerOperand(&I);
    To.Bits |= P && isa<AllocaInst>(getUnderlyingObject(P)) ? Work : Atomic;
    return;
  }
  if (isa<StoreInst, MemIntrinsic>(I) || (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy())) {
    To.Bits |= Work;
    return;
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return;
  auto *Callee = dyn_cast<Function>(C->getCalledOperand()->stripPointerCasts());
  if (const MpiSignature *Sig = findMpiCall(*C)) {
    To.Bits |= of({const_cast<CallBase *>(C), Sig}, MpiFunction::get(In, U.analyses()));
  } else if (const LibraryCall *Known = findLibraryCall(*C); Known && Known->does(LibClock)) {
    To.Bits |= Clock;
  } else if (!isLocalCall(*C, U.analyses().getResult<TargetLibraryAnalysis>(In))) {
    if (Callee)
      addCall(*C, *Callee, In, To);
    else if (C->isInlineAsm())
      To.Bits |= Unknown;
    else
      To.add(pointerName(*C->getFunctionType()), isOfOneRank(*C, In, U));
  }
}

void MpiEffects::addCall(const CallBase &C, Function &Callee, Function &In, Apart &To) {
  const LibraryCall *Known = findLibraryCall(C);
  if (!Callee.isDeclaration()) {
    const Apart &Inner = of(Callee);
    const bool Calls = !Inner.Foreign.empty() || (Inner.Bits & (Output | Files));
    const bool One = Calls && isOfOneRank(C, In, U);
    To.Bits |= One ? ofOneRank(Inner.Bits) : Inner.Bits;
    for (const std::string &Name : Inner.Foreign)
      To.add(Name, One || Inner.Alone.contains(Name));
  } else if (Known && Known->does(LibOutput) && Known->Descriptor < 0) {
    To.Bits |= byOneRank(C, MpiFunction::get(In, U.analyses()), ranksOf(U)) ? RankOutput : Output;
  } else if (Known && Known->does(LibOpens | LibInput)) {
    To.Bits |= isOfOneRank(C, In, U) ? RankOutput : Files;
  } else if (Known && Known->onlyDoes(LibSleeps)) {
    To.Bits |= Work;
  } else {
    To.add(linkName(Callee), isOfOneRank(C, In, U));
  }
}

void MpiEffects::Apart::add(const std::string &Name, bool OneRank) {
  if (Foreign.insert(Name).second ? OneRank : OneRank && Alone.contains(Name))
    Alone.insert(Name);
  else
    Alone.erase(Name);
}

void MpiEffects::Apart::add(const Apart &Other) {
  Bits |= Other.Bits;
  for (const std::string &Name : Other.Foreign)
    add(Name, Other.Alone.contains(Name));
}

unsigned MpiEffects::of(const MpiSite &S, MpiFunction &In) {
  if (S.is(MpiTimer))
    return Clock;
  if (S.is(MpiOutside))
    return Unknown;
  if (S.is(MpiRma | MpiIo | MpiReady))
    return Shared;
  if (S.is(MpiQuery))
    return 0;
  unsigned E = Message | (S.is(MpiFullSync) && !S.is(MpiNonblocking) ? unsigned(Meeting) : 0u);
  if (S.is(MpiRecv | MpiProbe) && In.isWildcard(S.source() ? S.source() : S.arg(S.Sig->Peer)))
    E |= Wildcard;
  if (S.is(MpiSend) && !S.is(MpiRecv) && isRoot(S, In) && !isAnswered(S, In))
    E |= ToOneRank;
  return E;
}

const MpiEffects::Apart &MpiEffects::of(Function &F) {
  auto [It, New] = Summaries.try_emplace(&F);
  if (!New)
    return It->second;
  Apart A;
  for (BasicBlock &BB : F)
    if (!isErrorPath(BB))
      for (Instruction &I : counted(BB))
        add(I, F, A);
  return It->second = std::move(A);
}

} // namespace stridewise
