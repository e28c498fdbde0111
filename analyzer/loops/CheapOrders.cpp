#include "loops/CheapOrders.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

// Instructions that a condition is followed through.
constexpr unsigned MaxOperands = 50;

class CheapOrder {
public:
  CheapOrder(const LoopNest &N, unsigned Level, ArrayRef<unsigned> Groups, StrideEngine &Engine)
      : N(N), Groups(Groups), Engine(Engine), SE(Engine.scalarEvolution()), E(N.inner()), A(N.Loops[Level]) {}

  bool costsLittle() { return goesThroughFields() || goesAlongSparseRows() || staysInBlock() || movesNowAndThen(); }

private:
  // The inner loop goes from one array of a table to the next, and through each of these go a loop along its lines and
  // one from line to line: fields over the points of a grid, of which memory holds few. Each is a stream of its own,
  // whose lines stay until all of their elements were used.
  bool goesThroughFields() const {
    return all_of(Groups, [&](unsigned Each) {
      const ReferenceGroup &G = N.Groups[Each];
      const SCEV *Entry = Engine.loadedFrom(SE.getPointerBase(N.References[G.Members.front()].Address));
      return Entry && Engine.varies(Entry, E) && any_of(drop_begin(G.Strides), [&](const Stride &S) {
               return S.K == Stride::Symbolic || (S.K == Stride::Constant && std::abs(S.Bytes) >= CacheLineBytes);
             });
    });
  }

  // What the inner loop reads in large steps says where else to read, and what it finds there is added up: entries of a
  // sparse row, stored in columns. A row has few of them, each column is a stream, and the elements that are looked up
  // decide.
  bool goesAlongSparseRows() const {
    if (any_of(N.References, [&](const Reference &R) { return R.Writes && Engine.varies(R.Address, E); }))
      return false;
    return any_of(Groups, [&](unsigned Each) {
      return any_of(N.Groups[Each].Members, [&](unsigned Member) {
        const Instruction *Index = N.References[Member].At;
        return isa<LoadInst>(Index) &&
               any_of(N.References, [&](const Reference &R) { return isComputedFrom(R.Pointer, Index); });
      });
    });
  }

  bool isComputedFrom(const Value *Pointer, const Instruction *Index) const {
    SmallVector<const Value *, 8> Work{Pointer};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty()) {
      const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !E->contains(I) || !Seen.insert(I).second)
        continue;
      if (I == Index)
        return true;
      Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  // Both loops go through one block of a blocked algorithm, which was made to fit a cache.
  bool staysInBlock() const {
    // As they stand: the lesser of two numbers, of which one changes in some loop, is rewritten to that one.
    const SCEV *Own = SE.getBackedgeTakenCount(E), *Outer = SE.getBackedgeTakenCount(A);
    if (isa<SCEVCouldNotCompute>(Own) || isa<SCEVCouldNotCompute>(Outer))
      return false;
    const auto Lengths = lengthsOfBlocks(Outer);
    const SCEV *Grows = Engine.backedges(E) ? Engine.step(Engine.backedges(E), A) : nullptr;
    return !Lengths.empty() && ((Grows && !Grows->isZero()) || any_of(lengthsOfBlocks(Own), [&](const SCEV *Length) {
                                  return is_contained(Lengths, Length);
                                }));
  }

  SmallVector<const SCEV *, 2> lengthsOfBlocks(const SCEV *Count) const {
    SmallVector<const SCEV *, 2> Found;
    SCEVExprContains(Count, [&](const SCEV *S) {
      if (isLengthOfBlock(S))
        Found.push_back(S);
      return false;
    });
    return Found;
  }

  // The lesser of a length and of what is left behind some place, or of what grows by that length from block to block.
  bool isLengthOfBlock(const SCEV *S) const {
    if (!isa<SCEVSMinExpr, SCEVUMinExpr>(S) || any_of(S->operands(), IsaPred<SCEVConstant>))
      return false;
    return any_of(S->operands(), [&](const SCEV *Each) {
      const auto *Moving = dyn_cast<SCEVAddRecExpr>(Each);
      return isRest(Each) || (Moving && is_contained(S->operands(), Moving->getStepRecurrence(SE)));
    });
  }
  bool isRest(const SCEV *S) const {
    if (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
      return isRest(Cast->getOperand());
    if (isa<SCEVAddExpr>(S))
      return any_of(S->operands(), [&](const SCEV *Term) { return isRest(Term); });
    if (const auto *Moving = dyn_cast<SCEVAddRecExpr>(S))
      return isRest(Moving->getStepRecurrence(SE)) || isRest(Moving->getStart());
    const auto *Product = dyn_cast<SCEVMulExpr>(S);
    const auto *Factor = Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
    return Factor && Factor->getAPInt().isNegative();
  }

  // Elements change places, nothing is computed, and only where data said so before the inner loop: the columns of a
  // matrix are put into order once each, beside the work that found the order.
  bool movesNowAndThen() const {
    if (none_of(N.References, [](const Reference &R) { return R.Writes; }) ||
        !all_of(N.References, [](const Reference &R) {
          const auto *Store = dyn_cast<StoreInst>(R.At);
          return Store ? isa<LoadInst>(Store->getValueOperand()) : isa<LoadInst>(R.At);
        }))
      return false;
    for (const BasicBlock *BB = E->getLoopPredecessor(); BB && A->contains(BB); BB = BB->getSinglePredecessor()) {
      const auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      if (Branch && Branch->isConditional() && isChosen(*Branch))
        return true;
      if (BB == A->getHeader())
        break;
    }
    return false;
  }
  // By data that each iteration of A looks at anew.
  bool isChosen(const BranchInst &Branch) const {
    SmallVector<const Value *, 8> Work{Branch.getCondition()};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxOperands) {
      const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !A->contains(I) || !Seen.insert(I).second)
        continue;
      const auto *Load = dyn_cast<LoadInst>(I);
      if (Load && Engine.varies(Engine.rewrite(const_cast<Value *>(Load->getPointerOperand())), A))
        return true;
      Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  const LoopNest &N;
  ArrayRef<unsigned> Groups;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  const Loop *E, *A;
};

} // namespace

bool costsLittle(const LoopNest &N, unsigned Level, ArrayRef<unsigned> Groups, StrideEngine &Engine) {
  return CheapOrder(N, Level, Groups, Engine).costsLittle();
}

} // namespace stridewise
