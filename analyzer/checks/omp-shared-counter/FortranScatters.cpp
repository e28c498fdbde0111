// The element is that of a cell that coordinates lie in, of a key that is counted, or of several entries of a table for
// each iteration (the nodes of an element, both ends of an edge). One entry for each iteration may be a permutation,
// and a list of iterations that a table bounds, or that another loop picks, may be of one colour: both are silent.
#include "checks/omp-shared-counter/FortranScatters.h"
#include "checks/omp-shared-counter/ElementChoice.h"
#include "checks/omp-shared-counter/FortranTeamPlaces.h"
#include "fortran/Designators.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-shared-counter";
constexpr unsigned MaxDepth = 6; // of variables whose values follow from each other's

enum class Call { None, Whole, Plain };

// What functions of the language do with a number.
Call callOf(StringRef Name) {
  return StringSwitch<Call>(Name)
      .Cases("int", "floor", "ceiling", "nint", Call::Whole)
      .Cases("mod", "modulo", "min", "max", "abs", Call::Plain)
      .Cases("real", "dble", "size", "sqrt", "merge", Call::Plain)
      .Default(Call::None);
}

class FortranScatterStudy : FortranTeamPlaces {
public:
  FortranScatterStudy(Unit &U, Reporter &R) : FortranTeamPlaces(U), R(R) {}

  void run() {
    for (const FortranConstruct &C : Constructs.all())
      if (C.SharesLoop && !C.Device && !C.Tasks && !C.has("ordered") && !isInOther(C) && !mayHoldLock(C) &&
          (C.StartsTeam || Constructs.region(C.First)))
        study(C);
  }

private:
  void study(const FortranConstruct &C) {
    Share = &C;
    Shared.clear();
    Inner.clear();
    Outer.clear();
    if (!takesCounters())
      return;
    std::map<std::string, std::pair<unsigned, std::string>> Entries; // by array, the first update of one entry
    StringSet<> Said;
    for (unsigned K = C.First; K < C.Last; ++K) {
      Meter::count();
      const std::optional<FortranUpdate> X = fortranUpdate(Statements[K].Text);
      if (!X || X->K == FortranUpdate::Store || Statements[K].IsLoop || !isEverybodys(K, X->Variable, C) ||
          !fortranNames(U).isCompiled(K) || !isProtectedByNothing(K, C))
        continue;
      const std::string Array = arrayOf(X->Target);
      const FortranEntity *E = Procedures.find(K, X->Variable);
      if (Array.empty() || Said.contains(Array) || (E && E->Pointer))
        continue;
      const ElementChoice Chosen = choiceOf(K, X->Target);
      if (!Chosen.isByData())
        continue;
      // What is counted by ones is a key; a number that grows may be one of a list, in which each stands once.
      const bool Counts = E && StringRef(E->Type).starts_with("integer") && all_of(X->Value, isDigit);
      bool Meets = Chosen.Cell || Chosen.Several || Counts;
      if (!Meets) {
        auto [It, New] = Entries.try_emplace(Array, K, X->Target);
        Meets = !New && It->second.second != X->Target;
      }
      if (Meets) {
        Said.insert(Array);
        report(K, Array);
      }
    }
  }

  // Counters of the loops that are shared out, of those within, and of those around; false where a table or a loop
  // around bounds what is shared out: its iterations may have been chosen so that none meets another.
  bool takesCounters() {
    for (int B = Procedures.blockOf(Share->First); B >= 0; B = Procedures.blocks()[B].Parent)
      if (const FortranBlock &Block = Procedures.blocks()[B];
          Block.K == FortranBlock::Loop && Block.Begin < Share->First)
        for (const std::string &Counter : Statements[Block.Begin].Counters)
          Outer.insert(Counter);
    const unsigned End = std::min<unsigned>(Share->First + Share->collapsed(), Share->Last);
    for (unsigned K = Share->First; K < Share->Last; ++K)
      for (const std::string &Counter : Statements[K].IsLoop ? Statements[K].Counters : std::vector<std::string>())
        if (K < End)
          Shared.insert(Counter);
        else if (!isOfEach(Statements[K]))
          Inner.insert(Counter);
    for (unsigned K = Share->First; K < End; ++K) {
      const StringRef Text = Statements[K].Text;
      for (const FortranDesignator &D : fortranDesignators(Text))
        if ((D.lastIndexed() >= 0 && callOf(D.Parts.front().Name) == Call::None) ||
            Outer.contains(D.Parts.front().Name))
          return false;
    }
    return !Shared.empty();
  }

