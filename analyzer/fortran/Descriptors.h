// flang's descriptors of arrays: {address, bytes of an element, version, rank, type, attributes, extra, dimensions}; a
// dimension is {lower bound, extent, bytes from one element to the next}.
#ifndef STRIDEWISE_FORTRAN_DESCRIPTORS_H
#define STRIDEWISE_FORTRAN_DESCRIPTORS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"
#include <cstdint>
#include <optional>

namespace stridewise {

constexpr unsigned BytesField = 1, DimensionsField = 7, ExtentField = 1, StepField = 2;

bool isDescriptor(const llvm::Type *T);
bool isConstant(const llvm::Value *V, std::uint64_t Wanted);

struct Dimension {
  const llvm::Value *Extent = nullptr, *Step = nullptr; // as inserted
};

/// The descriptor's only value, dimension by dimension.
std::optional<llvm::SmallVector<Dimension, 4>>
dimensionsOf(const llvm::Value *Descriptor, std::optional<std::uint64_t> &Bytes, const llvm::DataLayout &DL);

} // namespace stridewise
#endif
