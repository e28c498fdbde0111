#include "checks/omp-serial-loop/UnitLoopsBuilder.h"
#include "checks/omp-serial-loop/ArrayKeys.h"
#include "library/LibraryCalls.h"
#include "loops/ArrayNames.h"
#include "loops/LoopCopies.h"
#include "omp/RegionWork.h"
#include "thresholds.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace stridewise {
namespace {

using limits::loops::RareStep;

class Builder {
public:
  Builder(Unit &U, const SerialLimits &Limits) : U(U), Limits(Limits), View(SourceView::of(U)), Work(U) {}

  UnitLoopsWithSource build() {
    for (Function &F : *U.ir())
      if (!F.isDeclaration() && !isInlinedAway(F))
        study(F);
    return std::move(Out);
  }

private:
  // A function of this unit alone whose calls were all inlined.
  static bool isInlinedAway(const Function &F) { return F.hasLocalLinkage() && F.use_empty(); }
  std::string unitName() const {
    const clang::SourceManager &SM = U.sources();
    return SM.getFilename(SM.getLocForStartOfFile(SM.getMainFileID())).str();
  }
  std::string idOf(const Function &F) const {
    return F.getName().str() + (F.hasLocalLinkage() ? "@" + unitName() : "");
  }

  void study(Function &Code) {
    F = &Code;
    Engine = &StrideEngine::get(Code, U.analyses());
    Keys.emplace(Code, *Engine, unitName());
    Numbers.clear();
    Serials.clear();
    Teams.clear();
    Here = FunctionLoops();
    Here.Name = idOf(Code);
    Here.InTeam = View->sharesForCallers(Code);
    for (const Loop *L : Engine->loops())
      visit(*L);
    for (Instruction &I : instructions(Code))
      if (const auto *C = dyn_cast<CallBase>(&I); C && !isa<IntrinsicInst>(C))
        call(*C);
    for (const auto &[Number, L] : Serials)
      for (const auto &[Place, Team] : Teams)
        if (Meter::spend() && !mayFollow(*L, *Team) && !mayFollow(*Team, *L))
          Here.Serial[Number].Otherwise.push_back(Place);
    if (!Here.Shared.empty() || !Here.Calls.empty() || !Here.Serial.empty())
      Out.Facts.Functions.push_back(std::move(Here));
  }

  // Whether the one may run after the other in the same step: not where they are the two ways of one choice.
  bool mayFollow(const Loop &First, const Loop &Then) const {
    SmallPtrSet<BasicBlock *, 1> NextStep;
    for (const Loop *Around = First.getParentLoop(); Around && NextStep.empty(); Around = Around->getParentLoop())
      if (Around->contains(&Then))
        NextStep.insert(Around->getHeader());
    return isPotentiallyReachable(First.getHeader(), Then.getHeader(), &NextStep,
                                  &U.analyses().getResult<DominatorTreeAnalysis>(*F), &Engine->loops());
  }

  // --- loops -----------------------------------------------------------------------------------------------------

  SourceLoop::Kind kind(const Loop &L) { return View->loop(L).K; }
  bool holdsConstruct(const Loop &L) {
    return kind(L) == SourceLoop::Shared || View->isInConstruct(L.getStartLoc()) ||
           any_of(L, [&](const Loop *Sub) { return holdsConstruct(*Sub); });
  }

  void visit(const Loop &L) {
    Meter::count();
    const SourceLoop Place = View->loop(L);
    if (Place.K == SourceLoop::Shared)
      return share(L, Place);
    if (View->isInConstruct(L.getStartLoc()))
      return descend(L);
    if (Place.K == SourceLoop::Serial && !holdsConstruct(L) && study(L, Place))
      return;
    descend(L);
  }
  void descend(const Loop &L) {
    for (const Loop *Sub : L)
      visit(*Sub);
  }

