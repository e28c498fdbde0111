// In which order the instructions of a function run, and under which conditions.
#include "library/MpiResult.h"
#include "mpi/MpiFacts.h"
#include "unit/Meter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace stridewise {

bool MpiFunction::reaches(const Instruction *A, const Instruction *B, function_ref<bool(const Instruction &)> Blocked) {
  const BasicBlock *From = A->getParent(), *To = B->getParent();
  SmallPtrSet<const BasicBlock *, 8> Headers; // of the loops around both
  for (const Loop *L = LI.getLoopFor(From); L; L = L->getParentLoop())
    if (L->contains(To))
      Headers.insert(L->getHeader());
  // Walks from an instruction to the end of its block: 1 when B was met, -1 when the path ends.
  auto Walk = [&](BasicBlock::const_iterator I) {
    for (BasicBlock::const_iterator End = I->getParent()->end(); I != End; ++I) {
      Meter::count();
      if (&*I == B)
        return 1;
      if (Blocked && Blocked(*I))
        return -1;
    }
    return 0;
  };
  SmallVector<const BasicBlock *, 16> Work;
  SmallPtrSet<const BasicBlock *, 32> Seen;
  auto Enter = [&](const BasicBlock *BB) {
    for (const BasicBlock *Next : successors(BB))
      if (!Headers.contains(Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  };
  if (int End = Walk(std::next(A->getIterator())))
    return End > 0;
  Enter(From);
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    int End = Walk(BB->begin());
    if (End > 0)
      return true;
    if (End == 0)
      Enter(BB);
  }
  return false;
}

// Both parts of `a && b` where it is true, both parts of `a || b` where it is false.
static void splitFacts(Value *V, bool Holds, SmallVectorImpl<std::pair<Value *, bool>> &Out, unsigned Depth = 0) {
  using namespace PatternMatch;
  Value *A, *B;
  if (Depth < 6 && match(V, m_Not(m_Value(A))))
    return splitFacts(A, !Holds, Out, Depth + 1);
  if (Depth < 6 &&
      (Holds ? match(V, m_LogicalAnd(m_Value(A), m_Value(B))) : match(V, m_LogicalOr(m_Value(A), m_Value(B))))) {
    splitFacts(A, Holds, Out, Depth + 1);
    return splitFacts(B, Holds, Out, Depth + 1);
  }
  Out.push_back({V, Holds});
}

// A block depends on an arm of a branch when it post-dominates the arm's first block and not the branch: it lies on the
// way up the tree from there to the branch's own parent.
void MpiFunction::findDependences() {
  if (std::exchange(Depends, true))
    return;
  for (const BasicBlock &Branch : F) {
    const Instruction *T = Branch.getTerminator();
    unsigned First = Arms.size();
    const auto *Node = PDT.getNode(&Branch);
    if (T->getNumSuccessors() >= 2 && Node) {
      const auto *Above = Node->getIDom();
      for (unsigned Arm = 0; Arm < T->getNumSuccessors(); ++Arm) {
        SmallVector<const BasicBlock *, 2> On;
        for (const auto *N = PDT.getNode(T->getSuccessor(Arm)); N && N != Above && N->getBlock(); N = N->getIDom())
          On.push_back(N->getBlock());
        Meter::count(On.size());
        if (On.empty())
          continue;
        for (const BasicBlock *BB : On)
          DependsOn[BB].push_back(Arms.size());
        RunCondition C{T, Arm, {}};
        if (const auto *Br = dyn_cast<BranchInst>(T))
          splitFacts(Br->getCondition(), Arm == 0, C.Facts);
        Arms.push_back(std::move(C));
        Dependents.push_back(std::move(On));
      }
    }
    ArmsOf[&Branch] = {First, Arms.size()};
  }
}

ArrayRef<RunCondition> MpiFunction::arms() {
  findDependences();
  return Arms;
}

std::pair<unsigned, unsigned> MpiFunction::armsOf(const BasicBlock *Branch) {
  findDependences();
  return ArmsOf.lookup(Branch);
}

ArrayRef<RunCondition> MpiFunction::conditions(const BasicBlock *BB) {
  auto [It, New] = Conditions.try_emplace(BB);
  if (!New)
    return It->second;
  findDependences();
  std::vector<RunCondition> Out;
  SmallVector<const BasicBlock *, 8> Work = {BB};
  SmallPtrSet<const BasicBlock *, 8> Done = {BB};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty()) {
    const BasicBlock *Target = Work.pop_back_val();
    auto On = DependsOn.find(Target);
    if (On == DependsOn.end())
      continue;
    Meter::count(On->second.size());
    for (unsigned Arm : On->second) {
      const RunCondition &C = Arms[Arm];
      if (!Seen.insert(C.Branch).second)
        continue;
      if (const std::optional<unsigned> Failed = failureArm(*C.Branch); !Failed || *Failed == C.Arm)
        Out.push_back(C); // that calls before have worked is no condition
      if (Done.insert(C.Branch->getParent()).second)
        Work.push_back(C.Branch->getParent());
    }
  }
  return Conditions[BB] = std::move(Out);
}

} // namespace stridewise
