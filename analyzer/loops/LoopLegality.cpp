// Legality of a loop exchange, in four parts: the loops can be counted and their bounds allow another order; scalars
// that live across iterations are reductions; no dependence between references of the inner loop is reversed; and the
// other statements of the outer loop can be split off.
//
// A dependence of distance (d_outer, …, d_inner) stays in order unless d_outer > 0 while the first distance of the
// loops within that is not zero is negative: there the exchanged loops would use a value before it is made.
#include "loops/LoopLegality.h"
#include "loops/AddressDistance.h"
#include "loops/FilledRows.h"
#include "loops/MemoryUpdates.h"
#include "loops/OffsetTerms.h"
#include "loops/SearchLoops.h"
#include "loops/UnevenLoops.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// Pairs compared per exchange; dense kernels have hundreds, generated code more than is worth the time.
constexpr unsigned MaxPairs = 40000, MaxProofs = 200, MaxBlocks = 1000;
// Scalars that become arrays: more are a rewriting, not an exchange.
constexpr unsigned MaxCopies = 4;

class ExchangeJudge {
public:
  ExchangeJudge(const LoopNest &N, unsigned Level, Function &F, FunctionAnalysisManager &FAM)
      : N(N), Level(Level), F(F), FAM(FAM), Engine(StrideEngine::get(F, FAM)), SE(Engine.scalarEvolution()),
        E(N.inner()), A(N.Loops[Level]) {}

  ExchangeVerdict judge() {
    if (checkEffects() && checkBounds() && checkScalars() && checkSiblings())
      checkDependences();
    if (any_of(V.Rows, [&](const Instruction *Row) { return Level > 1 || !isDeclared(*Row); }) && onlyCopies())
      forbid("a line that is gathered into a row, or written back from one");
    return V;
  }

private:
  bool forbid(const char *Why) {
    V.K = ExchangeVerdict::Forbidden;
    V.Why = Why;
    return false;
  }
  void weaken(ExchangeVerdict::Kind K, const char *Why) {
    if (V.K < K) {
      V.K = K;
      V.Why = Why;
    }
  }

  bool checkEffects() {
    if (any_of(N.References, [](const Reference &R) { return R.At->isVolatile(); }))
      return forbid("a volatile access");
    return !N.OpaqueCall || asksFormulas(N) || forbid("a call of unknown effect");
  }

  bool asksFormulas(const LoopNest &Calls) {
    V.AsksFormulas |= Calls.AsksFormulas;
    if (Calls.AsksFormulas)
      weaken(ExchangeVerdict::Assumed, "");
    return Calls.AsksFormulas;
  }

  bool checkBounds() {
    for (unsigned K = 0; K <= Level; ++K) {
      const SCEV *Count = Engine.backedges(N.Loops[K]);
      if ((!Count || !N.Loops[K]->getExitingBlock()) && onlySearches(N, Level, Engine)) {
        Count = countedEnd(*N.Loops[K], Engine);
        V.Searches = true;
        weaken(ExchangeVerdict::Assumed, "");
      }
      // The loops that A moves into stay as they are: they need not be counted where A has no say in their ends.
      if (!Count && K < Level && isApartFrom(*N.Loops[K])) {
        weaken(ExchangeVerdict::Assumed, "");
        continue;
      }
      if (!Count || (!V.Searches && !N.Loops[K]->getExitingBlock()))
        return forbid("a loop that cannot be counted");
      for (unsigned M = K + 1; M <= Level; ++M)
        if (!Engine.step(Count, N.Loops[M]) && !(M < Level && isApartFrom(*N.Loops[K]))) {
          if (K || !endsAtTable(N, Count, Engine))
            return forbid("a bound that varies with the outer loop");
          V.TestsBound = true;
          weaken(ExchangeVerdict::Assumed, "");
        }
      // A bound that is reloaded in the nest is only assumed to stay what it is.
      const SCEV *Plain = SE.getBackedgeTakenCount(N.Loops[K]);
      if (isa<SCEVCouldNotCompute>(Plain) || !SE.isLoopInvariant(Plain, A))
        weaken(ExchangeVerdict::Assumed, "");
    }
    return true;
  }

