// What a critical section, or a stretch of code between taking and releasing a lock, does, when it is no more than
// updates that an atomic construct or a reduction can do.
#ifndef STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_CRITICALUPDATE_H
#define STRIDEWISE_CHECKS_OMP_CRITICAL_SECTION_CRITICALUPDATE_H

#include "omp/OmpSites.h"

namespace stridewise {

struct ScalarUpdate {
  enum Kind {
    Operation, // x = x op e
    Extremum,  // the smaller or the larger of x and e
    Located,   // the same, and notes of where it was
    Store,     // x = e
    Capture,   // takes the value of x and updates it
    Append     // puts e at the end of the list x
  } K = Operation;
  const clang::Expr *Target = nullptr;
  const clang::Expr *Value = nullptr;          // e; null for x++
  const clang::Stmt *From = nullptr;           // the statement
  std::vector<const clang::ValueDecl *> Notes; // variables that say where an extremum was
  const clang::ValueDecl *Root = nullptr;      // the variable (or member of this object) that is, or holds, x
  std::string Reduction;                       // operator of a reduction that does the same; empty when there is none
  bool Atomic = false;                         // `#pragma omp atomic` may stand before the statement as it is
};

struct LockedUpdates {
  const OmpSite *Site = nullptr; // the construct, or the statement that takes the lock or updates a std::atomic
  const clang::Stmt *Body = nullptr;
  const clang::Stmt *Release = nullptr; // of a lock
  const clang::Expr *Lock = nullptr;    // what is locked
  bool IsAtomic = false;                // an atomic update, which no lock protects
  std::string Name;                     // of the critical section; empty for the unnamed one
  std::vector<ScalarUpdate> Updates;    // all that the body does; empty when it does anything else
  bool isLock() const { return Release; }
  /// Whether both are sections that exclude one another.
  bool excludes(const LockedUpdates &Other) const {
    return !IsAtomic && !Other.IsAtomic && isLock() == Other.isLock() && Name == Other.Name;
  }
};

/// All critical sections of the unit, all pairs of omp_set_lock and omp_unset_lock in one block, what a scoped lock of
/// a std::mutex protects, and the atomic constructs and updates of a std::atomic that do not take the value.
std::vector<LockedUpdates> lockedUpdates(const OmpSites &Sites, clang::ASTContext &Ctx);

} // namespace stridewise
#endif
