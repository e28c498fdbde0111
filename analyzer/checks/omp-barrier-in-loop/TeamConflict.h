// Whether two accesses of a team on the two sides of a barrier may name the same memory and come from different
// threads.
#ifndef STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMCONFLICT_H
#define STRIDEWISE_CHECKS_OMP_BARRIER_IN_LOOP_TEAMCONFLICT_H

#include "checks/omp-barrier-in-loop/TeamGraph.h"
#include "checks/omp-barrier-in-loop/TeamSync.h"

namespace stridewise {

/// The code on both sides: what is written there may differ from one side to the other.
struct TeamSides {
  TeamSides(const PathResolver &Paths, const UnitFunctions &Unit, const clang::ASTContext &Ctx, SymbolId ThreadNumber)
      : Paths(Paths), Unit(Unit), Ctx(Ctx), ThreadNumber(ThreadNumber) {}

  const PathResolver &Paths;
  const UnitFunctions &Unit;
  const clang::ASTContext &Ctx;
  SymbolId ThreadNumber;
  llvm::DenseSet<const clang::VarDecl *> PrivateWrites;

  void clear();
  void wrote(const TeamAccess &W);
  bool variableChanges(const clang::VarDecl *V) const;
  bool fieldChanges(const clang::FieldDecl *F) const;
  /// Whether a write reaches the path's object with no more than so many steps.
  bool objectChanges(const ObjectPath &P, std::size_t MostSteps) const;
  bool writesIntegersAnywhere() const { return WroteUnknown || WroteIntegerFar; }
  bool wroteUnknown() const { return WroteUnknown; }

  using Root = std::pair<ObjectPath::RootKind, const clang::VarDecl *>;
  static Root rootOf(const ObjectPath &P) { return {P.Root, P.Var}; }
  /// Whether the symbols asked about so far keep their values.
  mutable llvm::DenseMap<SymbolId, bool> Steady;

private:
  bool WroteUnknown = false, WroteIntegerFar = false;
  llvm::DenseSet<const clang::VarDecl *> Variables;
  llvm::DenseSet<const clang::FieldDecl *> Fields;
  std::map<Root, std::size_t> FewestSteps;
};

/// Whether some access before and some access after, one of which writes, may name the same memory and come from
/// different threads. What the answer "no" rests on is noted in the verdict. Accesses of different objects are compared
/// by what they have in common with others, so that the time grows with their number, not with its square.
bool mayMeet(llvm::ArrayRef<const TeamAccess *> Before, llvm::ArrayRef<const TeamAccess *> After,
             const TeamSides &Sides, BarrierVerdict &V);

} // namespace stridewise
#endif
