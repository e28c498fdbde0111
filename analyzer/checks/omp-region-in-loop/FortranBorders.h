// Regions of Fortran that copy or set the border of arrays alone: a side, or rows as deep as a halo.
#ifndef STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANBORDERS_H
#define STRIDEWISE_CHECKS_OMP_REGION_IN_LOOP_FORTRANBORDERS_H

#include "checks/omp-region-in-loop/FortranRows.h"
#include <set>

namespace stridewise {

/// A statement goes over a border where one dimension of the arrays with the most of them is chosen by no loop of the
/// region that is long: the subscript names the end of that dimension, is a number beside such a subscript elsewhere in
/// the procedure, or counts through the depth of a halo. That is a variable by which some loop of the procedure begins
/// earlier and ends later: `do j = low - depth, high + depth`.
class FortranBorders {
public:
  explicit FortranBorders(Unit &U, const FortranRegions &Regions);
  struct Border {
    unsigned Along = 0;  // long loops of the region around a statement, at most
    unsigned Arrays = 0; // whose borders are set, or else copied from
  };
  /// Nothing where some assignment of elements in the region goes over no border.
  std::optional<Border> borderOf(const FortranConstruct &Region) const;

private:
  struct Loops {
    llvm::StringSet<> Long, Halo, Set; // counters, and scalars that the region sets
  };
  llvm::ArrayRef<FortranStatement> statements() const { return Regions.statements(); }
  bool isHalo(const FortranStatement &Loop) const;
  bool isShort(unsigned Statement, const FortranStatement &Loop) const;
  bool read(const FortranConstruct &Region, Loops &Into) const;
  bool goesOverBorder(unsigned Statement, llvm::StringRef Text, const Loops &In, llvm::StringSet<> &Arrays) const;
  bool isBorder(unsigned Statement, const FortranElement &E, const Loops &In) const;
  bool isAtEnd(unsigned Statement, const FortranElement &E, unsigned Dimension) const;
  bool hasEndElsewhere(unsigned Statement, const FortranElement &E, unsigned Dimension) const;
  std::vector<std::string> extents(unsigned Statement, llvm::StringRef Array) const;

  Unit &U;
  const FortranRegions &Regions;
  std::set<std::pair<int, std::string>> Depths; // of halos, by procedure
};

} // namespace stridewise
#endif
