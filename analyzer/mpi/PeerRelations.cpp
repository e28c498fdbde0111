// How the ranks that a function sends to and receives from lie to each other.
#include "mpi/MpiFacts.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// The values that a rank number may take, less the constants among them (MPI_PROC_NULL at the border, 0 behind the last
// rank), and the moduli that were divided away.
void MpiFunction::alternatives(Value *V, SmallVectorImpl<const SCEV *> &Out, SmallVectorImpl<const SCEV *> &Moduli,
                               unsigned Depth) {
  if (isa<ConstantInt>(V))
    return;
  if (Depth < 6) {
    auto Recurse = [&](Value *Part) { alternatives(Part, Out, Moduli, Depth + 1); };
    if (auto *Sel = dyn_cast<SelectInst>(V)) {
      Recurse(Sel->getTrueValue());
      return Recurse(Sel->getFalseValue());
    }
    if (auto *P = dyn_cast<PHINode>(V); P && !LI.isLoopHeader(P->getParent())) {
      for (Value *In : P->incoming_values())
        Recurse(In);
      return;
    }
    if (auto *M = dyn_cast<MinMaxIntrinsic>(V)) {
      Recurse(M->getLHS());
      return Recurse(M->getRHS());
    }
    if (auto *Op = dyn_cast<BinaryOperator>(V)) {
      if (Op->getOpcode() == Instruction::SRem || Op->getOpcode() == Instruction::URem) {
        Moduli.push_back(Engine.rewrite(Op->getOperand(1)));
        return Recurse(Op->getOperand(0));
      }
      // Sums with a choice in them: (rank == 0 ? size : rank) - 1. Sums without are left to ScalarEvolution.
      if (Op->getOpcode() == Instruction::Add || Op->getOpcode() == Instruction::Sub) {
        for (unsigned K : {0u, 1u}) {
          if (!isa<SelectInst, PHINode, MinMaxIntrinsic>(Op->getOperand(K)) ||
              (K == 1 && Op->getOpcode() == Instruction::Sub))
            continue;
          SmallVector<const SCEV *, 4> Inner;
          alternatives(Op->getOperand(K), Inner, Moduli, Depth + 1);
          const SCEV *Rest = Engine.rewrite(Op->getOperand(1 - K));
          ScalarEvolution &SE = Engine.scalarEvolution();
          for (const SCEV *S : Inner)
            Out.push_back(Op->getOpcode() == Instruction::Add ? SE.getAddExpr(S, Rest) : SE.getMinusSCEV(S, Rest));
          return;
        }
      }
    }
  }
  Out.push_back(Engine.rewrite(V));
}

// Where a number comes from, so far as two neighbours share it: the record that it was loaded from, the kind of
// variable, the function that returned it.
const void *MpiFunction::originOf(const SCEV *S) {
  static const char Parameter = 0, Variable = 0;
  const SCEV *Leaf = nullptr;
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (!Leaf && isa<SCEVUnknown>(Part))
      Leaf = Part;
    return Leaf != nullptr;
  });
  if (!Leaf)
    return nullptr;
  if (const SCEV *Address = Engine.loadedFrom(Leaf)) {
    const SCEV *Base = Engine.scalarEvolution().getPointerBase(Address);
    if (const auto *U = dyn_cast<SCEVUnknown>(Base))
      if (isa<AllocaInst, GlobalVariable>(U->getValue()))
        return &Variable;
    return Base;
  }
  Value *V = cast<SCEVUnknown>(Leaf)->getValue();
  if (auto *A = dyn_cast<Argument>(V); A && A->getParent() == &F)
    return &Parameter;
  if (auto *C = dyn_cast<CallBase>(V))
    return C->getCalledOperand();
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Engine.scalarEvolution().getPointerBase(Engine.rewrite(Load->getPointerOperand()));
  return nullptr;
}

// A partner that finds this rank by the same formula: rank ^ k, or rank + d here and rank - d there by some choice.
bool MpiFunction::isMirrored(Value *V, ArrayRef<const SCEV *> Alternatives) {
  if (auto *Op = dyn_cast<BinaryOperator>(V); Op && Op->getOpcode() == Instruction::Xor)
    return any_of(Op->operands(), [&](Value *O) { return isRank(Engine.rewrite(O)); });
  ScalarEvolution &SE = Engine.scalarEvolution();
  for (const SCEV *A : Alternatives)
    for (const SCEV *B : Alternatives) {
      if (A == B || A->getType() != B->getType())
        continue;
      const SCEV *Sum = SE.getAddExpr(A, B);
      if (SCEVExprContains(A, [&](const SCEV *Part) {
            return isRank(Part) && Part->getType() == Sum->getType() &&
                   SE.getMinusSCEV(Sum, SE.getMulExpr(SE.getConstant(Part->getType(), 2), Part))->isZero();
          }))
        return true;
    }
  return false;
}

// rank + d and rank - d, but for a modulus: their sum is twice the rank.
bool MpiFunction::isOppositeOf(const SCEV *S, const SCEV *R, ArrayRef<const SCEV *> Moduli, bool &Ranked) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Sum = SE.getAddExpr(S, R);
  return SCEVExprContains(S, [&](const SCEV *Part) {
    if (!isRank(Part) || Part->getType() != Sum->getType())
      return false;
    Ranked = true;
    const SCEV *Rest = SE.getMinusSCEV(Sum, SE.getMulExpr(SE.getConstant(Part->getType(), 2), Part));
    return Rest->isZero() || any_of(Moduli, [&](const SCEV *M) {
             return M->getType() == Rest->getType() && (Rest == M || SE.getAddExpr(Rest, M)->isZero());
           });
  });
}

// Values that are made of a common one, or that come from the same place.
bool MpiFunction::sharesOrigin(const SCEV *S, const SCEV *R) {
  bool Shared = SCEVExprContains(S, [&](const SCEV *Part) {
    return isa<SCEVUnknown>(Part) && SCEVExprContains(R, [&](const SCEV *O) { return O == Part; });
  });
  if (Shared)
    return true;
  const void *Origin = originOf(S);
  return Origin && Origin == originOf(R);
}

PeerRelation MpiFunction::relate(Value *To, Value *From) {
  if (!To || !From || To->getType() != From->getType() || isa<Constant>(To) || isa<Constant>(From))
    return PeerRelation::Unrelated;
  SmallVector<const SCEV *, 4> A, B, Moduli;
  alternatives(To, A, Moduli);
  alternatives(From, B, Moduli);
  if (sameValue(To, From))
    return isMirrored(To, A) ? PeerRelation::Mirrored : PeerRelation::Same;

  auto AddressOf = [&](Value *V) -> const SCEV * {
    if (auto *Load = dyn_cast<LoadInst>(V))
      return Engine.rewrite(Load->getPointerOperand());
    return Engine.loadedFrom(Engine.rewrite(V));
  };
  if (const SCEV *ToAddress = AddressOf(To))
    if (const SCEV *FromAddress = AddressOf(From))
      for (const auto &Shift : Shifts)
        if (is_contained(Shift, ToAddress) && is_contained(Shift, FromAddress))
          return ToAddress == FromAddress ? PeerRelation::Same : PeerRelation::Opposite;

  bool Parallel = false, Ranked = false;
  for (const SCEV *S : A)
    for (const SCEV *R : B) {
      if (S == R || S->getType() != R->getType())
        continue;
      if (isOppositeOf(S, R, Moduli, Ranked))
        return PeerRelation::Opposite;
      Parallel |= sharesOrigin(S, R);
    }
  return Parallel && !Ranked ? PeerRelation::Parallel : PeerRelation::Unrelated;
}

} // namespace stridewise
