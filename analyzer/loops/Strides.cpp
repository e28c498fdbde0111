// Strides, counts of iterations and their words, read off rewritten expressions.
#include "loops/StrideRewriter.h"
#include "thresholds.h"
#include "unit/Meter.h"
#include "llvm/Analysis/ValueTracking.h"
#include <climits>

using namespace llvm;

namespace stridewise {

using limits::loops::LargestMeaningfulBound;
using limits::loops::MinWalks;

// --- strides --------------------------------------------------------------------------------------------------------

bool StrideEngine::Impl::varies(const SCEV *S, const Loop *L) {
  auto It = Number.find(L);
  return It != Number.end() && loopsOf(S).test(It->second);
}

const SCEV *StrideEngine::Impl::step(const SCEV *S, const Loop *L) {
  if (!varies(S, L))
    return SE.getZero(SE.getEffectiveSCEVType(S->getType()));
  auto Key = std::make_pair(S, L);
  if (auto It = Steps.find(Key); It != Steps.end())
    return It->second;
  const SCEV *R = stepNew(S, L);
  return Steps[Key] = R;
}

const SCEV *StrideEngine::Impl::stepNew(const SCEV *S, const Loop *L) {
  if (const auto *A = dyn_cast<SCEVAddRecExpr>(S)) {
    const SCEV *Own = A->getStepRecurrence(SE);
    if (!A->isAffine() || varies(Own, L))
      return nullptr;
    const SCEV *Start = step(A->getStart(), L);
    if (!Start || A->getLoop() != L)
      return Start;
    return Start->isZero() ? Own : SE.getAddExpr(Start, Own);
  }
  if (const auto *A = dyn_cast<SCEVAddExpr>(S)) {
    SmallVector<const SCEV *, 4> Sum;
    for (const SCEV *Op : A->operands()) {
      const SCEV *P = step(Op, L);
      if (!P)
        return nullptr;
      Sum.push_back(P);
    }
    return SE.getAddExpr(Sum);
  }
  if (const auto *M = dyn_cast<SCEVMulExpr>(S)) {
    SmallVector<const SCEV *, 4> Product;
    unsigned Moving = 0;
    for (const SCEV *Op : M->operands()) {
      bool Moves = varies(Op, L);
      Moving += Moves;
      const SCEV *P = Moves ? step(Op, L) : Op;
      if (!P || Moving > 1)
        return nullptr;
      Product.push_back(P);
    }
    return SE.getMulExpr(Product);
  }
  if (const auto *C = dyn_cast<SCEVCastExpr>(S)) {
    const SCEV *P = step(C->getOperand(), L);
    return P ? extend(P, SE.getEffectiveSCEVType(S->getType())) : nullptr;
  }
  return nullptr;
}

const SCEV *StrideEngine::Impl::atStart(const SCEV *S, const Loop *L, unsigned Nesting) {
  if (Nesting > MaxExpressionDepth)
    return S;
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R && R->getLoop() != L && L->contains(R->getLoop()))
    return atStart(R->getStart(), L, Nesting + 1);
  if (!isa<SCEVAddRecExpr, SCEVAddExpr, SCEVMulExpr>(S))
    return S;
  SmallVector<const SCEV *, 4> Ops;
  for (const SCEV *Op : S->operands())
    Ops.push_back(atStart(Op, L, Nesting + 1));
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    if (any_of(Ops, [&](const SCEV *Op) { return varies(Op, R->getLoop()); }))
      return S;
    return SE.getAddRecExpr(Ops, R->getLoop(), SCEV::FlagNW);
  }
  return isa<SCEVAddExpr>(S) ? SE.getAddExpr(Ops) : SE.getMulExpr(Ops);
}

// ScalarEvolution gives up when the bound is reloaded in each iteration; the exit compare still says how often the
// loop runs.
const SCEV *StrideEngine::Impl::recoverBackedges(const Loop *L) {
  BasicBlock *Exiting = L->getExitingBlock(), *Latch = L->getLoopLatch();
  if (!Exiting || !Latch || (Exiting != Latch && Exiting != L->getHeader()))
    return nullptr;
  auto *Branch = dyn_cast<BranchInst>(Exiting->getTerminator());
  auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare || !SE.isSCEVable(Compare->getOperand(0)->getType()))
    return nullptr;
  CmpInst::Predicate Stay = Compare->getPredicate();
  if (!L->contains(Branch->getSuccessor(0)))
    Stay = CmpInst::getInversePredicate(Stay);
  const SCEV *Moving = rewrite(SE.getSCEV(Compare->getOperand(0)));
  const SCEV *Bound = rewrite(SE.getSCEV(Compare->getOperand(1)));
  if (varies(Bound, L)) {
    std::swap(Moving, Bound);
    Stay = CmpInst::getSwappedPredicate(Stay);
  }
  const SCEV *Step = varies(Bound, L) || !varies(Moving, L) ? nullptr : step(Moving, L);
  const auto *Start = dyn_cast<SCEVAddRecExpr>(Moving);
  if (!Step || Step->isZero() || !Start || Start->getLoop() != L)
    return nullptr;
  const SCEV *From = Start->getStart();
  bool Down = SE.isKnownNegative(Step);
  if (Down) {
    std::swap(From, Bound);
    Step = SE.getNegativeSCEV(Step);
  }
  return backedgesBetween(From, Bound, Step, Stay, Down);
}

