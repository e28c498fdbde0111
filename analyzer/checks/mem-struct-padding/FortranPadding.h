// Padding in derived types of Fortran. A type is declared in one file, and its arrays in others: the link phase joins
// the order of its components with what there is of them.
#ifndef STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_FORTRANPADDING_H
#define STRIDEWISE_CHECKS_MEM_STRUCT_PADDING_FORTRANPADDING_H

#include "unit/Reporter.h"
#include "unit/Summary.h"
#include "unit/Unit.h"

namespace stridewise {

struct PaddingLimits {
  double SavedBytes = 0, SavedPercent = 0, TotalBytes = 0, SurePercent = 0, SureBytes = 0, SureWordPercent = 0;
  explicit PaddingLimits(const Reporter &R);
  /// Whether so many bytes of a record are worth a word, and whether a change of layout is sure to pay.
  bool isWorth(double Saved, double Size) const;
  bool isSure(double Saved, double Size) const;
};

/// The unit's types whose components could lie denser, its declarations of types and its arrays of them; null where
/// there are none.
llvm::json::Value fortranPadding(Unit &U, Reporter &R);

void reportFortranPadding(llvm::ArrayRef<const stored::Value *> OfUnits, LinkReporter &R);

} // namespace stridewise
#endif