  // The loops around that come back to the elements of the access, the innermost first, and how many are long.
  void addSteps(const Reference &R, const Loop &L, ArrayUse &Use) {
    bool Inside = true;
    for (const Loop *Around = R.In; Around; Around = Around->getParentLoop()) {
      if (!Inside && isStep(*Around, L.getHeader()) && Keys->comesBack(R.Pointer, *Around))
        Use.Steps.push_back({number(*Around), Use.Order});
      Inside &= Around != &L;
      Use.Order += Keys->isLong(*Around);
    }
  }
  int number(const Loop &L) {
    return static_cast<int>(Numbers.try_emplace(&L, static_cast<unsigned>(Numbers.size())).first->second);
  }
  bool isStep(const Loop &Around, const BasicBlock *BB) {
    const unsigned Trips = Engine->tripCount(&Around);
    return Trips != 1 && !isRare(BB, Around) && kind(Around) != SourceLoop::Shared;
  }
  // Behind a test that few of the iterations pass: each so many of them.
  bool isRare(const BasicBlock *BB, const Loop &Around) {
    const DominatorTree &DT = U.analyses().getResult<DominatorTreeAnalysis>(*F);
    for (const DomTreeNode *N = DT.getNode(BB); N && N->getIDom(); N = N->getIDom()) {
      const BasicBlock *Decider = N->getIDom()->getBlock();
      if (!Around.contains(Decider))
        return false;
      const auto *Branch = dyn_cast<BranchInst>(Decider->getTerminator());
      const bool Guards = Branch && Branch->isConditional() &&
                          (!Around.getLoopLatch() || !DT.dominates(N->getBlock(), Around.getLoopLatch()));
      // `rare || often` leads there by two ways.
      for (const bool Holds : {true, false})
        if (Guards && isRare(*Branch->getCondition(), Holds) &&
            DT.dominates(BasicBlockEdge(Decider, Branch->getSuccessor(Holds ? 0 : 1)), N->getBlock()))
          return true;
    }
    return false;
  }
  // Whether few steps have a condition, or fail it.
  static bool isRare(const Value &Condition, bool Holds) {
    const Value *A = nullptr, *B = nullptr;
    const bool Either = match(&Condition, m_LogicalOr(m_Value(A), m_Value(B)));
    if (Either || match(&Condition, m_LogicalAnd(m_Value(A), m_Value(B))))
      return Either == Holds ? isRare(*A, Holds) && isRare(*B, Holds) : isRare(*A, Holds) || isRare(*B, Holds);
    const auto *C = dyn_cast<ICmpInst>(&Condition);
    if (!C)
      return false;
    const auto *Rest = dyn_cast<Instruction>(C->getOperand(0));
    if (!C->isEquality() || !Rest || (C->getPredicate() == CmpInst::ICMP_EQ) != Holds)
      return false;
    switch (Rest->getOpcode()) {
    case Instruction::SRem:
    case Instruction::URem:
    case Instruction::And: {
      const auto *Every = dyn_cast<ConstantInt>(Rest->getOperand(1));
      return !Every || Every->getLimitedValue() + (Rest->getOpcode() == Instruction::And) >= RareStep;
    }
    default:
      return false;
    }
  }

  std::optional<ArrayUse> use(const Reference &R, const Loop &L, const SourceLoop &Place) {
    std::optional<ArrayUse> Use = Keys->useOf(R, L);
    if (!Use)
      return std::nullopt;
    addSteps(R, L, *Use);
    const auto Where = placeOf(U.ast(), Place.Header);
    Use->File = Where.File;
    Use->Line = Where.Line;
    Use->Own = !isInlinedCopy(L);
    Use->Name = arrayName(*R.At, nullptr, U);
    if (llvm::StringRef Rest = Use->Name; !Place.Element.empty() && Rest.consume_front(Place.Element) &&
                                          (Rest.empty() || Rest.starts_with(".") || Rest.starts_with("->")))
      Use->Name = Place.Container;
    return Use;
  }
  // Of several accesses to one array the one that goes over most of it.
  static void add(std::vector<ArrayUse> &Uses, ArrayUse Use) {
    for (ArrayUse &Known : Uses)
      if (Known.Key == Use.Key && Known.Line == Use.Line && Known.File == Use.File) {
        if (std::tuple(Use.Order, Use.Dims, Use.Elements) > std::tuple(Known.Order, Known.Dims, Known.Elements))
          Known = std::move(Use);
        return;
      }
    Uses.push_back(std::move(Use));
  }

