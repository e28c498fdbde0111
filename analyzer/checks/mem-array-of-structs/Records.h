// The record types of a unit: structures of C and C++, derived types of Fortran.
#ifndef STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_RECORDS_H
#define STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_RECORDS_H

#include "unit/Unit.h"
#include "llvm/Analysis/LoopInfo.h"
#include <memory>
#include <string>
#include <vector>

namespace stridewise {

struct RecordField {
  std::string Name;
  std::uint64_t Begin = 0, Bytes = 0;
  bool Numbers = false; // it holds floating-point numbers
};

struct Record {
  std::string Name;
  std::string Symbol;                        // Fortran: as the linker knows it; else empty
  clang::SourceLocation At;                  // C and C++
  std::vector<clang::SourceLocation> Arrays; // of what is made to hold many: global variables and members
  std::vector<RecordField> Fields;
};

// What type information says of an access: the offsets of the record's fields, and which of them it is.
struct FieldTag {
  std::vector<uint64_t> Layout;
  std::string Name;
  uint64_t Offset = 0;
};

class Records {
public:
  virtual ~Records() = default;
  virtual bool empty() const = 0;
  virtual const Record *find(std::uint64_t Size, const FieldTag &T) const = 0;
  /// The one record of this size whose members the loop names; null where there are several.
  virtual const Record *namedIn(const llvm::Loop *L, std::uint64_t Size) const = 0;
};

const Records &recordsOf(Unit &U);

} // namespace stridewise
#endif
