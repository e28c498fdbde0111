#include "checks/omp-region-in-loop/FortranRegionsInLoops.h"
#include "checks/omp-region-in-loop/FortranBorders.h"
#include "checks/omp-region-in-loop/RegionJudgement.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranNames.h"
#include "omp/FortranRegions.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

using region_in_loop::Judged;
using region_in_loop::Slug;

// "n" of "n", "n-1" and "n+2": what a loop's length goes with.
StringRef boundOf(const FortranStatement *Loop) {
  const std::optional<FortranBounds> Bounds = Loop ? fortranBounds(*Loop) : std::nullopt;
  if (!Bounds)
    return {};
  auto [Name, Rest] = Bounds->Last.split(Bounds->Last.contains('-') ? '-' : '+');
  const bool IsName = !Name.empty() && !isDigit(Name.front()) &&
                      all_of(Name, [](char C) { return isAlnum(C) || C == '_' || C == '%'; });
  return IsName && all_of(Rest, isDigit) ? Name : StringRef();
}

class FortranRegionsInLoops {
public:
  FortranRegionsInLoops(Unit &U, Reporter &R) : U(U), R(R), Regions(U), Borders(U, Regions) {}

  UnitBorders run() {
    sharedBounds();
    UnitBorders Known = callsOfUnit();
    std::vector<const FortranConstruct *> Constructs; // of the regions over borders
    for (const FortranConstruct &C : Regions.constructs().all()) {
      if (!Meter::spend())
        return {};
      if (!C.StartsTeam || C.Device || C.First >= C.Last || Regions.loopsOf(C).empty() || isGuarded(C))
        continue;
      if (const FortranConstruct *Outer = Regions.constructs().parent(C); Outer && Outer->SharesLoop && !Outer->Device)
        nested(C, *Outer);
      else if (!Regions.runsInTeam(C) && !(Regions.isRepeated(C) && study(C)) && addBorder(C, Known))
        Constructs.push_back(&C);
    }
    for (const BorderRepeat &X : borderRepeats({&Known}))
      if (confidenceOf(X) >= Confidence::Medium) // else the whole program is asked
        reportBorder(*Constructs[X.Region - Known.Regions.data()], X);
    return Known;
  }

private:
  // What ends the loops that teams share: a loop that the same variable ends is long, too.
  void sharedBounds() {
    for (const FortranConstruct &C : Regions.constructs().all())
      if (std::vector<const FortranStatement *> Loops = Regions.sharedLoops(C); !Loops.empty())
        if (StringRef Bound = boundOf(Loops.front()); !Bound.empty()) {
          Bounds.insert(ownBound(*Loops.front(), Bound));
          Anywhere.insert(boundAnywhere(*Loops.front(), Bound));
        }
  }

  std::pair<int, std::string> ownBound(const FortranStatement &Loop, StringRef Bound) const {
    return {Regions.procedures().of(Regions.number(Loop)), Bound.str()};
  }

  // As other procedures know it, too: a variable of a module or a common block, a component of what has a type. Empty
  // for a procedure's own.
  std::string boundAnywhere(const FortranStatement &Loop, StringRef Bound) const {
    const unsigned At = Regions.number(Loop);
    const auto [Base, Component] = Bound.split('%');
    if (Component.empty()) {
      const std::optional<FortranVariable> V = fortranNames(U).variable(At, Base);
      return V && V->isGlobal() ? V->Root : std::string();
    }
    const FortranEntity *Of = Regions.procedures().find(At, Base);
    StringRef Type = Of ? StringRef(Of->Type) : StringRef();
    return Type.consume_front("type(") || Type.consume_front("class(") ? (Type + "%" + Component).str() : std::string();
  }

  // As of C: `if (n > 1)` keeps no team from being opened for little.
  bool isGuarded(const FortranConstruct &C) {
    const std::optional<StringRef> If = C.clause("if");
    if (!If)
      return false;
    for (auto [Sign, OnTheRight] : {std::pair(">=", true),
                                    {">", true},
                                    {".ge.", true},
                                    {".gt.", true},
                                    {"<=", false},
                                    {"<", false},
                                    {".le.", false},
                                    {".lt.", false}})
      if (If->contains(Sign)) {
        const auto [Left, Right] = If->split(Sign);
        std::int64_t Least = 0;
        return (OnTheRight ? Right : Left).getAsInteger(10, Least) ||
               region_in_loop::isGuard(double(Least), Regions.regionWork(C), R);
      }
    return true;
  }