// How often a loop stays that does so while From, which grows by Step, is before Bound.
const SCEV *StrideEngine::Impl::backedgesBetween(const SCEV *From, const SCEV *Bound, const SCEV *Step,
                                                 CmpInst::Predicate Stay, bool Down) {
  const SCEV *Distance = SE.getMinusSCEV(Bound, From);
  // Two pointers that are kept apart, as containers keep where they begin and end, are of one array all the same.
  if (isa<SCEVCouldNotCompute>(Distance) && From->getType()->isPointerTy()) {
    Type *Number = SE.getEffectiveSCEVType(From->getType());
    Distance = SE.getMinusSCEV(SE.getPtrToIntExpr(Bound, Number), SE.getPtrToIntExpr(From, Number));
  }
  if (isa<SCEVCouldNotCompute>(Distance))
    return nullptr;
  if (ICmpInst::isEquality(Stay))
    return Stay != ICmpInst::ICMP_NE ? nullptr : Step->isOne() ? Distance : SE.getUDivExpr(Distance, Step);
  if ((ICmpInst::isLT(Stay) || ICmpInst::isLE(Stay)) == Down)
    return nullptr;
  if (CmpInst::isNonStrictPredicate(Stay))
    Distance = SE.getAddExpr(Distance, SE.getOne(Distance->getType()));
  if (Step->isOne())
    return Distance;
  return SE.getUDivExpr(SE.getAddExpr(Distance, SE.getMinusSCEV(Step, SE.getOne(Step->getType()))), Step);
}

// --- extents --------------------------------------------------------------------------------------------------------

namespace {
std::uint64_t roundedUp(std::uint64_t Of, std::int64_t By) {
  const std::uint64_t Step = By < 0 ? -static_cast<std::uint64_t>(By) : static_cast<std::uint64_t>(By);
  return Of / Step + (Of % Step != 0);
}

// The bytes of what has a declaration with constant size; 0 for all else.
std::uint64_t declaredBytes(const Value *Object, const DataLayout &DL) {
  if (const auto *Local = dyn_cast<AllocaInst>(Object))
    if (const std::optional<TypeSize> Size = Local->getAllocationSize(DL); Size && !Size->isScalable())
      return Size->getFixedValue();
  const auto *Global = dyn_cast<GlobalVariable>(Object);
  return Global && Global->hasDefinitiveInitializer() ? DL.getTypeAllocSize(Global->getValueType()).getFixedValue() : 0;
}

// By how much the value grows in each iteration, by the program's own words: a rewritten one leaves remainders out. 0
// where that is not constant.
std::int64_t ownStep(const SCEV *S, const Loop *L, ScalarEvolution &SE) {
  while (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(S))
    S = cast<SCEVCastExpr>(S)->getOperand();
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    const SCEV *Moving = nullptr;
    for (const SCEV *Term : Sum->operands())
      if (!SE.isLoopInvariant(Term, L)) {
        if (Moving)
          return 0;
        Moving = Term;
      }
    return Moving ? ownStep(Moving, L, SE) : 0;
  }
  const auto *Counter = dyn_cast<SCEVAddRecExpr>(S);
  // One of a byte and less is a remainder, as `k & 3` is, and comes back before a longer array's end.
  const auto *Step = Counter && Counter->getLoop() == L && SE.getTypeSizeInBits(Counter->getType()) > CHAR_BIT
                         ? dyn_cast<SCEVConstant>(Counter->getStepRecurrence(SE))
                         : nullptr;
  return Step && Step->getAPInt().getSignificantBits() <= 63 ? Step->getAPInt().getSExtValue() : 0;
}
} // namespace

