#include "mpi/MemoryRange.h"
#include "fortran/FortranMpi.h"
#include "library/LibraryCalls.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/DJB.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace stridewise {

// --- polynomials -----------------------------------------------------------------------------------------------------

// Where a loop around begins apart from how far it has come, which is the same for all that one iteration does.
static SizePolynomial placeIn(const SCEV *S, ScalarEvolution &SE) {
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R && R->isAffine()) {
    const SCEV *Step = R->getStepRecurrence(SE);
    SizePolynomial Sum = placeIn(R->getStart(), SE);
    Sum += SizePolynomial::symbol(SE.getAddRecExpr(SE.getZero(Step->getType()), Step, R->getLoop(), SCEV::FlagAnyWrap));
    return Sum;
  }
  if (!isa<SCEVAddExpr>(S))
    return polynomialOf(S);
  SizePolynomial Sum;
  for (const SCEV *Op : S->operands())
    Sum += placeIn(Op, SE);
  return Sum;
}

SizePolynomial polynomialOf(const SCEV *S) {
  while (const auto *C = dyn_cast<SCEVCastExpr>(S))
    S = C->getOperand();
  if (const auto *C = dyn_cast<SCEVConstant>(S); C && C->getAPInt().getSignificantBits() <= 64)
    return SizePolynomial::constant(C->getAPInt().getSExtValue());
  if (isa<SCEVAddExpr>(S)) {
    SizePolynomial Sum;
    for (const SCEV *Op : S->operands())
      Sum += polynomialOf(Op);
    return Sum;
  }
  if (isa<SCEVMulExpr>(S)) {
    SizePolynomial Product = SizePolynomial::constant(1);
    for (const SCEV *Op : S->operands())
      Product = Product * polynomialOf(Op);
    return Product;
  }
  if (isa<SCEVSMaxExpr, SCEVUMaxExpr>(S) && S->operands().size() == 2 && isa<SCEVConstant>(S->operands()[0]))
    return polynomialOf(S->operands()[1]);
  return SizePolynomial::symbol(S);
}

using namespace limits::mpi;

// An address of more sizes is none of a field's.
static constexpr unsigned MostSizes = 8;

// Offsets from the row's start, which may lie a row or more away.
static MemoryRange::InRow normalise(MemoryRange::InRow R) {
  SizePolynomial Size = R.End - R.Begin;
  R.Begin = R.Begin.modulo(R.Length);
  if (std::optional<std::int64_t> C = R.Begin.asConstant(); C && *C < 0)
    R.Begin += R.Length;
  R.End = R.Begin;
  R.End += Size;
  return R;
}

// --- ranges ----------------------------------------------------------------------------------------------------------

const SCEV *MemoryRanges::startOf(const SCEV *S, const Loop *Outer, unsigned Depth) {
  ScalarEvolution &SE = M.engine().scalarEvolution();
  if (Depth > 30)
    return S;
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R && Outer && Outer->contains(R->getLoop()))
    return startOf(R->getStart(), Outer, Depth + 1);
  if (!isa<SCEVAddExpr, SCEVMulExpr>(S))
    return S;
  SmallVector<const SCEV *, 4> Ops;
  for (const SCEV *Op : S->operands())
    Ops.push_back(startOf(Op, Outer, Depth + 1));
  return isa<SCEVAddExpr>(S) ? SE.getAddExpr(Ops) : SE.getMulExpr(Ops);
}

MemoryRange MemoryRanges::of(Value *Pointer, const std::optional<SizePolynomial> &Bytes, const BasicBlock *At,
                             const Loop *Outer, bool Interior) {
  MemoryRange Out = bytesOf(Pointer, Bytes, At, Outer, Interior);
  addOrigins(Pointer, Outer, Interior, Out, 0);
  return Out;
}

