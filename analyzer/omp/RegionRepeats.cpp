#include "omp/RegionRepeats.h"
#include "omp/FortranRegions.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

// Tables of pointers to tables of pointers, as three-dimensional arrays of C often are.
constexpr unsigned MaxIndirections = 3;
// Instructions that are followed from an entry of a list to what is done with it.
constexpr unsigned MaxFollowed = 50;

using namespace limits::omp;

const SCEV *minus(const SCEV *A, const SCEV *B, ScalarEvolution &SE) {
  if (!A || !B || A->getType()->isPointerTy() || B->getType()->isPointerTy())
    return nullptr;
  Type *Wide = SE.getTypeSizeInBits(A->getType()) < SE.getTypeSizeInBits(B->getType()) ? B->getType() : A->getType();
  return SE.getMinusSCEV(SE.getNoopOrSignExtend(A, Wide), SE.getNoopOrSignExtend(B, Wide));
}

// Whether two expressions differ by a constant of at most this size.
bool nearlySame(const SCEV *A, const SCEV *B, double Most, StrideEngine &Engine) {
  const SCEV *Difference = minus(A, B, Engine.scalarEvolution());
  const auto *C = Difference ? dyn_cast<SCEVConstant>(Engine.simplify(Difference)) : nullptr;
  return C && std::abs(double(C->getAPInt().getSExtValue())) <= Most;
}

// What the loop over the shared one and its accesses tell about the number of its iterations.
class Sweep {
public:
  Sweep(const Loop *Shared, const Loop *Serial, StrideEngine &Engine)
      : Shared(Shared), Serial(Serial), Engine(Engine), SE(Engine.scalarEvolution()),
        Inner(unclamped(Engine.backedges(Shared), SE)), Outer(unclamped(Engine.backedges(Serial), SE)),
        Nested(Serial->getParentLoop()) {
    if (Inner && Engine.varies(Inner, Serial)) {
      const SCEV *Each = Inner;
      Inner = longest(Inner);
      Triangular = Inner != nullptr;
      Listed = !Inner && (isFromTable(Each) || (isSizeFromTable() && (isOrdered() || isOfCells()))) && takesElements();
    }
  }

  // Whether what the shared loop stores moves on with the serial loop as well, by a step of its own, while the shared
  // loop's bounds stay or follow the serial loop's counter: the two run over one array together.
  bool runsOverData() {
    if (!Inner)
      return false;
    bool Any = false, Faces = false, Again = false;
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB)) {
        auto *S = dyn_cast<StoreInst>(&I);
        if (!S)
          continue;
        const SCEV *Address = Engine.rewrite(S->getPointerOperand());
        if (!walksShared(S->getPointerOperand(), Address))
          continue;
        if (!moves(Address, Serial) && !rowOf(S->getPointerOperand(), Address)) {
          if (Nested && movesWith(*Nested, S->getPointerOperand(), Address))
            Faces = true; // a face of the cells that the two loops walk over
          else if (Engine.stride(Address, Serial).K == Stride::Zero)
            Again = true; // the same elements again: a step in time, or what goes on from row to row
          else
            return readsRow(); // beyond analysis
          continue;
        }
        Any = true;
        Cells |= Nested && movesWith(*Nested, S->getPointerOperand(), Address);
      }
    if (Again && (Triangular || !Any))
      return readsRow();
    Reads |= Again;
    return Faces && !Cells ? readsRow() : Any || addsUpOneResult();
  }

  // A border of a field is thin in one direction: where two serial loops move what is stored, or one what is stored and
  // the other what is read, at least one of them is long.
  bool isNestOverData() { return Inner && (Cells || (Nested && storesMoveWith(*Nested))); }

  bool isTriangular() const { return Triangular; }
  bool isListed() const { return Listed; }
  bool onlyReads() const { return Reads; }
  bool onlySums() const { return Sums; }

  // The serial loop is as long as the shared one, which whoever shares it expects to be long; or it covers the rows of
  // all arrays from end to end.
  bool isLong() { return (Inner && Outer && nearlySame(Inner, Outer, RimElements, Engine)) || all(&Sweep::coversRow); }

  // The two loops run over whole arrays together, one row behind the other: all of one shape, in one direction, from
  // the first row on. A border of some rows that is packed into a buffer, or mirrored, is none of that.
  bool runsOverWholeArrays() {
    Pitch = nullptr;
    return all(&Sweep::isRowOfWhole);
  }

