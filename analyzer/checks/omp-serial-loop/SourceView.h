// Loops of the code as their source has them: which directive deals them out, who runs them, and what a directive
// before a serial one would have to say of scalars.
#ifndef STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_SOURCEVIEW_H
#define STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_SOURCEVIEW_H

#include "loops/IterationProof.h"
#include "unit/Finding.h"
#include "unit/Unit.h"
#include <memory>

namespace stridewise {

struct SourceLoop {
  enum Kind {
    Unknown, // no loop of the source, or one that another directive has
    Shared,  // a team's, by a directive for its loop
    Serial
  } K = Unknown;
  clang::SourceRange Header, Range;
  std::string Function;
  bool Section = false;           // of an array operation
  std::string Element, Container; // of a loop over iterators: its variable, and what it goes over
};

/// What the directive has to say: " private(j, t) reduction(+:sum)".
struct LoopClauses {
  std::string Text;
  std::string Private, Sum; // their names, for the advice
  bool IsWhole = true;      // nothing is left to be said
  bool Calls = false;       // what the procedures that are called there set may have to be private, too
};

class SourceView {
public:
  virtual ~SourceView() = default;
  virtual SourceLoop loop(const llvm::Loop &L) = 0;
  /// Whether a construct of OpenMP holds the place, in its function or in one that it was inlined into.
  virtual bool isInConstruct(const llvm::DebugLoc &At) = 0;
  /// Whether the function holds constructs that share the work of a team which its callers start.
  virtual bool sharesForCallers(const llvm::Function &F) = 0;
  /// Nothing where some variable may be neither private to an iteration nor a sum, or may be used behind the loop.
  virtual std::optional<LoopClauses> clauses(const llvm::Loop &L, const IterationProof &Proof) = 0;
  /// The line of a directive before the loop.
  virtual std::optional<Edit> directive(const llvm::Loop &L, const LoopClauses &Clauses) = 0;

  static std::unique_ptr<SourceView> of(Unit &U);
};

std::unique_ptr<SourceView> viewOfC(Unit &U);
std::unique_ptr<SourceView> viewOfFortran(Unit &U);

/// "+" or "max"; empty for none, and where there are several.
llvm::StringRef reductionOperator(ReductionKind K);
LoopClauses loopClauses(llvm::ArrayRef<std::string> Private, llvm::ArrayRef<std::string> Sums, ReductionKind K);

} // namespace stridewise
#endif
