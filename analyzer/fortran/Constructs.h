// OpenMP constructs of a Fortran file by its text: what they are, which statements they hold, and what their clauses
// say. What OpenMP calls a structured block is a range of statements here.
#ifndef STRIDEWISE_FORTRAN_CONSTRUCTS_H
#define STRIDEWISE_FORTRAN_CONSTRUCTS_H

#include "fortran/Procedures.h"
#include "unit/Unit.h"

namespace stridewise {

struct FortranClause {
  std::string Name, Arguments; // "reduction", "+:sum"; without blanks
};

struct FortranConstruct {
  std::string Name; // "parallel do", "end" not counted
  unsigned Line = 0, Column = 0;
  unsigned EndLine = 0;               // of what it holds, or of the directive that ends it
  unsigned First = 0, Last = 0;       // the statements that it holds, by number: [First, Last)
  int Parent = -1;                    // by number
  std::vector<FortranClause> Clauses; // of both directives: `end do nowait` has one, too

  bool StartsTeam = false;  // parallel, also combined
  bool SharesLoop = false;  // a loop's iterations are divided among the team
  bool SharesOther = false; // sections, workshare
  bool OneThread = false;   // single, master, masked, a section, a task
  bool SameThread = false;  // of these: always the same one
  bool Exclusive = false;   // critical, atomic, ordered: all threads, one after another
  bool Device = false;      // target, teams
  bool Tasks = false;       // creates tasks or waits for them
  bool StandsAlone = false; // barrier, taskwait, flush
  bool EndsWithBarrier = false;

  bool isBarrier() const { return Name == "barrier"; }
  bool isAtomic() const { return llvm::StringRef(Name).starts_with("atomic"); }
  bool isCritical() const { return Name == "critical"; }
  /// The arguments of the first clause of that name; nothing where there is none.
  std::optional<llvm::StringRef> clause(llvm::StringRef Name) const;
  bool has(llvm::StringRef Name) const { return clause(Name).has_value(); }
  /// How many loops it shares as one.
  unsigned collapsed() const;
};

/// Who has a variable in a construct.
enum class FortranSharing { Unknown, Shared, Private, Reduced };

class FortranConstructs {
public:
  FortranConstructs(const FortranText &Text, const FortranProcedures &Procedures, bool Heeded = true);

  llvm::ArrayRef<FortranConstruct> all() const { return Constructs; }
  /// The innermost construct that holds the statement, by number; -1 for none.
  int around(unsigned Statement) const { return Statement < Around.size() ? Around[Statement] : -1; }
  /// The construct around that starts a team; null where the file has none around the statement.
  const FortranConstruct *region(unsigned Statement) const;
  const FortranConstruct *parent(const FortranConstruct &C) const;
  /// What clauses from the innermost construct around the statement to the one that starts its team say of a variable,
  /// and, where they say nothing, the rules of the language: counters of loops are private, all else is as `default`
  /// has it. Unknown outside of teams, and where a procedure that a team calls would have to be known.
  FortranSharing sharing(unsigned Statement, llvm::StringRef Name) const;
  bool isThreadPrivate(llvm::StringRef Name) const { return ThreadPrivate.contains(Name); }

private:
  friend class FortranConstructReader;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  std::vector<FortranConstruct> Constructs; // in the order of the text
  std::vector<int> Around;
  llvm::StringSet<> ThreadPrivate;
};

/// Of the unit's file. It has no constructs where the build takes directives for comments.
const FortranProcedures &fortranProcedures(Unit &U);
const FortranConstructs &fortranConstructs(Unit &U);

} // namespace stridewise
#endif