private:
  // A step in time that uses up the next row of an array, behind row pointers or in one piece, and does nothing else in
  // loops. In one piece, a loop around it must move what is stored: else its rows may be those of time steps.
  bool readsRow() {
    if (Triangular || !Shared->isInnermost())
      return false;
    const bool Piece = Nested && storesMoveWith(*Nested);
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB))
        if (auto *Load = dyn_cast<LoadInst>(&I)) {
          const SCEV *Address = Engine.rewrite(Load->getPointerOperand());
          Reads |= moves(Address, Shared) &&
                   (rowOf(Load->getPointerOperand(), Address) || (Piece && moves(Address, Serial)));
        }
    return Reads;
  }

  // Stores nothing, but gives a value that the serial loop stores in a place of its own for each iteration.
  bool addsUpOneResult() {
    for (BasicBlock *BB : Serial->blocks())
      for (Instruction &I : counted(*BB)) {
        auto *S = dyn_cast<StoreInst>(&I);
        if (!S || Engine.loops().getLoopFor(BB) != Serial)
          continue;
        const SCEV *Address = Engine.rewrite(S->getPointerOperand());
        Sums |=
            comesFromShared(S->getValueOperand()) && (moves(Address, Serial) || rowOf(S->getPointerOperand(), Address));
      }
    return Sums;
  }

  // A value that the shared loop computes step by step, or what the serial loop makes of it.
  bool comesFromShared(Value *V, unsigned Depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 4 || !Serial->contains(I))
      return false;
    if (Shared->contains(I))
      return I->getType()->isFloatingPointTy() || I->getType()->isIntegerTy();
    if (isa<LoadInst, CallBase>(I))
      return false;
    return any_of(I->operands(), [&](Value *Op) { return comesFromShared(Op, Depth + 1); });
  }

  // Whether all that the shared loop stores along its elements moves on with that loop, too, and something does.
  bool storesMoveWith(const Loop &L) {
    bool Any = false;
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB)) {
        auto *S = dyn_cast<StoreInst>(&I);
        const SCEV *Address = S ? Engine.rewrite(S->getPointerOperand()) : nullptr;
        if (!Address || !moves(Address, Shared))
          continue;
        if (!movesWith(L, S->getPointerOperand(), Address))
          return false;
        Any = true;
      }
    return Any;
  }

  // Of a count that follows the serial loop's counter: its value at the end where it is larger.
  const SCEV *longest(const SCEV *Count) {
    const auto *Moving = dyn_cast<SCEVAddRecExpr>(Count);
    const auto *Step = Moving && Moving->getLoop() == Serial && Moving->isAffine()
                           ? dyn_cast<SCEVConstant>(Moving->getOperand(1))
                           : nullptr;
    if (!Step)
      return nullptr;
    if (Step->getAPInt().isNegative())
      return Moving->getStart();
    return Outer && SE.getTypeSizeInBits(Outer->getType()) <= SE.getTypeSizeInBits(Moving->getType())
               ? Engine.simplify(Moving->evaluateAtIteration(SE.getNoopOrSignExtend(Outer, Moving->getType()), SE))
               : nullptr;
  }

  // Whether a table that the serial loop goes along tells a number of this expression.
  bool isFromTable(const SCEV *Count) {
    return SCEVExprContains(Count, [&](const SCEV *Part) {
      const SCEV *From = loadedFrom(Part);
      return From && (moves(From, Serial) || isNamedByList(From));
    });
  }
  // A place that a list names, along which the serial loop goes: the first neighbour of a vertex of it.
  bool isNamedByList(const SCEV *Place) {
    return SCEVExprContains(Place, [&](const SCEV *Part) {
      const SCEV *Entry = Part->getType()->isIntegerTy() ? loadedFrom(Part) : nullptr;
      return Entry && moves(Entry, Serial);
    });
  }
  // Whether the shared loop ends at a number computed from what a table has for each serial iteration: the size of a
  // vector in a vector, which is the distance of two pointers.
  bool isSizeFromTable() {
    SmallVector<Value *, 8> Work;
    SmallVector<BasicBlock *, 4> Exiting;
    Shared->getExitingBlocks(Exiting);
    for (BasicBlock *BB : Exiting)
      if (auto *Branch = dyn_cast<BranchInst>(BB->getTerminator()); Branch && Branch->isConditional())
        if (auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition()))
          for (Value *Bound : Compare->operands())
            if (Shared->isLoopInvariant(Bound))
              Work.push_back(Bound);
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxFollowed) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Serial->contains(I) || !Seen.insert(I).second)
        continue;
      if (auto *Load = dyn_cast<LoadInst>(I); Load && moves(Engine.rewrite(Load->getPointerOperand()), Serial)) {
        Table = Engine.rewrite(Load->getPointerOperand());
        return true;
      }
      if (isa<BinaryOperator, CastInst>(I))
        Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }
  // Lists of lists are levels or rows, of which there are many, or colours: few, and each a good part of the data.
  // Levels follow one another since elements of one are computed from those of others: an array is read at other places
  // than it is written. Of a row only a sum is kept. Colours only add to elements that no other element of theirs has.
  bool isOrdered() {
    SmallPtrSet<const SCEV *, 8> Written, Bases;
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB)) {
        if (auto *S = dyn_cast<StoreInst>(&I)) {
          const SCEV *Address = Engine.rewrite(S->getPointerOperand());
          Written.insert(Address);
          Bases.insert(SE.getPointerBase(Address));
        } else if (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayWriteToMemory()) {
          return false;
        }
      }
    if (Written.empty())
      return true;
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB))
        if (auto *Load = dyn_cast<LoadInst>(&I)) {
          const SCEV *Address = Engine.rewrite(Load->getPointerOperand());
          if (Bases.contains(SE.getPointerBase(Address)) && !Written.contains(Address))
            return true;
        }
    return false;
  }
  // Lists that two loops around choose are those of the cells of a grid: many, with few elements each.
  bool isOfCells() { return Nested && Table && moves(Table, Nested); }
  // The address that a number was read from; null for other expressions.
  const SCEV *loadedFrom(const SCEV *S) {
    const auto *U = dyn_cast<SCEVUnknown>(S);
    if (const SCEV *From = U ? Engine.loadedFrom(U) : nullptr)
      return From;
    const auto *Load = U ? dyn_cast<LoadInst>(U->getValue()) : nullptr;
    return Load ? Engine.rewrite(const_cast<Value *>(Load->getPointerOperand())) : nullptr;
  }

  // Whether the shared loop works on what a list names, one entry in each iteration.
  bool takesElements() {
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB))
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isIntegerTy() &&
                                                 moves(Engine.rewrite(Load->getPointerOperand()), Shared) &&
                                                 choosesElement(*Load))
          return true;
    return false;
  }
  static bool choosesElement(const Instruction &Entry) {
    SmallVector<const Instruction *, 8> Work{&Entry};
    SmallPtrSet<const Instruction *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxFollowed) {
      const Instruction *I = Work.pop_back_val();
      if (!Seen.insert(I).second)
        continue;
      for (const User *U : I->users()) {
        if (isa<GetElementPtrInst>(U) || (isa<CallBase>(U) && !isa<IntrinsicInst>(U)))
          return true;
        if (isa<BinaryOperator, CastInst, SelectInst, PHINode>(U))
          Work.push_back(cast<Instruction>(U));
      }
    }
    return false;
  }

  bool moves(const SCEV *Address, const Loop *L) {
    const Stride S = Engine.stride(Address, L);
    return S.K == Stride::Constant || S.K == Stride::Symbolic;
  }

  // By a step of the address, or from one row to the next behind row pointers.
  bool movesWith(const Loop &L, Value *Pointer, const SCEV *Address) {
    return moves(Address, &L) || rowOf(Pointer, Address, &L);
  }

  // The place in an array of pointers to rows, or to planes of rows, when the loop walks along it.
  const SCEV *rowOf(Value *Pointer, const SCEV *Address) { return rowOf(Pointer, Address, Serial); }
  const SCEV *rowOf(Value *Pointer, const SCEV *Address, const Loop *L) {
    if (Engine.stride(Address, L).K != Stride::Unknown)
      return nullptr;
    const SCEV *Where = nullptr;
    for (unsigned Depth = 0; Depth < MaxIndirections; ++Depth) {
      auto *Row = dyn_cast<LoadInst>(getUnderlyingObject(Pointer));
      if (!Row || !L->contains(Row))
        return nullptr;
      Pointer = Row->getPointerOperand();
      Where = Engine.rewrite(Pointer);
      if (Engine.stride(Where, L).K != Stride::Unknown)
        break;
    }
    return moves(Where, L) ? Where : nullptr;
  }

  bool walksShared(Value *Pointer, const SCEV *Address) {
    return moves(Address, Shared) || rowOf(Pointer, Address, Shared);
  }

  // Arrays of Fortran have no fewer rows than none, which is no question where a loop runs over them.
  const SCEV *stepOf(const SCEV *Address, const Loop *L) { return unclamped(Engine.step(Address, L), SE); }

  // Whether all that moves on with both loops is as the predicate wants it, and something is.
  bool all(bool (Sweep::*Is)(Value *, const SCEV *)) {
    bool Any = false;
    for (BasicBlock *BB : Shared->blocks())
      for (Instruction &I : counted(*BB)) {
        Value *P = getLoadStorePointerOperand(&I);
        const SCEV *Address = P ? Engine.rewrite(P) : nullptr;
        if (!Address || !walksShared(P, Address) || (!moves(Address, Serial) && !rowOf(P, Address)))
          continue;
        if (!(this->*Is)(P, Address))
          return false;
        Any = true;
      }
    return Any;
  }

  // a[x * pitch + y], y along the serial loop, which has `pitch` iterations.
  bool coversRow(Value *, const SCEV *Address) {
    const SCEV *Fast = stepOf(Address, Serial), *Slow = stepOf(Address, Shared);
    return Outer && Fast && Slow && isRowOf(Fast, Outer, Slow);
  }

  // a[y * pitch + x], x along the shared loop, which has `pitch` iterations or nearly so.
  bool isRowOfWhole(Value *Pointer, const SCEV *Address) {
    if (const SCEV *Where = rowOf(Pointer, Address))
      return startsAtFirst(Where) && SE.isKnownPositive(Engine.step(Where, Serial));
    const SCEV *Slow = stepOf(Address, Serial), *Fast = stepOf(Address, Shared);
    if (!Inner || !Fast || !Slow || !startsAtFirst(Address))
      return false;
    Slow = likened(Slow);
    Fast = likened(Fast);
    // Elements may differ in size.
    if (Pitch && !isScaled(Pitch, Fast, FastOfPitch, Slow))
      return false;
    Pitch = Slow;
    FastOfPitch = Fast;
    return isRowOf(Fast, likened(Inner), Slow);
  }

  // Whether two arrays have rows of as many elements, each of its own size.
  bool isScaled(const SCEV *A, const SCEV *SizeOfB, const SCEV *SizeOfA, const SCEV *B) {
    if (!isa<SCEVConstant>(SizeOfA) || !isa<SCEVConstant>(SizeOfB) || A->getType() != B->getType() ||
        SizeOfA->getType() != A->getType() || SizeOfB->getType() != B->getType())
      return A == B && SizeOfA == SizeOfB;
    return Engine.simplify(SE.getMulExpr(A, SizeOfB)) == Engine.simplify(SE.getMulExpr(B, SizeOfA));
  }

  // Members of the same place in two records stand for the same number: to.width and from.width.
  const SCEV *likened(const SCEV *S) {
    ValueToSCEVMapTy Map;
    SCEVExprContains(S, [&](const SCEV *Part) {
      const auto *U = dyn_cast<SCEVUnknown>(Part);
      const SCEV *From = loadedFrom(Part);
      if (!From || !From->getType()->isPointerTy() || Engine.varies(From))
        return false;
      const SCEV *At = SE.removePointerBase(From);
      if (!isa<SCEVConstant>(At))
        return false;
      auto [It, New] = Members.try_emplace({At, U->getType()}, U);
      if (!New)
        Map[U->getValue()] = It->second;
      return false;
    });
    return Map.empty() ? S : Engine.simplify(SCEVParameterRewriter::rewrite(S, SE, Map));
  }

  // Whether a row of Count + 1 steps is as long as the pitch.
  bool isRowOf(const SCEV *Step, const SCEV *Count, const SCEV *Pitch) {
    const auto *Bytes = dyn_cast<SCEVConstant>(Step);
    const double Most = RimElements * (Bytes ? std::abs(double(Bytes->getAPInt().getSExtValue())) : 0.0);
    if (SE.getTypeSizeInBits(Count->getType()) > SE.getTypeSizeInBits(Pitch->getType()))
      return false;
    const SCEV *Trips = SE.getNoopOrSignExtend(Count, Pitch->getType());
    Trips = SE.getAddExpr(Trips, SE.getOne(Pitch->getType()));
    const SCEV *Row = Engine.simplify(SE.getMulExpr(Trips, SE.getNoopOrSignExtend(Step, Pitch->getType())));
    return nearlySame(Row, Engine.simplify(Pitch), std::max(Most, double(RimElements)), Engine) ||
           isWiderBySteps(Row, Pitch, Step);
  }
  // Of a plane, the rim is some rows: their length is a step of the shared loop.
  bool isWiderBySteps(const SCEV *Row, const SCEV *Pitch, const SCEV *Step) {
    for (std::int64_t K = 1; K <= RimRows; ++K) {
      const SCEV *Rim =
          SE.getMulExpr(SE.getNoopOrSignExtend(Step, Pitch->getType()), SE.getConstant(Pitch->getType(), K, true));
      if (nearlySame(SE.getAddExpr(Row, Rim), Pitch, 0, Engine))
        return true;
    }
    return false;
  }

  // Both loops at their starts: within a few rows from the beginning of the array.
  bool startsAtFirst(const SCEV *Address) {
    const SCEV *Start = Address, *Step = stepOf(Address, Serial);
    while (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Start))
      Start = Moving->getStart();
    if (!Step || !Start->getType()->isPointerTy())
      return false;
    const SCEV *Offset = unclamped(SE.removePointerBase(Start), SE);
    for (std::int64_t K = 0; K <= RimRows; ++K) {
      const SCEV *Rows =
          SE.getMulExpr(SE.getNoopOrSignExtend(Step, Offset->getType()), SE.getConstant(Offset->getType(), K, true));
      const SCEV *Rest = Engine.simplify(SE.getMinusSCEV(Offset, Rows));
      if (const auto *C = dyn_cast<SCEVConstant>(Rest); C && C->getAPInt().getSExtValue() >= 0)
        return true;
      // The first shared iterations of a plane's rim, which are rows themselves.
      if (const SCEV *Row = stepOf(Address, Shared); Row && !isa<SCEVConstant>(Row))
        for (std::int64_t J = 1; J <= RimRows; ++J)
          if (isa<SCEVConstant>(
                  Engine.simplify(SE.getMinusSCEV(Rest, SE.getMulExpr(SE.getNoopOrSignExtend(Row, Offset->getType()),
                                                                      SE.getConstant(Offset->getType(), J, true))))))
            return true;
    }
    return false;
  }

  const Loop *Shared, *Serial;
  const SCEV *Table = nullptr; // where the size of a list was read
  StrideEngine &Engine;
  ScalarEvolution &SE;
  bool Triangular = false, Listed = false, Reads = false, Sums = false, Cells = false;
  const SCEV *Inner, *Outer;                           // backedges
  const Loop *Nested;                                  // the loop around the serial one
  const SCEV *Pitch = nullptr, *FastOfPitch = nullptr; // of an array met before
  std::map<std::pair<const SCEV *, Type *>, const SCEV *> Members;
};

} // namespace

