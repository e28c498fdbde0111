#include "checks/omp-load-imbalance/FortranTriangles.h"
#include "checks/omp-load-imbalance/ImbalanceJudgement.h"
#include "omp/FortranRegions.h"
#include "unit/Meter.h"

using namespace llvm;

namespace stridewise {
namespace {

// In blocks of equal numbers, as the default of all compilers is.
bool isInBlocks(const FortranConstruct &C) {
  const StringRef Clause = C.clause("schedule").value_or("static");
  return Clause.substr(Clause.rfind(':') + 1) == "static" && C.collapsed() <= 1 && !C.has("ordered");
}

// Of several loops, those behind one without a barrier may rest on what the same thread has done.
bool mayRestOnBlocks(const FortranConstruct &C, const FortranConstructs &Constructs) {
  if (C.StartsTeam)
    return false;
  const FortranConstruct *Region = Constructs.region(C.First);
  if (!Region)
    return true;
  unsigned Shared = 0;
  bool Early = false;
  for (const FortranConstruct &X : Constructs.all())
    if (X.First >= Region->First && X.Last <= Region->Last) {
      Shared += X.SharesLoop;
      Early |= X.has("nowait");
    }
  return Early && Shared > 1;
}

} // namespace

void reportFortranTriangles(Unit &U, Reporter &R) {
  FortranRegions Regions(U);
  const FortranConstructs &Constructs = Regions.constructs();
  for (const FortranConstruct &C : Constructs.all()) {
    if (!Meter::spend())
      return;
    if (!C.SharesLoop || C.Device || C.Tasks || !isInBlocks(C))
      continue;
    const std::optional<LoopWork> W = Regions.sharedWork(C);
    std::optional<Finding> F = W ? load_imbalance::judge(*W, U, R) : std::nullopt;
    if (!F || mayRestOnBlocks(C, Constructs))
      continue;
    F->Range = {Regions.place(C), Regions.place(C)};
    F->Function = Regions.procedureName(C);
    F->Scope = Regions.scope(C);
    R.report(std::move(*F));
  }
}

} // namespace stridewise
