// Loops of a Fortran unit's code as its source has them.
//
// flang gives code that stands in an INCLUDE file the lines of that file and the name of the file that includes it. So
// a loop counts only where the text has a statement that can be it, at the very line and column.
#ifndef STRIDEWISE_FORTRAN_FORTRANLOOPS_H
#define STRIDEWISE_FORTRAN_FORTRANLOOPS_H

#include "fortran/Procedures.h"
#include "unit/Unit.h"
#include "llvm/Analysis/LoopInfo.h"

namespace stridewise {

struct FortranLoop {
  const FortranStatement *Statement = nullptr;
  std::string Counter;    // ":" where the loop is that of an array section
  unsigned Number = 0;    // of the statement's counters
  bool IsSection = false; // of an array section in an assignment
};

/// The text of the unit's file. Whoever asks first may know that its form is another one than its name says.
const FortranText &fortranText(Unit &U, std::optional<bool> FixedForm = std::nullopt);

/// Nothing where the text has no such loop.
std::optional<FortranLoop> fortranLoop(const llvm::Loop *L, Unit &U);

/// Whether the loop or one around it runs on a device.
bool isOnDevice(const llvm::Loop *L, Unit &U);

/// The statement's first line (of a loop: its header), and all of it.
clang::SourceRange headerOf(const FortranStatement &S, Unit &U);
clang::SourceRange rangeOf(const FortranStatement &S, Unit &U);

/// A procedure's name as the source has it ("main program", as runs call that one), and its lines: those of its
/// statements, without what it contains.
std::string procedureName(const llvm::DISubprogram *P);
std::string procedureName(const FortranProcedure &P);
clang::SourceRange procedureRange(const llvm::DISubprogram *P, Unit &U);
bool isMainProgram(const llvm::DISubprogram *P);
/// The procedure that the loop stands in, as the source calls it.
std::string procedureAround(const llvm::Loop *L);
/// Whether that is the main program.
bool isInMainProgram(const llvm::Loop *L);

/// What a loaded value is called in the source: the scalar argument or the module's variable that holds it.
std::string fortranName(const llvm::Value *V);
/// The array that an access goes to: an argument or a variable of a module; empty where neither is known to be it.
std::string fortranArray(const llvm::Instruction &Access);

} // namespace stridewise
#endif