unsigned StrideEngine::Impl::extentTrips(const Loop *L) {
  if (const auto It = Extents.find(L); It != Extents.end())
    return It->second;
  std::uint64_t Least = 0;
  // One element behind a record may stand for more. Only fewer than MinWalks are sure to be components or directions:
  // there are programs with as many levels.
  const auto Note = [&](std::uint64_t Elements) {
    if (Elements > 1 && Elements < MinWalks && (!Least || Elements < Least))
      Least = Elements;
  };
  const auto StepOf = [&](Value *V) { return SE.isSCEVable(V->getType()) ? ownStep(SE.getSCEV(V), L, SE) : 0; };
  const BasicBlock *Latch = L->getLoopLatch();
  for (BasicBlock *Block : Latch ? L->getBlocks() : ArrayRef<BasicBlock *>()) {
    if (LI.getLoopFor(Block) != L || !DT.dominates(Block, Latch))
      continue;
    for (Instruction &I : *Block) {
      Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I));
      if (!Pointer)
        continue;
      Meter::count();
      const std::uint64_t Bytes = declaredBytes(getUnderlyingObject(Pointer), DL);
      if (const std::int64_t Step = Bytes ? StepOf(Pointer) : 0)
        Note(roundedUp(Bytes, Step));
      const auto *Element = dyn_cast<GEPOperator>(Pointer);
      if (!Element || !Element->isInBounds())
        continue;
      SmallVector<Value *, 4> Before{Element->idx_begin()->get()};
      for (const Use &Index : drop_begin(Element->indices())) {
        const auto *Row =
            dyn_cast<ArrayType>(GetElementPtrInst::getIndexedType(Element->getSourceElementType(), Before));
        if (const std::int64_t Step = Row && Row->getNumElements() < MinWalks ? StepOf(Index.get()) : 0)
          Note(roundedUp(Row->getNumElements(), Step));
        Before.push_back(Index);
      }
    }
  }
  return Extents[L] = unsigned(Least);
}

// --- words ----------------------------------------------------------------------------------------------------------

std::string StrideEngine::Impl::name(const Value *V, Namer Name) {
  auto It = SymbolInfo.find(V);
  SmallVector<const Value *, 2> Originals{V};
  if (It != SymbolInfo.end())
    Originals = It->second.Originals;
  for (const Value *Original : Originals) {
    if (Name)
      if (std::string Given = Name(Original); !Given.empty())
        return Given;
    if (isa<Argument>(Original))
      return Original->getName().str();
    if (const auto *Load = dyn_cast<LoadInst>(Original))
      if (const auto *G = dyn_cast<GlobalVariable>(Load->getPointerOperand()); G && !G->hasLocalLinkage())
        return G->getName().str();
  }
  return {};
}

std::string StrideEngine::Impl::words(const SCEV *S, Namer Name, bool Factor) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().getSignificantBits() <= 64 ? std::to_string(C->getAPInt().getSExtValue()) : std::string();
  if (const auto *U = dyn_cast<SCEVUnknown>(S))
    return name(U->getValue(), Name);
  if (const auto *C = dyn_cast<SCEVCastExpr>(S))
    return words(C->getOperand(), Name, Factor);
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S); R)
    return {};
  if (!isa<SCEVAddExpr, SCEVMulExpr>(S) || S->operands().size() > 4)
    return {};
  bool Sum = isa<SCEVAddExpr>(S);
  std::string Text;
  // A sum reads better with its constant last: "n - 1".
  SmallVector<const SCEV *, 4> Ops(S->operands());
  if (Sum)
    std::rotate(Ops.begin(), Ops.begin() + 1, Ops.end());
  for (const SCEV *Op : Ops) {
    std::string Part = words(Op, Name, !Sum);
    if (Part.empty())
      return {};
    if (Text.empty())
      Text = Part;
    else if (Sum && Part.starts_with("-"))
      Text += " - " + Part.substr(1);
    else
      Text += (Sum ? " + " : " * ") + Part;
  }
  if (!Sum && StringRef(Text).starts_with("-1 * "))
    Text = "-" + Text.substr(5);
  return Sum && Factor ? "(" + Text + ")" : Text;
}

StrideEngine::StrideEngine(Function &F, FunctionAnalysisManager &FAM) : I(std::make_unique<Impl>(F, FAM)) {}
StrideEngine::~StrideEngine() = default;

namespace {
// Keeps one engine per function in the analysis manager, beside the ScalarEvolution that it speaks about.
class StrideAnalysis : public AnalysisInfoMixin<StrideAnalysis> {
public:
  struct Result {
    std::unique_ptr<StrideEngine> Engine;
  };
  Result run(Function &F, FunctionAnalysisManager &FAM) {
    Meter::Engine In("strides");
    return {std::make_unique<StrideEngine>(F, FAM)};
  }

private:
  friend AnalysisInfoMixin<StrideAnalysis>;
  static AnalysisKey Key;
};
AnalysisKey StrideAnalysis::Key;
} // namespace

