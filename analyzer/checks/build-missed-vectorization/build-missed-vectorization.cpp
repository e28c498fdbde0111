// R33: hot loops over arrays that the compiler leaves scalar, with what would allow it to use vectors.
//
// The vectoriser itself is the judge (checks/build-missed-vectorization/Vectorization): a loop is named only when it
// fails as the code stands and succeeds under an assumption that the programmer can grant (free order of sums, arrays
// that do not overlap, vector versions of mathematical functions). Recurrences, searches and scattered accesses that do
// not pay are thereby silent. Hot is a loop that walks the same data again in a loop around it, or that stands in a
// function called in a loop, here or in another unit. Loops over the threads of a team are short, sums over rows of a
// sparse matrix mostly are. Known false positives: other loops that are short at run time.
#include "checks/build-missed-vectorization/CalledFormulas.h"
#include "checks/build-missed-vectorization/FortranVectors.h"
#include "checks/build-missed-vectorization/MessagePlaces.h"
#include "checks/build-missed-vectorization/Programs.h"
#include "checks/build-missed-vectorization/VectorAdvice.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/CallHeat.h"
#include "loops/LoopCopies.h"
#include "loops/LoopInterchange.h"
#include "loops/SetUp.h"
#include "omp/SharedLoops.h"
#include "omp/TeamSize.h"
#include "thresholds.h"
#include "unit/BuildTraits.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "build-missed-vectorization";
using limits::build_missed_vectorization::CyclesOfAddition;
using limits::build_missed_vectorization::MaxAround;

// A critical section, an atomic update, a task and the like keep iterations apart. The loops that are judged here are
// free of them: OpenMP directives are absent from their code.
bool holdsConstruct(const clang::Stmt &S) {
  return any_of(S.children(), [](const clang::Stmt *Child) {
    const auto *D = dyn_cast_or_null<clang::OMPExecutableDirective>(Child);
    return Child && ((D && !clang::isOpenMPSimdDirective(D->getDirectiveKind())) || holdsConstruct(*Child));
  });
}

class MissedVectorization : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &Source, Reporter &R) override {
    U = &Source;
    if (U->isFortran()) {
      runFortran(R);
      return;
    }
    auto Wanted = [&](const Loop *L) {
      clang::SourceLocation Loc = U->loopLocation(L);
      if (Loc.isInvalid() || U->sources().isInSystemHeader(Loc))
        return false;
      const clang::Stmt *Statement = U->loopStatement(L);
      return Statement && !holdsConstruct(*Statement) && !countsThreads(Statement, *U);
    };
    const auto MinTrips = static_cast<unsigned>(R.threshold(Slug, "min_trips"));
    MapVector<const clang::Stmt *, std::vector<ScalarLoop>> Found;
    for (ScalarLoop &S : scalarLoops(*U, Wanted, MinTrips))
      Found[U->loopStatement(S.L)].push_back(std::move(S));
    if (!Found.empty())
      Calls.emplace(U->ast());
    for (const auto &[Statement, Copies] : Found)
      judge(Statement, Copies, R);
  }

  json::Value summarize(Unit &Source) override {
    if (!Calls)
      Calls.emplace(Source.ast());
    // The calls are here; which loops are set-up, other rules want to know as well (LinkReporter::runsOnce).
    json::Value Edges = Source.isFortran() ? fortranCallEdges(Source) : Calls->toJson(),
                Depths = nestDepths(Source, *Calls);
    json::Value Messages = messagePlaces(Source, *Calls);
    json::Value Formulas = unitFormulas(Source);
    if (Edges.kind() == json::Value::Null && Depths.kind() == json::Value::Null && Waiting.empty() &&
        Formulas.kind() == json::Value::Null)
      return nullptr;
    const clang::SourceManager &SM = Source.sources();
    const Place Begin = placeOf(Source.ast(), clang::SourceRange(SM.getLocForStartOfFile(SM.getMainFileID())));
    return json::Object{
        {"unit", Begin.File},          {"calls", std::move(Edges)},       {"loops", std::move(Waiting)},
        {"depths", std::move(Depths)}, {"formulas", std::move(Formulas)}, {"messages", std::move(Messages)}};
  }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<const stored::Value *> Edges, Messages, OfUnits;
    std::vector<ProgramUnit> Units;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject()) {
        if (const stored::Value *C = O->get("calls"))
          Edges.push_back(C);
        Units.push_back({O->getString("unit").value_or("").str(), O->get("calls"), O->get("depths")});
        Messages.push_back(O->get("messages"));
        OfUnits.push_back(O->get("formulas"));
      }
    const std::vector<std::vector<unsigned>> Programs = programsOf(Units);
    std::vector<const stored::Value *> Nests;
    for (const ProgramUnit &Each : Units)
      Nests.push_back(Each.Depths);
    const auto SetUp = [&](ArrayRef<const stored::Value *> Depths, ArrayRef<const stored::Value *> Calls) {
      return setUpLoops(Depths, Calls, Programs.size() > 1);
    };
    for (const Place &Loop : placesInAll(Programs, Units, Nests, SetUp))
      R.runsOnce(Loop);
    for (const Place &Call : placesInAll(Programs, Units, Messages, messagesSentOnce))
      R.sendsOnce(Call);
    const std::set<std::string> Hot = hotFunctions(Edges);
    const std::map<std::string, unsigned> Depths = callDepths(Edges);
    const Formulas Known(OfUnits);
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Array *Loops = O->getArray("loops"))
          for (const stored::Value &L : *Loops)
            if (const stored::Object *Entry = L.getAsObject())
              join(*Entry, Hot, Depths, Known, R);
  }

