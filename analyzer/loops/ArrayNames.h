// The array that an access of the IR goes to, as the source calls it.
#ifndef STRIDEWISE_LOOPS_ARRAYNAMES_H
#define STRIDEWISE_LOOPS_ARRAYNAMES_H

#include "unit/Unit.h"
#include "llvm/IR/Instruction.h"
#include <string>

namespace stridewise {

/// Name of the array, pointer or object whose element the access reads or writes, as the function `Reader` names it:
/// an access in an inlined accessor is named at the accessor's call. Empty when the source has no single name for it.
std::string arrayName(const llvm::Instruction &Access, const clang::FunctionDecl *Reader, Unit &U);

/// Where that array is declared with its dimensions; invalid for a pointer, and for an object.
clang::SourceLocation arrayDeclaration(const llvm::Instruction &Access, const clang::FunctionDecl *Reader, Unit &U);

/// "'a', 'b' and 'c'": the arrays of these accesses; "the arrays" where one has no name, or there are too many.
std::string arrayNames(llvm::ArrayRef<const llvm::Instruction *> Accesses, Unit &U);

/// The identifier at the place of a load: `height` of `mesh->height`. Empty where there is none.
std::string loadedName(const llvm::Value *V, Unit &U);

/// The name of a loop's counter, or "its counter".
std::string counterName(const clang::Stmt *Loop);
/// The line of a loop as seen from another one: with its file when that differs.
std::string lineOfLoop(const clang::Stmt *Loop, const clang::Stmt *From, Unit &U);

} // namespace stridewise
#endif