  // Whether the loop ends at the same iteration whatever that of A is, by what its one exit compares.
  bool isApartFrom(const Loop &L) {
    const BasicBlock *Exiting = L.getExitingBlock();
    const auto *Branch = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
    auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    return Compare && none_of(Compare->operands(), [&](Value *V) { return Engine.varies(V, A); });
  }

  bool checkScalars() {
    unsigned Copies = 0;
    for (unsigned K = 0; K <= Level; ++K)
      for (PHINode &P : const_cast<Loop *>(N.Loops[K])->getHeader()->phis()) {
        if (SE.isSCEVable(P.getType()) && Engine.step(Engine.rewrite(&P), N.Loops[K]))
          continue;
        // Steps of its own kind (`half *= 2`) that are the same in each iteration of A.
        if (K < Level && SE.isSCEVable(P.getType()) && !Engine.varies(&P, A))
          continue;
        // Only a sum over the moved loop is added up in another order; inner sums keep theirs.
        if (isReduction(P, N.Loops[K], K == Level || goesOnInMemory(P, K)))
          continue;
        // A recurrence along the inner loop keeps its order when that loop becomes the outer one; all iterations of
        // the moved loop then are under way at once, each with its own state.
        if (Level != 1 || K != 0 || ++Copies > MaxCopies)
          return forbid("a scalar carried from one iteration to the next");
        V.CopiesScalars = true;
      }
    return true;
  }

  // Whether each iteration of A fetches the value that the last one has left.
  bool goesOnInMemory(PHINode &P, unsigned K) {
    const BasicBlock *Before = N.Loops[K]->getLoopPredecessor();
    const auto *Load = Before ? dyn_cast<LoadInst>(P.getIncomingValueForBlock(Before)) : nullptr;
    return Load && A->contains(Load) &&
           !Engine.varies(Engine.rewrite(const_cast<Value *>(Load->getPointerOperand())), A);
  }

  // One associative operation only, and the partial result goes nowhere else.
  // What a loop does with a value that it carries from iteration to iteration.
  struct CarriedValue {
    enum Operation { None, Sum, Product, Choice, Bits };
    ExchangeJudge &J;
    const Loop *L;
    Operation Op = None;
    SmallVector<Instruction *, 8> Work = {}, Choices = {};
    SmallPtrSet<const Value *, 16> Chain = {}, Compared = {};

    bool combines(Operation As, Instruction *I) {
      bool Ok = Op == None || Op == As;
      Op = As;
      Work.push_back(I);
      return Ok;
    }
    // False where the order of the iterations matters to an instruction that uses X.
    bool follow(Instruction *I, const Value *X) {
      switch (I->getOpcode()) {
      case Instruction::ICmp:
      case Instruction::FCmp:
        Compared.insert(I->getOperand(I->getOperand(0) == X));
        return true;
      case Instruction::PHI:
      case Instruction::Select:
        Choices.push_back(I);
        Work.push_back(I);
        return true;
      case Instruction::FSub:
      case Instruction::Sub:
        return I->getOperand(0) == X && combines(Sum, I);
      case Instruction::FAdd:
      case Instruction::Add:
        return combines(Sum, I);
      case Instruction::FMul:
      case Instruction::Mul:
        return combines(Product, I);
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
        return combines(Bits, I);
      case Instruction::Store:
        // The sum is kept in memory: x[p] += …, where the load was taken out of the loop and the store was not. A loop
        // around it carries the same sum.
        return cast<StoreInst>(I)->getValueOperand() == X &&
               !J.Engine.varies(J.Engine.rewrite(cast<StoreInst>(I)->getPointerOperand()), L) &&
               (J.Accumulators.insert({I, L}).second || J.Accumulators.lookup(I) != L);
      case Instruction::Call:
        return J.followCall(*cast<CallInst>(I), X, [&](bool IsSum) { return combines(IsSum ? Sum : Choice, I); });
      default:
        return false;
      }
    }
    bool followAll(PHINode &P) {
      Work.push_back(&P);
      while (!Work.empty()) {
        Instruction *X = Work.pop_back_val();
        if (!Chain.insert(X).second)
          continue;
        if (Chain.size() > 100)
          return false;
        for (User *U : X->users())
          if (auto *I = dyn_cast<Instruction>(U); I && L->contains(I) && !follow(I, X))
            return false;
      }
      return true;
    }
    // `if (x > best) best = x` chooses by what it compares. Any other choice keeps the last value, which depends on the
    // order.
    bool keepsLast() const {
      return any_of(Choices, [&](Instruction *I) {
        return any_of(I->operands(), [&](Value *V) {
          auto *In = dyn_cast<Instruction>(V);
          return In && L->contains(In) && !Chain.contains(In) && !Compared.contains(In) &&
                 !(isa<SelectInst>(I) && V == cast<SelectInst>(I)->getCondition());
        });
      });
    }
  };

