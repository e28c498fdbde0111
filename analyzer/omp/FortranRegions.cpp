#include "omp/FortranRegions.h"
#include "loops/Strides.h"
#include "unit/Counted.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxCallDepth = 4; // callers of callers that are looked at

} // namespace

FortranRegions::FortranRegions(Unit &U)
    : U(U), Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)), Work(U) {
  if (Constructs.all().empty())
    return;
  for (const FortranProcedure &P : Procedures.all())
    if (P.K == FortranProcedure::Procedure)
      Calls[P.Name];
  for (const FortranStatement &S : statements()) {
    Meter::count();
    const int P = Procedures.of(number(S));
    if (StringRef(S.Text).starts_with("end") || StringRef(S.Text).contains("::") ||
        (P >= 0 && Procedures.all()[P].First == number(S)))
      continue;
    for (StringRef Name : fortranNames(S.Text)) {
      if (!Calls.contains(Name))
        Name.consume_front("call");
      if (auto It = Calls.find(Name); It != Calls.end())
        It->second.push_back(&S);
    }
  }
}

clang::SourceLocation FortranRegions::place(unsigned Line, unsigned Column) const {
  const clang::SourceManager &SM = U.sources();
  return SM.translateLineCol(SM.getMainFileID(), Line, Column);
}

clang::SourceRange FortranRegions::scope(const FortranConstruct &C) const {
  return {place(C), place(std::max(C.Line, C.EndLine), 1)};
}

// --- where it stands -------------------------------------------------------------------------------------------------

bool FortranRegions::isInMain(const FortranConstruct &C) const {
  const int P = Procedures.of(C.First);
  return P >= 0 && Procedures.all()[P].K == FortranProcedure::Program;
}

std::string FortranRegions::procedureName(const FortranConstruct &C) const {
  const int P = Procedures.of(C.First);
  return P < 0 ? std::string() : isInMain(C) ? "main program" : Procedures.all()[P].Name;
}

// The calls of the procedure that the statement stands in.
std::vector<const FortranStatement *> FortranRegions::callsOf(unsigned Statement) const {
  const int P = Procedures.of(Statement);
  if (P < 0 || Procedures.all()[P].K != FortranProcedure::Procedure)
    return {};
  auto It = Calls.find(Procedures.all()[P].Name);
  std::vector<const FortranStatement *> Out = It == Calls.end() ? std::vector<const FortranStatement *>() : It->second;
  erase_if(Out, [&](const FortranStatement *S) { return Procedures.of(number(*S)) == P; });
  return Out;
}

const FortranStatement *FortranRegions::loopAround(unsigned Statement, unsigned Before, double MinOpenings,
                                                   unsigned Depth) {
  ArrayRef<FortranBlock> Blocks = Procedures.blocks();
  for (int B = Procedures.blockOf(Statement); B >= 0; B = Blocks[B].Parent)
    if (Blocks[B].K == FortranBlock::Loop && Blocks[B].Begin < Before) {
      const FortranStatement &Loop = statements()[Blocks[B].Begin];
      const std::optional<LoopWork> W = MinOpenings > 0 ? Work.largest(fortranLoops(Loop, U)) : std::nullopt;
      if (!W || W->Trips == 0 || W->Trips >= MinOpenings)
        return &Loop;
    }
  if (Depth)
    for (const FortranStatement *Call : callsOf(Statement))
      if (const FortranStatement *Loop = loopAround(number(*Call), number(*Call), MinOpenings, Depth - 1))
        return Loop;
  return nullptr;
}

const FortranStatement *FortranRegions::serialLoop(const FortranConstruct &C, double MinOpenings) {
  return C.First < statements().size() ? loopAround(C.First, C.First, MinOpenings, MaxCallDepth) : nullptr;
}

bool FortranRegions::teamAround(int Construct, unsigned Statement, unsigned Depth) const {
  for (int K = Construct; K >= 0; K = Constructs.all()[K].Parent)
    if (const FortranConstruct &C = Constructs.all()[K]; C.StartsTeam || C.Device || C.Tasks)
      return true;
  if (statements()[Statement].OnDevice)
    return true;
  return Depth && any_of(callsOf(Statement), [&](const FortranStatement *Call) {
           return teamAround(Constructs.around(number(*Call)), number(*Call), Depth - 1);
         });
}

bool FortranRegions::runsInTeam(const FortranConstruct &C) const {
  return C.First >= statements().size() || teamAround(C.Parent, C.First, MaxCallDepth);
}

// --- loops -----------------------------------------------------------------------------------------------------------

