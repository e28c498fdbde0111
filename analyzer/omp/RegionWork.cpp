#include "omp/RegionWork.h"
#include "library/LibraryCalls.h"
#include "loops/LoopNest.h"
#include "prices.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

using namespace prices;
using namespace limits::omp;

class Estimator {
public:
  Estimator(Function &F, FunctionAnalysisManager &FAM)
      : LI(FAM.getResult<LoopAnalysis>(F)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)), Engine(StrideEngine::get(F, FAM)) {}

  LoopWork loop(const Loop *L) {
    Distributed = L;
    LoopWork W = body(L);
    W.Trips = trips(L);
    Differences |= Guarded > UnevenCycles && Guarded > UnevenShare * W.Cycles;
    W.Uneven |= Differences || Triangle || RowCycles > 0;
    // What the other loops and statements do is little beside it.
    if (Triangle && !Differences && !RowCycles && W.Cycles - TriangleCycles < TriangleCycles) {
      W.Triangle = Triangle;
      W.Grows = Grows;
    }
    if (RowCycles > 0 && !Differences && !Triangle)
      W.RowCycles = RowCycles;
    return W;
  }

  LoopWork calls(ArrayRef<const CallBase *> Calls) {
    LoopWork W;
    W.Trips = 1;
    for (const CallBase *C : Calls)
      W.Cycles += call(*C, W, /*Always=*/true);
    return W;
  }

