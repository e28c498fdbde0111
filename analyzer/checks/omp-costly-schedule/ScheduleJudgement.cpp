#include "checks/omp-costly-schedule/ScheduleJudgement.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include <cmath>

namespace stridewise::costly_schedule {

// How many chunks a team of usual size fetches: each is a thread's share of what is left, until `Chunk` iterations
// are reached; the rest goes in chunks of that size. The static half knows no team; larger ones fetch more.
static double guidedChunks(double Trips, double Chunk) {
  constexpr double Team = limits::omp_costly_schedule::AssumedTeam;
  const double Least = Team * Chunk;
  return Trips <= Least ? std::ceil(Trips / Chunk) : std::ceil(Team * std::log(Trips / Least)) + Team;
}

// Rows that a table gives their lengths: whatever they are, one row is too short a chunk unless it is very long.
static std::optional<Judged> judgeRows(const LoopWork &W, double Chunk, Reporter &R) {
  constexpr double Row = limits::omp_costly_schedule::AssumedRow;
  const double Microseconds = Chunk * (W.Cycles + (Row - 1) * W.RowCycles) / CyclesPerMicrosecond;
  if (Microseconds > R.threshold(Slug, "max_chunk_us") / R.threshold(Slug, "sure_share"))
    return std::nullopt;
  const auto Rows = static_cast<std::int64_t>(R.threshold(Slug, "long_chunk"));
  return Judged{Confidence::Medium,
                "dynamic," + std::to_string(std::int64_t(Chunk)),
                "about " + std::to_string(std::int64_t(std::max(1.0, Microseconds * 1000))) + " ns of work",
                variant(Slug, "short_rows", {{"elements", std::int64_t(Row)}}),
                variant(Slug, "longer_chunks", {{"rows", Rows}}),
                false};
}

std::optional<Judged> judge(const LoopWork &W, bool Guided, double Chunk, Reporter &R) {
  if (W.UnknownCalls || W.UnknownDepth > 1 || (W.Trips > 0 && W.Trips < R.threshold(Slug, "min_iterations")))
    return std::nullopt;
  // Of a known number of rows each is a bin of all the data.
  if (W.RowCycles > 0 && !Guided && W.Trips <= 0)
    return judgeRows(W, Chunk, R);
  if (W.Uneven)
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
                Guided ? Amount + " in the mean" : Amount, variant(Slug, "alike"), variant(Slug, "static")};
}

} // namespace stridewise::costly_schedule