std::vector<const FortranStatement *> FortranRegions::sharedLoops(const FortranConstruct &C) const {
  std::vector<const FortranStatement *> Loops;
  if (!C.SharesLoop)
    return Loops;
  for (unsigned K = 0; K < C.collapsed(); ++K) {
    const unsigned S = C.First + K;
    if (S >= C.Last || S >= statements().size() || !statements()[S].IsLoop || statements()[S].Counters.size() != 1 ||
        (K && statements()[S].EndLine > Loops.back()->EndLine))
      return {};
    Loops.push_back(&statements()[S]);
  }
  return Loops;
}

// Whether the copy has a copy of that statement's loop in it.
bool FortranRegions::holdsLoop(const LoopCopy &C, unsigned Statement) {
  return any_of(fortranLoops(statements()[Statement], U),
                [&](const LoopCopy &X) { return X.F == C.F && C.L->contains(X.L); });
}

// As RegionWork::isWhole() has it of C: the loops in it are there, and none is shorter than the source says.
bool FortranRegions::isWhole(const FortranStatement &S) {
  ArrayRef<LoopCopy> Copies = fortranLoops(S, U);
  if (Copies.empty())
    return false;
  const std::optional<FortranBounds> Bounds = fortranBounds(S);
  std::int64_t First = 0, Last = 0;
  const bool Known =
      Bounds && Bounds->Step.empty() && !Bounds->First.getAsInteger(10, First) && !Bounds->Last.getAsInteger(10, Last);
  for (const LoopCopy &C : Copies) {
    Meter::count();
    const unsigned Left = StrideEngine::get(*C.F, U.analyses()).scalarEvolution().getSmallConstantTripCount(C.L);
    if (Left && (Known ? Left < Last - First + 1 : Left == 1 && !isInlinedCopy(*C.L)))
      return false;
    for (unsigned K = number(S) + 1; K < statements().size() && statements()[K].Line <= S.EndLine; ++K)
      if (statements()[K].IsLoop && !holdsLoop(C, K))
        return false;
  }
  return true;
}

// Whether a private variable is read before anything is stored to it, in the order of the text: what such code computes
// is undefined, and what the optimiser leaves of it says nothing about its cost.
bool FortranRegions::readsUnsetPrivate(const FortranConstruct &C) const {
  const std::optional<StringRef> Private = C.clause("private");
  StringSet<> Unset;
  for (StringRef Name : fortranList(Private.value_or("")))
    Unset.insert(Name);
  for (unsigned S = C.First; S < C.Last && !Unset.empty(); ++S) {
    for (const std::string &Counter : statements()[S].Counters)
      Unset.erase(Counter);
    const std::optional<FortranAssignment> A = fortranAssignment(statements()[S].Text);
    // Of what is no assignment nobody knows whether it reads: `call f(x)` may set x.
    for (StringRef Name : fortranNames(A ? A->Value : StringRef()))
      if (Unset.contains(Name))
        return true;
    for (StringRef Name : fortranNames(statements()[S].Text))
      Unset.erase(Name);
  }
  return false;
}

std::optional<LoopWork> FortranRegions::sharedWork(const FortranConstruct &C) {
  std::vector<const FortranStatement *> Loops = sharedLoops(C);
  if (Loops.empty() || readsUnsetPrivate(C) || !isWhole(*Loops.front()))
    return std::nullopt;
  std::optional<LoopWork> W = Work.largest(fortranLoops(*Loops.back(), U));
  // Collapsed loops: their iterations multiply.
  for (std::size_t I = 0; W && I + 1 < Loops.size(); ++I) {
    std::optional<LoopWork> Outer = Work.largest(fortranLoops(*Loops[I], U));
    W->Trips *= Outer ? Outer->Trips : 0;
  }
  return W;
}

std::vector<FortranRegionLoop> FortranRegions::loopsOf(const FortranConstruct &Region) const {
  std::vector<FortranRegionLoop> Loops;
  bool Shares = false;
  // In the order of the text, so that what the region holds follows it.
  for (const FortranConstruct &C : Constructs.all().drop_front(&Region - Constructs.all().data())) {
    if (C.First >= Region.Last)
      break;
    if (C.SharesOther || C.Tasks || C.Device || (C.StartsTeam && &C != &Region))
      return {};
    Shares |= C.SharesLoop;
  }
  if (!Shares)
    return {};
  for (unsigned K = Region.First; K < Region.Last && K < statements().size(); ++K) {
    const FortranStatement &S = statements()[K];
    if (!S.IsLoop || (!Loops.empty() && S.Line < Loops.back().Statement->EndLine))
      continue;
    FortranRegionLoop Each{&S};
    for (int C = Constructs.around(K); C >= 0 && Constructs.all()[C].First == K; C = Constructs.all()[C].Parent)
      if (Constructs.all()[C].SharesLoop)
        Each.Shared = &Constructs.all()[C];
    Loops.push_back(Each);
  }
  return Loops;
}