private:
  double trips(const Loop *L) {
    if (const double Counted = Engine.tripCount(L))
      return Counted;
    const double Most = mostTrips(L), Extent = extentTrips(L);
    return Most && Extent ? std::min(Most, Extent) : std::max(Most, Extent);
  }

  // Of a loop whose length follows the counters of loops around it: the length at its longest.
  double mostTrips(const Loop *L) {
    ScalarEvolution &SE = Engine.scalarEvolution();
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    while (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Count)) {
      const auto *Step = Moving->isAffine() ? dyn_cast<SCEVConstant>(Moving->getOperand(1)) : nullptr;
      const unsigned Around = Engine.tripCount(Moving->getLoop());
      if (!Step || (!Step->getAPInt().isNegative() && !Around))
        return 0;
      Count = Step->getAPInt().isNegative()
                  ? Moving->getStart()
                  : Moving->evaluateAtIteration(SE.getConstant(Moving->getType(), Around - 1), SE);
    }
    const auto *Constant = dyn_cast<SCEVConstant>(Count);
    return Constant && !Constant->getAPInt().isNegative() && Constant->getAPInt().isIntN(31)
               ? Constant->getAPInt().getZExtValue() + 1
               : 0;
  }

  // A loop that uses another element of an array in each iteration has no more iterations than a small array elements.
  double extentTrips(const Loop *L) {
    const BasicBlock *Latch = L->getLoopLatch();
    double Least = 0;
    for (BasicBlock *BB : L->blocks()) {
      if (!Latch || LI.getLoopFor(BB) != L || !DT.dominates(BB, Latch))
        continue;
      for (Instruction &I : counted(*BB)) {
        Value *P = getLoadStorePointerOperand(&I);
        const Stride S = P ? Engine.stride(P, L) : Stride();
        std::uint64_t Bytes = 0;
        if (S.K != Stride::Constant || !getObjectSize(getUnderlyingObject(P), Bytes, I.getDataLayout(), &TLI))
          continue;
        const double Elements = std::ceil(double(Bytes) / std::abs(double(S.Bytes)));
        if (Elements > 0 && Elements <= SmallExtent && (!Least || Elements < Least))
          Least = Elements;
      }
    }
    return Least;
  }

  LoopWork body(const Loop *L) {
    LoopWork W;
    BasicBlock *Latch = L->getLoopLatch();
    for (BasicBlock *BB : L->blocks()) {
      if (LI.getLoopFor(BB) != L)
        continue;
      double Cycles = 0;
      bool Always = !Latch || DT.dominates(BB, Latch);
      for (Instruction &I : counted(*BB))
        Cycles += cost(I, W, Always);
      W.Cycles += Cycles;
      if (!Always && variesGuard(BB))
        Guarded += Cycles;
    }
    for (const Loop *Sub : *L) {
      LoopWork Inner = body(Sub);
      double Trips = trips(Sub);
      bool Always = !Latch || DT.dominates(Sub->getHeader(), Latch) || asksOnlyForItself(*Sub, *Latch);
      if (!Always && variesGuard(Sub->getHeader()))
        Guarded += std::max(Trips, AssumedTrips) * Inner.Cycles;
      differs(*Sub, Inner, Trips);
      W.UnknownCalls |= Inner.UnknownCalls;
      W.Gathers |= Inner.Gathers;
      W.UnknownDepth = std::max(W.UnknownDepth, Inner.UnknownDepth + (Trips ? 0 : 1));
      W.Cycles += Inner.Cycles * std::max(Trips, 1.0);
    }
    return W;
  }

  // Whether a loop is left out where it has no iterations, and nowhere else.
  bool asksOnlyForItself(const Loop &Sub, const BasicBlock &Latch) {
    const BranchInst *Guard = Sub.getLoopGuardBranch();
    return Guard && DT.dominates(Guard->getParent(), &Latch);
  }

  // Why the iterations of the distributed loop have inner loops of different lengths.
  void differs(const Loop &Sub, const LoopWork &Inner, double Trips) {
    const SCEV *Count = Engine.backedges(&Sub);
    const SCEV *AtStart = Count ? Engine.atStart(Count, Distributed) : nullptr;
    if (AtStart && !Engine.varies(AtStart, Distributed) && !isCarried(Sub, *AtStart))
      return;
    if (const std::optional<bool> Longer = AtStart ? triangle(AtStart) : std::nullopt) {
      // Two of them may make up for each other.
      Differences |= Triangle && Grows != *Longer;
      Triangle = &Sub;
      Grows = *Longer;
      TriangleCycles += Inner.Cycles * std::max(Trips, AssumedTrips);
    } else if (AtStart && !Inner.UnknownDepth && isFromTable(AtStart)) {
      RowCycles = std::max(RowCycles, Inner.Cycles);
    } else {
      Differences = true;
    }
  }

  // Where the compiler keeps the end of one row as the beginning of the next, the engine takes the two for one number.
  bool isCarried(const Loop &Sub, const SCEV &Count) {
    ScalarEvolution &SE = Engine.scalarEvolution();
    const SCEV *AsItStands = SE.getBackedgeTakenCount(&Sub);
    return isa<SCEVConstant>(Count) && !isa<SCEVCouldNotCompute>(AsItStands) &&
           !SE.isLoopInvariant(AsItStands, Distributed);
  }

  // Whether a loop of so many iterations gets longer by some with each iteration of the distributed one, beginning with
  // none, or shorter, down to none; nothing for other lengths.
  std::optional<bool> triangle(const SCEV *Count) {
    ScalarEvolution &SE = Engine.scalarEvolution();
    const auto *Moving = dyn_cast<SCEVAddRecExpr>(unclamped(Count, SE));
    const auto *Step = Moving && Moving->getLoop() == Distributed && Moving->isAffine()
                           ? dyn_cast<SCEVConstant>(Moving->getOperand(1))
                           : nullptr;
    if (!Step)
      return std::nullopt;
    const bool Longer = !Step->getAPInt().isNegative();
    const SCEV *Least = Moving->getStart();
    if (!Longer) {
      const SCEV *Last = unclamped(Engine.backedges(Distributed), SE);
      if (!Last || SE.getTypeSizeInBits(Last->getType()) > SE.getTypeSizeInBits(Moving->getType()))
        return std::nullopt;
      Least = Moving->evaluateAtIteration(SE.getNoopOrSignExtend(Last, Moving->getType()), SE);
    }
    const auto *None = dyn_cast<SCEVConstant>(Engine.simplify(Least));
    if (!None || !None->getAPInt().isSignedIntN(32) || std::abs(double(None->getAPInt().getSExtValue())) > RimElements)
      return std::nullopt;
    return Longer;
  }

  // Whether a table that the distributed loop goes along tells a number of this expression: one of numbers alone.
  // Records that have their own lengths are few and large, as the patches of a grid are.
  bool isFromTable(const SCEV *Count) {
    return SCEVExprContains(Count, [&](const SCEV *Part) {
      const SCEV *From = Engine.loadedFrom(Part);
      if (const LoadInst *Load = From ? nullptr : Engine.changingLoad(Part))
        From = Engine.rewrite(const_cast<Value *>(Load->getPointerOperand()));
      const Stride S = From ? Engine.stride(From, Distributed) : Stride();
      return S.K == Stride::Constant && 8 * std::abs(S.Bytes) == std::int64_t(scalarBits(Part));
    });
  }
  std::uint64_t scalarBits(const SCEV *S) { return Engine.scalarEvolution().getTypeSizeInBits(S->getType()); }

  // A branch on a value that is the same for all iterations makes none of them special.
  bool variesGuard(const BasicBlock *BB) {
    const DomTreeNode *N = DT.getNode(BB);
    for (N = N ? N->getIDom() : nullptr; N && Distributed->contains(N->getBlock()); N = N->getIDom()) {
      const auto *B = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
      if (B && B->isUnconditional())
        continue;
      return !B || !isSteady(B->getCondition());
    }
    return false;
  }
  bool isSteady(Value *Condition) {
    if (Distributed->isLoopInvariant(Condition))
      return true;
    auto *C = dyn_cast<ICmpInst>(Condition);
    return C && C->getOperand(0)->getType()->isIntegerTy() && !Engine.varies(C->getOperand(0), Distributed) &&
           !Engine.varies(C->getOperand(1), Distributed);
  }

  double cost(Instruction &I, LoopWork &W, bool Always) {
    if (isa<PHINode, GetElementPtrInst, CastInst, AllocaInst, DbgInfoIntrinsic>(I) || I.isTerminator())
      return isa<BranchInst>(I) || isa<SIToFPInst, UIToFPInst, FPToSIInst>(I) ? SimpleCycles : 0;
    if (Value *P = getLoadStorePointerOperand(&I)) {
      Stride S = Engine.stride(P, LI.getLoopFor(I.getParent()));
      W.Gathers |= S.K == Stride::Unknown;
      bool Near = S.K == Stride::Zero || (S.K == Stride::Constant && std::abs(double(S.Bytes)) < CacheLineBytes);
      return Near || !Lines.insert(lineOf(P, I.getParent())).second ? NearAccessCycles : LineCycles;
    }
    switch (I.getOpcode()) {
    case Instruction::FDiv:
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
    case Instruction::FRem:
      return DivisionCycles;
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
    case Instruction::Fence:
      return RuntimeCycles;
    default:
      break;
    }
    if (const auto *C = dyn_cast<CallBase>(&I))
      return call(*C, W, Always);
    return SimpleCycles;
  }

  double call(const CallBase &C, LoopWork &W, bool Always) {
    if (const auto *M = dyn_cast<MemIntrinsic>(&C)) {
      if (const auto *Length = dyn_cast<ConstantInt>(M->getLength()))
        return CopyStartCycles + Length->getZExtValue() / CopiedBytesPerCycle;
      W.UnknownDepth = std::max(W.UnknownDepth, 1U);
      return RuntimeCycles;
    }
    if (const auto *X = dyn_cast<IntrinsicInst>(&C)) {
      switch (X->getIntrinsicID()) {
      case Intrinsic::lifetime_start:
      case Intrinsic::lifetime_end:
      case Intrinsic::assume:
      case Intrinsic::experimental_noalias_scope_decl:
        return 0;
      case Intrinsic::sqrt:
        return DivisionCycles;
      case Intrinsic::pow:
      case Intrinsic::exp:
      case Intrinsic::exp2:
      case Intrinsic::log:
      case Intrinsic::log2:
      case Intrinsic::log10:
      case Intrinsic::sin:
      case Intrinsic::cos:
        return LibraryCycles;
      default:
        return SimpleCycles;
      }
    }
    if (const LibraryCall *Known = findLibraryCall(C))
      switch (Known->Cost) {
      case LibraryCost::Cheap:
        return DivisionCycles;
      case LibraryCost::Mathematics:
        return LibraryCycles;
      case LibraryCost::Runtime:
        return RuntimeCycles;
      case LibraryCost::Conversion:
        return ConversionCycles;
      default:
        break; // as long as the data, the system or other threads make it
      }
    W.UnknownCalls = true;
    return LibraryCycles;
  }

  // The address without its constant part, and the line that this part falls into: what one iteration loads and stores
  // of a record or of a row is a few lines together. (That the rest is no multiple of the line makes one more at most.)
  std::pair<const SCEV *, std::int64_t> lineOf(Value *P, const BasicBlock *BB) {
    const SCEV *Address = Engine.rewrite(P), *Part = Address;
    while (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Part))
      Part = Moving->getStart();
    const auto *Sum = dyn_cast<SCEVAddExpr>(Part);
    const auto *Constant = Sum ? dyn_cast<SCEVConstant>(Sum->getOperand(0)) : nullptr;
    if (!Constant)
      return {Address, 0};
    ScalarEvolution &SE = Engine.scalarEvolution();
    return {SE.getAddExpr(Address, SE.getNegativeSCEV(Constant)),
            Constant->getAPInt().getSExtValue() / std::int64_t(CacheLineBytes)};
  }

  LoopInfo &LI;
  DominatorTree &DT;
  TargetLibraryInfo &TLI;
  StrideEngine &Engine;
  std::set<std::pair<const SCEV *, std::int64_t>> Lines; // that earlier accesses have brought
  const Loop *Distributed = nullptr;
  double Guarded = 0;
  bool Differences = false; // of the iterations, by other things than the two below
  const Loop *Triangle = nullptr;
  bool Grows = false;
  double TriangleCycles = 0, RowCycles = 0; // of triangles as a whole, of one element of rows
};