  // A function that gets nothing of the iteration but floating-point numbers, as an equation of state does, works for
  // one element; any other one may have loops over a further dimension.
  bool mayGoOverMore(const Instruction &I, const Loop &L) {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || isa<IntrinsicInst>(C) || findLibraryCall(*C))
      return false;
    return !C->getType()->isFloatingPointTy() || any_of(C->args(), [&](const Use &A) {
      if (A->getType()->isFloatingPointTy())
        return false;
      for (const Loop *Around = Engine->loops().getLoopFor(I.getParent()); Around && L.contains(Around);
           Around = Around->getParentLoop())
        if (Engine->varies(A.get(), Around))
          return true;
      return false;
    });
  }

  void share(const Loop &L, const SourceLoop &Place) {
    std::optional<std::vector<Reference>> Refs = accessesOf(L, *F, U.analyses());
    if (!Refs)
      return;
    // Calls that the unit does not show are the loop's main work.
    const bool Calls = Work.work({F, &L}).UnknownCalls && any_of(L.blocks(), [&](const BasicBlock *BB) {
                         return any_of(*BB, [&](const Instruction &I) { return mayGoOverMore(I, L); });
                       });
    std::vector<ArrayUse> Uses;
    for (const Reference &R : *Refs)
      if (std::optional<ArrayUse> Use = use(R, L, Place))
        add(Uses, std::move(*Use));
    countWork(Uses, Calls);
    if (!Uses.empty())
      Teams.emplace_back(stridewise::placeOf(Uses.front()), &L);
    for (ArrayUse &Use : Uses)
      add(Here.Shared, std::move(Use));
  }

  // Whether code comes from there, or may.
  bool isWithin(const DebugLoc &At, clang::SourceRange Range) const {
    const clang::SourceManager &SM = U.sources();
    const auto [File, Begin] = SM.getDecomposedExpansionLoc(Range.getBegin());
    const auto [EndFile, End] = SM.getDecomposedExpansionLoc(Range.getEnd());
    for (const DILocation *D = At.get(); D; D = D->getInlinedAt()) {
      const clang::SourceLocation Loc = D->getLine() ? U.locate(DebugLoc(D)) : clang::SourceLocation();
      if (Loc.isInvalid())
        return true;
      const auto [Of, Offset] = SM.getDecomposedExpansionLoc(Loc);
      if (Of == File && (Of != EndFile || (Begin <= Offset && Offset <= End)))
        return true;
    }
    return !At;
  }

  // Who goes over one of the loop's arrays does all of its work. How many elements that are, of all arrays.
  static double countWork(std::vector<ArrayUse> &Uses, int More = 0) {
    int Order = 0;
    for (const ArrayUse &Use : Uses)
      Order = std::max(Order, Use.Order);
    double Elements = 0;
    for (ArrayUse &Use : Uses) {
      for (StepLoop &Step : Use.Steps)
        Step.Order += Order - Use.Order + More;
      if (Use.Order == Order)
        Elements += Use.Elements;
      Use.Order = Order + More;
    }
    return Elements;
  }

  // Of an iteration of the innermost long loop.
  double cyclesOfElement(const Loop &L) {
    double Most = 0;
    for (const Loop *Sub : L)
      if (Keys->isLong(*Sub))
        Most = std::max(Most, cyclesOfElement(*Sub));
    return Most > 0 ? Most : Work.work({F, &L}).Cycles;
  }

