// What each rule and each shared engine costs: steps, which repeat exactly, and processor seconds, which do not.
//
// A step is one visit of whatever the code loops over: an instruction, an access, a pair. Code whose loops could become
// long counts its steps; a rule that has counted more than its budget in one unit is stopped by the loops that ask
// spend(), and the host drops all that it said of the unit, so that neither the rest of it nor another rule suffers.
#ifndef STRIDEWISE_UNIT_METER_H
#define STRIDEWISE_UNIT_METER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stridewise {

class Meter {
public:
  struct Account {
    std::uint64_t Steps = 0;
    double Seconds = 0; // of this account alone, without the engines that it called; 0 where times are not taken
  };

  /// `Times` says whether processor time is taken; `Budget` is the number of steps that one rule may count.
  explicit Meter(bool Times, std::uint64_t Budget = DefaultBudget);
  ~Meter();
  Meter(const Meter &) = delete;
  Meter &operator=(const Meter &) = delete;

  /// Ends the process with status 3 when one rule takes longer, and names the rule on standard error: for what the
  /// steps do not count. Whoever started the process may start it again without that rule. 0: never.
  void limitProcessorTime(double Seconds) { MostSeconds = Seconds; }
  static constexpr int OutOfTime = 3; // exit status

  /// Runs one rule; true when it stayed within its budget.
  bool rule(llvm::StringRef Slug, llvm::function_ref<void()> Run);
  /// What nobody was charged with so far is an engine's.
  void chargeEngine(llvm::StringRef Name);
  const std::map<std::string, Account> &rules() const { return Rules; }
  const std::map<std::string, Account> &engines() const { return Engines; }

  /// Counts steps of the rule that runs, and of the engine that works for it.
  static void count(std::uint64_t Steps = 1) {
    if (Open) {
      Open->RuleSteps += Steps;
      Open->Mine->Steps += Steps;
    }
  }
  /// The same; false once the rule has used its budget up. What it finds from there on is dropped. Engines, whose
  /// answers other rules share, count and never ask.
  [[nodiscard]] static bool spend(std::uint64_t Steps = 1) {
    count(Steps);
    return !Open || Open->RuleSteps <= Open->Budget;
  }

  /// Processor seconds of this thread.
  static double now();

  /// What runs while it lives is an engine's work.
  class Engine {
  public:
    explicit Engine(llvm::StringRef Name);
    ~Engine();

  private:
    Meter *On;
    Account *Outer = nullptr;
  };

  // About ten seconds of the slowest steps.
  static constexpr std::uint64_t DefaultBudget = 100'000'000;

private:
  void change(Account *To);
  void watch(const std::string &Slug) const;

  inline static thread_local Meter *Open = nullptr;
  Meter *Before;
  bool Times;
  std::uint64_t Budget, RuleSteps = 0;
  double Since = 0, MostSeconds = 0;
  Account Nobody;
  Account *Mine = &Nobody;
  std::map<std::string, Account> Rules, Engines;
};

} // namespace stridewise
#endif
