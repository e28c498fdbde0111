// Whether a loop goes over the rows of whole arrays, as declarations and allocations of Fortran say.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANROWS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANROWS_H

#include "omp/FortranRegions.h"

namespace stridewise {

/// An element or an array section: "a" or "grid%a", and its subscripts.
struct FortranElement {
  llvm::StringRef Array;
  std::vector<llvm::StringRef> Subscripts;
};

/// What looks like an element in a statement: names with brackets behind them, functions among them.
std::vector<FortranElement> fortranElements(llvm::StringRef Text);

/// "n" and -1 of "n-1"; of a number nothing and the number.
struct FortranSum {
  llvm::StringRef Name;
  std::int64_t Number = 0;
};
FortranSum fortranSum(llvm::StringRef Text);

class FortranRows {
public:
  explicit FortranRows(const FortranRegions &Regions);
  /// Whether all arrays of which the region uses elements in the loop's order have one dimension that the loop covers
  /// from end to end, and one that a loop of the region covers. A border of some rows is none of that.
  bool areCovered(const FortranConstruct &Region, const FortranStatement &Serial) const;

private:
  llvm::ArrayRef<FortranStatement> statements() const { return Regions.statements(); }
  bool isArray(unsigned Statement, llvm::StringRef Name) const;
  bool isCoveredWithin(const FortranConstruct &Region, unsigned Statement, const FortranElement &E, unsigned But) const;
  bool covers(unsigned Statement, const FortranElement &E, unsigned Dimension, const FortranStatement &Loop) const;
  bool sameNames(unsigned A, unsigned B, llvm::StringRef Extent) const;

  struct Allocation {
    unsigned Statement;
    std::vector<llvm::StringRef> Extents;
  };
  const FortranRegions &Regions;
  llvm::StringMap<Allocation> Allocations; // the first one of each array
};

} // namespace stridewise
#endif