// What the iterations of a loop add to the begin and the end of a range that moves by `Step` in it; nothing where that
// is not known outside of `Outer`.
std::optional<MemoryRanges::Sweep> MemoryRanges::sweep(const SCEV *Step, const Loop *L, const Loop *Outer,
                                                       bool Interior) {
  StrideEngine &E = M.engine();
  const SCEV *Back = Values.canonical(E.backedges(L));
  if (!Back || isa<SCEVCouldNotCompute>(Back) || E.varies(Back, Outer) || E.varies(Step, Outer))
    return std::nullopt;
  Sweep S;
  S.By = polynomialOf(Step);
  SizePolynomial Trips = polynomialOf(Back);
  bool Up = S.By.isNonNegative();
  if (!Up && !(SizePolynomial() - S.By).isNonNegative())
    return std::nullopt;
  unsigned Known = E.tripCount(L);
  if (Interior && (!Known || Known > LongestWindow)) {
    (Up ? S.Low : S.High) += S.By;
    Trips = Trips - polynomialOf(E.scalarEvolution().getOne(Back->getType()));
  }
  (Up ? S.High : S.Low) += S.By * Trips;
  return S;
}

MemoryRange MemoryRanges::bytesOf(Value *Pointer, const std::optional<SizePolynomial> &Bytes, const BasicBlock *At,
                                  const Loop *Outer, bool Interior) {
  StrideEngine &E = M.engine();
  MemoryRange Out;
  Out.Pointer = Pointer;
  const Loop *Inner = Outer && Outer->contains(At) ? E.loops().getLoopFor(At) : nullptr;
  Out.Base = Values.canonical(M.baseOf(Pointer, Outer));
  if (!Bytes)
    return Out;
  const SCEV *Address = Values.canonical(E.rewrite(Pointer)), *Start = startOf(Address, Outer);
  SizePolynomial Begin = placeIn(Start, E.scalarEvolution()), End = Begin;
  End += *Bytes;
  SmallVector<Sweep, 4> Sweeps;
  for (const Loop *L = Inner; L; L = L == Outer ? nullptr : L->getParentLoop()) {
    const SCEV *Step = E.step(Address, L);
    if (!Step || E.varies(Start, L))
      return Out;
    if (Step->isZero())
      continue;
    std::optional<Sweep> S = sweep(Step, L, Outer, Interior);
    if (!S)
      return Out;
    Sweeps.push_back(std::move(*S));
  }
  // A step that another loop's steps are multiples of, or that is no constant, is the length of a row.
  const SizePolynomial Origin = polynomialOf(E.scalarEvolution().getPointerBase(Start));
  for (const Sweep &Row : Sweeps) {
    std::optional<std::int64_t> Length = Row.By.asConstant();
    if (!Row.By.isNonNegative() || (Length && *Length < ShortestRowBytes))
      continue;
    MemoryRange::InRow R{Row.By, Begin - Origin, End - Origin};
    for (const Sweep &S : Sweeps)
      if (!S.By.modulo(Row.By).isZero()) {
        R.Begin += S.Low;
        R.End += S.High;
      }
    Out.Rows.push_back(normalise(std::move(R)));
  }
  for (const Sweep &S : Sweeps) {
    Begin += S.Low;
    End += S.High;
  }
  Out.Begin = std::move(Begin);
  Out.End = std::move(End);
  return Out;
}

MemoryRange MemoryRanges::ofMessage(const MpiSite &S, bool Receive, const Loop *Outer) {
  const MpiSignature &Sig = *S.Sig;
  bool Second = Receive && (S.is(MpiSend) || Sig.RecvBuffer >= 0);
  Value *Buffer = S.arg(Second && Sig.RecvBuffer >= 0 ? Sig.RecvBuffer : Sig.Buffer);
  Value *Count = S.arg(Second && Sig.RecvCount >= 0 ? Sig.RecvCount : Sig.Count);
  Value *Type = S.arg(Second && Sig.RecvType >= 0 ? Sig.RecvType : Sig.Type);
  if (!Buffer || !Buffer->getType()->isPointerTy() || isCopiedBuffer(Buffer))
    return {};
  std::optional<std::uint64_t> Size = M.typeBytes(Type);
  std::optional<SizePolynomial> Bytes;
  if (Size && Count && Count->getType()->isIntegerTy() && !S.is(MpiCollective)) {
    const SCEV *Elements = Values.canonical(M.engine().rewrite(Count));
    Bytes = polynomialOf(Elements) *
            polynomialOf(M.engine().scalarEvolution().getConstant(Type::getInt64Ty(Buffer->getContext()), *Size));
  }
  return of(Buffer, Bytes, S.Call->getParent(), Outer);
}

