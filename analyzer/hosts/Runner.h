// What all hosts do with a unit.
#ifndef STRIDEWISE_HOSTS_RUNNER_H
#define STRIDEWISE_HOSTS_RUNNER_H

#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "llvm/ADT/StringMap.h"

namespace clang {
class CompilerInstance;
} // namespace clang

namespace stridewise {

/// Runs every selected check over the unit and flushes the reporter.
/// \returns the rules that asked for the unit's code where there was none.
/// \param Summaries when given, receives each check's whole-program facts by slug.
/// \param Costs when given, receives what each check costs by slug, and limits it; else only steps are limited.
std::vector<std::string> runChecks(Unit &U, Reporter &R, llvm::json::Object *Summaries = nullptr,
                                   Meter *Costs = nullptr);

/// Why a rule that Options::Without names says nothing.
std::string outOfTime(const Options &Opts);
/// Why one says nothing that counted more than its steps.
extern const llvm::StringLiteral OutOfSteps;

/// Nothing for a word that is no confidence.
std::optional<Confidence> parseConfidence(llvm::StringRef Text);

/// What the command asks for, in hosts that have the whole invocation.
BuildOptions buildOptionsOf(const clang::CompilerInstance &CI);

/// One option in the form "name=value", as the clang plugin and the clang-tidy module take them: rules (globs, ';'
/// between them), header-filter (a regular expression), threshold (slug.name=value), min-confidence (low, medium,
/// high).
/// \returns an empty string, or what is wrong with it.
std::string parseOption(llvm::StringRef Name, llvm::StringRef Value, Options &Opts);

} // namespace stridewise
#endif