void addWork(std::optional<LoopWork> &Into, const LoopWork &W) {
  if (!Into) {
    Into = W;
    return;
  }
  const bool Known = Into->Trips > 0 && W.Trips > 0;
  const double All = Into->total() + W.total();
  Into->Trips = Known ? Into->Trips + W.Trips : 0;
  Into->Cycles = Known ? All / Into->Trips : Into->Cycles + W.Cycles;
  Into->UnknownDepth = std::max(Into->UnknownDepth, W.UnknownDepth);
  Into->UnknownCalls |= W.UnknownCalls;
  Into->Uneven |= W.Uneven;
  Into->Triangle = nullptr;
  Into->RowCycles = 0;
  Into->Gathers |= W.Gathers;
}

const FortranRegions::CodeLines &FortranRegions::linesOf(Function &F) {
  auto [It, New] = Lines.try_emplace(&F);
  CodeLines &Code = It->second;
  if (!New)
    return Code;
  auto Add = [](auto &Into, const DILocation *At, const auto *What) {
    for (; At; At = At->getInlinedAt())
      Into.push_back({At->getLine(), What});
  };
  for (BasicBlock &BB : F)
    for (Instruction &I : counted(BB))
      if (const auto *C = dyn_cast<CallBase>(&I))
        Add(Code.Calls, C->getDebugLoc().get(), C);
  for (const Loop *L : U.analyses().getResult<LoopAnalysis>(F).getLoopsInPreorder())
    Add(Code.Loops, L->getStartLoc().get(), L);
  stable_sort(Code.Calls, less_first());
  stable_sort(Code.Loops, less_first());
  return Code;
}

std::optional<LoopWork> FortranRegions::regionWork(const FortranConstruct &Region) {
  std::optional<LoopWork> Sum;
  SmallPtrSet<const Loop *, 8> Known;
  SmallPtrSet<Function *, 2> In;
  for (const FortranRegionLoop &Each : loopsOf(Region)) {
    std::optional<LoopWork> W =
        isWhole(*Each.Statement) ? Work.largest(fortranLoops(*Each.Statement, U)) : std::nullopt;
    if (Each.Shared && W)
      W = sharedWork(*Each.Shared);
    if (!W)
      return std::nullopt;
    addWork(Sum, *W);
    for (const LoopCopy &C : fortranLoops(*Each.Statement, U)) {
      Known.insert(C.L);
      In.insert(C.F);
    }
  }
  if (!Sum)
    return std::nullopt;
  auto Within = [&](const auto &Sorted) {
    auto Begin = partition_point(Sorted, [&](const auto &X) { return X.first <= Region.Line; });
    return make_range(
        Begin, std::partition_point(Begin, Sorted.end(), [&](const auto &X) { return X.first <= Region.EndLine; }));
  };
  // What stands between the loops: calls, and loops that no DO statement makes.
  for (Function *F : In) {
    const CodeLines &Code = linesOf(*F);
    for (const auto &[Line, L] : Within(Code.Loops))
      if (none_of(Known, [L = L](const Loop *K) { return K->contains(L); }))
        return std::nullopt;
    SmallVector<const CallBase *, 8> Between;
    for (const auto &[Line, C] : Within(Code.Calls))
      if (none_of(Known, [C = C](const Loop *K) { return K->contains(C); }))
        Between.push_back(C);
    const LoopWork W = Work.work(*F, Between);
    Sum->UnknownCalls |= W.UnknownCalls;
    Sum->UnknownDepth = std::max(Sum->UnknownDepth, W.UnknownDepth);
  }
  return Sum;
}

std::optional<FortranBounds> fortranBounds(const FortranStatement &S) {
  if (!S.IsLoop || S.Concurrent || S.Counters.size() != 1)
    return std::nullopt;
  const std::size_t Equals = S.Text.find('=');
  if (Equals == std::string::npos)
    return std::nullopt;
  std::vector<StringRef> Parts = fortranList(StringRef(S.Text).drop_front(Equals + 1));
  if (Parts.size() < 2)
    return std::nullopt;
  return FortranBounds{Parts[0], Parts[1], Parts.size() > 2 ? Parts[2] : StringRef()};
}

} // namespace stridewise
