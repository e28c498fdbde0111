// Scalars of a Fortran file that all threads of a region set or update: sums that lack their reduction, scratch
// variables that lack a private clause. Elements of arrays that no counter of a loop that is shared out chooses.
//
// By the text, and only where it shows all: variables that the procedure itself, or what contains it in this file,
// declares as scalars. What stands under a condition that one thread or one iteration may meet alone is silent.
#include "checks/omp-shared-counter/FortranRaces.h"
#include "checks/omp-shared-counter/FortranTeamPlaces.h"
#include "fortran/Constructs.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "fortran/Updates.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-shared-counter";

class FortranRaceStudy : FortranTeamPlaces {
public:
  FortranRaceStudy(Unit &U, Reporter &R) : FortranTeamPlaces(U), R(R) {}

  void run() {
    for (const FortranConstruct &C : Constructs.all())
      if (C.StartsTeam && !C.Device && !C.SharesOther && !mayHoldLock(C))
        region(C);
    for (const FortranConstruct &C : Constructs.all())
      if (C.SharesLoop && !C.Device && !C.Tasks && !C.has("ordered") && !isInOther(C) && !mayHoldLock(C))
        elements(C);
  }

private:
  // --- elements ------------------------------------------------------------------------------------------------------

  // Elements of an array that iterations of different threads update: a counter that is shared out does not choose
  // them.
  void elements(const FortranConstruct &Share) {
    StringMap<unsigned> Loops; // of the construct, by their counters
    StringSet<> Set;
    for (unsigned K = Share.First; K < Share.Last; ++K) {
      Meter::count();
      if (Statements[K].IsLoop)
        for (const std::string &Counter : Statements[K].Counters)
          Loops.try_emplace(Counter, K);
      else if (std::optional<FortranAssignment> A = fortranAssignment(Statements[K].Text))
        Set.insert(fortranBase(A->Target));
      if (StringRef(Statements[K].Text).starts_with("call"))
        return;
    }
    StringSet<> Said;
    for (unsigned K = Share.First; K < Share.Last; ++K)
      if (const std::optional<FortranUpdate> X = fortranUpdate(Statements[K].Text);
          X && X->K != FortranUpdate::Store && X->isElement() && X->Condition.empty() && !Said.contains(X->Variable))
        if (const FortranStatement *Free = freeLoop(K, *X, Share, Loops, Set)) {
          Said.insert(X->Variable);
          reportElement(Share, K, *X, *Free);
        }
  }

  // A loop that is shared out and does not choose the element; null where all do, or where that is not known.
  const FortranStatement *freeLoop(unsigned K, const FortranUpdate &X, const FortranConstruct &Share,
                                   const StringMap<unsigned> &Loops, const StringSet<> &Set) const {
    const FortranEntity *E = Procedures.find(K, X.Variable);
    if (!E || !E->isArray() || E->Pointer || !isEverybodys(K, X.Variable, Share) || !fortranNames(U).isCompiled(K) ||
        isConditional(K, X, Share) || !isProtectedByNothing(K, Share))
      return nullptr;
    // The names that the subscripts come from: counters, and what the bounds of their loops name.
    std::vector<StringRef> Names = stridewise::fortranNames(StringRef(X.Target).drop_front(X.Variable.size()));
    for (std::size_t I = 0; I < Names.size() && Meter::spend(); ++I) {
      const auto It = Loops.find(Names[I]);
      if (It == Loops.end() && (Set.contains(Names[I]) || !isSameForAll(K, Names[I], Share)))
        return nullptr;
      if (It == Loops.end())
        continue;
      for (StringRef Name : stridewise::fortranNames(Statements[It->second].Text))
        if (!is_contained(Names, Name))
          Names.push_back(Name);
    }
    const unsigned End = std::min<unsigned>(Share.First + Share.collapsed(), Share.Last);
    for (unsigned L = Share.First; L < End; ++L)
      if (Statements[L].IsLoop && Statements[L].Counters.size() == 1 && !is_contained(Names, Statements[L].Counters[0]))
        return &Statements[L];
    return nullptr;
  }

