// What a Fortran statement names: `a%b(i)%c(:,j)` is one designator. Texts are as FortranStatement has them: in lower
// case, without blanks.
#ifndef STRIDEWISE_FORTRAN_DESIGNATORS_H
#define STRIDEWISE_FORTRAN_DESIGNATORS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace stridewise {

struct FortranDesignator {
  struct Part {
    llvm::StringRef Name;
    std::optional<std::vector<llvm::StringRef>> Subscripts; // of an element or section, or the arguments of a call
  };
  std::vector<Part> Parts; // at least one
  llvm::StringRef Text;
  /// The number of the last part with subscripts; -1 for none.
  int lastIndexed() const;
};

/// All of a text, in its order, those in subscripts behind the one that these belong to.
std::vector<FortranDesignator> fortranDesignators(llvm::StringRef Text);
/// The one that the text begins with.
std::optional<FortranDesignator> fortranDesignator(llvm::StringRef Text);

/// What follows the condition of a one-line `if`; the statement itself where it has none.
llvm::StringRef behindCondition(llvm::StringRef Statement);

/// Names that a subscript is computed from: those in subscripts and arguments within it left out.
std::vector<llvm::StringRef> plainNames(llvm::StringRef Subscript);
/// Whether one of the subscript's terms is the name: `i+1`, `n-i`, but not `2*i`.
bool hasTerm(llvm::StringRef Subscript, llvm::StringRef Name);

} // namespace stridewise
#endif
