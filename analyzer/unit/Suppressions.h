// Suppression comments in clang-tidy's syntax, so that one comment serves all hosts:
//   NOLINT(names): reason   NOLINTNEXTLINE(names): reason   NOLINTBEGIN(names): reason   NOLINTEND(names)
#ifndef STRIDEWISE_UNIT_SUPPRESSIONS_H
#define STRIDEWISE_UNIT_SUPPRESSIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace clang {
class SourceManager;
}

namespace stridewise {

struct Suppression {
  enum Kind { Line, NextLine, Begin, End } What;
  unsigned At;                    // the comment's line
  std::vector<std::string> Names; // globs of "stridewise-<slug>"; empty: everything
  bool HasReason;

  /// Whether one of the names can mean a rule of ours and nothing else.
  bool isOurs() const;
};

/// All suppressions of a file's text, in order.
std::vector<Suppression> suppressionsIn(llvm::StringRef Text);

/// Lines that a suppression silences. Names are as in Suppression.
struct SilentLines {
  unsigned First, Last;
  std::vector<std::string> Names;
};

/// What the suppressions silence. A block needs both ends, with the same names; a lone one silences nothing.
std::vector<SilentLines> silentLines(const std::vector<Suppression> &All);

struct FileSuppressions {
  std::string File; // absolute
  std::vector<Suppression> All;
};

/// The suppressions of our rules in the unit's files, system headers excepted.
std::vector<FileSuppressions> ownSuppressions(const clang::SourceManager &SM);

} // namespace stridewise
#endif