RegionRepeat repeatBy(const Loop *Serial, const RegionWork::Copy &Shared, StrideEngine &Engine) {
  RegionRepeat Here;
  Here.Openings = Engine.tripCount(Serial);
  Sweep S(Shared.L, Serial, Engine);
  Here.Spatial = S.runsOverData();
  Here.Reads = S.onlyReads();
  Here.Sums = S.onlySums();
  Here.Triangular = Here.Spatial && S.isTriangular();
  Here.Listed = S.isListed();
  Here.Length = Here.Openings > 0 || S.isLong()                                   ? RegionRepeat::Long
                : S.runsOverWholeArrays() || (Here.Spatial && S.isNestOverData()) ? RegionRepeat::Rows
                                                                                  : RegionRepeat::Unknown;
  return Here;
}

const Loop *longOpener(const Loop *Serial, double MinOpenings, StrideEngine &Engine) {
  for (double Trips; Serial && (Trips = Engine.tripCount(Serial)) > 0 && Trips < MinOpenings;)
    Serial = Serial->getParentLoop();
  return Serial;
}

// Whether the copy came into its function by that call.
static bool isInlinedAt(const RegionWork::Copy &C, const OmpSite &Call, const clang::SourceManager &SM) {
  const clang::SourceLocation Where = SM.getExpansionLoc(Call.S->getBeginLoc());
  const StringRef File = sys::path::filename(SM.getFilename(Where));
  for (const DILocation *At = C.L->getStartLoc().get(); At; At = At->getInlinedAt())
    if (At->getLine() == SM.getSpellingLineNumber(Where) && sys::path::filename(At->getFilename()) == File)
      return true;
  return false;
}