  bool isReduction(PHINode &P, const Loop *L, bool Moved) {
    CarriedValue X{*this, L};
    if (!X.followAll(P) || X.keepsLast())
      return false;
    V.ReordersSum |=
        Moved && P.getType()->isFloatingPointTy() && (X.Op == CarriedValue::Sum || X.Op == CarriedValue::Product);
    return true;
  }
  template <typename Callback> bool followCall(CallInst &C, const Value *X, Callback Continue) {
    if (auto *I = dyn_cast<IntrinsicInst>(&C)) {
      Intrinsic::ID ID = I->getIntrinsicID();
      if (ID == Intrinsic::fmuladd || ID == Intrinsic::fma)
        return C.getArgOperand(2) == X && C.getArgOperand(0) != X && C.getArgOperand(1) != X && Continue(true);
      if (isa<MinMaxIntrinsic>(I) || ID == Intrinsic::maxnum || ID == Intrinsic::minnum)
        return Continue(false);
      return I->isAssumeLikeIntrinsic();
    }
    LibFunc LF;
    const Function *Callee = C.getCalledFunction();
    if (!Callee || !FAM.getResult<TargetLibraryAnalysis>(F).getLibFunc(*Callee, LF))
      return false;
    return (LF == LibFunc_fmax || LF == LibFunc_fmaxf || LF == LibFunc_fmaxl || LF == LibFunc_fmin ||
            LF == LibFunc_fminf || LF == LibFunc_fminl) &&
           Continue(false);
  }

  // Elements of a line of the array are brought together, to be worked on there.
  bool onlyCopies() const {
    return all_of(N.References, [](const Reference &R) {
      const auto *Store = dyn_cast<StoreInst>(R.At);
      return Store ? isa<LoadInst>(Store->getValueOperand()) : isa<LoadInst, AnyMemTransferInst>(R.At);
    });
  }
  static bool isDeclared(const Instruction &Access) {
    const Value *Pointer = getLoadStorePointerOperand(&Access);
    return Pointer && isa<GlobalVariable, AllocaInst>(getUnderlyingObject(Pointer));
  }

  // --- references of the inner loop ------------------------------------------------------------------------------

  // False where nothing more is to be asked: the exchange would reverse a dependence.
  bool checkPair(const Reference &X, const Reference &Y, bool Itself, ArrayRef<const Loop *> Levels, unsigned &Proofs) {
    AddressDistance D = addressDistance(X, Y, Levels, Engine, N.Shift);
    bool Fine = D.K == AddressDistance::DistinctBases || D.K == AddressDistance::Never ||
                (D.K == AddressDistance::Known && keepsOrder(D)) || isUpdated(X, Y) || isLastValue(X, Y) ||
                (D.K == AddressDistance::Unclear &&
                 (meetWithinIteration(X, Y, A, Engine) || readsFinished(X, Y) || readsFinished(Y, X)));
    // Once assumed, a proof of one more pair changes nothing.
    if (Fine && V.K != ExchangeVerdict::Proven) {
      if (D.K == AddressDistance::DistinctBases)
        takeForDistinct(X, Y);
      return true;
    }
    if (Fine && X.Address == Y.Address && isInjective(X, Levels, Engine))
      return true;
    Proof P = ++Proofs > MaxProofs ? NoProof : prove(X, Y);
    if (P == InOrder || (!Fine && inRow(X, Y)))
      return true;
    if (Fine) {
      if (D.K == AddressDistance::DistinctBases)
        takeForDistinct(X, Y);
      weaken(ExchangeVerdict::Assumed, "");
    } else if (P == Reversed || D.K == AddressDistance::Known) {
      forbid("a dependence that the exchange would reverse");
      return false;
    } else {
      weaken(ExchangeVerdict::Unclear, "an address that is not linear in the loops");
    }
    return true;
  }
  void checkDependences() {
    ArrayRef<Reference> Refs(N.References);
    unsigned Pairs = 0, Proofs = 0;
    ArrayRef<const Loop *> Levels(N.Loops.data(), Level + 1);
    for (unsigned X = 0; X < Refs.size(); ++X)
      for (unsigned Y = X; Y < Refs.size(); ++Y) {
        if ((!Refs[X].Writes && !Refs[Y].Writes) || isPrivate(arrayOf(Refs[X])))
          continue;
        if (++Pairs > MaxPairs)
          return weaken(ExchangeVerdict::Unclear, "more references than are compared");
        if (!checkPair(Refs[X], Refs[Y], X == Y, Levels, Proofs))
          return;
      }
  }

