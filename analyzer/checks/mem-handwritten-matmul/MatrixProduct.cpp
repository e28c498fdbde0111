// From each multiplication in three loops: back to the two loads it multiplies, forward along the sum to the store of
// the result, then the loops are sorted by which operands they move.
#include "checks/mem-handwritten-matmul/MatrixProduct.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxChain = 64, MaxIndirections = 4;
using limits::mem_handwritten_matmul::LeastPitch;

bool isFused(const Instruction &I) {
  const auto *C = dyn_cast<IntrinsicInst>(&I);
  return C && (C->getIntrinsicID() == Intrinsic::fmuladd || C->getIntrinsicID() == Intrinsic::fma);
}

bool isMultiplication(const Instruction &I) {
  return I.getOpcode() == Instruction::FMul || I.getOpcode() == Instruction::Mul || isFused(I);
}

class ProductFinder {
public:
  ProductFinder(Function &F, FunctionAnalysisManager &FAM)
      : F(F), FAM(FAM), LI(FAM.getResult<LoopAnalysis>(F)), DL(F.getParent()->getDataLayout()) {}

  std::vector<MatrixProduct> find() {
    std::vector<MatrixProduct> Products;
    for (BasicBlock &BB : F)
      if (LI.getLoopDepth(&BB) >= 3)
        for (Instruction &I : counted(BB))
          if (isMultiplication(I))
            if (std::optional<MatrixProduct> P = judge(I))
              Products.push_back(std::move(*P));
    return Products;
  }

private:
  std::optional<MatrixProduct> judge(Instruction &Multiply) {
    LoadInst *Left = factor(Multiply.getOperand(0)), *Right = Left ? factor(Multiply.getOperand(1)) : nullptr;
    if (!Right || Left == Right)
      return std::nullopt;
    Engine = &StrideEngine::get(F, FAM);
    MatrixProduct P;
    P.Multiply = &Multiply;
    P.Left = operand(*Left, Left->getPointerOperand());
    P.Right = operand(*Right, Right->getPointerOperand());
    // Where the product is added up: several stores may show it, one of them moves as a result does.
    followSum(Multiply);
    for (StoreInst *Store : Stores) {
      P.Result = operand(*Store, Store->getPointerOperand());
      if (sortLoops(P) && isDense(P) && isAddedUp(P) && keepsFactors(P)) {
        describe(P);
        return P;
      }
      if (P.Blocked)
        return P;
    }
    return std::nullopt;
  }

  MatrixProduct::Operand operand(Instruction &At, Value *Pointer) {
    return {&At, Pointer, Engine->rewrite(Pointer), {}};
  }

