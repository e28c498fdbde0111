// Fields of records: two offsets in an array of records whose index nobody knows, which lie apart within the record.
#ifndef STRIDEWISE_LOOPS_FIELDSAPART_H
#define STRIDEWISE_LOOPS_FIELDSAPART_H

#include "loops/Strides.h"

namespace stridewise {

/// True when two offsets from one place are never the same bytes, whatever records they are in: what is added to them
/// by indices and by loops are multiples of one size, and what is left of them are different parts of that.
bool areFieldsApart(const llvm::SCEV *X, unsigned XBytes, const llvm::SCEV *Y, unsigned YBytes, StrideEngine &Engine);

/// True when each iteration of the loop has a column of a table for itself, in rows that nobody knows: its steps add up
/// to no more than a row, and what else moves either offset are whole rows.
bool areInOwnColumns(const llvm::SCEV *X, const llvm::SCEV *Y, const llvm::Loop *A, StrideEngine &Engine);

} // namespace stridewise
#endif
