#include "checks/omp-adjacent-regions/FortranRuns.h"
#include "checks/omp-adjacent-regions/RunJudgement.h"
#include "omp/FortranRegions.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

using namespace adjacent_regions;

struct FortranRun {
  std::vector<const FortranConstruct *> Regions; // in order
  bool Between = false;                          // statements stand between them
};

class FortranRuns {
public:
  FortranRuns(Unit &U, Reporter &R) : U(U), R(R), Regions(U) {}

  void run() {
    FortranRun Run;
    auto Finish = [&] {
      if (Run.Regions.size() > 1)
        study(Run);
      Run = {};
    };
    for (const FortranConstruct &C : Regions.constructs().all()) {
      if (!Meter::spend())
        return;
      // What a region holds comes behind it.
      if (!Run.Regions.empty() && C.First < Run.Regions.back()->Last)
        continue;
      if (!isCandidate(C) || Regions.runsInTeam(C)) {
        Finish();
        continue;
      }
      if (!Run.Regions.empty() && !follows(C, *Run.Regions.back()))
        Finish();
      if (!Run.Regions.empty())
        Run.Between |= C.First > Run.Regions.back()->Last;
      Run.Regions.push_back(&C);
    }
    Finish();
  }

private:
  ArrayRef<FortranStatement> statements() const { return Regions.statements(); }

  // The shared loops of a region that holds nothing else: of a combined directive, itself.
  std::vector<const FortranConstruct *> sharedParts(const FortranConstruct &C) const {
    if (C.SharesLoop)
      return {&C};
    std::vector<const FortranConstruct *> Parts;
    unsigned Next = C.First;
    const int Number = int(&C - Regions.constructs().all().data());
    for (const FortranConstruct &Part : Regions.constructs().all().drop_front(Number + 1)) {
      if (Part.First >= C.Last)
        break;
      if (Part.Parent != Number)
        continue;
      if (!Part.SharesLoop || Part.Tasks || Part.Device || Part.First != Next || Part.Last <= Part.First)
        return {};
      Next = Part.Last;
      Parts.push_back(&Part);
    }
    return Next == C.Last ? Parts : std::vector<const FortranConstruct *>();
  }

  bool isCandidate(const FortranConstruct &C) const {
    if (!C.StartsTeam || C.Device || C.First >= C.Last || C.SharesOther || C.Tasks || C.has("copyin") || C.has("if") ||
        C.has("ordered"))
      return false;
    // What is private by default in one region need not be so in the other.
    const std::optional<StringRef> Default = C.clause("default");
    return !(Default && Default->ends_with("private")) && !sharedParts(C).empty();
  }

  // What decides the team: the same for regions that can be one.
  static std::string team(const FortranConstruct &C) {
    std::string Text;
    for (StringRef Name : {"num_threads", "proc_bind"})
      Text += (Name + "(" + C.clause(Name).value_or("") + ")").str();
    return Text;
  }

  // The loop or branch around a region.
  int blockAround(const FortranConstruct &C) const {
    ArrayRef<FortranBlock> Blocks = Regions.procedures().blocks();
    int B = Regions.procedures().blockOf(C.First);
    while (B >= 0 && Blocks[B].Begin >= C.First)
      B = Blocks[B].Parent;
    return B;
  }

  bool follows(const FortranConstruct &C, const FortranConstruct &Before) const {
    if (Regions.procedures().of(C.First) != Regions.procedures().of(Before.First) || C.Parent != Before.Parent ||
        blockAround(C) != blockAround(Before) || team(C) != team(Before))
      return false;
    for (unsigned S = Before.Last; S < C.First; ++S)
      if (!isCheap(S))
        return false;
    return true;
  }

  // An assignment to a scalar of a type that the language knows, of values that need no call.
  bool isCheap(unsigned S) const {
    const std::optional<FortranAssignment> A = fortranAssignment(statements()[S].Text);
    if (!A || !A->Condition.empty() || fortranBase(A->Target) != A->Target || callsAnything(S))
      return false;
    const FortranEntity *E = Regions.procedures().find(S, A->Target);
    return !E || (!E->isArray() && !E->Pointer && !E->Allocatable && !StringRef(E->Type).contains("type(") &&
                  !StringRef(E->Type).contains("class("));
  }

