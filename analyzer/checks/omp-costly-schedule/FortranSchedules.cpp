#include "checks/omp-costly-schedule/FortranSchedules.h"
#include "checks/omp-costly-schedule/ScheduleJudgement.h"
#include "fortran/DirectiveLines.h"
#include "omp/FortranRegions.h"
#include "unit/Counted.h"
#include "unit/FixSafety.h"

using namespace llvm;

namespace stridewise {
namespace {

using namespace costly_schedule;

struct Schedule {
  bool Guided = false;
  double Chunk = 1;
};

// "monotonic:dynamic,4"; nothing for other kinds, and for chunks that are no number.
std::optional<Schedule> scheduleOf(const FortranConstruct &C) {
  const std::optional<StringRef> Clause = C.clause("schedule");
  if (!Clause)
    return std::nullopt;
  const std::vector<StringRef> Parts = fortranList(Clause->substr(Clause->rfind(':') + 1));
  if (Parts.empty() || (Parts[0] != "dynamic" && Parts[0] != "guided"))
    return std::nullopt;
  std::int64_t Chunk = 1;
  if (Parts.size() > 1 && Parts[1].getAsInteger(10, Chunk))
    return std::nullopt;
  return Schedule{Parts[0] == "guided", double(std::max<std::int64_t>(1, Chunk))};
}

class FortranSchedules {
public:
  FortranSchedules(Unit &U, Reporter &R) : U(U), R(R), Regions(U) {}

  void run() {
    for (const FortranConstruct &C : constructs())
      if (C.SharesLoop && !C.Device && !C.Tasks && !C.has("ordered"))
        if (const std::optional<Schedule> S = scheduleOf(C))
          study(C, *S);
  }

private:
  ArrayRef<FortranConstruct> constructs() const { return Regions.constructs().all(); }

  void study(const FortranConstruct &C, const Schedule &S) {
    const std::optional<LoopWork> W = Regions.sharedWork(C);
    const std::optional<Judged> J = W ? judge(*W, S.Guided, S.Chunk, R) : std::nullopt;
    if (!J || threadsComeLate(C))
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = J->Conf;
    F.Range = {Regions.place(C), Regions.place(C)};
    F.Function = Regions.procedureName(C);
    F.Scope = Regions.scope(C);
    F.Args = {{"schedule", J->Schedule},
              {"work", J->Work},
              {"though", J->Though},
              {"remedy", J->Remedy},
              {"line", std::int64_t(Regions.statements()[C.First].Line)}};
    if (std::optional<Edit> E = J->Alike ? replaceFortranClause(C, "schedule", "schedule(static)", U) : std::nullopt)
      F.Fixes.push_back(staticSchedule(C, std::move(*E)));
    R.report(std::move(F));
  }

  // As in C: no program may rest on which thread runs an iteration. What it may rest on is an order of rounding that
  // one thread keeps, and threads that wait for one another.
  Fix staticSchedule(const FortranConstruct &C, Edit E) const {
    Fix X = safeFix("share the iterations once", {std::move(E)},
                    "the iterations are the same; which thread runs one is open under the present schedule, too");
    if (C.has("reduction"))
      doubt(X, "a reduction may be rounded in another order");
    for (unsigned K = C.First; K < C.Last; ++K)
      if (StringRef(Regions.statements()[K].Text).contains("call") ||
          StringRef(Regions.statements()[K].Text).contains("omp_"))
        doubt(X, "threads may talk to one another in what the loop calls");
    for (const FortranConstruct &Inside : constructs())
      if (Inside.First >= C.First && Inside.Last <= C.Last && Inside.Exclusive)
        doubt(X, "threads talk to one another within the loop");
    return X;
  }

  // Threads that were busy elsewhere find less left to do; static scheduling would wait for them. What counts is the
  // code since the barrier before the loop; a loop around may bring it from below, so the region is read twice. A
  // procedure that a team calls is read from its beginning, behind which the team may come late.
  bool threadsComeLate(const FortranConstruct &C) {
    const FortranConstruct *Region = &C;
    while (Region && !Region->StartsTeam)
      Region = Regions.constructs().parent(*Region);
    if (Region == &C)
      return false;
    const int P = Regions.procedures().of(C.First);
    const unsigned First = Region ? Region->First : P >= 0 ? Regions.procedures().all()[P].First : 0;
    const unsigned Last = Region ? Region->Last : P >= 0 ? Regions.procedures().all()[P].Last : C.Last;
    auto Begin = partition_point(constructs(), [&](const FortranConstruct &X) { return X.First < First; });
    bool Late = false;
    for (unsigned Round = 0; Round < 2; ++Round)
      for (const FortranConstruct &Other : make_range(Begin, constructs().end())) {
        if (Other.First >= Last && !(Other.StandsAlone && Other.First == Last))
          break;
        if (!Meter::spend() || (&Other == &C && Late))
          return true;
        if (&Other == Region)
          continue;
        if (Other.Tasks)
          return true;
        if (Other.SameThread || Other.has("nowait"))
          Late = true;
        else if ((Other.EndsWithBarrier || Other.isBarrier()) && alwaysMet(Other, C))
          Late = false;
      }
    return false;
  }

  // No branch stands around the barrier alone.
  bool alwaysMet(const FortranConstruct &Barrier, const FortranConstruct &C) const {
    ArrayRef<FortranBlock> Blocks = Regions.procedures().blocks();
    for (int B = Regions.procedures().blockOf(Barrier.First); B >= 0; B = Blocks[B].Parent)
      if (Blocks[B].K == FortranBlock::Branch && Blocks[B].Begin < Barrier.First &&
          !(Blocks[B].Begin < C.First && C.First < Blocks[B].End))
        return false;
    return true;
  }

  Unit &U;
  Reporter &R;
  FortranRegions Regions;
};

} // namespace

void reportFortranSchedules(Unit &U, Reporter &R) { FortranSchedules(U, R).run(); }

} // namespace stridewise