bool isInlined(const RegionWork::Copy &C) { return isInlinedCopy(*C.L); }

// The larger of two estimates, field by field.
void join(std::optional<LoopWork> &Into, const LoopWork &W) {
  if (!Into) {
    Into = W;
    return;
  }
  Into->Trips = Into->Trips && W.Trips ? std::max(Into->Trips, W.Trips) : 0;
  Into->Cycles = std::max(Into->Cycles, W.Cycles);
  Into->UnknownDepth = std::max(Into->UnknownDepth, W.UnknownDepth);
  Into->UnknownCalls |= W.UnknownCalls;
  Into->Uneven |= W.Uneven;
  if (!W.Triangle || W.Grows != Into->Grows)
    Into->Triangle = nullptr;
  Into->RowCycles = W.RowCycles > 0 ? std::min(Into->RowCycles, W.RowCycles) : 0;
  Into->Gathers |= W.Gathers;
}

} // namespace

RegionWork::RegionWork(Unit &U) : U(U) {}

RegionWork::Position RegionWork::position(clang::SourceLocation L) const {
  return U.sources().getDecomposedLoc(U.sources().getExpansionLoc(L));
}

void RegionWork::index() {
  if (std::exchange(Indexed, true) || !U.ir())
    return;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    for (const Loop *L : U.analyses().getResult<LoopAnalysis>(F).getLoopsInPreorder())
      if (clang::SourceLocation Where = U.loopLocation(L); Where.isValid())
        Loops[position(Where)].push_back({&F, L});
  }
  for (auto &[Where, Copies] : Loops)
    dropUncalled(Copies);
}

