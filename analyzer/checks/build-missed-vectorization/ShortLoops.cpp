#include "checks/build-missed-vectorization/ShortLoops.h"
#include "library/LibraryCalls.h"
#include "prices.h"
#include "thresholds.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

using namespace limits::build_missed_vectorization;

const SCEV *countOf(const Loop &L, StrideEngine &Engine) {
  const SCEV *Count = Engine.scalarEvolution().getBackedgeTakenCount(&L);
  return isa<SCEVCouldNotCompute>(Count) ? Engine.backedges(&L) : Count;
}

// Another loop inside `Around`, or in the function, that calls what is neither an intrinsic nor of the standard
// library.
bool callsIn(const Loop &L, const TargetLibraryInfo &TLI) {
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<InlineAsm>(Call->getCalledOperand()))
        return false;
      const Function *Callee = Call->getCalledFunction();
      LibFunc Known;
      return !Callee || (!Callee->isIntrinsic() && !TLI.getLibFunc(*Callee, Known));
    });
  });
}

// Calls `Take` with each value that the loop's count is made of, and with what those rest on within an iteration of the
// loop around it; ends early when that says true.
bool anySource(const Loop &L, StrideEngine &Engine, function_ref<bool(Instruction *)> Take) {
  const Loop *Around = L.getParentLoop();
  const SCEV *Count = Around ? countOf(L, Engine) : nullptr;
  constexpr unsigned MaxSteps = 40;
  SmallPtrSet<const Value *, 16> Seen;
  return Count && SCEVExprContains(Count, [&](const SCEV *Part) {
           const auto *U = dyn_cast<SCEVUnknown>(Part);
           SmallVector<Value *, 8> Work;
           if (U)
             Work.push_back(U->getValue());
           while (!Work.empty() && Seen.size() < MaxSteps) {
             auto *I = dyn_cast<Instruction>(Work.pop_back_val());
             if (!I || !Around->contains(I) || !Seen.insert(I).second)
               continue;
             if (Take(I))
               return true;
             const bool FromBefore = isa<PHINode>(I) && I->getParent() == Around->getHeader();
             if (!FromBefore && isa<PHINode, BinaryOperator, SelectInst, CastInst>(I))
               Work.append(I->op_begin(), I->op_end());
           }
           return false;
         });
}

// The cycles of one iteration of a loop without those in it: three instructions a cycle, a result of the iteration
// before waited for, functions of the mathematical library by their own count.
double cyclesOf(const Loop &L, StrideEngine &Engine) {
  unsigned Instructions = 0, Functions = 0;
  bool Chained = false;
  for (const BasicBlock *Block : L.blocks()) {
    if (Engine.loops().getLoopFor(Block) != &L)
      continue;
    Instructions += Block->sizeWithoutDebug();
    Functions += count_if(*Block, [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->getType()->isFloatingPointTy() && !isa<IntrinsicInst>(Call);
    });
  }
  for (const PHINode &Phi : L.getHeader()->phis())
    Chained |= Phi.getType()->isFloatingPointTy();
  return Instructions / InstructionsPerCycle + Functions * CyclesOfFunction + (Chained ? CyclesOfAddition : 0.0);
}

// What a nest costs each time that the program comes by: a loop whose length is not known takes `FewTrips`, so that of
// two nests over the same data the deeper one is dearer.
double costOf(const Loop &L, StrideEngine &Engine) {
  double Cycles = cyclesOf(L, Engine);
  for (const Loop *Sub : L)
    Cycles += costOf(*Sub, Engine);
  const unsigned Trips = Engine.tripCount(&L);
  return Cycles * (Trips && Trips < FewTrips ? Trips : FewTrips);
}

// Floating-point operations of an iteration, as the compiler leaves them: what counts and what addresses is left out.
double arithmetic(const Loop &L) {
  double Sum = 0.0;
  for (const BasicBlock *Block : L.blocks())
    Sum += count_if(*Block, [](const Instruction &I) {
      return isa<BinaryOperator, CallBase, SelectInst>(I) && I.getType()->isFloatingPointTy();
    });
  return Sum;
}

bool staysInLine(const Stride &S) {
  return S.K == Stride::Zero || (S.K == Stride::Constant && std::abs(S.Bytes) < std::int64_t(prices::CacheLineBytes));
}

// What each iteration fetches from memory: all that moves, but for what the loop around walks again and nothing but
// this loop drives out of the cache.
double streamedBytes(const Loop &L, StrideEngine &Engine) {
  std::set<std::pair<const SCEV *, double>> Streams; // fields of one record are one stream
  const Loop *Around = L.getParentLoop() && L.getParentLoop()->getSubLoops().size() == 1 ? L.getParentLoop() : nullptr;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      const Value *Pointer = getLoadStorePointerOperand(&I);
      const SCEV *Address = Pointer ? Engine.rewrite(const_cast<Value *>(Pointer)) : nullptr;
      if (!Address)
        continue;
      const Stride Step = Engine.stride(Address, &L);
      if (Step.K == Stride::Zero || (Around && staysInLine(Engine.stride(Address, Around))))
        continue;
      const double Bytes =
          Step.K == Stride::Constant ? std::abs(static_cast<double>(Step.Bytes)) : prices::CacheLineBytes;
      Streams.emplace(Engine.scalarEvolution().getPointerBase(Address),
                      std::min<double>(Bytes, prices::CacheLineBytes));
    }
  double Sum = 0.0;
  for (const auto &[Base, Bytes] : Streams)
    Sum += Bytes;
  return Sum;
}

} // namespace

