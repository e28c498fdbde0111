// Sleeps that stop a loop in the middle of its work: those that stand in the loop once everything is inlined, and those
// of functions that a loop of another unit calls.
#ifndef STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_SLEEPFACTS_H
#define STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_SLEEPFACTS_H

#include "mpi/MpiFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// A sleep as whole-program analysis carries it.
struct SleepPlace {
  Place Where;
  std::string Function, Call; // around it; what is called
  unsigned ScopeBegin = 0, ScopeEnd = 0;
  double Seconds = 0; // 0: unknown
};

/// A sleep in a loop that computes, communicates or writes files, and that advances by itself.
struct SleepInLoop {
  llvm::CallBase *Call = nullptr;
  const llvm::Loop *L = nullptr;
  double Seconds = 0; // 0: unknown
  Confidence Conf = Confidence::Medium;
  std::vector<SourceFrame> Frames; // of the call
};

/// A loop of one unit that calls a function of another one that sleeps.
struct LinkedSleep {
  SleepPlace Sleep;
  Confidence Conf = Confidence::Medium;
  std::string Loop; // its variable in quotes, or "at line 12"
  Place LoopWhere;
  std::vector<Place> Calls; // from the loop down to the function of the sleep
};

class SleepFacts {
public:
  explicit SleepFacts(Unit &U);
  /// At most one per place of the source, in its order.
  std::vector<SleepInLoop> inLoops();
  /// The sleeps that no loop of the unit contains, the calls between functions, and the loops that call; null when
  /// there are none. `Silenced` tells whether a comment silences the rule at a place.
  llvm::json::Value toJson(llvm::function_ref<bool(clang::SourceLocation)> Silenced);
  static std::vector<LinkedSleep> link(llvm::ArrayRef<stored::Value> Summaries);

  /// The loop's variable in quotes, or where it stands.
  static std::string nameOf(const llvm::Loop *L, Unit &U);
  /// What a sleep is called in the source.
  static std::string calledName(const llvm::CallBase &C, llvm::ArrayRef<SourceFrame> Frames);

private:
  Unit &U;
  llvm::Module *M;
  llvm::SmallVector<llvm::CallBase *, 4> Sleeps;
};

} // namespace stridewise
#endif
