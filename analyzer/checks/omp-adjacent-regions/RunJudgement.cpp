#include "checks/omp-adjacent-regions/RunJudgement.h"
#include "thresholds.h"

namespace stridewise::adjacent_regions {

std::vector<Slice> shortParts(llvm::ArrayRef<RegionLoops> Run, Reporter &R) {
  const double Cheap = R.threshold(Slug, "max_iteration_ns") * CyclesPerMicrosecond / 1000;
  const double Most = R.threshold(Slug, "max_region_us") * CyclesPerMicrosecond;
  auto Is = [&](const RegionLoops &Loops, unsigned Deepest, double Cycles) {
    return llvm::all_of(Loops, [&](const std::optional<LoopWork> &W) {
      return W && !W->UnknownCalls &&
             (W->known() ? W->total() <= Most : W->UnknownDepth <= Deepest && W->Cycles <= Cycles);
    });
  };
  auto IsShort = [&](const RegionLoops &Loops) { return Is(Loops, 0, Cheap); };
  auto IsBeside = [&](const RegionLoops &Loops) { return Is(Loops, 1, HUGE_VAL); };
  std::vector<Slice> Out;
  std::size_t Begin = 0, End = 0; // of the part so far
  for (std::size_t K = 0; K < Run.size(); ++K) {
    if (!IsShort(Run[K]))
      continue;
    if (K >= End) {
      if (End - Begin > 1)
        Out.push_back({Begin, End - Begin});
      for (Begin = K; Begin > End && IsBeside(Run[Begin - 1]);)
        --Begin;
    }
    for (End = K + 1; End < Run.size() && IsBeside(Run[End]);)
      ++End;
  }
  if (End - Begin > 1)
    Out.push_back({Begin, End - Begin});
  return Out;
}

std::optional<Confidence> judge(llvm::ArrayRef<RegionLoops> Part, bool Repeated, Reporter &R) {
  double Microseconds = 0;
  bool Known = true;
  for (const RegionLoops &Loops : Part)
    for (const std::optional<LoopWork> &W : Loops) {
      Known &= W && W->known();
      if (W && W->known())
        Microseconds += W->total() / CyclesPerMicrosecond;
    }
  const double Most = R.threshold(Slug, "max_region_us") * Part.size();
  if (Microseconds > Most || (!Known && !Repeated && Part.size() < limits::omp_adjacent_regions::SureRun))
    return std::nullopt;
  // Not even one team pays for all of them together: that is the other rule's.
  if (Known && Microseconds < R.threshold("omp-small-loop", "region_us"))
    return std::nullopt;
  return Known && Repeated && Microseconds < Most / 2 ? Confidence::High : Confidence::Medium;
}

std::string linesOf(llvm::ArrayRef<std::int64_t> Lines) {
  std::string Text = Lines.size() == 1 ? "line " : "lines ";
  for (std::size_t I = 0; I < Lines.size(); ++I)
    Text += (I == 0 ? "" : I + 1 == Lines.size() ? " and " : ", ") + std::to_string(Lines[I]);
  return Text;
}

} // namespace stridewise::adjacent_regions