private:
  void judge(const clang::Stmt *Statement, const std::vector<ScalarLoop> &Copies, Reporter &R) {
    // The function's own copy has the names; one that was inlined may know more about its arrays and need less.
    const ScalarLoop *Best = nullptr;
    for (const ScalarLoop &S : Copies)
      if (!Best || isInlinedCopy(*S.L) < isInlinedCopy(*Best->L))
        Best = &S;
    const clang::FunctionDecl *Function = U->functionAt(Statement->getBeginLoc());
    Heat H = Calls->of(Function);
    bool Repeated = any_of(Copies, [](const ScalarLoop &S) { return S.Repeated; });
    if (Repeated)
      H = Heat::Hot;
    if (H == Heat::Cold)
      return;
    // A sum over a short row saves in its vectors what it then spends on adding up their lanes.
    if ((Best->TableRow || Best->GatheredList) && Best->Needs & FreeOrder)
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = confidence(*Best);
    std::optional<unsigned> Nested;
    if (!Repeated && StrideEngine::get(*Best->F, U->analyses()).tripCount(Best->L) == 0) {
      F.Conf = std::min(F.Conf, Confidence::Medium);
      Nested = loopsAround(*Best->L, Statement, Function);
    }
    if (takesLittle(*Best, Repeated, Function) || (Nested && *Nested + Calls->depth(Function) > MaxAround))
      F.Conf = Confidence::Low;
    F.Range = loopHeader(Statement);
    F.Scope = Statement->getSourceRange();
    F.Function = Unit::functionName(Function);
    const clang::VarDecl *Counter = loopVariable(Statement);
    F.Args["loop"] =
        Counter && Counter->getDeclName() && !Counter->isImplicit() ? Counter->getNameAsString() : "its elements";
    auto [Reason, Remedy] =
        Best->Needs & InlinedCalls ? callAdvice(*Best, /*IsFortran=*/false) : vectorAdvice(*Best, Statement, *U);
    F.Args["reason"] = Reason;
    F.Args["remedy"] = Remedy + alsoNeeded(*Best);
    if (H == Heat::Hot && Best->Formulas.empty()) {
      R.report(std::move(F));
      return;
    }
    wait(F, *Best, H == Heat::Hot ? "" : Calls->name(Function), Nested, R);
  }

  // Says it once it is known whether the function is called in a loop, and what it calls itself. Without a name the
  // former is known.
  void wait(const Finding &F, const ScalarLoop &S, const std::string &In, std::optional<unsigned> Nested, Reporter &R) {
    if (R.silences(Slug, F.Range.getBegin()))
      return;
    const Place Scope = placeOf(U->ast(), F.Scope);
    const auto Text = [&](StringRef Name) { return std::get<std::string>(F.Args.find(Name)->second); };
    Waiting.push_back(json::Object{{"in", In},
                                   {"where", toJson(placeOf(U->ast(), F.Range))},
                                   {"function", F.Function},
                                   {"begin", Scope.Line},
                                   {"end", Scope.EndLine},
                                   {"confidence", static_cast<int>(F.Conf)},
                                   {"calls", formulaCalls(S)},
                                   {"nested", Nested ? json::Value(*Nested) : json::Value(nullptr)},
                                   {"loop", Text("loop")},
                                   {"reason", Text("reason")},
                                   {"remedy", Text("remedy")}});
  }

  void runFortran(Reporter &R) {
    const auto Wanted = [&](const Loop *L) { return mayBecomeVectors(L, *U); };
    const std::vector<ScalarLoop> Loops =
        scalarLoops(*U, Wanted, static_cast<unsigned>(R.threshold(Slug, "min_trips")));
    for (FortranScalarLoop &One : describeFortran(Loops, *U)) {
      const ScalarLoop &S = *One.Loop;
      if ((S.TableRow || S.GatheredList) && S.Needs & FreeOrder)
        continue;
      One.Said.Conf = confidence(S);
      if (auto Remedy = One.Said.Args.find("remedy"); Remedy != One.Said.Args.end())
        Remedy->second = std::get<std::string>(Remedy->second) + alsoNeeded(S);
      if (One.Repeated || StrideEngine::get(*S.F, U->analyses()).tripCount(S.L))
        One.Around.reset();
      else
        One.Said.Conf = std::min(One.Said.Conf, Confidence::Medium);
      if (takesLittle(S, One.Repeated, nullptr) || isSetUp(S.L, *U))
        One.Said.Conf = Confidence::Low;
      if (One.Repeated && S.Formulas.empty())
        R.report(std::move(One.Said));
      else
        wait(One.Said, S, One.Repeated ? "" : One.In, One.Around, R);
    }
  }

  static void join(const stored::Object &Entry, const std::set<std::string> &Hot,
                   const std::map<std::string, unsigned> &Depths, const Formulas &Known, LinkReporter &R) {
    const stored::Value *Where = Entry.get("where"), *Calls = Entry.get("calls");
    std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    const std::string In = Entry.getString("in").value_or("").str();
    const bool HasCalls = Calls && Calls->getAsArray();
    if (!P || (!In.empty() && !Hot.count(In)) || (HasCalls && !Known.areAll(*Calls)))
      return;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = static_cast<Confidence>(Entry.getInteger("confidence").value_or(0));
    auto Depth = Depths.find(In);
    auto Nested = Entry.getInteger("nested");
    if (Nested && Depth != Depths.end() && static_cast<unsigned>(*Nested) + Depth->second > MaxAround)
      F.Conf = Confidence::Low;
    F.Where = *P;
    F.Function = Entry.getString("function").value_or("").str();
    F.ScopeBegin = static_cast<unsigned>(Entry.getInteger("begin").value_or(P->Line));
    F.ScopeEnd = static_cast<unsigned>(Entry.getInteger("end").value_or(P->Line));
    for (const char *Name : {"loop", "reason", "remedy"})
      F.Args[Name] = Entry.getString(Name).value_or("").str();
    if (const std::optional<Place> Body = HasCalls ? Known.definition(*Calls) : std::nullopt)
      F.Relateds.push_back({*Body, "it is defined here"});
    R.report(std::move(F));
  }

  // The loops of the function around one. Calls say how often a loop runs, not how long it is: a few elements for each
  // call is usual, too, and the rule where the call stands in loops over the elements of something. None for what a
  // team shares, and for what stands in such a loop: someone found that worth a team.
  std::optional<unsigned> loopsAround(const Loop &L, const clang::Stmt *Own,
                                      const clang::FunctionDecl *Function) const {
    if (sharingDirective(Own, *U))
      return std::nullopt;
    unsigned Count = 0;
    for (const Loop *Around = L.getParentLoop(); Around; Around = Around->getParentLoop()) {
      const clang::Stmt *Statement = U->loopStatement(Around);
      if (!Statement || U->functionAt(Statement->getBeginLoc()) != Function)
        continue;
      if (sharingDirective(Statement, *U))
        return std::nullopt;
      ++Count;
    }
    return Count;
  }

  // An object is made once and used many times.
  static bool takesLittle(const ScalarLoop &S, bool Repeated, const clang::FunctionDecl *Function) {
    return (S.Needs == FreeOrder && S.WaitsForMemory) || S.TableRow || S.GatheredList || S.Reports || S.NowAndThen ||
           isa_and_nonnull<clang::CXXConstructorDecl>(Function) || (Repeated ? S.BesideMore : S.BesideMoreOfFunction);
  }

  // What the build's compiler asks for beside.
  static std::string alsoNeeded(const ScalarLoop &S) {
    return keepsTraps() && S.Conditional && !(S.Needs & InlinedCalls) ? "; " + variant(Slug, "no_traps")
                                                                      : std::string();
  }

  // Where accesses are scattered, another order of loops or data is worth more than the vectors.
  static Confidence confidence(const ScalarLoop &S) {
    if (S.Needs & InlinedCalls)
      return S.Gathers && !S.Chains.empty() ? Confidence::Low : Confidence::Medium; // sums need more beside
    if (S.Scattered)
      return S.Needs & FreeOrder ? Confidence::Low : Confidence::Medium;
    // As many sums side by side as one addition takes cycles keep the adder busy, and compilers pack some of them.
    if (S.Needs == FreeOrder && S.Chains.size() >= CyclesOfAddition)
      return Confidence::Low;
    if (keepsTraps() && S.Conditional)
      return Confidence::Medium;
    return S.Needs == (FreeOrder | DistinctArrays | VectorFunctions) ? Confidence::Medium : Confidence::High;
  }

  Unit *U = nullptr;
  std::optional<CallHeat> Calls;
  json::Array Waiting;
};

STRIDEWISE_CHECK("build-missed-vectorization", MissedVectorization)

} // namespace
} // namespace stridewise