  // Writes of a number that nothing in the nest reads: the last iteration is the last one in either order.
  bool isLastValue(const Reference &X, const Reference &Y) const {
    return !X.Reads && !Y.Reads && X.Address == Y.Address &&
           none_of(N.Loops, [&](const Loop *L) { return Engine.varies(X.Address, L); }) &&
           none_of(N.References, [&](const Reference &R) {
             return R.Reads && SE.getPointerBase(R.Address) == SE.getPointerBase(X.Address);
           });
  }

  bool readsFinished(const Reference &Read, const Reference &Write) {
    const FinishedRows Found = Level == 1 ? readsFinishedRows(Read, Write, E, A, Engine) : FinishedRows::None;
    V.ReordersSum |= Found == FinishedRows::Backwards;
    return Found != FinishedRows::None;
  }

  void takeForDistinct(const Reference &X, const Reference &Y) {
    V.DistinctArrays = true;
    for (const Reference *R : {&X, &Y})
      if (const SCEV *Base = SE.getPointerBase(R->Address); Named.insert(Base).second)
        V.Distinct.push_back(R->At);
  }

  bool keepsOrder(const AddressDistance &D) const {
    // A free distance takes any value.
    std::optional<std::int64_t> Outer = D.PerLevel[Level];
    if (Outer && *Outer == 0)
      return true;
    for (unsigned K = Level; K-- > 0;) {
      std::optional<std::int64_t> Inner = D.PerLevel[K];
      if (!Inner || (*Inner != 0 && (!Outer || (*Inner > 0) != (*Outer > 0))))
        return false;
      if (*Inner != 0)
        return true;
    }
    return true;
  }

  enum Proof { InOrder, Reversed, NoProof };

  Proof prove(const Reference &X, const Reference &Y) {
    if (!getLoadStorePointerOperand(X.At) || !getLoadStorePointerOperand(Y.At) || N.Shift)
      return NoProof;
    using Entry = Dependence::DVEntry;
    auto D = FAM.getResult<DependenceAnalysis>(F).depends(X.At, Y.At, /*PossiblyLoopIndependent=*/true);
    if (!D)
      return InOrder;
    unsigned Outer = A->getLoopDepth(), Inner = E->getLoopDepth();
    if (D->isConfused() || D->getLevels() < Inner)
      return NoProof;
    // Dependences that a loop around A carries hold in any order within.
    for (unsigned K = 1; K < Outer; ++K)
      if (!(D->getDirection(K) & Entry::EQ))
        return InOrder;
    unsigned DA = D->getDirection(Outer);
    bool Exact = DA != Entry::ALL;
    for (unsigned K = Outer + 1; K <= Inner; ++K) {
      unsigned DK = D->getDirection(K);
      Exact &= DK != Entry::ALL;
      if (((DA & Entry::LT) && (DK & Entry::GT)) || ((DA & Entry::GT) && (DK & Entry::LT)))
        return Exact ? Reversed : NoProof;
      if (!(DK & Entry::EQ))
        break;
    }
    return InOrder;
  }

  // x[p] += …: all references to the address belong to updates by one associative operation, so that any order of the
  // iterations gives the same result.
  bool isUpdated(const Reference &RX, const Reference &RY) {
    const SCEV *X = RX.Address;
    if (X != RY.Address)
      return false;
    if (Accumulators.contains(RX.At) && Accumulators.contains(RY.At))
      return true;
    auto [It, New] = Updated.try_emplace(X, Update::None);
    if (New)
      It->second = updateOf(X, N.References);
    V.ReordersSum |= It->second == Update::Rounded;
    return It->second != Update::None;
  }

