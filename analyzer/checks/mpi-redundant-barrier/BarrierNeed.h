// Whether anything needs a barrier: the code between it and the synchronisations next to it, on all paths.
#ifndef STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERNEED_H
#define STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERNEED_H

#include "mpi/MpiEffects.h"

namespace stridewise {

namespace effects {
// How a walk from a barrier ended, beside the effects that it met.
constexpr unsigned Boundary = 1u << 24;     // the function begins or ends
constexpr unsigned Synchronised = 1u << 25; // a full synchronisation
constexpr unsigned Started = 1u << 26;      // MPI_Init
constexpr unsigned Finished = 1u << 27;     // MPI_Finalize
constexpr unsigned Itself = 1u << 28;       // the barrier, in the next or last iteration of a loop
} // namespace effects

/// What an iteration of a loop does before the first clock and behind the last one.
struct UntimedPart {
  bool Works = false;            // computes in a loop or a function, or communicates
  std::set<std::string> Foreign; // functions of other units that come first
};

/// One direction from a barrier.
struct BarrierSide {
  unsigned Here = 0;      // effects in the outermost loop around the barrier, or anywhere when there is none
  unsigned Elsewhere = 0; // outside that loop
  bool OutputBeside = false;
  // A clock is read with no more than a few statements between it and the barrier: the ranks meet to be timed.
  bool ClockBeside = false;
  MpiEffects::Apart CallsHere, CallsElsewhere; // functions of other units that are called there
  std::set<std::string> ForeignBeside;         // of those here, the ones with nothing but a few statements between
  // What comes first, but for clocks of the unit.
  MpiEffects::Apart Near;
  // What comes next behind a function of another unit, which matters where that reads a clock.
  std::map<std::string, MpiEffects::Apart> NearBehind;
  const MpiSite *Nearest = nullptr; // communication or synchronisation next to it in program order, if it was met
  unsigned any() const { return Here | Elsewhere; }
  bool isForeign() const { return !CallsHere.Foreign.empty() || !CallsElsewhere.Foreign.empty(); }
  /// A full synchronisation is all there is: what it orders, it orders without the barrier.
  bool isSynchronised() const {
    return (Here & ~effects::Work & ~effects::Itself) == effects::Synchronised && !Elsewhere;
  }
  /// The same, with nothing in between.
  bool isBesideSynchronisation() const { return Here == effects::Synchronised && !Elsewhere; }
  /// Each way leads to a synchronisation other than the barrier before it leaves the loop or comes to the barrier
  /// again.
  bool meetsAnother() const {
    return (Here & effects::Synchronised) && !(Here & (effects::Itself | effects::Boundary));
  }
  /// The walk came to MPI_Init or MPI_Finalize and met no communication on the way.
  bool isEdge() const {
    return (Here & (effects::Started | effects::Finished)) && !(Here & (effects::Message | effects::Synchronised));
  }
};

enum class BarrierVerdict {
  Abstain,   // the function shows too little to say anything: a wrapper
  Needed,    // or possibly so
  Doubtful,  // nothing here needs it, but callers may, or it stands beside MPI_Init or MPI_Finalize
  Redundant, // for all that the unit shows
  Timed      // redundant but for a clock that is read beside it, again and again
};

/// How often a barrier is met, as far as a clock beside it asks for that.
struct BarrierUse {
  bool InLoop = false;
  /// The loop does more than is timed: it is no benchmark. Without a loop: the function is called in one.
  bool Steps = false;
};

struct JudgedBarrier {
  const MpiSite *Barrier = nullptr;
  BarrierVerdict Verdict = BarrierVerdict::Needed;
  BarrierSide Before, After;
  const llvm::Loop *Around = nullptr; // innermost
  UntimedPart Untimed;                // of that loop
  bool Seldom = false;                // loops within that loop have the ranks meet far more often
  bool isBesideClock() const { return Before.ClockBeside || After.ClockBeside; }
  BarrierUse use() const { return {Around != nullptr, Untimed.Works}; }
  /// What callers do comes before and behind it.
  bool isOpen() const { return !Around && (Before.Here & After.Here & effects::Boundary); }
};

/// What reads a clock and does not communicate: a function that does both times itself.
bool isTimer(unsigned Effects);

/// The verdict on what was met, of which functions of other units are no part. `Whole`: effects::Unknown stands for
/// libraries and calls through pointers only.
BarrierVerdict decide(const BarrierSide &Before, const BarrierSide &After, BarrierUse Use, bool Whole);

/// Judges the barriers of a function in program order, each with those already found redundant taken away.
std::vector<JudgedBarrier> judgeBarriers(MpiFunction &M, MpiEffects &Effects);
/// Those that are not redundant for what the unit shows, and those of which callers decide. Where functions of other
/// units decide, their names are with the sides, and the verdict is what it is if they do nothing that matters. All
/// barriers found redundant, here or there, are taken away for those behind them.
std::vector<JudgedBarrier> openBarriers(MpiFunction &M, MpiEffects &Effects);

} // namespace stridewise
#endif