ArrayRef<RegionWork::Copy> RegionWork::copies(const clang::Stmt *Loop, const clang::OMPExecutableDirective *D) {
  index();
  if (!Loop)
    return {};
  auto It = Loops.find(position(Loop->getBeginLoc()));
  if (It == Loops.end() && D)
    It = Loops.find(position(D->getBeginLoc()));
  if (It == Loops.end())
    return {};
  // The loops of a macro stand at one place, each in another.
  const bool Nested = any_of(It->second, [&](const Copy &Outer) {
    return any_of(It->second, [&](const Copy &C) { return C.L != Outer.L && Outer.L->contains(C.L); });
  });
  const auto IsThis = [&](const Copy &C) { return U.loopStatement(C.L) == Loop; };
  if (!Nested || none_of(It->second, IsThis))
    return It->second;
  auto [Own, New] = OfMacros.try_emplace(Loop);
  if (New)
    copy_if(It->second, std::back_inserter(Own->second), IsThis);
  return Own->second;
}

LoopWork RegionWork::work(const Copy &C) { return Estimator(*C.F, U.analyses()).loop(C.L); }

LoopWork RegionWork::work(Function &F, ArrayRef<const CallBase *> Calls) {
  return Estimator(F, U.analyses()).calls(Calls);
}

std::optional<LoopWork> RegionWork::largest(ArrayRef<Copy> Copies) {
  std::optional<LoopWork> W;
  for (const Copy &C : Copies)
    join(W, work(C));
  return W;
}

