#include "checks/omp-region-in-loop/RegionJudgement.h"

namespace stridewise::region_in_loop {
namespace {

std::optional<Judged> byTime(const RegionRepeat &Repeat, Reporter &R) {
  const LoopWork &W = Repeat.Work;
  const double Microseconds = W.total() / CyclesPerMicrosecond, Most = R.threshold(Slug, "max_region_us");
  if (Microseconds >= Most || (!Repeat.Spatial && Microseconds < R.threshold(Slug, "region_us")))
    return std::nullopt;
  return Judged{Microseconds < Most / R.threshold(Slug, "sure_share") && !W.Gathers ? Confidence::High
                                                                                    : Confidence::Medium,
                "about " + std::to_string(std::max<std::int64_t>(1, std::int64_t(Microseconds))) + " us of work"};
}

// One iteration for each thread, and the opening is not what takes the time.
bool outlastsOpening(const LoopWork &W, Reporter &R) {
  const double Opening = R.threshold(Slug, "max_region_us") * R.threshold(Slug, "min_overhead_share");
  return W.Cycles >= Opening * CyclesPerMicrosecond;
}

std::optional<Judged> byTable(const RegionRepeat &Repeat, Reporter &R) {
  return Judged{outlastsOpening(Repeat.Work, R) ? Confidence::Low : Confidence::Medium,
                "as few or many elements as a table says"};
}

std::optional<Judged> byShape(const RegionRepeat &Repeat, bool OneBound, Reporter &R) {
  const double CheapCycles = R.threshold(Slug, "cheap_cycles");
  const LoopWork &W = Repeat.Work;
  const bool AsLong = !Repeat.Spatial && OneBound && W.Cycles < CheapCycles;
  if ((!Repeat.Spatial && !AsLong) || W.UnknownDepth > (Repeat.Triangular || Repeat.Sums || AsLong ? 0u : 1u))
    return std::nullopt;
  return Judged{W.UnknownDepth == 0 && W.Cycles < CheapCycles && !AsLong ? Confidence::High : Confidence::Medium,
                AsLong           ? "a loop of no more iterations than that"
                : W.UnknownDepth ? "one plane of the data"
                : Repeat.Sums    ? "one sum"
                                 : "one row of the data"};
}

} // namespace

std::optional<Judged> judge(const RegionRepeat &Repeat, bool Long, bool OneBound, Reporter &R) {
  if (Repeat.Work.UnknownCalls && !Repeat.Listed)
    return std::nullopt;
  if (Repeat.Spatial && !Long && (Repeat.Length == RegionRepeat::Unknown || Repeat.Sums))
    return std::nullopt;
  std::optional<Judged> J = Repeat.Work.known() ? byTime(Repeat, R)
                            : Repeat.Listed     ? byTable(Repeat, R)
                                                : byShape(Repeat, OneBound, R);
  if (J && Repeat.Spatial && (!Long || Repeat.Reads || Repeat.Triangular || Repeat.Sums))
    J->Conf = std::min(J->Conf, Confidence::Medium);
  return J;
}

bool isGuard(double Least, const std::optional<LoopWork> &Work, Reporter &R) {
  if (Least < R.threshold(Slug, "min_guard"))
    return false;
  const bool Known = Work && Work->UnknownDepth == 0 && !Work->UnknownCalls;
  return !Known || Least * Work->Cycles >= R.threshold(Slug, "region_us") * CyclesPerMicrosecond;
}

} // namespace stridewise::region_in_loop