  // The only load behind a factor; scale factors are those that no loop of the nest changes.
  LoadInst *factor(Value *V) {
    SmallVector<Value *, 4> Work{V};
    LoadInst *Found = nullptr;
    for (unsigned Steps = 0; !Work.empty(); ++Steps) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (Steps > MaxChain)
        return nullptr;
      if (!I || !LI.getLoopFor(I->getParent()))
        continue;
      if (auto *Load = dyn_cast<LoadInst>(I)) {
        if (!StrideEngine::get(F, FAM).varies(Load->getPointerOperand(), LI.getLoopFor(I->getParent())) &&
            !variesAround(*Load))
          continue;
        if (Found) // twice the same: a power of an element
          return nullptr;
        Found = Load;
      } else if (isa<FPToSIInst, FPToUIInst, SIToFPInst, UIToFPInst>(I)) {
        return nullptr; // no library multiplies what is cut to integers, or made of them
      } else if (isa<CastInst>(I) || I->getOpcode() == Instruction::FNeg || I->getOpcode() == Instruction::Freeze) {
        Work.push_back(I->getOperand(0));
      } else if (I->getOpcode() == Instruction::FMul) {
        Work.append(I->op_begin(), I->op_end());
      } else if (auto *Phi = dyn_cast<PHINode>(I); Phi && Phi->getNumIncomingValues() == 1) {
        Work.push_back(Phi->getIncomingValue(0));
      } else {
        return nullptr;
      }
    }
    return Found;
  }

  bool variesAround(LoadInst &Load) {
    StrideEngine &E = StrideEngine::get(F, FAM);
    for (const Loop *L = LI.getLoopFor(Load.getParent()); L; L = L->getParentLoop())
      if (E.varies(Load.getPointerOperand(), L))
        return true;
    return false;
  }

  // What becomes of the product: sums, scalings, and the stores that they end in.
  void followSum(Instruction &Multiply) {
    Chain.clear();
    Scales.clear();
    Stores.clear();
    SmallVector<Instruction *, 8> Work{&Multiply};
    while (!Work.empty() && Chain.size() < MaxChain) {
      Instruction *X = Work.pop_back_val();
      if (!Chain.insert(X).second)
        continue;
      for (User *U : X->users()) {
        auto *I = cast<Instruction>(U);
        if (isa<FPExtInst, FPTruncInst, SExtInst, TruncInst, PHINode, SelectInst>(I)) {
          Work.push_back(I);
          continue;
        }
        switch (I->getOpcode()) {
        case Instruction::FAdd:
        case Instruction::FSub:
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::FNeg:
          Work.push_back(I);
          break;
        case Instruction::FMul:
        case Instruction::FDiv:
        case Instruction::Mul:
          Scales.push_back(I->getOperand(I->getOperand(0) == X));
          Work.push_back(I);
          break;
        case Instruction::Call:
          if (!isFused(*I))
            break;
          if (I->getOperand(2) != X)
            Scales.push_back(I->getOperand(I->getOperand(0) == X));
          Work.push_back(I);
          break;
        case Instruction::Store:
          if (cast<StoreInst>(I)->getValueOperand() == X)
            Stores.push_back(cast<StoreInst>(I));
          break;
        default:
          break;
        }
      }
    }
  }

  // --- loops -----------------------------------------------------------------------------------------------------

  // The counter of a loop when it counts by one, up or down.
  const SCEVAddRecExpr *counterOf(const Loop *L) {
    auto [It, New] = Counters.try_emplace(L, nullptr);
    if (!New)
      return It->second;
    const SCEVAddRecExpr *Found = nullptr;
    for (PHINode &Phi : L->getHeader()->phis()) {
      if (!Phi.getType()->isIntegerTy())
        continue;
      const auto *R = dyn_cast<SCEVAddRecExpr>(Engine->rewrite(&Phi));
      if (!R || R->getLoop() != L || !R->isAffine())
        continue;
      const auto *By = dyn_cast<SCEVConstant>(R->getOperand(1));
      if (By && By->getAPInt().abs().isOne() && (!Found || Engine->varies(R->getStart())))
        Found = R;
    }
    return Counters[L] = Found;
  }

  // How an offset moves with the counter of L while the counters of the loops within keep their values: in a loop that
  // starts at the counter of another, x[j] does not move with that other one. Null when it is not linear.
  const SCEV *ownStep(const SCEV *Offset, const Loop *L) {
    ScalarEvolution &SE = Engine->scalarEvolution();
    const SCEV *Step = Engine->step(Offset, L);
    for (const Loop *M = Innermost; Step && M && M != L; M = M->getParentLoop()) {
      const SCEVAddRecExpr *Counter = Engine->varies(Offset, M) ? counterOf(M) : nullptr;
      if (!Counter || !Engine->varies(Counter->getStart(), L))
        continue;
      const SCEV *Shift = Engine->step(Counter->getStart(), L), *Inner = Shift ? ownStep(Offset, M) : nullptr;
      if (!Inner || SE.getTypeSizeInBits(Inner->getType()) != SE.getTypeSizeInBits(Step->getType()))
        return nullptr;
      const SCEV *Through = SE.getMulExpr(Inner, Engine->simplify(SE.getTruncateOrSignExtend(Shift, Inner->getType())));
      bool Down = cast<SCEVConstant>(Counter->getOperand(1))->getAPInt().isNegative();
      Step = Down ? SE.getAddExpr(Step, Through) : SE.getMinusSCEV(Step, Through);
    }
    return Step;
  }

  // An offset in the element's array, or in a table of rows on the way to it.
  struct Movement {
    const SCEV *Step = nullptr; // null: not linear
    unsigned Level = 0;         // indirections from the element
  };

  // Where and how a loop moves an operand; nothing when it does not.
  std::optional<Movement> movement(const MatrixProduct::Operand &O, const Loop *L) {
    ScalarEvolution &SE = Engine->scalarEvolution();
    const SCEV *Address = O.Address;
    for (unsigned Level = 0; Engine->varies(Address, L); ++Level) {
      if (!Address->getType()->isPointerTy() || Level == MaxIndirections)
        return Movement{nullptr, Level};
      const SCEV *Offset = SE.removePointerBase(Address), *Base = SE.getPointerBase(Address);
      if (Engine->varies(Offset, L)) {
        const SCEV *Step = ownStep(Offset, L);
        if (!Step || !Step->isZero())
          return Movement{Step, Level};
      }
      Address = Engine->loadedFrom(Base);
      if (!Address)
        return Engine->varies(Base, L) ? std::optional(Movement{nullptr, Level}) : std::nullopt;
    }
    return std::nullopt;
  }

  bool moves(const MatrixProduct::Operand &O, const Loop *L) { return movement(O, L).has_value(); }

  // Sorts the loops around the multiplication. A dimension that comes back after another one has been blocked.
  // Whether only loops of the dimension go on, in a loop around, from where they were.
  bool isChunkOf(const MatrixProduct::Dimension &D, const Loop *Around, ArrayRef<const Loop *> Sorted) {
    return none_of(Sorted, [&](const Loop *L) {
      const SCEVAddRecExpr *Counter = counterOf(L);
      return Counter && Engine->varies(Counter->getStart(), Around) && !is_contained(D.Loops, L);
    });
  }

  // Whether all loops of a dimension are counted, each by a number that is linear in the loops of the product around
  // it.
  bool isCounted(MatrixProduct::Dimension &D, const MatrixProduct &P) {
    D.Extent = 1;
    for (const Loop *L : D.Loops) {
      const SCEV *Count = Engine->backedges(L);
      if (!Count || !L->getExitingBlock())
        return false;
      // What the loops around the whole product make of it: another batch may have other sizes.
      for (const Loop *Around = L; Around != P.Outer;) {
        Around = Around->getParentLoop();
        if (!Engine->step(Count, Around))
          return false;
      }
      D.Extent *= Engine->tripCount(L);
    }
    return true;
  }

  bool sortLoops(MatrixProduct &P) {
    P.Row = P.Column = P.Sum = {};
    P.Inner = P.Outer = nullptr;
    P.Batched = P.Blocked = false;
    auto ComesBack = [&P] {
      return P.Blocked = !P.Row.Loops.empty() && !P.Column.Loops.empty() && !P.Sum.Loops.empty();
    };
    Innermost = LI.getLoopFor(P.Multiply->getParent());
    MatrixProduct::Dimension *Last = nullptr;
    SmallVector<const Loop *, 4> Sorted;
    bool Apart = false; // a loop that belongs to no dimension came since
    for (const Loop *L = LI.getLoopFor(P.Multiply->getParent()); L; L = L->getParentLoop()) {
      bool C = moves(P.Result, L), A = moves(P.Left, L), B = moves(P.Right, L);
      if (!C && !A && !B && (Engine->varies(P.Left.Address, L) || Engine->varies(P.Right.Address, L))) {
        // It goes from block to block. Blocks of the dimension just within are mere chunks of it.
        if (!Last || Apart || !isChunkOf(*Last, L, Sorted)) {
          ComesBack();
          return false;
        }
        Last->Loops.push_back(L);
        P.Outer = L;
        continue;
      }
      if (C == A && A == B) {
        if (!P.Inner)
          return false;
        Apart = true;
        P.Batched |= C;
        continue;
      }
      if (C + A + B != 2)
        return false;
      MatrixProduct::Dimension &D = !C ? P.Sum : !B ? P.Row : P.Column;
      if (!D.Loops.empty() && &D != Last) {
        ComesBack();
        return false;
      }
      if (Apart)
        return false;
      Last = &D;
      D.Loops.push_back(L);
      Sorted.push_back(L);
      P.Outer = L;
      if (!P.Inner)
        P.Inner = L;
    }
    return !P.Row.Loops.empty() && !P.Column.Loops.empty() && !P.Sum.Loops.empty() &&
           all_of(ArrayRef{&P.Row, &P.Column, &P.Sum}, [&](MatrixProduct::Dimension *D) { return isCounted(*D, P); });
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  // The array that holds the matrix: the pointer from which every loop of the product starts.
  const SCEV *arrayOf(const SCEV *Address, const Loop *Outer) {
    ScalarEvolution &SE = Engine->scalarEvolution();
    const SCEV *Base = Address;
    for (unsigned K = 0; K < MaxIndirections && Address && Address->getType()->isPointerTy(); ++K) {
      Base = SE.getPointerBase(Address);
      bool Moves = Engine->varies(Base, Outer);
      for (const Loop *Sub : Outer->getSubLoops())
        Moves |= variesWithin(Base, Sub);
      if (!Moves)
        return Base;
      Address = Engine->loadedFrom(Base);
    }
    return Base;
  }

  bool variesWithin(const SCEV *S, const Loop *L) {
    return Engine->varies(S, L) || any_of(L->getSubLoops(), [&](const Loop *Sub) { return variesWithin(S, Sub); });
  }

  // Two indices of a matrix lie a row apart; those of a window lie close together, and a gather has no step.
  bool isDense(const MatrixProduct &P) {
    auto Covers = [&](const MatrixProduct::Operand &O, const MatrixProduct::Dimension &X,
                      const MatrixProduct::Dimension &Y) {
      for (const Loop *LX : X.Loops)
        for (const Loop *LY : Y.Loops) {
          std::optional<Movement> MX = movement(O, LX), MY = movement(O, LY);
          // Blocks were looked at before.
          if (!MX || !MY)
            continue;
          if (!MX->Step || !MY->Step)
            return false;
          if (MX->Level != MY->Level)
            continue;
          if (MX->Step == MY->Step)
            return false;
          const auto *CX = dyn_cast<SCEVConstant>(MX->Step), *CY = dyn_cast<SCEVConstant>(MY->Step);
          if (!CX || !CY)
            continue;
          std::int64_t Small = std::abs(CX->getAPInt().getSExtValue()), Large = std::abs(CY->getAPInt().getSExtValue());
          if (Small > Large)
            std::swap(Small, Large);
          if (Large < Small * LeastPitch)
            return false;
        }
      return true;
    };
    return Covers(P.Result, P.Row, P.Column) && Covers(P.Left, P.Row, P.Sum) && Covers(P.Right, P.Sum, P.Column);
  }

  // The sum loop carries the sum, in a scalar or in the result itself, and nothing in it but A and B changes a term.
  bool isAddedUp(const MatrixProduct &P) {
    for (Value *Scale : Scales)
      for (const Loop *L : P.Sum.Loops)
        if (Engine->varies(Scale, L))
          return false;
    bool Carried = any_of(P.Sum.Loops, [&](const Loop *L) {
      return any_of(L->getHeader()->phis(), [&](PHINode &Phi) { return Chain.contains(&Phi); });
    });
    if (Carried)
      return true;
    for (const Instruction *I : Chain)
      for (Value *V : I->operands())
        if (auto *Load = dyn_cast<LoadInst>(V); Load && Engine->rewrite(Load->getPointerOperand()) == P.Result.Address)
          return true;
    return false;
  }

  // Equal pointers, and not two members of one object: those lie many rows apart where the loops begin.
  bool sameArray(const MatrixProduct &P, const MatrixProduct::Operand &X, const MatrixProduct::Operand &Y) {
    if (X.Array != Y.Array)
      return false;
    ScalarEvolution &SE = Engine->scalarEvolution();
    auto Start = [&](const SCEV *S) {
      const Loop *Whole = P.Outer;
      while (Whole->getParentLoop())
        Whole = Whole->getParentLoop();
      return Engine->atStart(S, Whole);
    };
    const SCEV *Apart = SE.getMinusSCEV(Start(X.Address), Start(Y.Address));
    const auto *C = dyn_cast<SCEVConstant>(Apart);
    std::int64_t Pitch = 0;
    for (const auto *D : {&P.Row, &P.Column, &P.Sum})
      for (const Loop *L : D->Loops)
        if (Stride S = Engine->stride(Y.Address, L); S.K == Stride::Constant)
          Pitch = std::max(Pitch, std::abs(S.Bytes));
    return !C || !Pitch || C->getAPInt().abs().getLimitedValue() < static_cast<uint64_t>(Pitch) * LeastPitch;
  }

  // No statement of the nest changes a factor, except the product itself where one matrix is triangular.
  bool keepsFactors(MatrixProduct &P) {
    for (MatrixProduct::Operand *O : {&P.Result, &P.Left, &P.Right})
      O->Array = arrayOf(O->Address, P.Outer);
    bool ResultIsLeft = sameArray(P, P.Result, P.Left), ResultIsRight = sameArray(P, P.Result, P.Right);
    P.Triangular = endsWith(P.Sum, P.Row) || endsWith(P.Sum, P.Column);
    P.HalfFactor = endsWith(P.Row, P.Sum) || endsWith(P.Column, P.Sum);
    P.HalfResult = endsWith(P.Row, P.Column) || endsWith(P.Column, P.Row);
    P.SameFactor = sameArray(P, P.Left, P.Right);
    P.InPlace = ResultIsLeft || ResultIsRight;
    // All three in one: a factorisation, whose order the dependence forces.
    if (P.InPlace && (!P.Triangular || P.SameFactor))
      return false;
    for (BasicBlock *BB : P.Outer->blocks())
      for (Instruction &I : counted(*BB))
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
          MatrixProduct::Operand O = operand(*Store, Store->getPointerOperand());
          O.Array = arrayOf(O.Address, P.Outer);
          if ((sameArray(P, O, P.Left) && !ResultIsLeft) || (sameArray(P, O, P.Right) && !ResultIsRight))
            return false;
        }
    return true;
  }

  void describe(MatrixProduct &P) {
    Type *T = cast<StoreInst>(P.Result.At)->getValueOperand()->getType();
    P.Floating = T->isFloatTy() || T->isDoubleTy();
    P.ElementBytes = DL.getTypeStoreSize(T);
    P.SameFactor = P.SameFactor && stepOf(P.Left, P.Row) == stepOf(P.Right, P.Column);
    P.Complex = P.Floating;
    for (const auto &[O, X, Y] : {std::tuple(&P.Result, &P.Row, &P.Column), std::tuple(&P.Left, &P.Row, &P.Sum),
                                  std::tuple(&P.Right, &P.Sum, &P.Column)}) {
      std::int64_t SX = leastStep(*O, *X), SY = leastStep(*O, *Y);
      P.Complex &= (SX && SY ? std::min(SX, SY) : std::max(SX, SY)) == 2 * static_cast<std::int64_t>(P.ElementBytes);
      limitExtents(*O, *X, SX, *Y, SY);
    }
  }

  // Whether the length of one dimension depends on where the loops of another one are: a triangle of their matrix.
  bool endsWith(const MatrixProduct::Dimension &D, const MatrixProduct::Dimension &Of) {
    return any_of(D.Loops, [&](const Loop *L) {
      return any_of(Of.Loops, [&](const Loop *M) { return Engine->varies(Engine->backedges(L), M); });
    });
  }

  const SCEV *stepOf(const MatrixProduct::Operand &O, const MatrixProduct::Dimension &D) {
    std::optional<Movement> M = movement(O, D.Loops.front());
    return M ? M->Step : nullptr;
  }

  // In bytes; 0 when it is not constant, or not within one array.
  std::int64_t leastStep(const MatrixProduct::Operand &O, const MatrixProduct::Dimension &D) {
    std::optional<Movement> M = movement(O, D.Loops.front());
    const auto *C = M && M->Level == 0 ? dyn_cast_or_null<SCEVConstant>(M->Step) : nullptr;
    return C ? std::abs(C->getAPInt().getSExtValue()) : 0;
  }

  // Declared rows and objects bound what a loop of unknown length can run over.
  void limitExtents(const MatrixProduct::Operand &O, MatrixProduct::Dimension &X, std::int64_t SX,
                    MatrixProduct::Dimension &Y, std::int64_t SY) {
    auto Limit = [](MatrixProduct::Dimension &D, std::int64_t Most) {
      if (!D.Extent || D.Extent > Most)
        D.Extent = static_cast<unsigned>(std::clamp<std::int64_t>(Most, 1, 1u << 30));
    };
    if (SX && SY && X.Loops.size() == 1 && Y.Loops.size() == 1)
      SX < SY ? Limit(X, SY / SX) : Limit(Y, SX / SY);
    const Value *Object = getUnderlyingObject(O.Pointer);
    std::optional<TypeSize> Size;
    if (const auto *A = dyn_cast<AllocaInst>(Object))
      Size = A->getAllocationSize(DL);
    else if (const auto *G = dyn_cast<GlobalVariable>(Object); G && G->getValueType()->isArrayTy())
      Size = DL.getTypeAllocSize(G->getValueType());
    if (!Size || Size->isScalable() || isIndirect(O))
      return;
    for (auto [D, Step] : {std::pair(&X, SX), std::pair(&Y, SY)})
      if (Step && D->Loops.size() == 1)
        Limit(*D, static_cast<std::int64_t>(Size->getFixedValue()) / Step);
  }

  bool isIndirect(const MatrixProduct::Operand &O) {
    return Engine->loadedFrom(Engine->scalarEvolution().getPointerBase(O.Address)) != nullptr;
  }

  Function &F;
  FunctionAnalysisManager &FAM;
  LoopInfo &LI;
  const DataLayout &DL;
  StrideEngine *Engine = nullptr;
  const Loop *Innermost = nullptr; // around the multiplication
  DenseMap<const Loop *, const SCEVAddRecExpr *> Counters;
  SmallPtrSet<Instruction *, 32> Chain;
  SmallVector<Value *, 4> Scales;
  SmallVector<StoreInst *, 4> Stores;
};

} // namespace