  // Whether some name is followed by brackets that is no array: functions have the look of them.
  bool callsAnything(unsigned S) const {
    StringRef Text = statements()[S].Text;
    if (Text.starts_with("call") || Text.contains('\'') || Text.contains('"'))
      return true;
    for (StringRef Name : fortranNames(Text)) {
      const std::size_t End = std::size_t(Name.end() - Text.begin());
      if (End >= Text.size() || Text[End] != '(' || Name == "if" || Name == "elseif" || Name == "dowhile")
        continue;
      if (const FortranEntity *E = Regions.procedures().find(S, Name); !E || !E->isArray())
        return true;
    }
    return false;
  }

  // The shared variables that a loop writes; nothing where some statement may write others.
  std::optional<StringSet<>> written(const FortranConstruct &C) const {
    StringSet<> Names;
    for (unsigned S = C.First; S < C.Last; ++S) {
      StringRef Text = statements()[S].Text;
      if (callsAnything(S))
        return std::nullopt;
      if (const std::optional<FortranAssignment> A = fortranAssignment(Text); A && !statements()[S].IsLoop) {
        StringRef Base = fortranBase(A->Target);
        if (Regions.constructs().sharing(S, Base) != FortranSharing::Private)
          Names.insert(Base);
      } else if (!statements()[S].IsLoop && Text != "enddo" && Text != "continue" && Text != "endif" &&
                 Text != "else" && !(Text.starts_with("if(") && Text.ends_with(")then")) &&
                 !(Text.starts_with("elseif(") && Text.ends_with(")then"))) {
        return std::nullopt;
      }
    }
    return Names;
  }

  // Whether no variable that one of the loops writes is named in another one.
  bool shareNoWrites(ArrayRef<const FortranConstruct *> Run) const {
    for (const FortranConstruct *C : Run) {
      if (!C->SharesLoop || C->has("reduction") || C->has("lastprivate") || C->has("linear"))
        return false;
      const std::optional<StringSet<>> Names = written(*C);
      if (!Names)
        return false;
      for (const FortranConstruct *Other : Run)
        for (unsigned S = Other->First; Other != C && S < Other->Last; ++S)
          if (any_of(fortranNames(statements()[S].Text), [&](StringRef N) { return Names->contains(N); }))
            return false;
    }
    return true;
  }

  // Pointers, and variables that the file does not show.
  bool mayBeNamedTwice(const FortranConstruct &C) const {
    if (fortranText(U).sharesStorage())
      return true;
    for (int P = Regions.procedures().of(C.First); P >= 0; P = Regions.procedures().all()[P].Parent)
      if (Regions.procedures().all()[P].Includes)
        return true;
    return false;
  }

  void study(const FortranRun &Run) {
    std::vector<RegionLoops> Loops;
    for (const FortranConstruct *C : Run.Regions) {
      RegionLoops &Each = Loops.emplace_back();
      for (const FortranConstruct *Part : sharedParts(*C))
        Each.push_back(Regions.sharedWork(*Part));
    }
    for (const Slice &Part : shortParts(Loops, R))
      study(ArrayRef(Run.Regions).slice(Part.Begin, Part.Size), ArrayRef(Loops).slice(Part.Begin, Part.Size),
            Run.Between);
  }

  void study(ArrayRef<const FortranConstruct *> Run, ArrayRef<RegionLoops> Loops, bool Between) {
    const FortranConstruct &First = *Run.front();
    const bool Repeated = Regions.isRepeated(First);
    if (!Repeated && Regions.isInMain(First))
      return;
    const std::optional<Confidence> Conf = judge(Loops, Repeated, R);
    if (!Conf)
      return;
    std::vector<std::int64_t> Lines;
    for (const FortranConstruct *C : Run.drop_front())
      Lines.push_back(C->Line);
    Finding F;
    F.Rule = Slug;
    F.Conf = *Conf;
    F.Range = {Regions.place(First), Regions.place(First)};
    F.Function = Regions.procedureName(First);
    F.Scope = {Regions.place(First), Regions.scope(*Run.back()).getEnd()};
    F.Args = {{"regions", static_cast<std::int64_t>(Run.size())},
              {"lines", linesOf(Lines)},
              {"remedy", variant(Slug, "one_region_fortran")},
              {"nowait", Between               ? variant(Slug, "single_between")
                         : !shareNoWrites(Run) ? ""
                                               : variant(Slug, mayBeNamedTwice(First) ? "nowait_if_apart" : "nowait")}};
    for (const FortranConstruct *C : Run.drop_front())
      F.Relateds.push_back({Regions.place(*C), "the next region"});
    R.report(std::move(F));
  }

  Unit &U;
  Reporter &R;
  FortranRegions Regions;
};

} // namespace

void reportFortranRuns(Unit &U, Reporter &R) { FortranRuns(U, R).run(); }

} // namespace stridewise
