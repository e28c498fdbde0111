// What a check says, before any host renders it. Field for field the object of rules/finding.schema.json, less what
// correlation and pricing add later.
#ifndef STRIDEWISE_UNIT_FINDING_H
#define STRIDEWISE_UNIT_FINDING_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace stridewise {

enum class Confidence { Low, Medium, High };

/// A value for a named hole of a rule's message template.
using Arg = std::variant<std::string, std::int64_t, double>;
using ArgMap = std::map<std::string, Arg, std::less<>>;

/// A second place that explains the finding ("allocated here").
struct Related {
  clang::SourceLocation Where;
  std::string Label;
};

/// A line where the cost shows at run time. For an inlined accessor File and Line are those of the accessor and
/// Function is the emitted function that it was inlined into, as a profiler would attribute it.
struct Access {
  std::string File;
  unsigned Line = 0;
  std::string Function;
  /// Cache lines fetched per execution of this access in the best loop order; negative when it has no meaning.
  double BestLinesPerAccess = -1;
};

/// A replacement in one file; offsets are bytes from the start of the file, end exclusive.
struct Edit {
  std::string File;
  unsigned Begin = 0, End = 0;
  std::string Replacement;
};

/// Safe: no program that compiles behaves differently afterwards. Unsafe: some program could.
enum class FixSafety { Unsafe, Safe };

struct Fix {
  std::string Description;
  std::vector<Edit> Edits;
  FixSafety Safety = FixSafety::Unsafe;
  std::string Why; // what proves it, or what could make it wrong
  /// Why code of other units could notice ("the type of 'table'"); empty when none can. The whole program decides then.
  std::string Beyond;
  /// The names by which code that this unit does not compile would speak of what the fix changes.
  std::vector<std::string> Words;
};

struct Finding {
  std::string Rule; // slug
  Confidence Conf = Confidence::Medium;
  clang::SourceRange Range; // token range; its begin is the place shown
  std::string Function;     // qualified name of the source function around it, empty at file scope
  clang::SourceRange Scope; // lines of the loop or region that the finding speaks of; the Range when invalid
  ArgMap Args;
  std::vector<Related> Relateds;
  std::vector<Access> Accesses;
  std::vector<Fix> Fixes;
};

} // namespace stridewise
#endif
