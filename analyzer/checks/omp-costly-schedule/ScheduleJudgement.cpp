#include "checks/omp-costly-schedule/ScheduleJudgement.h"
#include "thresholds.h"
#include <cmath>

namespace stridewise::costly_schedule {

// How many chunks a team of usual size fetches: each is a thread's share of what is left, until `Chunk` iterations
// are reached; the rest goes in chunks of that size. The static half knows no team; larger ones fetch more.
static double guidedChunks(double Trips, double Chunk) {
  constexpr double Team = limits::omp_costly_schedule::AssumedTeam;
  const double Least = Team * Chunk;
  return Trips <= Least ? std::ceil(Trips / Chunk) : std::ceil(Team * std::log(Trips / Least)) + Team;
}

std::optional<Judged> judge(const LoopWork &W, bool Guided, double Chunk, Reporter &R) {
  if (W.Uneven || W.UnknownCalls || W.UnknownDepth > 1 ||
      (W.Trips > 0 && W.Trips < R.threshold(Slug, "min_iterations")))
    return std::nullopt;
  // guided hands out a share of what is left, so that only the length of the loop tells how long its chunks are.
  if (Guided && W.Trips <= 0)
    return std::nullopt;
  const double Mean = Guided ? W.Trips / guidedChunks(W.Trips, Chunk) : Chunk;
  const double ChunkMicroseconds = Mean * W.Cycles / CyclesPerMicrosecond;
  const double Most = R.threshold(Slug, "max_chunk_us");
  if (ChunkMicroseconds > Most)
    return std::nullopt;
  const bool Near = ChunkMicroseconds > Most / R.threshold(Slug, "sure_share");
  const bool Long = Chunk >= R.threshold(Slug, "long_chunk");
  const unsigned Doubts = Guided + W.UnknownDepth + (Near || Long) + W.Gathers;
  if (Doubts > 1)
    return std::nullopt;
  const auto Nanoseconds = static_cast<std::int64_t>(std::max(1.0, ChunkMicroseconds * 1000));
  const std::string Amount = W.UnknownDepth ? "one inner loop's work of the same length each"
                                            : "about " + std::to_string(Nanoseconds) + " ns of work";
  return Judged{Doubts ? Confidence::Medium : Confidence::High,
                std::string(Guided ? "guided" : "dynamic") + "," + std::to_string(std::int64_t(Chunk)),
                Guided ? Amount + " in the mean" : Amount};
}

} // namespace stridewise::costly_schedule
