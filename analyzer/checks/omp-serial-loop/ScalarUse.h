// Scalars of C and C++ in the order in which a function's text comes by them: which get a value before they are read.
#ifndef STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_SCALARUSE_H
#define STRIDEWISE_CHECKS_OMP_SERIAL_LOOP_SCALARUSE_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace stridewise {

struct Mention {
  enum Kind {
    Reads,
    Sets,     // a plain assignment, or its declaration
    Updates,  // x += …, ++x
    SetsPart, // x[j] = …, of an array
    AddsPart, // x[j] += …
    Hands,    // its address or a reference is taken, or a part of it is written
    Leads     // a pointer: what it points to is written
  } K = Reads;
  const clang::VarDecl *V = nullptr;
  std::vector<const clang::Expr *> Subscripts; // of a part, those that choose it
};

class ScalarUse {
public:
  explicit ScalarUse(const clang::FunctionDecl &F);

  /// What the loop makes of variables that are declared outside of it: those that need a copy in each iteration, and
  /// those that it updates. False where some variable may be neither.
  bool classify(const clang::Stmt &Loop, std::vector<const clang::VarDecl *> &Private,
                std::vector<const clang::VarDecl *> &Updated) const;

private:
  friend class MentionWalker;
  struct Range {
    unsigned First = 0, Last = 0;
  };
  bool isOwnPlace(const Mention &M, const clang::VarDecl *Counter, Range Own) const;
  bool isArrayOfIteration(const clang::VarDecl *V, const clang::Stmt &Loop, Range Own) const;
  bool isSumOfParts(const clang::VarDecl *V, Range Own) const;
  bool isDeclaredIn(const clang::VarDecl *V, Range Own) const;
  bool isReadFirst(const clang::VarDecl *V, unsigned From, unsigned To) const;
  bool isReadLater(const clang::VarDecl *V, const clang::Stmt &Loop) const;

  std::vector<Mention> Mentions;
  llvm::DenseMap<const clang::Stmt *, Range> Loops;
  std::vector<std::pair<const clang::Stmt *, const clang::Stmt *>> Around; // a loop, and each loop around it
  llvm::DenseMap<const clang::VarDecl *, unsigned> Declared;               // by order
  llvm::DenseMap<const clang::Stmt *, bool> Strange;                       // loops with lambdas, jumps out, …
};

} // namespace stridewise
#endif