// --- origins ---------------------------------------------------------------------------------------------------------

// Pointers behind more loads than this are of unknown origin.
static constexpr unsigned MostLoads = 4;
static constexpr unsigned MostChoices = 16;

// The pointer was found in a table rather than under a name of its own, as a variable or a member has one.
bool MemoryRanges::isRow(const LoadInst &Load, const Loop *Outer) {
  StrideEngine &E = M.engine();
  const SCEV *Address = E.rewrite(const_cast<Value *>(Load.getPointerOperand()));
  for (const Loop *L = E.loops().getLoopFor(Load.getParent()); L && Outer && Outer->contains(L); L = L->getParentLoop())
    if (E.varies(Address, L))
      return true;
  // A member: its access is described by its record as well.
  if (const MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
      Tag && Tag->getNumOperands() >= 3 && Tag->getOperand(0) != Tag->getOperand(1))
    return false;
  const Value *Holder = Load.getPointerOperand()->stripPointerCasts();
  if (const auto *G = dyn_cast<GlobalVariable>(Holder))
    return !G->getValueType()->isPointerTy();
  if (const auto *A = dyn_cast<AllocaInst>(Holder))
    return !A->getAllocatedType()->isPointerTy();
  return true;
}

// What a pointer may be derived from, through the choices that the code makes between pointers and, within the nest,
// the loops that move them on.
void MemoryRanges::addOrigins(Value *Pointer, const Loop *Outer, bool Interior, MemoryRange &To, unsigned Depth) {
  LoopInfo &LI = M.engine().loops();
  SmallVector<Value *, 4> Work{Pointer};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    Value *V = getUnderlyingObject(Work.pop_back_val(), /*MaxLookup=*/0);
    if (!Seen.insert(V).second)
      continue;
    if (Seen.size() > MostChoices)
      return To.Origins.clear(); // of unknown origin
    if (auto *Sel = dyn_cast<SelectInst>(V)) {
      Work.append({Sel->getTrueValue(), Sel->getFalseValue()});
      continue;
    }
    const auto *P = dyn_cast<PHINode>(V);
    const Loop *Own = P ? LI.getLoopFor(P->getParent()) : nullptr;
    // What a loop around all of it exchanges has one value here, and that is its name.
    if (P && (!LI.isLoopHeader(P->getParent()) || (Outer && Outer->contains(Own)))) {
      Work.append(P->op_begin(), P->op_end());
      continue;
    }
    MemoryRange::Origin O;
    O.Object = V;
    if (auto *Load = dyn_cast<LoadInst>(V)) {
      O.Row = isRow(*Load, Outer);
      if (Depth < MostLoads) {
        SizePolynomial Bytes = polynomialOf(M.engine().scalarEvolution().getConstant(
            APInt(64, M.function().getDataLayout().getTypeStoreSize(Load->getType()))));
        auto Slot = std::make_shared<MemoryRange>(
            bytesOf(Load->getPointerOperand(), Bytes, Load->getParent(), Outer, Interior));
        addOrigins(Load->getPointerOperand(), Outer, Interior, *Slot, Depth + 1);
        O.Slot = std::move(Slot);
      }
    }
    To.Origins.push_back(std::move(O));
  }
}

// A pointer to memory of this function alone that it keeps nowhere: MPI may, but does not hand it out.
static bool isOwn(const Value *Object) {
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(Object))
    return false;
  SmallVector<const Value *, 8> Work{Object};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (const Use &Each : V->uses()) {
      const auto *I = cast<Instruction>(Each.getUser());
      if (isa<GEPOperator, CastInst, PHINode, SelectInst>(I))
        Work.push_back(I);
      else if (const auto *Call = dyn_cast<CallBase>(I)) {
        if (!findMpiCall(*Call) && !isa<IntrinsicInst>(I) && !findLibraryCall(*Call) &&
            !(Call->isDataOperand(&Each) && Call->doesNotCapture(Call->getDataOperandNo(&Each))))
          return false;
      } else if (!isa<LoadInst, CmpInst>(I) && !(isa<StoreInst>(I) && Each.getOperandNo() == 1)) {
        return false;
      }
    }
  }
  return true;
}

