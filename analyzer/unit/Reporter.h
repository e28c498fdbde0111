// The one place through which every finding passes, whatever the host: suppression comments, header filter, rule
// selection, duplicates (templates, inlined copies, several checks runs), macro locations, message texts.
#ifndef STRIDEWISE_UNIT_REPORTER_H
#define STRIDEWISE_UNIT_REPORTER_H

#include "unit/Catalogue.h"
#include "unit/Finding.h"
#include "unit/Meter.h"
#include "unit/Summary.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include <optional>
#include <set>
#include <tuple>

namespace stridewise {

struct Options {
  std::vector<std::string> Rules;  // globs, `-glob` excludes; empty: all
  std::string HeaderFilter = ".*"; // findings in other files than the main one need a match of their path
  bool SystemHeaders = false;
  std::map<std::string, double> Thresholds; // "<slug>.<name>" overrides rule.toml
  Confidence Least = Confidence::Low;       // findings that are less sure are left out
  bool DropSuperseded = false;              // for hosts that show a unit's findings at once; the tool leaves it to lint
  bool Profile = false;
  std::vector<std::string> Wrappers; // functions of other units that stand for one MPI call (library/ThinWrappers.h)
  std::vector<std::string> Ranks;    // what other units know to be the rank (mpi/RankFacts.h)
  std::vector<std::string> Without;  // rules that ran out of time before, which says so in their place
  double RuleSeconds = 0;            // of processor time that one rule may take; 0: any
  std::uint64_t RuleSteps = Meter::DefaultBudget;
};

/// A finding with everything resolved to text and file positions, as hosts receive it.
struct Resolved {
  const Finding *F = nullptr;
  std::string Message, Advice;
  clang::SourceLocation Loc; // spelling in a file, never inside a macro body
  Place Where;
  unsigned ScopeBegin = 0, ScopeEnd = 0;
};

/// For each finding whether another one of the unit explains its place: that one's rule supersedes this one's, and its
/// scope holds the line. Findings of low confidence drop only what is as unsure: what is not shown must not hide what
/// is. As stridewise/finding/supersede.py does for all units.
std::vector<bool> superseded(llvm::ArrayRef<Resolved> All);

class Sink {
public:
  virtual ~Sink() = default;
  virtual void emit(const Resolved &R, const clang::SourceManager &SM) = 0;
  /// A rule says nothing of this unit, and why.
  virtual void gaveUp(llvm::StringRef Rule, llvm::StringRef Why);
};

class Reporter {
public:
  Reporter(clang::ASTContext &Ctx, const Options &Opts, Sink &Out);
  ~Reporter();

  /// Reports unless suppressed, filtered out or said before. Findings are passed on, in source order, by flush().
  void report(Finding F);
  void flush();

  /// Takes back what the rule reported of this unit since the last flush(), and says why.
  void drop(llvm::StringRef Slug, llvm::StringRef Why);

  bool wants(llvm::StringRef Slug) const;
  /// The rule's threshold as configured, in the unit that rule.toml names. Aborts on a name that rule.toml lacks.
  double threshold(llvm::StringRef Slug, llvm::StringRef Name) const;
  /// Whether a comment silences the rule at this place, for findings that only the whole program shows.
  bool silences(llvm::StringRef Slug, clang::SourceLocation Loc);
  unsigned suppressedCount() const { return Suppressed; }

private:
  /// In a region of `omp target`, which a device works on.
  bool runsOnDevice(clang::SourceLocation Loc);
  struct Comments;
  bool isSuppressed(llvm::StringRef Slug, clang::SourceLocation Loc);
  clang::ASTContext &Ctx;
  const Options &Opts;
  Sink &Out;
  llvm::Regex Filter;
  std::vector<Finding> Pending;
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> Seen;
  std::optional<std::vector<std::tuple<clang::FileID, unsigned, unsigned>>> Targets; // their offsets, when asked for
  std::unique_ptr<Comments> Marks;
  unsigned Suppressed = 0;
};

/// Where a token range stands, in files and lines.
Place placeOf(const clang::ASTContext &Ctx, clang::SourceRange R);

/// Whether the last glob that matches the slug includes it; `-glob` excludes, an empty list includes all.
bool matchesRules(llvm::ArrayRef<std::string> Globs, llvm::StringRef Slug);

} // namespace stridewise
#endif