  // --- other statements of the outer loop ------------------------------------------------------------------------

  // To move A inside E, everything else in A goes to loops of its own before or after: possible when no value passes
  // between E and those statements other than within one iteration of A.
  bool checkSiblings() {
    if (all_of(A->blocks(), [&](const BasicBlock *BB) { return E->contains(BB) || isEmpty(*BB); }))
      return true;
    Whole.Loops.append(N.Loops.begin() + Level, N.Loops.end());
    if (A->getNumBlocks() > MaxBlocks || !collectReferences(Whole, F, FAM, Engine))
      return forbid("a loop body too large to judge");
    if (Whole.OpaqueCall && !callsApart() && !asksFormulas(Whole))
      return forbid("a call of unknown effect beside the inner loop");
    unsigned Pairs = 0;
    for (const Reference &S : Whole.References) {
      if (E->contains(S.At))
        continue;
      if (!is_contained(N.Loops, S.In) && !std::exchange(V.SiblingLoops, true))
        V.CopiesScalars |= sharesScalars();
      for (const Reference &X : N.References) {
        if ((!X.Writes && !S.Writes) || isLeftAlone(X, S))
          continue;
        if (++Pairs > MaxPairs)
          return forbid("a loop body too large to judge");
        if (!staysInIteration(X, S) && !inRow(X, S)) {
          if (!readsFinished(X, S))
            return forbid("a value that passes between the inner loop and other statements");
          V.Substitutes = true;
        }
        if (V.K == ExchangeVerdict::Proven && !isPrivate(arrayOf(X)) && !proveWithinIteration(X, S)) {
          if (SE.getPointerBase(X.Address) != SE.getPointerBase(S.Address))
            takeForDistinct(X, S);
          weaken(ExchangeVerdict::Assumed, "");
        }
      }
    }
    return true;
  }

  // Whether all calls of A's iteration stand behind the inner loop, or all before it: they keep their order in a loop
  // of their own. Numbers and objects that stay are what they are given; what they do to the data of E, the pairs below
  // ask.
  bool callsApart() {
    BasicBlock *Latch = A->getLoopLatch();
    if (N.OpaqueCall || !Latch)
      return false;
    const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
    const SmallPtrSet<BasicBlock *, 1> Ends{Latch};
    const auto Comes = [&](const BasicBlock *From, const BasicBlock *To) {
      return isPotentiallyReachable(From, To, &Ends, &DT, &Engine.loops());
    };
    bool Before = false, Behind = false;
    for (const BasicBlock *BB : A->blocks())
      if (any_of(*BB, [&](const Instruction &I) {
            const auto *C = dyn_cast<CallBase>(&I);
            return C && !isa<IntrinsicInst>(C) && !isHarmlessCall(*C, TLI);
          })) {
        Before |= Comes(BB, E->getHeader());
        Behind |= Comes(E->getHeader(), BB);
      }
    V.CallsBeside = !Before || !Behind;
    if (V.CallsBeside)
      weaken(ExchangeVerdict::Assumed, "");
    return V.CallsBeside;
  }

  // What an object that a call is given leads to is not what it is given.
  bool isLeftAlone(const Reference &X, const Reference &S) const {
    return V.CallsBeside && isa<CallBase>(S.At) && SE.getPointerBase(X.Address) != SE.getPointerBase(S.Address);
  }

  // Whether the inner loop takes a value from the other statements of A's iteration, or hands one to them.
  bool sharesScalars() {
    const auto IsOther = [&](const Value *Of) {
      const auto *I = dyn_cast<Instruction>(Of);
      return I && A->contains(I) && !E->contains(I) && !I->getType()->isIntOrPtrTy();
    };
    return any_of(E->blocks(), [&](const BasicBlock *BB) {
      return any_of(*BB,
                    [&](const Instruction &I) { return any_of(I.operands(), IsOther) || any_of(I.users(), IsOther); });
    });
  }

  // --- arrays that each iteration of the moved loop fills anew ------------------------------------------------------