Meeting MemoryRanges::meetOrigins(const MemoryRange::Origin &A, const MemoryRange::Origin &B, bool AssumeSizes) {
  bool Loaded = isa<LoadInst>(A.Object), OtherLoaded = isa<LoadInst>(B.Object);
  if (Loaded && OtherLoaded) {
    // The same place holds the same pointer; different places are taken to hold different ones.
    Meeting Slots = A.Slot && B.Slot ? meet(*A.Slot, *B.Slot, AssumeSizes) : Meeting::Maybe;
    if (Slots == Meeting::Maybe)
      return Meeting::Maybe;
    return A.Row != B.Row || Slots == Meeting::Tables ? Meeting::Tables : Meeting::Names;
  }
  if (A.Object == B.Object)
    return Meeting::Maybe;
  if (!A.Row && !B.Row)
    return Meeting::Names;
  return isOwn(A.Row ? B.Object : A.Object) ? Meeting::Names : Meeting::Tables;
}

std::optional<MemoryRange::InRow> MemoryRanges::inRows(const MemoryRange &R, const SizePolynomial &Length) {
  for (const MemoryRange::InRow &Row : R.Rows)
    if (Row.Length == Length)
      return Row;
  return std::nullopt;
}

// Below twice as many.
static constexpr std::uint64_t MostPlaces = 128;

std::optional<std::int64_t> MemoryRanges::placeOfSize(const SCEV *S) {
  StrideEngine &E = M.engine();
  const auto *U = dyn_cast<SCEVUnknown>(S);
  if (!U || !U->getType()->isIntegerTy() || E.varies(S))
    return std::nullopt;
  if (const auto *A = dyn_cast<Argument>(U->getValue()))
    return MostPlaces + A->getArgNo() % MostPlaces;
  const auto *Load = dyn_cast<LoadInst>(U->getValue());
  if (!Load)
    return std::nullopt;
  if (const auto *G = dyn_cast<GlobalVariable>(Load->getPointerOperand()->stripPointerCasts()))
    return MostPlaces + djbHash(G->getName()) % MostPlaces;
  const SCEV *From = E.rewrite(const_cast<Value *>(Load->getPointerOperand()));
  const auto *Offset = dyn_cast<SCEVConstant>(E.scalarEvolution().removePointerBase(From));
  return Offset ? std::optional(Offset->getAPInt().getZExtValue() / 4 % MostPlaces) : std::nullopt;
}

namespace {

// Ranges for certain sizes, as offsets from their object.
struct PlacedRange {
  std::int64_t Begin = 0, End = 0;

  bool meets(const PlacedRange &O) const { return Begin < O.End && O.Begin < End; }
  // The same bytes of a row that it lies in; nothing when it goes beyond the row's end.
  std::optional<PlacedRange> in(std::int64_t Length) const {
    const std::int64_t At = ((Begin % Length) + Length) % Length;
    return At + (End - Begin) <= Length ? std::optional(PlacedRange{At, At + (End - Begin)}) : std::nullopt;
  }
};

using SizeOf = function_ref<std::int64_t(const SCEV *)>;

std::optional<PlacedRange> place(const SizePolynomial &Begin, const SizePolynomial &End, SizeOf Size) {
  std::optional<std::int64_t> From = Begin.valueAt(Size), To = End.valueAt(Size);
  return From && To ? std::optional(PlacedRange{*From, *To}) : std::nullopt;
}

// Other columns of the rows that one of the two walks along or across.
bool inOtherColumns(const MemoryRange &A, const MemoryRange &B, SizeOf Size) {
  return any_of(A.Rows, [&](const MemoryRange::InRow &R) {
    std::optional<std::int64_t> Length = R.Length.valueAt(Size);
    const auto Own = find_if(B.Rows, [&](const MemoryRange::InRow &O) { return O.Length == R.Length; });
    std::optional<PlacedRange> X = place(R.Begin, R.End, Size), Y = Own == B.Rows.end()
                                                                        ? place(*B.Begin, *B.End, Size)
                                                                        : place(Own->Begin, Own->End, Size);
    if (!Length || *Length <= 0 || !X || !Y)
      return false;
    X = X->in(*Length);
    Y = Y->in(*Length);
    return X && Y && !X->meets(*Y);
  });
}

} // namespace