std::vector<MatrixProduct> matrixProducts(Function &F, FunctionAnalysisManager &FAM) {
  return ProductFinder(F, FAM).find();
}

bool isStrided(const MatrixProduct::Operand &O, const Loop *L, StrideEngine &Engine) {
  Stride S = Engine.stride(O.Address, L);
  return S.K != Stride::Zero && !(S.K == Stride::Constant && std::abs(S.Bytes) < CacheLineBytes);
}

const MatrixProduct::Operand *stridedOperand(const MatrixProduct &P, StrideEngine &Engine) {
  for (const auto *O : {&P.Right, &P.Left, &P.Result})
    if (isStrided(*O, P.Inner, Engine))
      return O;
  return nullptr;
}

std::string libraryCall(const MatrixProduct &P, bool Fortran) {
  const bool Plain = !P.InPlace && !P.Triangular && !P.HalfFactor && !P.HalfResult;
  if (!P.Floating || (P.ElementBytes != 4 && P.ElementBytes != 8))
    return Fortran && Plain ? variant("mem-handwritten-matmul", "fortran_intrinsic") : "";
  std::string Letter = P.Complex ? P.ElementBytes == 8 ? "z" : "c" : P.ElementBytes == 8 ? "d" : "s";
  std::string Prefix = (Fortran ? "" : "cblas_") + Letter;
  if (P.InPlace)
    return "call " + Prefix + "trmm or " + Prefix + "trsm";
  if (P.SameFactor)
    return "call " + Prefix + "syrk, which computes one half of the symmetric result";
  if (P.Triangular)
    return "call " + Prefix + "trmm or " + Prefix + "gemm";
  // gemm reads and writes whole matrices.
  if (P.HalfFactor || P.HalfResult)
    return variant("mem-handwritten-matmul", P.HalfFactor ? "half_factor" : "half_result", {{"prefix", Prefix}});
  if (Fortran)
    return variant("mem-handwritten-matmul", "fortran_product", {{"routine", Prefix + "gemm"}});
  return "call " + Prefix + "gemm";
}

} // namespace stridewise