std::optional<LoopWork> RegionWork::largest(const clang::Stmt *Loop) { return largest(copies(Loop)); }

namespace {

// The loops within a statement that run more than once, each with the directive that it belongs to.
void loopsIn(const clang::Stmt *S, const clang::OMPExecutableDirective *Of, const clang::ASTContext &Ctx,
             std::vector<std::pair<const clang::Stmt *, const clang::OMPExecutableDirective *>> &Into) {
  if (!S || isa<clang::LambdaExpr>(S))
    return;
  if (const auto *D = dyn_cast<clang::OMPExecutableDirective>(S))
    return loopsIn(constructBody(*D), D, Ctx, Into);
  if (const auto *I = dyn_cast<clang::IfStmt>(S); I && !I->getCond()->isValueDependent()) {
    bool Holds = false;
    if (I->getCond()->EvaluateAsBooleanCondition(Holds, Ctx))
      return loopsIn(Holds ? I->getThen() : I->getElse(), nullptr, Ctx, Into);
  }
  if (const auto *Do = dyn_cast<clang::DoStmt>(S); Do && !Do->getCond()->isValueDependent()) {
    bool Again = true;
    if (Do->getCond()->EvaluateAsBooleanCondition(Again, Ctx) && !Again)
      return loopsIn(Do->getBody(), nullptr, Ctx, Into);
  }
  if (isLoop(S))
    Into.emplace_back(S, Of);
  for (const clang::Stmt *X : S->children())
    loopsIn(X,
            isa<clang::CompoundStmt, clang::CapturedStmt>(S) && S->children().begin() != S->children().end() &&
                    std::next(S->children().begin()) == S->children().end()
                ? Of
                : nullptr,
            Ctx, Into);
}

// How often a loop from one constant to another runs, in steps of one; nothing for others.
std::optional<std::int64_t> constantTrips(const clang::ForStmt &F, const clang::ASTContext &Ctx) {
  const clang::Expr *Begin = nullptr;
  if (const auto *D = dyn_cast_or_null<clang::DeclStmt>(F.getInit()); D && D->isSingleDecl()) {
    const auto *V = dyn_cast<clang::VarDecl>(D->getSingleDecl());
    Begin = V ? V->getInit() : nullptr;
  } else if (const auto *B = dyn_cast_or_null<clang::BinaryOperator>(F.getInit()); B && B->isAssignmentOp()) {
    Begin = B->getRHS();
  }
  const auto *Cond =
      dyn_cast_or_null<clang::BinaryOperator>(F.getCond() ? F.getCond()->IgnoreParenImpCasts() : nullptr);
  const auto *Step = dyn_cast_or_null<clang::UnaryOperator>(F.getInc() ? F.getInc()->IgnoreParens() : nullptr);
  clang::Expr::EvalResult From, To;
  if (!Begin || !Cond || !Cond->isRelationalOp() || !Step || !Step->isIncrementDecrementOp() ||
      Begin->isValueDependent() || Cond->getRHS()->isValueDependent() || !Begin->EvaluateAsInt(From, Ctx) ||
      !Cond->getRHS()->EvaluateAsInt(To, Ctx))
    return std::nullopt;
  const std::int64_t Last = To.Val.getInt().getExtValue(), First = From.Val.getInt().getExtValue();
  const bool Including = Cond->getOpcode() == clang::BO_LE || Cond->getOpcode() == clang::BO_GE;
  return std::max<std::int64_t>(0, (Step->isIncrementOp() ? Last - First : First - Last) + Including);
}

// Whether a private variable is read before anything is stored to it, in the order of the text.
class ReadsUnset {
public:
  ReadsUnset(const clang::VarDecl *V) : V(V->getCanonicalDecl()) {}
  // The first mention decides. Nothing when there is none.
  std::optional<bool> visit(const clang::Stmt *S) const {
    if (!S || isa<clang::UnaryExprOrTypeTraitExpr>(S))
      return std::nullopt;
    if (const auto *D = dyn_cast<clang::DeclRefExpr>(S))
      return D->getDecl()->getCanonicalDecl() == V ? std::optional(false) : std::nullopt;
    if (const auto *C = dyn_cast<clang::ImplicitCastExpr>(S);
        C && C->getCastKind() == clang::CK_LValueToRValue && names(C))
      return true;
    if (const auto *B = dyn_cast<clang::BinaryOperator>(S); B && B->isAssignmentOp()) {
      if (std::optional<bool> First = visit(B->getRHS()))
        return First;
      if (names(B->getLHS()))
        return B->isCompoundAssignmentOp();
      return visit(B->getLHS());
    }
    if (const auto *U = dyn_cast<clang::UnaryOperator>(S); U && U->isIncrementDecrementOp() && names(U->getSubExpr()))
      return true;
    if (const auto *D = dyn_cast<clang::OMPExecutableDirective>(S))
      return visit(constructBody(*D));
    for (const clang::Stmt *X : S->children())
      if (std::optional<bool> First = visit(X))
        return First;
    return std::nullopt;
  }

private:
  bool names(const clang::Expr *E) const {
    const auto *D = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
    return D && D->getDecl()->getCanonicalDecl() == V;
  }
  const clang::VarDecl *V;
};

bool readsUnsetPrivate(const clang::OMPExecutableDirective &D) {
  for (const auto *C : D.getClausesOfKind<clang::OMPPrivateClause>())
    for (const clang::Expr *E : C->varlists())
      if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts()))
        if (const auto *V = dyn_cast<clang::VarDecl>(Ref->getDecl());
            V && V->getType()->isScalarType() && ReadsUnset(V).visit(constructBody(D)) == true)
          return true;
  return false;
}

} // namespace