  // Teams within teams are off unless the program asks for them, and where it does, it says how large they are.
  void nested(const FortranConstruct &C, const FortranConstruct &Outer) {
    const FortranText &Text = fortranText(U);
    std::vector<const FortranStatement *> Loops = Regions.sharedLoops(Outer);
    if (Loops.empty() || C.has("num_threads") || Outer.has("num_threads") || Outer.has("if") ||
        !Text.callsOf("omp_set_nested").empty() || !Text.callsOf("omp_set_max_active_levels").empty())
      return;
    Finding F = findingOf(C, *Loops.front(), "the loop that a team shares");
    F.Conf = Confidence::Medium;
    F.Args["each"] = std::string("a part of a us each time");
    F.Args["work"] = std::string("what one thread of the team around it does alone, unless nested teams are on");
    F.Args["remedy"] = "drop the inner '" + C.Name + "': a team shares the loop at line " +
                       std::to_string(Loops.front()->Line) + " already";
    R.report(std::move(F));
  }

  Finding findingOf(const FortranConstruct &C, const FortranStatement &Loop, StringRef What) {
    Finding F;
    F.Rule = Slug;
    F.Range = {Regions.place(C), Regions.place(C)};
    F.Function = Regions.procedureName(C);
    F.Scope = Regions.scope(C);
    F.Args["loop"] = "line " + std::to_string(Loop.Line);
    F.Relateds.push_back({Regions.place(Loop), What.str()});
    return F;
  }

  // What opens the region, and how its shared loops go with that: all of them together.
  struct Opened {
    const FortranStatement *Loop = nullptr;
    RegionRepeat Repeat;
    bool ByCall = false; // in a procedure around a call that was not inlined
  };

  std::optional<Opened> openedBy(const FortranConstruct &C, double MinOpenings) {
    std::optional<Opened> All;
    for (const FortranRegionLoop &Each : Regions.loopsOf(C))
      for (const LoopCopy &Copy : Each.Shared ? fortranLoops(*Each.Statement, U) : ArrayRef<LoopCopy>()) {
        std::optional<Opened> Here = openedBy(C, Copy, MinOpenings);
        if (!Here)
          return std::nullopt;
        join(All, *Here);
      }
    // Of loops that each thread runs for itself around shared ones nobody knows how they go over the data.
    if (All && any_of(Regions.loopsOf(C), [](const FortranRegionLoop &Each) { return !Each.Shared; }))
      All->Repeat.Spatial = All->Repeat.Listed = false;
    return All;
  }

  std::optional<Opened> openedBy(const FortranConstruct &C, const LoopCopy &Copy, double MinOpenings) {
    StrideEngine &Engine = StrideEngine::get(*Copy.F, U.analyses());
    Opened Here;
    const Loop *Serial = longOpener(Copy.L->getParentLoop(), MinOpenings, Engine);
    const std::optional<FortranLoop> Known = Serial ? fortranLoop(Serial, U) : std::nullopt;
    if (Known && !Known->IsSection) {
      Here.Loop = Known->Statement;
      Here.Repeat = repeatBy(Serial, Copy, Engine);
    } else {
      // Loops without a counter, and calls that were not inlined.
      Here.Loop = isInlinedCopy(*Copy.L) ? nullptr : Regions.serialLoop(C, MinOpenings);
    }
    if (!Here.Loop)
      return std::nullopt;
    Here.ByCall = Regions.procedures().of(Regions.number(*Here.Loop)) != Regions.procedures().of(C.First);
    // A loop in a caller goes over parts of the program's data: levels of a grid, materials.
    Here.Repeat.Listed &= !Here.ByCall;
    return Here;
  }

  static void join(std::optional<Opened> &All, const Opened &Here) {
    if (!All) {
      All = Here;
      return;
    }
    const bool OneLoop = All->Loop == Here.Loop;
    std::optional<RegionRepeat> Both = All->Repeat;
    joinRepeats(Both, Here.Repeat);
    All->Repeat = *Both;
    All->Repeat.Spatial &= OneLoop;
    All->ByCall |= Here.ByCall;
  }

  // As many openings as the shared loop has iterations, or half of it, by the variable that ends both.
  bool isOneBound(const FortranConstruct &C, const Opened &O) {
    const std::optional<FortranBounds> Serial = fortranBounds(*O.Loop);
    std::vector<const FortranStatement *> Loops = Regions.sharedLoops(C);
    return Serial && Serial->Step.empty() && Loops.size() == 1 && !O.ByCall && !boundOf(O.Loop).empty() &&
           boundOf(O.Loop) == boundOf(Loops.front());
  }

