// The procedures of a Fortran file by its text, what they declare, and the loops and branches around each statement.
#ifndef STRIDEWISE_FORTRAN_PROCEDURES_H
#define STRIDEWISE_FORTRAN_PROCEDURES_H

#include "fortran/SourceText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace stridewise {

/// What a declaration says of a name. Dimensions are as the text has them, without blanks: "n,0:m" or ":,:".
struct FortranEntity {
  std::string Type;       // "real(8)", "integer", "type(cell)"; empty where only attributes were given
  std::string Dimensions; // empty for scalars
  bool Allocatable = false, Pointer = false, Parameter = false, Saved = false, Common = false, ThreadPrivate = false;
  bool Argument = false;
  unsigned Line = 0;
  bool isArray() const { return !Dimensions.empty(); }
};

struct FortranProcedure {
  enum Kind { Program, Module, Procedure, Interface } K = Procedure;
  std::string Name;             // empty for a main program without a statement of its own
  std::string Ancestors;        // of a submodule: "base", or "base:middle" where it is one of another submodule
  bool Separate = false;        // it is a procedure of that module, which has its interface
  unsigned First = 0, Last = 0; // its statements, by number: [First, Last)
  int Parent = -1;              // what contains it
  bool HasImplicitNone = false; // here or around
  bool Includes = false;        // declarations that this text does not show: include, use of another file's module
  bool Recursive = false;
  std::vector<std::string> Arguments;
  llvm::StringMap<FortranEntity> Names;
};

/// A loop or a branch: the statement that opens it and the one that ends it, by number.
struct FortranBlock {
  enum Kind { Loop, Branch, Other } K = Other;
  unsigned Begin = 0, End = 0;
  int Parent = -1;
};

class FortranProcedures {
public:
  explicit FortranProcedures(const FortranText &Text);

  llvm::ArrayRef<FortranProcedure> all() const { return Procedures; }
  /// The innermost one around the statement; -1 outside of all.
  int of(unsigned Statement) const { return Statement < Of.size() ? Of[Statement] : -1; }
  /// What is declared for the name where the statement stands, in its procedure or one around; null where nothing is.
  const FortranEntity *find(unsigned Statement, llvm::StringRef Name) const;
  /// Whether it is declared in the statement's own procedure, not in one around.
  bool isOwn(unsigned Statement, llvm::StringRef Name) const;

  llvm::ArrayRef<FortranBlock> blocks() const { return Blocks; }
  /// The innermost loop or branch around the statement, by number, for those that open one: that one; -1 for none.
  int blockOf(unsigned Statement) const { return Statement < InBlock.size() ? InBlock[Statement] : -1; }
  /// The loop that the statement opens; null where it opens none.
  const FortranBlock *loopAt(unsigned Statement) const;

private:
  friend class FortranOutline;
  std::vector<FortranProcedure> Procedures;
  std::vector<FortranBlock> Blocks;
  std::vector<int> Of, InBlock;
};

/// Names that a text has, in its order: identifiers, but not those of components behind '%' or of keyword arguments.
std::vector<llvm::StringRef> fortranNames(llvm::StringRef Text);
/// Both sides of an assignment; nothing for other statements. Of `if(c)a=b` it is the assignment behind the condition.
struct FortranAssignment {
  llvm::StringRef Target, Value; // "a(i,j)%x" and "b+1"
  llvm::StringRef Condition;     // of a one-line if
};
std::optional<FortranAssignment> fortranAssignment(llvm::StringRef Statement);
/// The position of the character outside of brackets, from `From` on; npos where it is not there.
std::size_t outsideBrackets(llvm::StringRef Text, char Wanted, std::size_t From = 0);
/// Parts between commas outside of brackets.
std::vector<llvm::StringRef> fortranList(llvm::StringRef Text);
/// "a" of "a(i,j)%x".
llvm::StringRef fortranBase(llvm::StringRef Designator);

} // namespace stridewise
#endif
