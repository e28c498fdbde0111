// What the functions of the usual libraries do: the rows of library_calls.toml.
//
// A name alone says nothing: a function that the unit defines is judged by its body, and in the source a C function
// counts as the library's where a system header, the compiler or a reserved name says that it is.
#ifndef STRIDEWISE_LIBRARY_LIBRARYCALLS_H
#define STRIDEWISE_LIBRARY_LIBRARYCALLS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/IR/InstrTypes.h"

namespace stridewise {

enum LibraryEffects : unsigned {
  LibPure = 1u << 0,
  LibReads = 1u << 1,
  LibWrites = 1u << 2,
  LibQueries = 1u << 3,
  LibState = 1u << 4,
  LibAllocates = 1u << 5,
  LibFrees = 1u << 6,
  LibRandom = 1u << 7,
  LibOutput = 1u << 8,
  LibInput = 1u << 9,
  LibOpens = 1u << 10,
  LibClock = 1u << 11,
  LibSleeps = 1u << 12,
  LibLocks = 1u << 13,
  LibExits = 1u << 14,
  LibCalls = 1u << 15
};

enum class LibraryCost { Cheap, Mathematics, Runtime, Conversion, Length, System, Blocks };

struct LibraryCall {
  const char *Name;
  unsigned Effects; // LibraryEffects
  LibraryCost Cost;
  unsigned Writes;        // a bit for each argument that points at what the call writes
  int Stream, Descriptor; // positions of the argument that says where output goes; -1: none
  bool Shared;            // of memory that other processes use, too
  bool IsClass;           // stands for the members of a class

  /// Whether the call does something of these, or nothing but these.
  bool does(unsigned Any) const { return Effects & Any; }
  bool onlyDoes(unsigned These) const { return !(Effects & ~These); }
};

/// What only memory and the caller notice.
constexpr unsigned LibMemory = LibReads | LibWrites | LibAllocates | LibFrees;

/// Null for functions that no library of the table has, and for those that the program defines.
const LibraryCall *findLibraryCall(const clang::FunctionDecl *F);
const LibraryCall *findLibraryCall(const clang::Expr *Call);
const LibraryCall *findLibraryCall(const llvm::Function *F);
const LibraryCall *findLibraryCall(const llvm::CallBase &C);

/// Whether the IR's function comes from the C++ standard library: namespace std of its mangled name.
bool isStandardCxx(const llvm::Function &F);

} // namespace stridewise
#endif
