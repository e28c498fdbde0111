// One detector. A check lives in analyzer/checks/<slug>.cpp, ends with STRIDEWISE_CHECK("<slug>", Class), and is found
// by every host through the registry: no other file names it.
#ifndef STRIDEWISE_UNIT_CHECK_H
#define STRIDEWISE_UNIT_CHECK_H

#include "unit/Summary.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace stridewise {

class Reporter;
class Unit;

class Check {
public:
  virtual ~Check() = default;
  /// Reports what one translation unit shows by itself. Called once per unit, after the whole unit was parsed.
  virtual void run(Unit &U, Reporter &R) = 0;
  /// Whether run() knows units of Fortran, which have code and text, but no syntax tree. The others are not asked.
  virtual bool readsFortran() const { return false; }
  /// Facts of this unit that whole-program analysis needs. Returns null when there are none.
  virtual llvm::json::Value summarize(Unit &) { return nullptr; }
  /// Joins the summaries of all units (only those that are not null, in a stable order) and reports what only the
  /// whole program shows, or withdraws fixes that some unit forbids. Runs in the tool only.
  virtual void link(llvm::ArrayRef<stored::Value> /*Summaries*/, LinkReporter &) {}
};

using CheckFactory = std::unique_ptr<Check> (*)();

/// All checks of the program by slug, sorted.
class CheckRegistry {
public:
  static void add(llvm::StringRef Slug, CheckFactory F);
  struct Entry {
    std::string Slug;
    CheckFactory Make;
  };
  static llvm::ArrayRef<Entry> all();
};

} // namespace stridewise

#define STRIDEWISE_CHECK(SLUG, CLASS)                                                                                  \
  static const bool Registered##CLASS = [] {                                                                           \
    ::stridewise::CheckRegistry::add(                                                                                  \
        SLUG, +[]() -> std::unique_ptr<::stridewise::Check> { return std::make_unique<CLASS>(); });                    \
    return true;                                                                                                       \
  }();

#endif
