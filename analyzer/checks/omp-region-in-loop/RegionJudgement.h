// Whether a region that is opened again and again does so little each time that its openings count.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_REGIONJUDGEMENT_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_REGIONJUDGEMENT_H

#include "omp/RegionRepeats.h"
#include "unit/Finding.h"
#include "unit/Reporter.h"

namespace stridewise::region_in_loop {

constexpr llvm::StringLiteral Slug = "omp-region-in-loop";

struct Judged {
  Confidence Conf;
  std::string Work; // what a region does each time that it is opened
  bool Few = false; // the serial loop has too few iterations to be shared among a team
};

/// `Long`: something says that the serial loop has many iterations. `OneBound`: it has as many as the shared one, by
/// the variable that ends both. Nothing where nothing is to be said.
std::optional<Judged> judge(const RegionRepeat &Repeat, bool Long, bool OneBound, Reporter &R);
/// The same of a serial loop that is known to have few iterations, where others run that loop again and again.
std::optional<Judged> judgeFew(const RegionRepeat &Repeat, Reporter &R);

/// Whether an `if` clause that lets a region of at least so many iterations open a team keeps it from being opened for
/// little; `Work` is that of its loop, where it is known.
bool isGuard(double Least, const std::optional<LoopWork> &Work, Reporter &R);

} // namespace stridewise::region_in_loop
#endif
