// OpenMP constructs as the rules need them, and a walk over code that runs under them: every access to memory with the
// object it names, through calls whose bodies the unit has.
#ifndef STRIDEWISE_OMP_OMPREGION_H
#define STRIDEWISE_OMP_OMPREGION_H

#include "omp/ObjectPath.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"

namespace stridewise {

struct OmpConstruct {
  bool StartsTeam = false; // parallel, also combined; false for a team that is known to have one thread
  bool SharesLoop = false; // iterations are divided among the team
  bool OneThread = false;  // single, master, masked, a section
  bool SameThread = false; // of these: always the same one (master, masked without a filter)
  bool Exclusive = false;  // critical, atomic, ordered: all threads, one after another
  bool Device = false;     // target, teams
  bool Tasks = false;      // creates tasks or waits for them
  bool EndsWithBarrier = false;
  bool CanTakeNowait = false;
  bool Other = false; // anything else that may synchronise: flush, cancel, scan, …
};
OmpConstruct classify(const clang::OMPExecutableDirective &D, const clang::ASTContext &Ctx);

/// The statement under the directive, without its captures; null for stand-alone directives.
const clang::Stmt *constructBody(const clang::OMPExecutableDirective &D);
/// The loops that the directive distributes, outermost first; with collapse more than one. Empty when one of them is
/// no plain `for`.
std::vector<const clang::ForStmt *> sharedLoops(const clang::OMPExecutableDirective &D);
/// Variables of which each thread gets its own inside the construct.
std::vector<const clang::VarDecl *> privateVariables(const clang::OMPExecutableDirective &D);
/// Shared variables that the construct writes at its end: lastprivate, reduction, linear.
std::vector<const clang::Expr *> resultVariables(const clang::OMPExecutableDirective &D);

/// What a call may do, beyond what its arguments give it.
enum class CallEffect {
  Nothing,          // computes a value
  ThroughArguments, // reads and writes what its arguments refer to
  Unknown
};
CallEffect effectOf(const clang::FunctionDecl *F, const clang::ASTContext &Ctx);

class AccessWalker {
public:
  AccessWalker(clang::ASTContext &Ctx, PathResolver &Paths) : Ctx(Ctx), Paths(Paths) {}
  virtual ~AccessWalker() = default;

protected:
  /// A memory access. `E` names the place.
  virtual void touched(const clang::Expr *E, ObjectPath P, bool Reads, bool Writes) = 0;
  /// An atomic update of a value of type T.
  virtual void updated(const clang::Expr *E, ObjectPath P, clang::QualType T) {
    touched(E, std::move(P), /*Reads=*/true, /*Writes=*/true);
  }
  /// A call whose body is not walked. `Callee` may be null; `Object` too.
  virtual void called(const clang::Expr *Call, const clang::FunctionDecl *Callee,
                      llvm::ArrayRef<const clang::Expr *> Args, const clang::Expr *Object) = 0;
  /// Whether to walk the body of a function where it is called.
  virtual bool walksInto(const clang::Expr *Call, const clang::FunctionDecl *Body,
                         llvm::ArrayRef<const clang::Expr *> Args, const clang::Expr *Object) = 0;
  /// Walks it; parameters are bound.
  virtual void inlined(const clang::FunctionDecl *Body) { statement(Body->getBody()); }
  /// A pointer or an object gets a value: an assignment, or a declaration (Target null).
  virtual void assigned(const clang::Expr *Target, const clang::VarDecl *Declared, const clang::Expr *Value) {}
  virtual void declared(const clang::VarDecl *) {}

  // Control flow: the walk of these statements is the rule's business.
  virtual void loop(const clang::Stmt *S) = 0;
  virtual void branch(const clang::IfStmt *S) = 0;
  virtual void select(const clang::SwitchStmt *S) = 0;
  virtual void label(const clang::SwitchCase *S) { statement(S->getSubStmt()); }
  virtual void jump(const clang::Stmt *S) {}
  virtual void directive(const clang::OMPExecutableDirective *D) = 0;
  /// Statements that the walk does not understand: exceptions, coroutines, assembly.
  virtual void strange(const clang::Stmt *S) = 0;

  virtual void statement(const clang::Stmt *S);
  void expression(const clang::Expr *E);
  /// What has to be evaluated to know an object's address, without the access itself.
  void address(const clang::Expr *E);
  void touch(const clang::Expr *E, bool Reads, bool Writes);
  /// Evaluates an argument or operand, whatever its value category.
  void operand(const clang::Expr *E);

  clang::ASTContext &Ctx;
  PathResolver &Paths;

private:
  void call(const clang::CallExpr *C);
  void construct(const clang::CXXConstructExpr *C, const clang::VarDecl *Into);
  void declaration(const clang::VarDecl *V);
};

} // namespace stridewise
#endif