// A column of inner cells and one of ghost cells, (1, h - 2) and (w - 1, 0), are different places in a field of any
// size, but that takes two records' widths and heights to be the same numbers. So sizes are tried: all of them equal,
// and those of like places in their records alike, others different.
bool MemoryRanges::apartForAllSizes(const MemoryRange &A, const MemoryRange &B) {
  if (triesApart(A, B))
    return true;
  // What both places are counted from alike, such as the level of a loop around both, counts as nothing.
  const auto Without = [](const MemoryRange &R, const SizePolynomial &Start) {
    MemoryRange Out;
    Out.Begin = *R.Begin - Start;
    Out.End = *R.End - Start;
    return Out;
  };
  const SizePolynomial Start = *A.Begin;
  return triesApart(Without(A, Start), Without(B, Start));
}

bool MemoryRanges::triesApart(const MemoryRange &A, const MemoryRange &B) {
  std::set<const SCEV *> Sizes;
  for (const MemoryRange *R : {&A, &B}) {
    Sizes.merge(R->Begin->symbols());
    Sizes.merge(R->End->symbols());
    for (const MemoryRange::InRow &Row : R->Rows)
      for (const SizePolynomial *P : {&Row.Length, &Row.Begin, &Row.End})
        Sizes.merge(P->symbols());
  }
  DenseMap<const SCEV *, std::int64_t> Places; // none of the object itself
  for (const SCEV *S : Sizes)
    if (S->getType()->isPointerTy())
      continue;
    else if (std::optional<std::int64_t> Place = placeOfSize(S))
      Places[S] = *Place;
    else
      return false;
  if (Places.empty() || Places.size() > MostSizes)
    return false;
  constexpr std::int64_t Last = 2 * MostPlaces;
  return all_of(ArrayRef<std::pair<std::int64_t, std::int64_t>>(
                    {{64, 0}, {257, 0}, {1000, 0}, {300, 37}, {300 + 37 * Last, -37}}),
                [&](const auto &Sample) {
                  auto Size = [&](const SCEV *S) {
                    auto It = Places.find(S);
                    return It == Places.end() ? 0 : Sample.first + Sample.second * It->second;
                  };
                  std::optional<PlacedRange> X = place(*A.Begin, *A.End, Size), Y = place(*B.Begin, *B.End, Size);
                  return X && Y && (!X->meets(*Y) || inOtherColumns(A, B, Size) || inOtherColumns(B, A, Size));
                });
}

Meeting MemoryRanges::meet(const MemoryRange &A, const MemoryRange &B, bool AssumeSizes) {
  if (!A.Pointer || !B.Pointer)
    return Meeting::Maybe;
  if (A.Base == B.Base) {
    if (!A.Begin || !B.Begin)
      return Meeting::Maybe;
    auto Apart = [](const auto &X, const auto &Y, std::int64_t Least = 0) {
      return (X.Begin - Y.End).isNonNegative(Least) || (Y.Begin - X.End).isNonNegative(Least);
    };
    MemoryRange::InRow X{{}, *A.Begin, *A.End}, Y{{}, *B.Begin, *B.End};
    if (Apart(X, Y))
      return Meeting::Never;
    if (Apart(X, Y, FewestColumns))
      return Meeting::Rows;
    for (const auto &[Rows, Other] : {std::pair(&A, &B), std::pair(&B, &A)})
      for (const MemoryRange::InRow &R : Rows->Rows)
        if (std::optional<MemoryRange::InRow> O = inRows(*Other, R.Length); O && Apart(R, *O, FewestColumns))
          return Meeting::Rows;
    return AssumeSizes && apartForAllSizes(A, B) ? Meeting::Sizes : Meeting::Maybe;
  }
  if (AA.isNoAlias(MemoryLocation::getBeforeOrAfter(A.Pointer), MemoryLocation::getBeforeOrAfter(B.Pointer)))
    return Meeting::Never;
  if (A.Origins.empty() || B.Origins.empty())
    return Meeting::Maybe;
  Meeting Worst = Meeting::Names;
  for (const MemoryRange::Origin &X : A.Origins)
    for (const MemoryRange::Origin &Y : B.Origins)
      Worst = std::max(Worst, meetOrigins(X, Y, AssumeSizes));
  return Worst;
}

} // namespace stridewise
