// Functions of other units that are nothing but one MPI call, as programs have them that keep MPI behind a layer of
// their own. The whole program tells which there are: each unit names those that it defines, and is analysed once more
// with those of other units that it calls, which then are what they stand for.
#ifndef STRIDEWISE_LIBRARY_THINWRAPPERS_H
#define STRIDEWISE_LIBRARY_THINWRAPPERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <optional>
#include <string>
#include <vector>

namespace stridewise {

/// The unit's own, of its canonical IR: "comm_send=MPI_Send:i32:ptr a0,i32 a1,ptr gtype,i32 a3,i32 c7,ptr n": the call,
/// what it returns, and each argument's type and origin: argument of the wrapper, constant, global, integer as a
/// pointer, what a global variable or a member of what an argument points to holds, "v=.double": a variable for a
/// number that the function computes before of what it reads.
std::vector<std::string> thinWrappers(llvm::Module &M);

/// The functions of other units that the unit uses, without those of MPI and of libraries that are known.
std::vector<std::string> foreignFunctions(const llvm::Module &M);

/// Gives the functions of other units that `Wrappers` name a body, for as long as functions are inlined.
/// \returns the names of those of which foldWrappers() is to take it away again, where the inliner left any.
std::vector<std::string> unfoldWrappers(llvm::Module &M, llvm::ArrayRef<std::string> Wrappers);
/// Which argument of the function that is written stands at a position of a call that unfoldWrappers() has made; the
/// position itself for other calls.
std::optional<unsigned> passedArgument(const llvm::CallBase &C, unsigned Position);
/// The symbol of the function that is written in the place of such a call; empty for other calls.
llvm::StringRef wrapperOf(const llvm::CallBase &C);
void foldWrappers(llvm::Module &M, llvm::ArrayRef<std::string> Unfolded);

} // namespace stridewise
#endif
