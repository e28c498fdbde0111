// Whether a loop's iterations are so short and so alike that fetching them by the chunk costs more than it gains.
#ifndef STRIDEWISE_CHECKS_OMP_COSTLY_SCHEDULE_SCHEDULEJUDGEMENT_H
#define STRIDEWISE_CHECKS_OMP_COSTLY_SCHEDULE_SCHEDULEJUDGEMENT_H

#include "omp/RegionWork.h"
#include "unit/Finding.h"
#include "unit/Reporter.h"

namespace stridewise::costly_schedule {

constexpr llvm::StringLiteral Slug = "omp-costly-schedule";

struct Judged {
  Confidence Conf;
  std::string Schedule, Work, Though, Remedy; // as the message has them
  bool Alike = true;                          // all iterations do the same
};

/// Nothing where nothing is to be said.
std::optional<Judged> judge(const LoopWork &W, bool Guided, double Chunk, Reporter &R);

} // namespace stridewise::costly_schedule
#endif
