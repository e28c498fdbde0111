// Edits that keep the elements of neighbouring threads out of one cache line.
#ifndef STRIDEWISE_CHECKS_OMP_FALSE_SHARING_SLOTFIX_H
#define STRIDEWISE_CHECKS_OMP_FALSE_SHARING_SLOTFIX_H

#include "checks/omp-false-sharing/SlotWrites.h"
#include "unit/Finding.h"
#include <memory>
#include <optional>

namespace stridewise {

struct ArrayUses;

/// Of one unit; each function is walked once, whatever is asked.
class SlotFixes {
public:
  explicit SlotFixes(clang::ASTContext &Ctx);
  ~SlotFixes();
  /// A count that a shared loop adds to the thread's element is added up in a variable of the thread, and added to the
  /// element behind the loop. Else an array of numbers that the unit alone knows gets a line for each element. Nothing
  /// where the text does not prove the one or the other.
  std::optional<Fix> apart(const SlotWrite &W, std::int64_t LineBytes);

private:
  clang::ASTContext &Ctx;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::DenseSet<const clang::FunctionDecl *> Walked;
  std::unique_ptr<ArrayUses> Arrays;
};

} // namespace stridewise
#endif