  bool inRow(const Reference &X, const Reference &Y) {
    const SCEV *Base = SE.getPointerBase(X.Address);
    if (Base != SE.getPointerBase(Y.Address) || Whole.References.empty())
      return false;
    auto [It, New] = Rows.try_emplace(Base, false);
    if (!New)
      return It->second;
    bool Assumes = false;
    const Instruction *Write =
        V.Rows.size() < MaxCopies ? FilledRows(A, F, FAM, Engine).filled(Base, Whole.References, &Assumes) : nullptr;
    if (!Write)
      return false;
    V.AssumesFilled |= Assumes;
    V.Rows.push_back(Write);
    weaken(ExchangeVerdict::Assumed, "");
    return Rows[Base] = true;
  }

  static bool isEmpty(const BasicBlock &BB) {
    return none_of(BB, [](const Instruction &I) { return I.mayReadOrWriteMemory() && !I.isDebugOrPseudoInst(); });
  }

  bool staysInIteration(const Reference &X, const Reference &S) {
    // A local array that E fills before it reads is private to an iteration of E.
    return isPrivate(arrayOf(X)) || meetWithinIteration(X, S, A, Engine) || isSameSum(X, S);
  }

  // A sum kept in memory over the whole nest, of which the outer loop fetches or stores the running value.
  bool isSameSum(const Reference &X, const Reference &S) {
    if (X.Address != S.Address || !Accumulators.contains(X.At))
      return false;
    auto *Load = dyn_cast<LoadInst>(S.At);
    auto *Store = dyn_cast<StoreInst>(S.At);
    bool Same = Load    ? all_of(Load->users(), [](const User *U) { return isa<PHINode>(U); })
                : Store ? isa<PHINode>(Store->getValueOperand())
                        : false;
    V.ReordersSum |= Same && cast<StoreInst>(X.At)->getValueOperand()->getType()->isFloatingPointTy();
    return Same;
  }

  bool proveWithinIteration(const Reference &X, const Reference &S) {
    if (!getLoadStorePointerOperand(X.At) || !getLoadStorePointerOperand(S.At))
      return false;
    auto D = FAM.getResult<DependenceAnalysis>(F).depends(X.At, S.At, /*PossiblyLoopIndependent=*/true);
    unsigned Depth = A->getLoopDepth();
    return !D || (!D->isConfused() && D->getLevels() >= Depth && D->getDirection(Depth) == Dependence::DVEntry::EQ);
  }

  static const AllocaInst *arrayOf(const Reference &R) { return dyn_cast<AllocaInst>(getUnderlyingObject(R.Pointer)); }

  // True for a local array that no loop from E to A indexes and that E writes before it reads.
  bool isPrivate(const AllocaInst *Array) {
    if (!Array)
      return false;
    auto [It, New] = Private.try_emplace(Array, false);
    if (!New)
      return It->second;
    const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    SmallVector<const Instruction *, 8> Reads, Writes;
    for (const Reference &R : N.References) {
      if (arrayOf(R) != Array)
        continue;
      for (unsigned K = 0; K <= Level; ++K)
        if (Engine.varies(R.Address, N.Loops[K]))
          return false;
      if (R.Reads)
        Reads.push_back(R.At);
      if (R.Writes)
        Writes.push_back(R.At);
    }
    bool Filled = any_of(Writes, [&](const Instruction *W) {
      return all_of(Reads, [&](const Instruction *R) { return R == W || DT.dominates(W, R); });
    });
    return Private[Array] = Filled;
  }

  const LoopNest &N;
  unsigned Level;
  Function &F;
  FunctionAnalysisManager &FAM;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  const Loop *E, *A;
  ExchangeVerdict V;
  DenseMap<const Instruction *, const Loop *> Accumulators; // stores of a reduction's running value
  SmallPtrSet<const SCEV *, 4> Named;
  DenseMap<const SCEV *, Update> Updated;
  DenseMap<const AllocaInst *, bool> Private;
  DenseMap<const SCEV *, bool> Rows; // by base
  LoopNest Whole;                    // of A, where it contains more than E
};

} // namespace

ExchangeVerdict judgeExchange(const LoopNest &N, unsigned Level, Function &F, FunctionAnalysisManager &FAM) {
  return ExchangeJudge(N, Level, F, FAM).judge();
}

} // namespace stridewise