  // Whether the loop that calls the region's procedure does little else: beside steps of much work its openings are
  // nothing.
  bool doesLittleElse(const FortranConstruct &C, const Opened &O) {
    SmallPtrSet<const Function *, 2> Own;
    for (const FortranRegionLoop &Each : Regions.loopsOf(C))
      for (const LoopCopy &Copy : fortranLoops(*Each.Statement, U))
        if (!isInlinedCopy(*Copy.L))
          Own.insert(Copy.F);
    ArrayRef<LoopCopy> Callers = fortranLoops(*O.Loop, U);
    return !Callers.empty() && all_of(Callers, [&](const LoopCopy &Copy) {
      SmallVector<const CallBase *, 8> Others;
      for (BasicBlock *BB : Copy.L->blocks())
        for (Instruction &I : counted(*BB))
          if (const auto *Call = dyn_cast<CallBase>(&I); Call && !Own.contains(Call->getCalledFunction()))
            Others.push_back(Call);
      const LoopWork Calls = Regions.work().work(*Copy.F, Others);
      const LoopWork All = Regions.work().work(Copy);
      return !Calls.UnknownCalls && !All.UnknownDepth &&
             All.Cycles < R.threshold(Slug, "max_region_us") * CyclesPerMicrosecond;
    });
  }

  // Where a table has the number of elements of each opening, nobody asks what one costs.
  std::optional<LoopWork> workOf(const FortranConstruct &C, const Opened &O) {
    std::optional<LoopWork> Work = Regions.regionWork(C);
    if (!Work && O.Repeat.Listed) {
      Work.emplace();
      Work->UnknownCalls = true;
    }
    return Work;
  }

  // Whether there is something to say of it.
  bool study(const FortranConstruct &C) {
    std::optional<Opened> O = openedBy(C, R.threshold(Slug, "min_openings"));
    std::optional<LoopWork> Work = O ? workOf(C, *O) : std::nullopt;
    if (!Work)
      return false;
    if (few(C, *Work))
      return true;
    O->Repeat.Work = *Work;
    // Behind descriptors of arrays the code has no lengths that could be compared; the text has.
    if (O->Repeat.Spatial && O->Repeat.Length == RegionRepeat::Unknown && !O->ByCall &&
        rowsOfArrays().areCovered(C, *O->Loop))
      O->Repeat.Length = RegionRepeat::Rows;
    const StringRef Bound = boundOf(O->Loop);
    const bool Long = O->Repeat.Length == RegionRepeat::Long || Bounds.contains(ownBound(*O->Loop, Bound));
    const std::string Name = Long || Bound.empty() ? std::string() : boundAnywhere(*O->Loop, Bound);
    const bool Elsewhere = !Name.empty() && Anywhere.contains(Name);
    std::optional<Judged> J = region_in_loop::judge(O->Repeat, Long || Elsewhere, isOneBound(C, *O), R);
    if (!J)
      return false;
    if (Elsewhere) // grids of several sizes have one type
      J->Conf = std::min(J->Conf, Confidence::Medium);
    report(C, *O, *J);
    return true;
  }

  // A loop over the few parts of the data, which another one runs again and again and which holds nothing but the
  // region.
  bool few(const FortranConstruct &C, const LoopWork &Work) {
    std::optional<Opened> O = openedBy(C, limits::omp_region_in_loop::FewestParts);
    if (!O || O->ByCall)
      return false;
    const FortranBlock *Loop = Regions.procedures().loopAt(Regions.number(*O->Loop));
    if (!Loop || any_of(seq(Loop->Begin + 1, Loop->End), [&](unsigned K) {
          const StringRef Text = Regions.statements()[K].Text;
          return (K < C.First || K >= C.Last) && Text != "enddo" && Text != "continue";
        }))
      return false;
    O->Repeat.Work = Work;
    const std::optional<Judged> J = region_in_loop::judgeFew(O->Repeat, R);
    if (J)
      report(C, *O, *J);
    return J.has_value();
  }

  void report(const FortranConstruct &C, const Opened &O, const Judged &J) {
    const std::int64_t Line = O.Loop->Line;
    std::string Remedy =
        O.ByCall ? variant(Slug, "open_once_around_call", {{"line", Line}, {"procedure", Regions.procedureName(C)}})
                 : variant(Slug, "open_once_fortran", {{"line", Line}});
    if (O.Repeat.Spatial && !O.Repeat.Reads && !J.Few)
      Remedy = variant(Slug, "share_outer", {{"line", Line}, {"otherwise", Remedy}});
    Finding F = findingOf(C, *O.Loop, "the loop that opens it");
    F.Conf = !O.ByCall ? J.Conf : doesLittleElse(C, O) ? std::min(J.Conf, Confidence::Medium) : Confidence::Low;
    F.Args["each"] = std::string("1 to 37 us each time");
    F.Args["work"] = J.Work;
    F.Args["remedy"] = Remedy;
    R.report(std::move(F));
  }

  // --- borders -------------------------------------------------------------------------------------------------------

