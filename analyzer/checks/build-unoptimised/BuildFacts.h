// How a unit is compiled, and what in it suffers from that: loops, loops that compute, assertions inside loops.
#ifndef STRIDEWISE_CHECKS_BUILD_UNOPTIMISED_BUILDFACTS_H
#define STRIDEWISE_CHECKS_BUILD_UNOPTIMISED_BUILDFACTS_H

#include "unit/Unit.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace stridewise {

/// Where a program begins, or a function with a loop.
struct CodePlace {
  clang::SourceLocation At;
  std::string Function;
};

struct BuildFacts {
  bool Optimised = false;    // any level above -O0
  bool ForProcessor = false; // an option names the processor or a vector extension
  std::string Processor;     // the name of the target's baseline, such as x86-64
  unsigned Loops = 0;        // of the unit's own code and of templates that it instantiates
  unsigned FloatLoops = 0;   // innermost loops that compute with, or move, floating-point numbers
  bool Nested = false;       // a loop in another one
  std::optional<CodePlace> Main;
  std::optional<CodePlace> FirstWithLoop; // in the order of the main file
};

BuildFacts buildFacts(Unit &U);

/// An assertion that is alive (its failure path was compiled) in an innermost loop.
struct LiveAssertion {
  const clang::CallExpr *Failure = nullptr;
  const clang::Stmt *Loop = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  unsigned Depth = 1;     // loops around it
  bool CallsAway = false; // the loop calls functions that the unit does not define, or that have loops of their own
};

struct LiveAssertions {
  std::vector<LiveAssertion> InLoops; // in the order of the source
  /// An assertion anywhere in the unit that does more than test: without it the program would be another one. Null
  /// where every condition is known to change nothing.
  const clang::Expr *Changing = nullptr;
  llvm::DenseMap<const clang::FunctionDecl *, bool> HoldsLoop; // functions that were looked through
};

/// None without a look at the code when the unit includes no <assert.h> or defines NDEBUG.
LiveAssertions liveAssertions(Unit &U);

} // namespace stridewise
#endif
