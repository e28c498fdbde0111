// Which functions run again and again, as far as calls inside loops tell.
#ifndef STRIDEWISE_LOOPS_CALLHEAT_H
#define STRIDEWISE_LOOPS_CALLHEAT_H

#include "unit/CallEdges.h"
#include "unit/Stored.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace stridewise {

enum class Heat {
  Cold,    // every call is seen, and none is in a loop
  Unknown, // called from elsewhere, or through a pointer
  Hot      // called in a loop, directly or through its callers, and not in a few of its iterations only
};

class CallHeat {
public:
  explicit CallHeat(clang::ASTContext &Ctx);
  Heat of(const clang::FunctionDecl *F);
  /// Whether the unit names the function anywhere but in its declarations.
  bool isCalled(const clang::FunctionDecl *F) const;
  /// How many loops stand around the calls of the function and of its callers, where they are nested deepest; loops
  /// that a team shares are not counted, since they deal out the work. What is called for each element has little to
  /// do.
  unsigned depth(const clang::FunctionDecl *F);
  /// Whether a loop stands, without another one between, behind a test that few of the iterations around it pass:
  /// `step % every == 0`.
  bool runsNowAndThen(const clang::Stmt *Loop) const { return RareLoops.contains(Loop); }
  /// Whether the iterations of the loop call a function, one with loops or of another unit, for the same data each
  /// time.
  bool isSteps(const clang::Stmt *Loop) const;
  /// What runsNowAndThen says, of a function: each call that the unit shows stands behind such a test, and none in a
  /// loop of its own.
  bool runsNowAndThen(const clang::FunctionDecl *F) const;
  /// The function's name among those of all units.
  std::string name(const clang::FunctionDecl *F) const;

  /// The calls between functions of the project, for HotFunctions; null when there are none.
  llvm::json::Value toJson() const;

private:
  struct Calls {
    llvm::DenseMap<const clang::FunctionDecl *, unsigned> Callers; // with the loops around their calls
    bool InLoop = false, Again = false, Escapes = false, Rare = false;
  };
  Heat compute(const clang::FunctionDecl *F, llvm::DenseSet<const clang::FunctionDecl *> &Active);
  friend class CallCollector;
  const clang::ASTContext &Ctx;
  llvm::DenseMap<const clang::FunctionDecl *, Calls> To;
  llvm::DenseMap<const clang::FunctionDecl *, Heat> Known;
  llvm::DenseSet<const clang::Stmt *> RareLoops;
  llvm::DenseMap<const clang::Stmt *, llvm::SmallVector<const clang::FunctionDecl *, 2>> Steps; // called in each
  std::map<std::string, unsigned> Depths;
  bool HasMain = false;
};

/// Over units, by their CallHeat::toJson: callee, caller (empty for a call in a loop) and the loops around the call.
void forEachCall(llvm::ArrayRef<const stored::Value *> Calls,
                 llvm::function_ref<void(llvm::StringRef Callee, llvm::StringRef Caller, unsigned Around)> Take);

/// The same over all units, by name: the functions that are called in a loop, directly or through callers.
std::set<std::string> hotFunctions(llvm::ArrayRef<const stored::Value *> Calls);

/// The functions that `main` calls, directly or through others, outside of all loops or in few of their iterations, and
/// that nothing else calls; with `Strictly`, outside of all loops.
std::set<std::string> functionsRunOnce(llvm::ArrayRef<const stored::Value *> Calls, bool Strictly = false);
/// Of those, also called in few of a loop's iterations: reports of how far the program has come.
std::set<std::string> functionsThatReport(llvm::ArrayRef<const stored::Value *> Calls);

/// The functions that are called in a loop with the same arguments each time, directly or through callers: the steps of
/// a simulation or of an iteration, where a loop over parts of the data passes each part.
std::set<std::string> functionsRunAgain(llvm::ArrayRef<const stored::Value *> Calls);

/// `CallHeat::depth` over all units, by name; what is not called in a loop is left out.
std::map<std::string, unsigned> callDepths(llvm::ArrayRef<const stored::Value *> Calls);

} // namespace stridewise
#endif
