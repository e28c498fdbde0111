// Loops that go through arrays of records, and the bytes of each record that they touch.
//
// The IR gives the step (the record's size) and the offsets, through whatever accessor; the type information that code
// generation attaches to accesses tells whose fields they are.
#ifndef STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_RECORDWALKS_H
#define STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_RECORDWALKS_H

#include "checks/mem-array-of-structs/Records.h"
#include "loops/LoopNest.h"
#include "unit/Finding.h"
#include "unit/Unit.h"
#include "llvm/ADT/BitVector.h"

namespace stridewise {

struct RecordWalk {
  const Record *Of = nullptr;
  const llvm::Loop *L = nullptr;
  llvm::Function *F = nullptr;
  llvm::BitVector Used;  // bytes of the record
  unsigned Chosen = 0;   // further bytes, of members whose offset only the run knows
  bool Guarded = false;  // some of them only when data says so
  bool Repeated = false; // a loop around it goes through the same records again
  bool Written = false;  // it may be what fills the array
  bool Gathered = false; // some records in the order of numbers that the loop reads
  bool Moves = false;    // records are copied whole: sorted, packed, exchanged
  std::vector<Access> Accesses;
};

/// All walks of the unit over records of at least this size, in program order; arrays that fit the first-level cache
/// are left out.
std::vector<RecordWalk> recordWalks(Unit &U, unsigned MinRecordBytes);

/// Bytes of the cache lines that a walk brings in per record for these bytes of it.
double fetchedBytes(const llvm::BitVector &Used);
/// The record's own fields that a walk touches.
std::vector<const RecordField *> usedFields(const Record &Of, const llvm::BitVector &Used);

} // namespace stridewise
#endif
