// What whole-program analysis carries between units: plain JSON per check, so that it can be stored, cached and merged
// without an AST. A unit writes llvm::json; the link phase reads unit/Stored.h.
#ifndef STRIDEWISE_UNIT_SUMMARY_H
#define STRIDEWISE_UNIT_SUMMARY_H

#include "unit/Finding.h"
#include "unit/Stored.h"
#include "llvm/Support/JSON.h"

namespace stridewise {

/// A place that outlived its SourceManager. Lines and columns count from 1.
struct Place {
  std::string File; // absolute
  unsigned Line = 0, Column = 0, EndLine = 0, EndColumn = 0;
};

/// A finding of the link phase.
struct LinkFinding {
  std::string Rule;
  Confidence Conf = Confidence::Medium;
  Place Where;
  std::string Function;
  unsigned ScopeBegin = 0, ScopeEnd = 0;
  ArgMap Args;
  std::vector<std::pair<Place, std::string>> Relateds;
  std::vector<Place> Accesses; // the lines at which a run shows the cost, in Function
  std::vector<Fix> Fixes;      // as a unit made them
};

class LinkReporter {
public:
  virtual ~LinkReporter() = default;
  virtual void report(LinkFinding F) = 0;
  /// Takes the fixes back from the findings of `Rule` at this place; `Why` is shown with them.
  virtual void withdrawFixes(llvm::StringRef Rule, const Place &Where, llvm::StringRef Why) = 0;
  /// Makes the fixes of `Rule` at this place unsafe, for the reason `Why`.
  virtual void doubtFixes(llvm::StringRef Rule, const Place &Where, llvm::StringRef Why) = 0;
  /// Says that the program runs the function at this place once, beside deeper work: what it does to memory is low.
  virtual void runsOnce(const Place &Function) = 0;
  /// Says that the program comes by the call of MPI at this place once: what one more of its kind costs is low.
  virtual void sendsOnce(const Place &Call) = 0;
};

llvm::json::Value toJson(const Place &P);
llvm::json::Value toJson(const Fix &X);
std::optional<Fix> fixFromJson(const stored::Value &V);
std::optional<Place> placeFromJson(const stored::Value &V);

} // namespace stridewise
#endif
