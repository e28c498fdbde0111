// Where a unit's OpenMP constructs stand: the loops, branches and constructs around each, within its function and, for
// functions that are called, around their calls.
#ifndef STRIDEWISE_OMP_OMPSITES_H
#define STRIDEWISE_OMP_OMPSITES_H

#include "omp/OmpRegion.h"

namespace stridewise {

/// A construct or a call with the loops, branches, lambdas and constructs around it in its function, outermost first.
struct OmpSite {
  const clang::Stmt *S = nullptr;
  const clang::FunctionDecl *In = nullptr;
  std::vector<const clang::Stmt *> Around;
  const clang::CompoundStmt *Block = nullptr; // of which the construct is a statement
  const clang::OMPExecutableDirective *directive() const { return llvm::cast<clang::OMPExecutableDirective>(S); }
};

struct OmpSites {
  explicit OmpSites(clang::ASTContext &Ctx);
  std::vector<OmpSite> Constructs;  // in source order, per function
  std::vector<OmpSite> ScopedLocks; // statements that hold a std::mutex until the end of their block
  std::vector<OmpSite> StdAtomics;  // statements that update a std::atomic
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<OmpSite>> Calls;        // by the definition called
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<OmpSite>> RuntimeCalls; // omp_…, by declaration

  /// The calls of a function that the unit shows.
  llvm::ArrayRef<OmpSite> callsOf(const clang::FunctionDecl *F) const;
  /// Whether the code runs many times: a loop stands around it, or around a call of its function.
  bool isRepeated(const OmpSite &Site) const;
  /// Whether a team already runs the code, as far as the unit shows.
  bool runsInTeam(const OmpSite &Site) const;
  /// The innermost construct around the site that starts a team; null when its function has none.
  static const clang::OMPExecutableDirective *region(const OmpSite &Site, const clang::ASTContext &Ctx);

private:
  bool anyAround(const OmpSite &Site, llvm::function_ref<bool(const clang::Stmt *)> Is, unsigned Depth) const;
};

bool isLoop(const clang::Stmt *S);
/// Whether a statement names the variable or member.
bool mentions(const clang::Stmt *S, const clang::ValueDecl *V);
/// Adds the variables and members that a statement names, each as its first declaration.
void collectNames(const clang::Stmt *S, llvm::DenseSet<const clang::ValueDecl *> &Names);
/// The directive's line and its name, as findings show them.
std::int64_t lineOf(clang::SourceLocation L, const clang::SourceManager &SM);
std::string directiveName(const clang::OMPExecutableDirective &D);
/// Source text of a statement as the compiler prints it, on one line.
std::string textOf(const clang::Stmt *S, const clang::ASTContext &Ctx);

} // namespace stridewise
#endif