bool RegionWork::isWhole(const clang::OMPExecutableDirective &D) {
  if (readsUnsetPrivate(D))
    return false;
  std::vector<const clang::ForStmt *> For = sharedLoops(D);
  const clang::Stmt *Shared = For.empty() ? constructBody(D) : For.back();
  if (!Shared || !isLoop(Shared))
    return true;
  std::vector<std::pair<const clang::Stmt *, const clang::OMPExecutableDirective *>> Inner;
  for (const clang::Stmt *X : Shared->children())
    loopsIn(X, nullptr, U.ast(), Inner);
  ArrayRef<Copy> Outside = copies(Shared, For.size() > 1 ? nullptr : &D);
  const std::optional<std::int64_t> Trips =
      isa<clang::ForStmt>(Shared) ? constantTrips(*cast<clang::ForStmt>(Shared), U.ast()) : std::nullopt;
  for (const Copy &C : Outside) {
    const unsigned Left = StrideEngine::get(*C.F, U.analyses()).scalarEvolution().getSmallConstantTripCount(C.L);
    // A caller may pass a length of one; of a length that nobody passes, one is what undefined behaviour leaves.
    if (Left && (Trips ? Left < *Trips : Left == 1 && !isInlined(C)))
      return false;
  }
  for (auto [S, Of] : Inner) {
    ArrayRef<Copy> Inside = copies(S, Of);
    for (const Copy &C : Outside)
      if (none_of(Inside, [&](const Copy &X) { return X.F == C.F && C.L->contains(X.L); }))
        return false;
  }
  return true;
}

std::optional<LoopWork> RegionWork::largest(const clang::OMPExecutableDirective &D) {
  if (!isWhole(D))
    return std::nullopt;
  std::vector<const clang::ForStmt *> For = sharedLoops(D);
  const auto *LD = dyn_cast<clang::OMPLoopDirective>(&D);
  const clang::Stmt *Only = For.empty() ? constructBody(D) : nullptr;
  std::optional<LoopWork> W;
  if (For.empty()) {
    if (!LD || !Only || !isLoop(Only) || LD->getLoopsNumber() > 1)
      return W;
    return largest(copies(Only, &D));
  }
  W = largest(copies(For.back(), For.size() == 1 ? &D : nullptr));
  // Collapsed loops: their iterations multiply.
  if (W)
    for (std::size_t I = 0; I + 1 < For.size(); ++I) {
      std::optional<LoopWork> Outer = largest(static_cast<const clang::Stmt *>(For[I]));
      W->Trips *= Outer ? Outer->Trips : 0;
    }
  return W;
}

} // namespace stridewise