  // Of another length for each iteration: over a list, perhaps, and each element is in one.
  bool isOfEach(const FortranStatement &Loop) const {
    return any_of(fortranDesignators(Loop.Text), [&](const FortranDesignator &D) {
      return Shared.contains(D.Parts.front().Name) ||
             (D.lastIndexed() >= 0 && callOf(D.Parts.front().Name) == Call::None);
    });
  }

  // "g%rho" of "g%rho(i,j)"; empty for what is no element.
  static std::string arrayOf(StringRef Target) {
    const std::optional<FortranDesignator> D = fortranDesignator(Target);
    if (!D || D->Text != Target || D->lastIndexed() < 0)
      return {};
    std::string Name;
    for (int P = 0; P <= D->lastIndexed(); ++P)
      Name += (P ? "%" : "") + D->Parts[P].Name.str();
    return Name;
  }

  ElementChoice choiceOf(unsigned K, StringRef Target) const {
    ElementChoice All;
    const std::optional<FortranDesignator> D = fortranDesignator(Target);
    for (const FortranDesignator::Part &P : D->Parts)
      for (StringRef Each : P.Subscripts ? *P.Subscripts : std::vector<StringRef>()) {
        for (StringRef Name : plainNames(Each))
          All.Unclear |= Shared.contains(Name); // chosen by the loop that is shared out, in this dimension
        if (!Each.contains(':'))
          All.join(valueOf(K, Each, 0));
        else
          All.Unclear |= Each != ":";
      }
    return All;
  }

  // What an index expression comes from.
  ElementChoice valueOf(unsigned K, StringRef Value, unsigned Depth) const {
    ElementChoice All;
    if (Depth > MaxDepth || !Meter::spend()) {
      All.Unclear = true;
      return All;
    }
    std::size_t Behind = 0; // the arguments and subscripts that were looked at with their designator
    for (const FortranDesignator &D : fortranDesignators(Value)) {
      const std::size_t At = D.Text.data() - Value.data();
      if (At < Behind)
        continue;
      Behind = At + D.Text.size();
      All.join(D.lastIndexed() < 0 ? nameOf(K, D.Text, Depth) : partOf(K, D, Depth));
    }
    return All;
  }

  ElementChoice partOf(unsigned K, const FortranDesignator &D, unsigned Depth) const {
    ElementChoice Out;
    const Call Does = D.Parts.size() == 1 ? callOf(D.Parts.front().Name) : Call::None;
    const FortranEntity *E = Procedures.find(K, D.Parts.front().Name);
    if (Does != Call::None && !(E && E->isArray())) {
      for (StringRef Argument : *D.Parts.front().Subscripts)
        if (Does == Call::Whole)
          Out.Cell |= reachesData(K, Argument, 0);
        else
          Out.join(valueOf(K, Argument, Depth + 1));
      Out.Unclear |= Does == Call::Whole && !Out.Cell;
      return Out;
    }
    if (fortranNames(U).isProcedure(K, D.Parts.front().Name) || !isEverybodys(K, D.Parts.front().Name, *Share)) {
      Out.Unclear = true;
      return Out;
    }
    return entryOf(K, D, Depth);
  }

