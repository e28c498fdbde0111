#include "mpi/StableValues.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// Functions of more instructions are left as they are.
static constexpr unsigned MostInstructions = 20000;
static constexpr unsigned Deepest = 24;
// Walks from a load to another one past the places that write its address.
static constexpr unsigned MostWalks = 2000;

// What the function writes, and the names of its equal values. A name that stays the same in all loops is preferred.
void StableValues::collect() {
  if (Collected)
    return;
  Collected = true;
  StrideEngine &E = M.engine();
  ScalarEvolution &SE = E.scalarEvolution();
  Large = M.function().getInstructionCount() > MostInstructions;
  if (Large)
    return;
  for (Instruction &I : instructions(M.function())) {
    if (auto *St = dyn_cast<StoreInst>(&I)) {
      Written[E.rewrite(St->getPointerOperand())].push_back(&I);
    } else if (auto *C = dyn_cast<CallBase>(&I); C && !isa<IntrinsicInst>(C)) {
      const MpiSignature *Sig = findMpiCall(*C);
      if (!Sig || !(Sig->Traits & MpiQuery))
        for (Use &A : C->args())
          if (A->getType()->isPointerTy())
            Written[E.rewrite(A)].push_back(&I);
    }
  }
  for (Instruction &I : instructions(M.function()))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && SE.isSCEVable(I.getType()))
      if (const SCEV *From = E.rewrite(Load->getPointerOperand()); Written.contains(From))
        Loads[From].push_back(Load);
  std::map<unsigned, SmallVector<const SCEV *, 4>> Equal;
  for (Instruction &I : instructions(M.function()))
    if (isa<LoadInst, PHINode, BinaryOperator, SelectInst>(I) && SE.isSCEVable(I.getType()))
      if (const SCEV *S = E.rewrite(&I); isa<SCEVUnknown>(S))
        Equal[number(&I)].push_back(S);
  for (auto &[Number, All] : Equal) {
    auto It = find_if(All, [&](const SCEV *S) { return !E.varies(S); });
    const SCEV *Name = It == All.end() ? All.front() : *It;
    for (const SCEV *S : All)
      if (S != Name && S->getType() == Name->getType())
        Names.try_emplace(S, Name);
  }
}

bool StableValues::isStable(Value *Address) { return !Written.contains(M.engine().rewrite(Address)); }

// An earlier load of what is written elsewhere, but not between the two.
LoadInst *StableValues::loadedBefore(LoadInst &Load) {
  const LoopInfo &LI = M.engine().loops();
  const SCEV *From = M.engine().rewrite(Load.getPointerOperand());
  auto Known = Loads.find(From);
  auto Writers = Written.find(From);
  if (Known == Loads.end() || Writers == Written.end())
    return nullptr;
  for (LoadInst *Earlier : Known->second) {
    if (Earlier == &Load || Earlier->getType() != Load.getType() || !Earlier->isSimple() ||
        LI.getLoopFor(Earlier->getParent()) != LI.getLoopFor(Load.getParent()) || !DT.dominates(Earlier, &Load))
      continue;
    if (none_of(Writers->second, [&](const Instruction *W) {
          return ++Walks > MostWalks || (M.reaches(Earlier, W) && M.reaches(W, &Load));
        }))
      return Earlier;
  }
  return nullptr;
}

unsigned StableValues::number(Value *V) {
  collect();
  return number(V, 0);
}

unsigned StableValues::number(Value *V, unsigned Depth) {
  if (auto It = Known.find(V); It != Known.end())
    return It->second;
  unsigned N = Large || Depth > Deepest ? unique(V) : compute(V, Depth);
  return Known[V] = N;
}

// `c ? a : b` in branches: the branch, and what comes by each of its arms; null where a phi is none.
static const BranchInst *choiceOf(const PHINode &P, const DominatorTree &DT, Value *(&Sides)[2]) {
  const BasicBlock *BB = P.getParent();
  const auto *Node = DT.getNode(BB);
  const BasicBlock *Top = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  const auto *Br = Top ? dyn_cast<BranchInst>(Top->getTerminator()) : nullptr;
  if (P.getNumIncomingValues() != 2 || !Br || !Br->isConditional())
    return nullptr;
  for (unsigned In : {0u, 1u})
    for (unsigned Arm : {0u, 1u})
      if (DT.dominates(BasicBlockEdge(Top, Br->getSuccessor(Arm)), P.getIncomingBlock(In)) ||
          (P.getIncomingBlock(In) == Top && Br->getSuccessor(Arm) == BB))
        Sides[Arm] = P.getIncomingValue(In);
  return Sides[0] && Sides[1] ? Br : nullptr;
}

unsigned StableValues::unique(Value *V) { return numberOf({reinterpret_cast<std::uintptr_t>(V)}); }

static std::vector<std::uintptr_t> keyOf(const Instruction &I) {
  return {I.getOpcode(), reinterpret_cast<std::uintptr_t>(I.getType())};
}

unsigned StableValues::computePhi(PHINode &P, unsigned Depth) {
  if (M.engine().loops().isLoopHeader(P.getParent()))
    return unique(&P);
  unsigned First = number(P.getIncomingValue(0), Depth + 1);
  if (all_of(drop_begin(P.incoming_values()), [&](Value *In) { return number(In, Depth + 1) == First; }))
    return First;
  Value *Sides[2] = {nullptr, nullptr};
  const BranchInst *Br = choiceOf(P, DT, Sides);
  if (!Br)
    return unique(&P);
  Key K = keyOf(P);
  K.push_back(number(Br->getCondition(), Depth + 1));
  for (Value *Side : Sides)
    K.push_back(number(Side, Depth + 1));
  return numberOf(std::move(K));
}

unsigned StableValues::compute(Value *V, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return unique(V);
  if (auto *P = dyn_cast<PHINode>(I))
    return computePhi(*P, Depth);
  Key K = keyOf(*I);
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!Load->isSimple())
      return unique(V);
    if (!isStable(Load->getPointerOperand())) {
      LoadInst *Earlier = loadedBefore(*Load);
      return Earlier ? number(Earlier, Depth + 1) : unique(V);
    }
  } else if (const auto *Compare = dyn_cast<CmpInst>(I)) {
    K.push_back(Compare->getPredicate());
  } else if (const auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
    K.push_back(reinterpret_cast<std::uintptr_t>(Gep->getSourceElementType()));
  } else if (const auto *Call = dyn_cast<IntrinsicInst>(I); Call && isa<MinMaxIntrinsic>(Call)) {
    K.push_back(Call->getIntrinsicID());
  } else if (!isa<BinaryOperator, CastInst, SelectInst, FreezeInst>(I)) {
    return unique(V);
  }
  for (Value *Operand : I->operands())
    K.push_back(number(Operand, Depth + 1));
  return numberOf(std::move(K));
}

namespace {
struct Renamer : SCEVRewriteVisitor<Renamer> {
  const DenseMap<const SCEV *, const SCEV *> &Names;
  Renamer(ScalarEvolution &SE, const DenseMap<const SCEV *, const SCEV *> &Names)
      : SCEVRewriteVisitor(SE), Names(Names) {}
  const SCEV *visitUnknown(const SCEVUnknown *S) {
    auto It = Names.find(S);
    return It == Names.end() ? S : It->second;
  }
};
} // namespace

const SCEV *StableValues::canonical(const SCEV *S) {
  collect();
  return Names.empty() || !S || isa<SCEVCouldNotCompute>(S) ? S : Renamer(M.engine().scalarEvolution(), Names).visit(S);
}

} // namespace stridewise