StrideEngine &StrideEngine::get(Function &F, FunctionAnalysisManager &FAM) {
  FAM.registerPass([] { return StrideAnalysis(); });
  return *FAM.getResult<StrideAnalysis>(F).Engine;
}

const SCEV *StrideEngine::rewrite(Value *V) {
  Meter::count();
  return I->rewrite(I->SE.getSCEV(V));
}
const SCEV *StrideEngine::simplify(const SCEV *S) { return I->rewrite(S); }
const SCEV *StrideEngine::step(const SCEV *S, const Loop *L) { return I->step(S, L); }
bool StrideEngine::varies(const SCEV *S, const Loop *L) { return I->varies(S, L); }
bool StrideEngine::varies(const SCEV *S) { return I->loopsOf(S).any(); }
const SCEV *StrideEngine::atStart(const SCEV *S, const Loop *L) { return I->atStart(S, L); }
ScalarEvolution &StrideEngine::scalarEvolution() { return I->SE; }
LoopInfo &StrideEngine::loops() { return I->LI; }

bool StrideEngine::varies(Value *V, const Loop *L) {
  auto It = I->Number.find(L);
  return It != I->Number.end() && I->loopsOf(V).test(It->second);
}

Stride StrideEngine::stride(const SCEV *S, const Loop *L) {
  Meter::count();
  const SCEV *Step = step(S, L);
  if (!Step)
    return {Stride::Unknown, 0};
  if (Step->isZero())
    return {};
  if (const auto *C = dyn_cast<SCEVConstant>(Step); C && C->getAPInt().getSignificantBits() <= 63)
    return {Stride::Constant, C->getAPInt().getSExtValue()};
  return {Stride::Symbolic, 0};
}

// Of an array of the function's own; 0 of all else.
static std::uint64_t bytesOfLocal(const Value &Pointer) {
  const auto *Local = dyn_cast<AllocaInst>(getUnderlyingObject(&Pointer));
  const auto Size = Local ? Local->getAllocationSize(Local->getDataLayout()) : std::nullopt;
  return Size && !Size->isScalable() ? Size->getFixedValue() : 0;
}

unsigned StrideEngine::tripCount(const Loop *L) {
  if (unsigned Exact = I->SE.getSmallConstantTripCount(L))
    return Exact;
  const unsigned Bound = I->SE.getSmallConstantMaxTripCount(L);
  const unsigned Extent = I->extentTrips(L);
  if (Extent && (!Bound || Extent < Bound))
    return Extent;
  return Bound && Bound <= LargestMeaningfulBound ? Bound : I->tripsByArrays(L);
}

// As many iterations as the smallest array of the function's own has elements that the loop comes by, one in each; 0
// where that is more than the components of an element have, or where the loop looks at the element before, as one over
// the levels of a column does.
unsigned StrideEngine::Impl::tripsByArrays(const Loop *L) {
  const auto [It, New] = TripsByArrays.try_emplace(L, 0);
  if (!New)
    return It->second;
  if (any_of(L->getHeader()->phis(), [](const PHINode &P) { return P.getType()->isFloatingPointTy(); }))
    return 0;
  std::uint64_t Least = limits::unit::MaxUnrolledTrips + 1;
  SmallVector<std::pair<const SCEV *, const SCEVConstant *>, 8> Walks;
  for (BasicBlock *BB : {L->getHeader(), L->getLoopLatch()})
    for (Instruction &I : BB ? make_range(BB->begin(), BB->end()) : make_range(BasicBlock::iterator(), {})) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      const std::uint64_t Bytes = Pointer ? bytesOfLocal(*Pointer) : 0;
      const auto *Walk = Bytes ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Pointer)) : nullptr;
      const auto *Step = Walk && Walk->getLoop() == L ? dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE)) : nullptr;
      if (!Step || Step->isZero())
        continue;
      Least = std::min(Least, divideCeil(Bytes, Step->getAPInt().abs().getLimitedValue()));
      Walks.emplace_back(Walk, Step);
    }
  const auto IsBehind = [&](const auto &Each) {
    return any_of(Walks, [&](const auto &Other) { return SE.getMinusSCEV(Each.first, Other.first) == Each.second; });
  };
  return TripsByArrays[L] = Least <= limits::unit::MaxUnrolledTrips && none_of(Walks, IsBehind) ? unsigned(Least) : 0;
}

