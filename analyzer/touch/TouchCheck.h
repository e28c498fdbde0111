// What the two rules about the first touch have in common: they report the same facts, one the fills that a loop or a
// call of the program makes, the other the zeroing that comes with an allocation.
#ifndef STRIDEWISE_TOUCH_TOUCHCHECK_H
#define STRIDEWISE_TOUCH_TOUCHCHECK_H

#include "touch/FirstTouch.h"
#include "unit/Check.h"
#include <optional>

namespace stridewise {

class TouchCheck : public Check {
public:
  void run(Unit &U, Reporter &R) override;
  llvm::json::Value summarize(Unit &) override;
  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override;

protected:
  TouchCheck(llvm::StringRef Slug, bool Implicit) : Slug(Slug), Implicit(Implicit) {}
  /// What the message of the rule speaks of, beside {array}, {use} and {use_line}.
  virtual void describe(const SerialTouch &T, ArgMap &Args) const {}
  /// What to do, in the words of the rule; `Said` are the message's.
  virtual std::string remedy(const SerialTouch &T, ArgMap Said) const = 0;
  /// The edit that has a team make the fill, in C and C++, where it is proven.
  virtual std::optional<Fix> fix(const TouchEvent &Fill, Unit &U) const { return std::nullopt; }

  llvm::StringRef Slug;

private:
  static bool isWorthATeam(const SerialTouch &T);
  ArgMap argsOf(const SerialTouch &T) const;

  bool Implicit;
  TouchFacts Facts;
};

} // namespace stridewise
#endif