bool standsBesideWork(const Loop &L, StrideEngine &Engine, bool InFunction) {
  for (const Loop *Inner = &L; Inner; Inner = Inner->getParentLoop()) {
    const Loop *Around = Inner->getParentLoop();
    if (!Around && !InFunction)
      return false;
    double Beside = 0.0;
    for (const Loop *Other :
         Around ? ArrayRef<Loop *>(Around->getSubLoops()) : ArrayRef<Loop *>(Engine.loops().getTopLevelLoops()))
      if (Other != Inner)
        Beside += costOf(*Other, Engine);
    if (Beside >= TimesWork * costOf(*Inner, Engine))
      return true;
  }
  return false;
}

bool runsNowAndThen(const Loop &L, const LoopInfo &LI) {
  using namespace PatternMatch;
  const BasicBlock *Block = L.getLoopPreheader();
  for (unsigned Steps = 0; Block && Steps < MaxBlocksBefore; ++Steps) {
    const BasicBlock *Before = Block->getSinglePredecessor();
    const auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
    ICmpInst::Predicate Compare;
    const APInt *Every = nullptr;
    if (Branch && Branch->isConditional() && LI.getLoopFor(Before) &&
        match(Branch->getCondition(),
              m_ICmp(Compare, m_CombineOr(m_SRem(m_Value(), m_APInt(Every)), m_URem(m_Value(), m_APInt(Every))),
                     m_Value())) &&
        ICmpInst::isEquality(Compare) && Branch->getSuccessor(Compare == ICmpInst::ICMP_EQ ? 0 : 1) == Block &&
        Every->sge(limits::loops::RareStep))
      return true;
    Block = Before;
  }
  return false;
}

// The count is read as ScalarEvolution spells it: rewriting would settle its clamps.
bool walksTableRow(const Loop &L, StrideEngine &Engine) {
  const Loop *Around = L.getParentLoop();
  const SCEV *Count = Around ? countOf(L, Engine) : nullptr;
  if (!Count)
    return false;
  SmallVector<const SCEV *, 4> Offsets; // addresses of what the count is made of
  auto Note = [&](const SCEV *Symbol) {
    if (const SCEV *Address = Engine.loadedFrom(Symbol); Address && Engine.varies(Address, Around))
      Offsets.push_back(Address);
    return false;
  };
  SCEVExprContains(Count, [&](const SCEV *Part) { return Note(Part); });
  anySource(L, Engine, [&](Instruction *I) { return isa<LoadInst>(I) && Note(Engine.rewrite(I)); });
  constexpr std::int64_t MaxOffsetBytes = 8; // the widest integer that counts elements
  for (const SCEV *First : Offsets)
    for (const SCEV *Second : Offsets)
      if (const auto *Apart = dyn_cast<SCEVConstant>(Engine.scalarEvolution().getMinusSCEV(Second, First)))
        if (std::int64_t Bytes = Apart->getAPInt().getSExtValue(); Bytes > 0 && Bytes <= MaxOffsetBytes)
          return true;
  return false;
}

// A number that a loop before this one left behind, in the same iteration of the loop around.
bool walksGatheredList(const Loop &L, StrideEngine &Engine) {
  const Loop *Around = L.getParentLoop();
  const LoopInfo &LI = Engine.loops();
  return anySource(L, Engine, [&](Instruction *I) {
    const Loop *In = LI.getLoopFor(I->getParent());
    return In != Around && In != &L && isa<PHINode, BinaryOperator>(I);
  });
}

bool onlyReports(const Loop &L, Function &F) {
  const Loop *Outermost = L.getOutermostLoop();
  SmallVector<const BasicBlock *, 32> Blocks(Outermost->block_begin(), Outermost->block_end());
  const bool InFunction = Outermost == &L;
  if (InFunction) {
    Blocks.clear();
    for (const BasicBlock &Block : F)
      Blocks.push_back(&Block);
  }
  bool Writes = false;
  for (const BasicBlock *Block : Blocks)
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (const auto *Note = dyn_cast<IntrinsicInst>(&I); Note && Note->isAssumeLikeIntrinsic())
        continue;
      const LibraryCall *Known = Call ? findLibraryCall(*Call) : nullptr;
      const auto *Return = dyn_cast<ReturnInst>(&I);
      if (Known && Known->does(LibOutput))
        Writes = true;
      else if ((I.mayWriteToMemory() && !(Known && !Known->does(LibWrites | LibState | LibCalls))) ||
               (Return && InFunction && Return->getReturnValue()))
        return false;
    }
  return Writes;
}

bool standsBesideCalls(const Loop &L, const LoopInfo &LI, const TargetLibraryInfo &TLI, bool InFunction) {
  for (const Loop *Inner = &L; Inner; Inner = Inner->getParentLoop()) {
    const Loop *Around = Inner->getParentLoop();
    if (!Around && !InFunction)
      return false;
    if (any_of(Around ? ArrayRef<Loop *>(Around->getSubLoops()) : ArrayRef<Loop *>(LI.getTopLevelLoops()),
               [&](const Loop *Other) { return Other != Inner && callsIn(*Other, TLI); }))
      return true;
  }
  return false;
}

bool waitsForMemory(const Loop &L, StrideEngine &Engine) {
  const bool Chained =
      any_of(L.getHeader()->phis(), [](const PHINode &Phi) { return Phi.getType()->isFloatingPointTy(); });
  const double Cycles = std::max(arithmetic(L) / InstructionsPerCycle, CyclesOfAddition);
  const double Bytes = streamedBytes(L, Engine);
  const unsigned Trips = Engine.tripCount(&L);
  // A sum that is kept in memory waits for more than its additions.
  return Chained && Bytes >= BytesPerCycle * Cycles && !(Trips && Trips * Bytes <= prices::FirstLevelBytes);
}

} // namespace stridewise