  void reportElement(const FortranConstruct &Share, unsigned K, const FortranUpdate &X, const FortranStatement &Free) {
    const clang::SourceManager &SM = U.sources();
    const clang::SourceLocation Open = SM.translateLineCol(SM.getMainFileID(), Share.Line, Share.Column);
    Finding F;
    F.Rule = Slug;
    F.Conf = Constructs.region(K) ? Confidence::High : Confidence::Medium;
    F.Range = {Open, Open};
    F.Function = procedureAt(K);
    F.Scope = {Open, SM.translateLineCol(SM.getMainFileID(), Share.EndLine, ~0U / 2)};
    F.Relateds.push_back({headerOf(Statements[K], U).getBegin(), "the update"});
    F.Args = {{"variable", X.Target},
              {"region", "line " + std::to_string(Share.Line)},
              {"does", std::string("update the same")},
              {"harm", std::string("updates get lost")},
              {"remedy",
               variant(Slug, "element_fortran", {{"counter", Free.Counters[0]}, {"line", std::int64_t(Free.Line)}})}};
    R.report(std::move(F));
  }

  // --- scalars -------------------------------------------------------------------------------------------------------

  void region(const FortranConstruct &Region) {
    StringSet<> Said;
    for (unsigned K = Region.First; K < Region.Last; ++K) {
      Meter::count();
      const FortranStatement &S = Statements[K];
      if (S.IsLoop || Constructs.region(K) != &Region || !fortranNames(U).isCompiled(K))
        continue;
      std::optional<FortranUpdate> X = updateAt(K);
      if (!X || !X->isScalar() || Said.contains(X->Variable) || !isProtectedByNothing(K, Region) ||
          !isSharedScalar(K, X->Variable, Region))
        continue;
      const FortranConstruct *Share = shareOf(K);
      std::optional<Confidence> Conf = X->K == FortranUpdate::Store ? scratch(K, *X, Share) : Confidence::High;
      if (!Conf)
        continue;
      Said.insert(X->Variable);
      if (isConditional(K, *X, Region) || !X->Condition.empty())
        Conf = std::min(*Conf, Confidence::Medium);
      report(Region, K, *X, Share, *Conf);
    }
  }

  std::optional<FortranUpdate> updateAt(unsigned K) const {
    if (const int B = Procedures.blockOf(K);
        K > 0 && B >= 0 && Procedures.blocks()[B].Begin + 1 == K && Procedures.blocks()[B].End == K + 2)
      if (std::optional<FortranUpdate> X = fortranExtremum(Statements[K - 1].Text, Statements[K].Text))
        return X;
    return fortranUpdate(Statements[K].Text);
  }

  bool isSharedScalar(unsigned K, StringRef Name, const FortranConstruct &Region) const {
    const FortranEntity *E = Procedures.find(K, Name);
    if ((!E || E->Common) && isCommonScalar(K, Name, Region))
      return Constructs.sharing(K, Name) == FortranSharing::Shared && !hasOtherDirective(Region);
    if (!E || E->Type.empty() || E->isArray() || E->Pointer || E->Parameter || E->Common ||
        StringRef(E->Type).starts_with("type(") || StringRef(E->Type).starts_with("class("))
      return false;
    // A block in the region may declare its own.
    if (Region.Line < E->Line && E->Line <= Region.EndLine)
      return false;
    return Constructs.sharing(K, Name) == FortranSharing::Shared && !hasOtherDirective(Region);
  }

  // A member of a common block, which the text or what it includes declares: a block that is each thread's own is said
  // to be that wherever it is declared. Procedures that the region calls may need what is in it.
  bool isCommonScalar(unsigned K, StringRef Name, const FortranConstruct &Region) const {
    const std::optional<FortranVariable> V = fortranNames(U).variable(K, Name);
    return V && StringRef(V->Root).starts_with("g/") && !V->isArray() && !V->Deferred &&
           none_of(seq(Region.First, Region.Last),
                   [&](unsigned S) { return StringRef(Statements[S].Text).contains("call"); });
  }

  // Two directives before one loop: a preprocessor chooses between them.
  bool hasOtherDirective(const FortranConstruct &Region) const {
    return any_of(Constructs.all(),
                  [&](const FortranConstruct &C) { return &C != &Region && C.StartsTeam && C.First == Region.First; });
  }

  const FortranConstruct *shareOf(unsigned K) const {
    for (int C = Constructs.around(K); C >= 0; C = Constructs.all()[C].Parent) {
      if (Constructs.all()[C].SharesLoop)
        return &Constructs.all()[C];
      if (Constructs.all()[C].StartsTeam)
        break;
    }
    return nullptr;
  }