// Loops that count down from their length, as flang makes them, are left length - min(1, length) times where nothing
// proves that they run: length - 1 for one that does.
static const SCEV *ofOneThatRuns(const SCEV *Count, ScalarEvolution &SE) {
  const auto *Sum = dyn_cast<SCEVAddExpr>(Count);
  for (const SCEV *Term : Sum ? Sum->operands() : ArrayRef<const SCEV *>()) {
    const auto *Least = dyn_cast<SCEVSMinExpr>(SE.getNegativeSCEV(Term));
    if (Least && Least->getNumOperands() == 2 && isa<SCEVConstant>(Least->getOperand(0)) &&
        SE.getMinusSCEV(Count, Term) == Least->getOperand(1))
      return SE.getMinusSCEV(Least->getOperand(1), Least->getOperand(0));
  }
  return Count;
}

// max(end, begin) - begin, where nothing proves that the row has elements: end - begin for one that has.
static const SCEV *ofRowWithElements(const SCEV *Count, ScalarEvolution &SE) {
  const auto *Sum = dyn_cast<SCEVAddExpr>(Count);
  for (const SCEV *Term : Sum ? Sum->operands() : ArrayRef<const SCEV *>()) {
    if (!isa<SCEVSMaxExpr, SCEVUMaxExpr>(Term) || cast<SCEVMinMaxExpr>(Term)->getNumOperands() != 2)
      continue;
    const SCEV *Rest = SE.getMinusSCEV(Count, Term);
    for (unsigned Begin = 0; Begin < 2; ++Begin)
      if (isa<SCEVConstant>(SE.getAddExpr(Rest, cast<SCEVMinMaxExpr>(Term)->getOperand(Begin))))
        return SE.getAddExpr(Rest, cast<SCEVMinMaxExpr>(Term)->getOperand(1 - Begin));
  }
  return Count;
}

const SCEV *StrideEngine::backedges(const Loop *L) {
  if (auto It = I->Backedges.find(L); It != I->Backedges.end())
    return It->second;
  const SCEV *Count = I->SE.getBackedgeTakenCount(L);
  Count = isa<SCEVCouldNotCompute>(Count) ? I->recoverBackedges(L)
                                          : I->rewrite(ofRowWithElements(ofOneThatRuns(Count, I->SE), I->SE));
  return I->Backedges[L] = Count;
}

const SCEV *StrideEngine::loadedFrom(const SCEV *Symbol) {
  const auto *U = dyn_cast<SCEVUnknown>(Symbol);
  auto It = U ? I->SymbolInfo.find(U->getValue()) : I->SymbolInfo.end();
  return It == I->SymbolInfo.end() ? nullptr : It->second.LoadedFrom;
}

const LoadInst *StrideEngine::changingLoad(const SCEV *Symbol) {
  const auto *U = dyn_cast<SCEVUnknown>(Symbol);
  auto It = U ? I->SymbolInfo.find(U->getValue()) : I->SymbolInfo.end();
  if (It == I->SymbolInfo.end() || It->second.LoadedFrom || It->second.Originals.empty())
    return nullptr;
  return dyn_cast<LoadInst>(It->second.Originals.front());
}

bool StrideEngine::isAssumed(const SCEV *S) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    const auto *U = dyn_cast<SCEVUnknown>(Part);
    return U && I->SymbolInfo.count(U->getValue());
  });
}

std::string StrideEngine::describe(const SCEV *S, const Loop *L, Namer Name) {
  const SCEV *What = L ? step(S, L) : S;
  if (!What)
    return {};
  std::string Text = I->words(What, Name);
  return L && StringRef(Text).starts_with("-") ? I->words(I->SE.getNegativeSCEV(What), Name) : Text;
}

namespace {
class Unclamped : public SCEVRewriteVisitor<Unclamped> {
public:
  explicit Unclamped(ScalarEvolution &SE) : SCEVRewriteVisitor(SE) {}
  const SCEV *visitSMaxExpr(const SCEVSMaxExpr *E) { return without(E); }
  const SCEV *visitUMaxExpr(const SCEVUMaxExpr *E) { return without(E); }

private:
  const SCEV *without(const SCEVNAryExpr *E) {
    return E->getNumOperands() == 2 && isa<SCEVConstant>(E->getOperand(0)) ? visit(E->getOperand(1)) : E;
  }
};
} // namespace

const SCEV *unclamped(const SCEV *Count, ScalarEvolution &SE) { return Count ? Unclamped(SE).visit(Count) : nullptr; }

} // namespace stridewise