// `Call`: of a loop template; null for a directive that is judged wherever it runs.
static std::optional<RegionRepeat> repeatAt(const clang::OMPExecutableDirective &D, const OmpSite *Call,
                                            double MinOpenings, RegionWork &Work) {
  std::vector<const clang::ForStmt *> For = sharedLoops(D);
  const clang::Stmt *Outermost = For.empty() ? constructBody(D) : For.front();
  if (!Outermost || !isLoop(Outermost) || !Work.isWhole(D))
    return std::nullopt;
  Unit &U = Work.unit();
  std::optional<LoopWork> All = Work.largest(D);
  std::optional<RegionRepeat> Result;
  const clang::FunctionDecl *Text = Call ? Call->In : U.functionAt(D.getBeginLoc());
  for (const RegionWork::Copy &C : Work.copies(Outermost, &D)) {
    if (Call && !isInlinedAt(C, *Call, U.sources()))
      continue;
    StrideEngine &Engine = StrideEngine::get(*C.F, U.analyses());
    const Loop *Serial = longOpener(C.L->getParentLoop(), MinOpenings, Engine);
    RegionRepeat Here = Serial ? repeatBy(Serial, C, Engine) : RegionRepeat();
    Here.Loop = Serial ? U.loopStatement(Serial) : nullptr;
    if (!Here.Loop)
      return std::nullopt;
    // A loop in a caller goes over parts of the program's data: levels of a grid, materials.
    const bool IsOwn = U.functionAt(Here.Loop->getBeginLoc()) == Text;
    if (Call && !IsOwn)
      return std::nullopt;
    Here.Listed &= IsOwn;
    Here.Work = For.size() > 1 && All ? *All : Work.work(C);
    if (!Result || (!Here.Spatial && Result->Spatial) || Here.Work.total() > Result->Work.total())
      Result = Here;
    if (!Here.Work.known())
      Result = Here;
  }
  return Result;
}

