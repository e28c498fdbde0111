// The text of a Fortran file as findings need it: statements with their places, DO loops with their counters and ends,
// and the directives in front of them. In free and in fixed form, with labelled loops and continued lines.
//
// Code comes from flang; the text says only what things are called and where they end.
#ifndef STRIDEWISE_FORTRAN_SOURCETEXT_H
#define STRIDEWISE_FORTRAN_SOURCETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stridewise {

struct FortranStatement {
  unsigned Line = 0, Column = 0;     // where it begins, behind its label and the name of its construct
  unsigned FirstColumn = 0;          // where those begin
  unsigned EndLine = 0;              // of a loop: the line of its end; else its own last line
  std::string Text;                  // in lower case, without blanks, labels, names of constructs and comments
  std::vector<std::string> Counters; // of a DO loop, outermost first; empty for other statements
  bool IsLoop = false;
  bool Concurrent = false;
  std::string Directive; // what stands in `!$omp` and `!$acc` lines right before it: "omp parallel do", "acc loop"
  bool OnDevice = false; // in a region for devices
  bool InTeam = false;   // in a parallel region of OpenMP, which is no loop's alone
  bool EndsProcedure = false;
  bool InParallel = false; // in a parallel region, or in a loop that is one
  /// Which of a team's threads run it, where something says that not all do.
  enum Threads { All, InTurn, Main } Who = All;

  /// Whether a directive deals the loop's iterations out to a team.
  bool isShared() const;
  /// Of a DO loop with one counter: where that starts, as the text has it.
  llvm::StringRef start() const;
  /// How often such a loop runs, where its bounds are literal numbers.
  std::optional<std::int64_t> iterations() const;
  /// The array sections among the arguments of the statement's calls: `a(i,:)`, `a(:)%x`.
  std::vector<std::string> sections() const;
  /// An argument of the statement's call, as its text has it; empty where it is not there, or long.
  std::string argumentOfCall(unsigned Position) const;
};

/// A directive of OpenMP or OpenACC, with the lines that continue it.
struct FortranDirective {
  unsigned Line = 0, Column = 0, LastLine = 0;
  unsigned Next = 0;  // the statement that follows, by its number; that of all statements behind the last one
  bool OpenMP = true; // else OpenACC
  std::string Text;   // behind its sentinel, in lower case, on one line: "parallel do private(i, j)"
};

class FortranText {
public:
  FortranText(llvm::StringRef Text, bool FixedForm);

  /// All statements and directives, in the order of the text.
  llvm::ArrayRef<FortranStatement> statements() const { return Statements; }
  llvm::ArrayRef<FortranDirective> directives() const { return Directives; }

  /// The statement that begins at this place, or whose label or name of a construct does; null where none begins.
  const FortranStatement *at(unsigned Line, unsigned Column) const;
  /// The last line of the statement (of no loop) that begins on this one; the line itself where none does.
  unsigned lastLine(unsigned Line) const;
  /// The statement on that line which calls the procedure; null where none does. Names are in lower case.
  const FortranStatement *calling(unsigned Line, llvm::StringRef Procedure) const;
  /// The statements that call it.
  std::vector<const FortranStatement *> callsOf(llvm::StringRef Procedure) const;
  /// Whether directives of OpenMP stand inside of the loop, but for those of vectors.
  bool holdsDirective(const FortranStatement &Loop) const;
  /// Whether the loop's statements name a component so.
  bool namesComponent(const FortranStatement &Loop, llvm::StringRef Component) const;
  /// Whether the DO loop goes from block to block: some loop in it begins where a block does, or ends with its length.
  bool goesByBlocks(const FortranStatement &Loop) const;
  /// Whether a DO loop is around the statement.
  bool isInLoop(const FortranStatement &S) const;
  /// The line of the first END of a procedure behind the line; the line itself where there is none.
  unsigned endOfProcedure(unsigned Line) const;
  /// Whether the text names pointers, targets or storage that several names share.
  bool sharesStorage() const;
  bool isFixedForm() const { return Fixed; }

private:
  friend class FortranScanner;
  bool Fixed;
  std::vector<FortranStatement> Statements;
  std::vector<FortranDirective> Directives;
  llvm::DenseMap<unsigned, std::vector<unsigned>> ByLine;
};

/// Whether files of that name are in fixed form, if nothing else is said.
bool isFixedForm(llvm::StringRef File);

} // namespace stridewise
#endif