  // An entry of a table, if counters of the loop and of loops within choose it.
  ElementChoice entryOf(unsigned K, const FortranDesignator &D, unsigned Depth) const {
    ElementChoice Out;
    for (const FortranDesignator::Part &P : D.Parts)
      for (StringRef Each : P.Subscripts ? *P.Subscripts : std::vector<StringRef>())
        for (StringRef Name : stridewise::fortranNames(Each)) {
          Out.Entry |= Shared.contains(Name);
          Out.Several |= Inner.contains(Name);
          // A list that another loop picks, or an entry by another entry.
          Out.Unclear |= !Shared.contains(Name) && !Inner.contains(Name) &&
                         (Outer.contains(Name) || !isSameForAll(K, Name, *Share));
        }
    Out.Unclear |= !Out.Entry || Depth > MaxDepth;
    return Out;
  }

  ElementChoice nameOf(unsigned K, StringRef Designator, unsigned Depth) const {
    ElementChoice Out;
    const StringRef Name = fortranBase(Designator);
    if (Inner.contains(Name) || (Designator == Name && Name.empty()))
      return Out;
    if (Outer.contains(Name)) {
      Out.Unclear = true;
      return Out;
    }
    if (isSameForAll(K, Name, *Share))
      return Out;
    const std::vector<StringRef> Values = Shared.contains(Name) ? std::vector<StringRef>() : valuesOf(K, Designator);
    Out.Unclear = Values.empty();
    for (StringRef Value : Values)
      Out.join(valueOf(K, Value, Depth + 1));
    for (StringRef Value : Values)
      for (StringRef Part : plainNames(Value))
        Out.Unclear |= Shared.contains(Part);
    return Out;
  }

  // What the iteration gives a variable of the thread's own before the statement; nothing where it is not known.
  std::vector<StringRef> valuesOf(unsigned K, StringRef Name) const {
    std::vector<StringRef> Out;
    if (Constructs.sharing(K, fortranBase(Name)) != FortranSharing::Private)
      return Out;
    for (unsigned S = Share->First; S < K; ++S)
      if (const std::optional<FortranAssignment> A = fortranAssignment(behindCondition(Statements[S].Text));
          A && A->Target == Name && !Statements[S].IsLoop)
        Out.push_back(A->Value);
    return Out;
  }

  // Whether a number comes from what a table has for the iteration.
  bool reachesData(unsigned K, StringRef Value, unsigned Depth) const {
    if (Depth > MaxDepth || !Meter::spend())
      return false;
    return any_of(fortranDesignators(Value), [&](const FortranDesignator &D) {
      if (D.lastIndexed() >= 0 && isEverybodys(K, D.Parts.front().Name, *Share))
        for (const FortranDesignator::Part &P : D.Parts)
          for (StringRef Each : P.Subscripts ? *P.Subscripts : std::vector<StringRef>())
            if (any_of(plainNames(Each), [&](StringRef Name) { return Shared.contains(Name); }))
              return true;
      return D.lastIndexed() < 0 && any_of(
                                        valuesOf(K, D.Text),
                                        [&](StringRef Own) {
                                          return !namesVariable(Own, fortranBase(D.Text)) &&
                                                 reachesData(K, Own, Depth + 1);
                                        });
    });
  }

  void report(unsigned K, StringRef Array) {
    const clang::SourceManager &SM = U.sources();
    const clang::SourceLocation Open = SM.translateLineCol(SM.getMainFileID(), Share->Line, Share->Column);
    Finding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Range = headerOf(Statements[K], U);
    F.Function = procedureAt(K);
    F.Scope = {Open, SM.translateLineCol(SM.getMainFileID(), Share->EndLine, ~0U / 2)};
    F.Relateds.push_back({Open, "the iterations of this loop go to different threads"});
    F.Args = {{"variable", Array.str()},
              {"region", "line " + std::to_string(Share->Line)},
              {"does", std::string("may update the same element of")},
              {"harm", std::string("updates get lost where two iterations have one element")},
              {"remedy", variant(Slug, "scatter_fortran", {{"variable", Array.str()}})}};
    R.report(std::move(F));
  }

  Reporter &R;
  const FortranConstruct *Share = nullptr;
  StringSet<> Shared, Inner, Outer; // counters
};

} // namespace

void fortranScatters(Unit &U, Reporter &R) { FortranScatterStudy(U, R).run(); }

} // namespace stridewise