  UnitBorders callsOfUnit() {
    UnitBorders Known;
    Known.File = placeOf(U.ast(), U.sources().getLocForStartOfFile(U.sources().getMainFileID())).File;
    for (const auto &[Name, Body] : fortranCalls(U).Bodies)
      if (Name != "main")
        Known.Defined.push_back(Name);
    for (const FortranCall &C : fortranCalls(U).All) {
      BorderCall Call{C.Callee, C.Caller, C.Rare ? 0 : C.Depth, std::nullopt, isInTeam(C)};
      if (C.Loop && !C.Rare)
        Call.Loop = placeOf(U.ast(), headerOf(*C.Loop, U));
      Known.Calls.push_back(std::move(Call));
    }
    return Known;
  }

  bool isInTeam(const FortranCall &C) const {
    const FortranStatement *S = C.At ? fortranText(U).calling(C.At->getLine(), "") : nullptr;
    if (!S)
      return false;
    return S->OnDevice || Regions.constructs().region(Regions.number(*S));
  }

  bool addBorder(const FortranConstruct &C, UnitBorders &Into) {
    const std::optional<FortranBorders::Border> Border = Borders.borderOf(C);
    if (!Border)
      return false;
    if (const std::optional<LoopWork> W = Regions.regionWork(C);
        W && W->known() && W->total() >= R.threshold(Slug, "max_region_us") * CyclesPerMicrosecond)
      return false;
    BorderRegion B{placeOf(U.ast(), {Regions.place(C), Regions.place(C)}),
                   std::max(C.Line, C.EndLine),
                   Regions.procedureName(C),
                   callName(C),
                   Border->Along > 1 ? "one side of the data" : "one row of a border",
                   variant(Slug, "one_for_borders"),
                   Border->Arrays,
                   0,
                   std::nullopt,
                   R.silences(Slug, Regions.place(C))};
    ArrayRef<FortranBlock> Blocks = Regions.procedures().blocks();
    for (int Around = Regions.procedures().blockOf(C.First); Around >= 0; Around = Blocks[Around].Parent)
      if (Blocks[Around].K == FortranBlock::Loop && Blocks[Around].Begin < C.First) {
        ++B.Loops;
        if (!B.Loop)
          B.Loop = placeOf(U.ast(), headerOf(Regions.statements()[Blocks[Around].Begin], U));
      }
    Into.Regions.push_back(std::move(B));
    return true;
  }

  // As the linker has it.
  std::string callName(const FortranConstruct &C) const {
    if (Regions.isInMain(C))
      return "main";
    const int P = Regions.procedures().of(C.First);
    const std::string Id = P < 0 ? std::string() : fortranNames(U).procedureId(P);
    StringRef Name = Id;
    return Name.consume_front("_QP") ? (Name + "_").str() : Id;
  }

  void reportBorder(const FortranConstruct &C, const BorderRepeat &X) {
    const clang::SourceManager &SM = U.sources();
    Finding F;
    F.Rule = Slug;
    F.Range = {Regions.place(C), Regions.place(C)};
    F.Function = Regions.procedureName(C);
    F.Scope = Regions.scope(C);
    F.Conf = confidenceOf(X);
    F.Args = argsOf(X);
    F.Relateds.push_back(
        {SM.translateLineCol(SM.getMainFileID(), X.Loop.Line, X.Loop.Column), "the loop that opens it"});
    R.report(std::move(F));
  }

  const FortranRows &rowsOfArrays() {
    if (!Rows)
      Rows.emplace(Regions);
    return *Rows;
  }

  Unit &U;
  Reporter &R;
  FortranRegions Regions;
  FortranBorders Borders;
  std::optional<FortranRows> Rows;
  std::set<std::pair<int, std::string>> Bounds; // by procedure
  std::set<std::string> Anywhere;
};

} // namespace

UnitBorders reportFortranRegionsInLoops(Unit &U, Reporter &R) { return FortranRegionsInLoops(U, R).run(); }

// In one loop alone, which may be that of the steps, it is opened once beside the step's work. One region for several
// arrays is half of what the advice asks for.
Confidence confidenceOf(const BorderRepeat &X) {
  const bool Often = X.Loops >= limits::omp_region_in_loop::BorderLoops;
  return Often && X.Region->Arrays == 1 ? Confidence::Medium : Confidence::Low;
}

ArgMap argsOf(const BorderRepeat &X) {
  const bool Here = X.Loop.File == X.Region->Where.File;
  const std::string Line = std::to_string(X.Loop.Line);
  return {{"loop", Here ? "line " + Line : sys::path::filename(X.Loop.File).str() + ":" + Line},
          {"each", std::string("1 to 37 us each time")},
          {"work", X.Region->Work},
          {"remedy", X.Region->Remedy}};
}

} // namespace stridewise
