#include "checks/omp-region-in-loop/RegionJudgement.h"
#include "thresholds.h"

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

// How many levels of loops an opening may have and still be little work.
unsigned deepest(const RegionRepeat &Repeat, bool Long, bool AsLong) {
  return Repeat.Triangular || Repeat.Sums || AsLong || (Repeat.Reads && !Long) ? 0 : 1;
}

// Each opening gets a plane of the data to itself, so that the loop over the planes could have the team.
bool isPlane(const RegionRepeat &Repeat) {
  return Repeat.Spatial && !Repeat.Reads && !Repeat.Triangular && !Repeat.Sums;
}

// The loop outside has as many iterations as the shared one, of as much work together, and could have the team instead.
bool isBetterOutside(const RegionRepeat &Repeat, bool OneBound) { return OneBound && isPlane(Repeat); }

std::optional<Judged> byShape(const RegionRepeat &Repeat, bool Long, bool OneBound, Reporter &R) {
  const double CheapCycles = R.threshold(Slug, "cheap_cycles");
  const LoopWork &W = Repeat.Work;
  const bool AsLong = !Repeat.Spatial && OneBound && W.Cycles < CheapCycles;
  if ((!Repeat.Spatial && !AsLong) ||
      (W.UnknownDepth > deepest(Repeat, Long, AsLong) && !isBetterOutside(Repeat, OneBound)))
    return std::nullopt;
  return Judged{W.UnknownDepth == 0 && !W.UnknownCalls && W.Cycles < CheapCycles && !AsLong ? Confidence::High
                                                                                            : Confidence::Medium,
                AsLong                             ? "a loop of no more iterations than that"
                : W.UnknownDepth || W.UnknownCalls ? "one plane of the data"
                : Repeat.Sums                      ? "one sum"
                                                   : "one row of the data"};
}

} // namespace

std::optional<Judged> judge(const RegionRepeat &Repeat, bool Long, bool OneBound, Reporter &R) {
  if (Repeat.Work.UnknownCalls && !Repeat.Listed && !(Long && isPlane(Repeat)))
    return std::nullopt;
  if (Repeat.Spatial && !Long && (Repeat.Length == RegionRepeat::Unknown || Repeat.Sums))
    return std::nullopt;
  std::optional<Judged> J = Repeat.Work.known() ? byTime(Repeat, R)
                            : Repeat.Listed     ? byTable(Repeat, R)
                                                : byShape(Repeat, Long, OneBound, R);
  if (J && Repeat.Spatial && (!Long || Repeat.Reads || Repeat.Triangular || Repeat.Sums))
    J->Conf = std::min(J->Conf, Confidence::Medium);
  return J;
}

std::optional<Judged> judgeFew(const RegionRepeat &Repeat, Reporter &R) {
  const LoopWork &W = Repeat.Work;
  if (Repeat.Openings < limits::omp_region_in_loop::FewestParts ||
      Repeat.Openings >= R.threshold(Slug, "min_openings") || !Repeat.Spatial || Repeat.Reads || Repeat.Sums ||
      Repeat.Triangular || W.UnknownCalls)
    return std::nullopt;
  if (W.known() ? W.total() >= R.threshold(Slug, "max_region_us") * CyclesPerMicrosecond
                : W.UnknownDepth > 0 || W.Cycles >= R.threshold(Slug, "cheap_cycles"))
    return std::nullopt;
  return Judged{Confidence::Medium,
                "one of " + std::to_string(std::int64_t(Repeat.Openings)) + " parts of the data, with cheap iterations",
                true};
}

bool isGuard(double Least, const std::optional<LoopWork> &Work, Reporter &R) {
  if (Least < R.threshold(Slug, "min_guard"))
    return false;
  const bool Known = Work && Work->UnknownDepth == 0 && !Work->UnknownCalls;
  return !Known || Least * Work->Cycles >= R.threshold(Slug, "region_us") * CyclesPerMicrosecond;
}

} // namespace stridewise::region_in_loop
