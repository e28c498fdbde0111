// What names of a Fortran file stand for: variables with the place in memory that other procedures and files know them
// by, and procedures. Declarations are those of the text and of the files that it includes; what modules of other files
// hold, flang's code tells.
#ifndef STRIDEWISE_FORTRAN_FORTRANNAMES_H
#define STRIDEWISE_FORTRAN_FORTRANNAMES_H

#include "fortran/Constructs.h"
#include "fortran/Designators.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include <map>

namespace stridewise {

struct FortranVariable {
  std::string Root; // "g…" names it in the whole program, "p0" is the first argument, "l…" a local variable
  unsigned Rank = 0;
  std::vector<std::string> Extents;       // "n" or "0:m" of each dimension, as declared; empty where that is deferred
  std::int64_t ElementBytes = -1;         // as far as known
  std::int64_t Bytes = -1;                // of an array of constant size
  bool Pointer = false, Deferred = false; // allocatable or pointer
  bool Own = false;                       // of the procedure itself: local, on its stack
  bool Static = false, HasValues = false; // has memory of its own for the program's life; the program's file fills it
  bool IsInteger = false;
  unsigned Line = 0; // of the declaration, in the unit's file; 0 elsewhere
  bool isArray() const { return Rank > 0; }
  /// Of an element, a guess where nothing is known.
  std::int64_t elementBytes() const;
  bool isGlobal() const { return Root.front() == 'g'; }
};

class FortranNames {
public:
  explicit FortranNames(Unit &U);

  /// The variable of that name where the statement stands; nothing for what may share its storage with another one.
  std::optional<FortranVariable> variable(unsigned Statement, llvm::StringRef Name) const;
  /// The whole-program name of a procedure of this file, and of the one that a name means at a statement: one that is
  /// not known to be anything else is a procedure outside of modules.
  std::string procedureId(int Procedure) const;
  std::string calleeId(unsigned Statement, llvm::StringRef Name) const;
  /// Whether the name is known to be a procedure.
  bool isProcedure(unsigned Statement, llvm::StringRef Name) const;
  /// The number that an expression of constants gives.
  std::optional<std::int64_t> constant(unsigned Statement, llvm::StringRef Expression) const;
  /// Number of elements of a dimension "0:m"; its first index is 1 where it has no other.
  std::optional<std::int64_t> extent(unsigned Statement, llvm::StringRef Dimension) const;
  static llvm::StringRef lowerBound(llvm::StringRef Dimension);
  /// Whether the statement is in the code: the text has both arms of an `#ifdef`.
  bool isCompiled(unsigned Statement) const;
  /// The names declared in a procedure or module of the file.
  std::vector<std::string> declared(int Procedure) const;

private:
  struct Use {
    std::string Module;
    std::map<std::string, std::string> Renamed; // local name, name in the module
  };
  struct Declarations {
    llvm::StringMap<FortranEntity> Names;
    llvm::StringMap<std::string> Blocks;    // of names in common blocks
    llvm::StringMap<std::string> Constants; // named ones, with the expressions
    llvm::StringSet<> Joined;               // in equivalence statements
    llvm::StringSet<> ThreadPrivate;        // names and blocks, by the directives of included files
    llvm::StringSet<> Valued;               // in data statements, or with an initial value
    llvm::StringMap<unsigned> Lines;
    std::vector<Use> Uses;
    bool Hosts = false; // procedures that see its variables
  };

  void read(llvm::StringRef Raw, const FortranText &Text, const FortranProcedures &Procedures, int Of,
            Declarations &Into, unsigned Depth);
  void statement(llvm::StringRef T, Declarations &Into);
  void include(llvm::StringRef Raw, unsigned Line, Declarations &Into, unsigned Depth);
  void constants(llvm::StringRef List, Declarations &Into);
  void indexCode();
  /// The procedure or module of this file that declares the name where P stands, with the name that it has there; -1
  /// where this file shows none.
  int declaring(int P, std::string &Name, llvm::function_ref<bool(int, llvm::StringRef)> Has, unsigned Depth = 0) const;
  std::optional<FortranVariable> own(unsigned Statement, int Procedure, llvm::StringRef Name) const;
  std::optional<FortranVariable> ofModule(int Procedure, llvm::StringRef Name) const;
  const llvm::GlobalVariable *global(int Procedure, llvm::StringRef Name) const;
  std::int64_t elementBytes(unsigned Statement, llvm::StringRef Type) const;
  std::optional<std::int64_t> evaluate(unsigned Statement, llvm::StringRef Expression, unsigned Depth) const;
  std::optional<std::int64_t> atom(unsigned Statement, llvm::StringRef Text, unsigned Depth) const;

  Unit &U;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  std::vector<Declarations> Of;                                       // by procedure
  llvm::StringMap<std::vector<const llvm::GlobalVariable *>> Globals; // of modules, by their own name
  llvm::StringMap<std::vector<std::string>> Functions;                // of modules, as whole-program names
  llvm::StringMap<int> Modules;                                       // of this file
  std::map<std::pair<int, std::string>, int> Contained;               // procedures by host and name
  std::string File;
  bool HasArms = false;               // of the preprocessor
  llvm::DenseSet<unsigned> CodeLines; // if it has
};

/// Of the unit's file.
const FortranNames &fortranNames(Unit &U);

} // namespace stridewise
#endif