  // Each iteration of a shared loop gives it a value of its own, and reads that.
  std::optional<Confidence> scratch(unsigned K, const FortranUpdate &X, const FortranConstruct *Share) const {
    if (!Share || !X.Condition.empty() || namesVariable(X.Value, X.Variable))
      return std::nullopt;
    bool Reads = false;
    for (unsigned S = Share->First; S < Share->Last && Meter::spend(); ++S) {
      const FortranStatement &Other = Statements[S];
      if (S == K || !namesVariable(Other.Text, X.Variable))
        continue;
      std::optional<FortranUpdate> Y = fortranUpdate(Other.Text);
      const bool OnlySets = Y && Y->isScalar() && Y->Variable == X.Variable && Y->K == FortranUpdate::Store;
      // A value that an earlier statement of the iteration reads comes from before: from whom is the program's secret.
      if (!OnlySets && S < K)
        return std::nullopt;
      Reads |= !OnlySets;
    }
    if (!Reads || !followsIteration(X.Value, *Share, K))
      return std::nullopt;
    return Confidence::High;
  }

  // Whether the value differs from iteration to iteration: it names a counter of the loops around within the construct.
  bool followsIteration(StringRef Value, const FortranConstruct &Share, unsigned K) const {
    for (unsigned S = Share.First; S < K; ++S)
      if (Statements[S].IsLoop && Statements[S].EndLine >= Statements[K].Line)
        for (const std::string &Counter : Statements[S].Counters)
          if (namesVariable(Value, Counter))
            return true;
    return false;
  }

  // What is counted is used while it is counted, by other statements than those that count: no reduction has it then.
  bool usesValue(const FortranConstruct &Region, unsigned K, const FortranUpdate &X) const {
    const unsigned Asks = X.Condition.empty() ? K : K - 1; // of an extreme, the test before it is a part
    return any_of(seq(Region.First, Region.Last), [&](unsigned S) {
      if (S == K || S == Asks || !namesVariable(Statements[S].Text, X.Variable))
        return false;
      const std::optional<FortranUpdate> Other = fortranUpdate(Statements[S].Text);
      return !Other || !Other->isScalar() || Other->Variable != X.Variable;
    });
  }

  std::string remedy(const FortranConstruct &Region, unsigned K, const FortranUpdate &X) const {
    const ArgMap Args = {{"variable", X.Variable}, {"operator", X.Reduction}};
    if (X.K == FortranUpdate::Store)
      return variant(Slug, "private_fortran", Args);
    return variant(Slug, usesValue(Region, K, X) ? "slots_fortran" : "reduce", Args);
  }

  void report(const FortranConstruct &Region, unsigned K, const FortranUpdate &X, const FortranConstruct *Share,
              Confidence Conf) {
    const clang::SourceManager &SM = U.sources();
    const FortranStatement &S = Statements[K];
    const bool BegunAnew = X.K != FortranUpdate::Store && Share && isBegunAnew(K, X, *Share);
    clang::SourceLocation Open = SM.translateLineCol(SM.getMainFileID(), Region.Line, Region.Column);
    Finding F;
    F.Rule = Slug;
    F.Conf = Conf;
    F.Range = headerOf(S, U);
    F.Function = procedureAt(K);
    F.Scope = {Open, SM.translateLineCol(SM.getMainFileID(), Region.EndLine, ~0U / 2)};
    if (const FortranEntity *E = Procedures.find(K, X.Variable); E && E->Line)
      F.Relateds.push_back({SM.translateLineCol(SM.getMainFileID(), E->Line, 1), "declared here, outside the region"});
    F.Relateds.push_back({Open, "all threads share it from here on"});
    const bool Sets = X.K == FortranUpdate::Store;
    F.Args = {
        {"variable", X.Variable},
        {"region", "line " + std::to_string(Region.Line)},
        {"does", std::string(Sets ? "set the same" : "update the same")},
        {"harm", std::string(Sets ? "a thread reads what another one has stored" : "updates get lost")},
        {"remedy", BegunAnew ? variant(Slug, "private_fortran", {{"variable", X.Variable}}) : remedy(Region, K, X)}};
    R.report(std::move(F));
  }

  // A sum that each iteration of the shared loop sets to a value first.
  bool isBegunAnew(unsigned K, const FortranUpdate &X, const FortranConstruct &Share) const {
    for (unsigned S = Share.First; S < K; ++S)
      if (std::optional<FortranUpdate> Y = fortranUpdate(Statements[S].Text);
          Y && Y->isScalar() && Y->Variable == X.Variable && Y->K == FortranUpdate::Store && Y->Condition.empty())
        return true;
    return false;
  }

  Reporter &R;
};

} // namespace

void fortranRaces(Unit &U, Reporter &R) { FortranRaceStudy(U, R).run(); }

} // namespace stridewise