  // True when the loop, as it stands, is one that a directive could deal out.
  bool study(const Loop &L, const SourceLoop &Place) {
    if (!Meter::spend())
      return true;
    const IterationProof Proof =
        proveIterations(L, *F, U.analyses(), [&](const DebugLoc &At) { return isWithin(At, Place.Range); });
    if (!Proof.Independent)
      return false;
    const LoopWork W = Work.work({F, &L});
    if (W.known() && W.total() / CyclesPerMicrosecond < Limits.LeastMicroseconds) {
      return true;
    }
    SerialLoop S;
    for (const Reference &R : Proof.References)
      if (std::optional<ArrayUse> Use = use(R, L, Place))
        add(S.Uses, std::move(*Use));
    S.Elements = countWork(S.Uses);
    std::optional<LoopClauses> Clauses = View->clauses(L, Proof);
    if (S.Uses.empty() || !Clauses)
      return true;
    S.Where = placeOf(U.ast(), Place.Header);
    S.Number = static_cast<unsigned>(Out.Serial.size());
    S.Function = Place.Function;
    S.Own = !isInlinedCopy(L);
    S.Sums = Proof.Reduced > 0;
    S.Scatters = Proof.Scatters;
    S.Heavy = cyclesOfElement(L) >= Limits.HeavyCycles;
    if (W.known())
      S.Args["nanoseconds"] = static_cast<std::int64_t>(W.total() / CyclesPerMicrosecond * 1000);
    Serials.emplace_back(Here.Serial.size(), &L);
    Here.Serial.push_back(std::move(S));
    std::optional<Edit> Directive;
    if (Clauses->IsWhole && !Proof.Scatters)
      Directive = View->directive(L, *Clauses);
    Out.Serial.push_back({Place, std::move(*Clauses), std::move(Directive)});
    return true;
  }

  // --- calls -----------------------------------------------------------------------------------------------------

  void call(const CallBase &C) {
    const Function *Callee = C.getCalledFunction();
    if (!Callee || Callee->isIntrinsic())
      return;
    Meter::count();
    CallFact Fact;
    Fact.Callee = idOf(*Callee);
    Fact.InTeam = View->isInConstruct(C.getDebugLoc());
    for (const Use &A : C.args()) {
      Value *V = A.get();
      const bool Plain = V->getType()->isPointerTy() || V->getType()->isIntegerTy();
      Fact.Arguments.push_back(Plain ? Keys->keyOf(Engine->rewrite(V)) : std::string());
    }
    for (const Loop *Around = Engine->loops().getLoopFor(C.getParent()); Around; Around = Around->getParentLoop()) {
      const bool Same = none_of(
          C.args(), [&](const Use &A) { return A->getType()->isPointerTy() && !Keys->comesBack(A.get(), *Around); });
      if (Same && isStep(*Around, C.getParent()))
        Fact.Steps.push_back({number(*Around), Fact.Order});
      Fact.Order += Keys->isLong(*Around);
      Fact.Rare |= isRare(C.getParent(), *Around);
    }
    Here.Calls.push_back(std::move(Fact));
  }

  Unit &U;
  const SerialLimits &Limits;
  std::unique_ptr<SourceView> View;
  RegionWork Work;
  UnitLoopsWithSource Out;
  Function *F = nullptr;
  StrideEngine *Engine = nullptr;
  std::optional<ArrayKeys> Keys;
  DenseMap<const Loop *, unsigned> Numbers;
  FunctionLoops Here;
  std::vector<std::pair<std::size_t, const Loop *>> Serials; // by their numbers in it
  std::vector<std::pair<std::string, const Loop *>> Teams;
};

} // namespace

UnitLoopsWithSource collectUnitLoops(Unit &U, const SerialLimits &Limits) {
  // Of a program that is built without OpenMP nothing needs to be known.
  const bool Teams = U.isFortran() ? U.hasFortranOpenMP() : U.ast().getLangOpts().OpenMP != 0;
  return Teams && U.ir() ? Builder(U, Limits).build() : UnitLoopsWithSource();
}

} // namespace stridewise
