// One translation unit: its AST and, made on first use from the same parse, LLVM IR in the canonical form that loop
// and message checks read (inlined, SSA, rotated loops, canonical induction variables, debug lines; nothing unrolled,
// vectorised or outlined). OpenMP directives are absent from the IR: their bodies are plain serial loops there.
#ifndef STRIDEWISE_UNIT_UNIT_H
#define STRIDEWISE_UNIT_UNIT_H

#include "unit/References.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include <functional>
#include <map>
#include <memory>

namespace clang {
class Preprocessor;
} // namespace clang

namespace stridewise {

class CodeFeed;

/// What the compile command asks of the compiler's back end, which the AST does not know.
struct BuildOptions {
  unsigned OptimizationLevel = 0; // the last -O of the command
  bool DebugInfo = false;
  std::string TestsBounds; // Fortran: the option that has array bounds tested; empty without one
};

class Unit {
public:
  Unit(clang::ASTContext &Ctx, const clang::Preprocessor *PP);
  ~Unit();

  /// Unknown in hosts that see the syntax tree only.
  const std::optional<BuildOptions> &buildOptions() const { return Build; }
  void setBuildOptions(BuildOptions B) { Build = B; }
  /// A unit of Fortran: another front end made its code, which `Maker` brings. The AST then holds the text alone. To be
  /// said before ir().
  using CodeMaker = std::function<std::unique_ptr<llvm::Module>(llvm::LLVMContext &, std::string &Problem)>;
  void setFortranCode(CodeMaker Maker) { FortranCode = std::move(Maker); }
  bool isFortran() const { return bool(FortranCode); }
  /// Whether the build of a unit of Fortran heeds directives of OpenMP, which are comments else.
  bool hasFortranOpenMP() const { return FortranOpenMP; }
  void setFortranOpenMP(bool Heeded) { FortranOpenMP = Heeded; }
  /// Of a unit with a precompiled header: what code generation is to be given of it. To be said before ir().
  void setCodeFeed(CodeFeed *F) { Feed = F; }
  /// Functions of other units that stand for one MPI call each (library/ThinWrappers.h). To be said before ir().
  void setWrappers(std::vector<std::string> W) { Wrappers = std::move(W); }
  /// What other units know to be the caller's rank (mpi/RankFacts.h): "global rank+0=world".
  void setKnownRanks(std::vector<std::string> R) { KnownRanks = std::move(R); }
  const std::vector<std::string> &knownRanks() const { return KnownRanks; }
  /// Those that the unit defines, and the functions of other units that it uses. Empty without IR.
  std::vector<std::string> ownWrappers();
  const std::vector<std::string> &foreignFunctions() const { return Foreign; }
  /// Of the code as it was before anything was inlined. Empty without IR.
  const References &references();
  void setReferences(References R) { Uses = std::move(R); }

  clang::ASTContext &ast() { return Ctx; }
  const clang::SourceManager &sources() const { return Ctx.getSourceManager(); }
  /// Null in hosts that give no preprocessor.
  const clang::Preprocessor *preprocessor() const { return PP; }

  /// The canonical module; null when the AST has errors or code generation failed (irProblem() says which).
  llvm::Module *ir();
  llvm::FunctionAnalysisManager &analyses();
  llvm::StringRef irProblem() const { return Problem; }
  /// Calls of MPI functions that the unit's code contains, before inlining.
  unsigned mpiCalls();

  /// The place in the source of an IR location; invalid when it has none. `Outermost` walks out of inlined calls to the
  /// function that was emitted, else the innermost (the accessor's own line) is given.
  clang::SourceLocation locate(const llvm::DebugLoc &D, bool Outermost = false);
  /// File and line of an IR location, without a SourceLocation.
  static std::pair<std::string, unsigned> fileAndLine(const llvm::DILocation *D);
  /// Path that a DIFile names, absolute where the unit knows its directory.
  static std::string path(const llvm::DIFile *F);

  /// The loop statement (for, while, do, range-for) whose IR loop this is, by position; null when none is found.
  const clang::Stmt *loopStatement(const llvm::Loop *L);
  /// Place of the loop's `for` keyword.
  clang::SourceLocation loopLocation(const llvm::Loop *L);
  /// The function definition that contains a source location; null at file scope.
  const clang::FunctionDecl *functionAt(clang::SourceLocation Loc);
  /// Name as findings show it: qualified, without parameters.
  static std::string functionName(const clang::FunctionDecl *F);

  /// Facts of type T that several checks share, made by `Make` on first use.
  template <typename T> const T &fact(llvm::function_ref<T()> Make) {
    static char Key;
    std::shared_ptr<void> &Slot = Facts[&Key];
    if (!Slot)
      Slot = std::make_shared<T>(Make());
    return *static_cast<T *>(Slot.get());
  }

private:
  void build();
  void indexSources();
  struct Ir;
  struct SourceIndex;
  clang::ASTContext &Ctx;
  const clang::Preprocessor *PP;
  std::unique_ptr<Ir> Code;
  std::unique_ptr<SourceIndex> Index;
  CodeMaker FortranCode;
  bool FortranOpenMP = true;
  CodeFeed *Feed = nullptr;
  std::vector<std::string> Wrappers, Foreign, KnownRanks;
  References Uses;
  std::optional<BuildOptions> Build;
  bool Built = false;
  unsigned MpiCalls = 0;
  std::string Problem;
  std::map<const void *, std::shared_ptr<void>> Facts;
};

} // namespace stridewise
#endif