std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, double MinOpenings, RegionWork &Work) {
  std::optional<RegionRepeat> All;
  for (const clang::OMPExecutableDirective *Part : sharedParts(D)) {
    const std::optional<RegionRepeat> Here =
        Work.isWhole(D) ? repeatAt(*Part, nullptr, MinOpenings, Work) : std::nullopt;
    if (!Here)
      return std::nullopt;
    joinRepeats(All, *Here);
  }
  return All;
}

void joinRepeats(std::optional<RegionRepeat> &All, const RegionRepeat &Here) {
  if (!All) {
    All = Here;
    return;
  }
  All->Spatial &= Here.Spatial && All->Loop == Here.Loop;
  All->Listed &= Here.Listed;
  All->Reads |= Here.Reads;
  All->Sums |= Here.Sums;
  All->Triangular |= Here.Triangular;
  All->Length = std::min(All->Length, Here.Length);
  std::optional<LoopWork> Sum = All->Work;
  addWork(Sum, Here.Work);
  All->Work = *Sum;
}

std::optional<RegionRepeat> repeatOf(const clang::OMPExecutableDirective &D, const OmpSite &Call, double MinOpenings,
                                     RegionWork &Work) {
  return repeatAt(D, &Call, MinOpenings, Work);
}

std::vector<const clang::OMPExecutableDirective *> sharedParts(const clang::OMPExecutableDirective &D) {
  if (D.getDirectiveKind() != llvm::omp::OMPD_parallel)
    return {&D};
  std::vector<const clang::OMPExecutableDirective *> Out;
  const clang::Stmt *Body = constructBody(D);
  const auto *Block = dyn_cast_or_null<clang::CompoundStmt>(Body);
  std::vector<const clang::Stmt *> Statements{Body};
  if (Block)
    Statements.assign(Block->body_begin(), Block->body_end());
  for (const clang::Stmt *S : Statements) {
    const auto *Part = dyn_cast_or_null<clang::OMPExecutableDirective>(S);
    if (Part &&
        (Part->getDirectiveKind() == llvm::omp::OMPD_for || Part->getDirectiveKind() == llvm::omp::OMPD_for_simd))
      Out.push_back(Part);
    else if (!isa_and_nonnull<clang::DeclStmt, clang::NullStmt>(S))
      return {};
  }
  return Out;
}

bool isGivenBody(const clang::FunctionDecl &F) {
  return F.isTemplateInstantiation() && any_of(F.parameters(), [](const clang::ParmVarDecl *P) {
           const clang::CXXRecordDecl *R = P->getType().getNonReferenceType()->getAsCXXRecordDecl();
           return R && R->isLambda();
         });
}

} // namespace stridewise
