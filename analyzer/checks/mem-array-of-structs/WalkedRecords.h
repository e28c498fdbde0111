// All walks over one record type, of a unit or of the whole program: what they use and fetch together, which of them
// wastes most, and how sure that is.
#ifndef STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_WALKEDRECORDS_H
#define STRIDEWISE_CHECKS_MEM_ARRAY_OF_STRUCTS_WALKEDRECORDS_H

#include "checks/mem-array-of-structs/RecordWalks.h"
#include "loops/CallHeat.h"
#include "loops/LoopPlaces.h"
#include "unit/Finding.h"
#include "unit/Summary.h"
#include <optional>

namespace stridewise {

/// A loop over records, without its unit.
struct LoopOverRecords {
  Place Where;                 // of its header
  unsigned Begin = 0, End = 0; // its lines
  std::string Caller;          // the function around it, among those of all units
  std::string Function, Loop, Fields;
  std::int64_t Used = 0; // bytes per record
  double Fetched = 0;
  std::int64_t Smallest = 0; // bytes of the smallest run of bytes that it uses
  bool Guarded = false;      // some fields are used only when data says so
  bool Numeric = false;      // uses a field of floating-point numbers
  bool Repeated = false;     // a loop around it goes through the same records again, all of them
  bool Silenced = false;     // by a comment
  bool Written = false;      // it may be what fills the array
  bool Gathered = false;     // some records in the order of numbers that the loop reads
  bool Moves = false;        // records are copied whole, which any layout bears
  bool Offered = false;      // to other units, which alone can call it
  Heat H = Heat::Unknown;

  double share() const { return double(Used) / Fetched; }
  /// "uses 8 bytes of each record: mass".
  std::string label() const;
  Confidence confidence() const;
  /// Whether it computes something of the records for callers that this unit does not have.
  bool isForOthers() const;
};

/// The function that a loop stands in.
struct WalkCaller {
  std::string Name;    // among those of all units
  std::string Counter; // of the loop; "elements" where it has no name
  Heat H = Heat::Unknown;
  bool Offered = false; // to other units, which alone can call it
};

LoopOverRecords describeWalk(const RecordWalk &W, const LoopPlace &Loop, const WalkCaller &In, Unit &U);

struct WalkedRecord {
  std::string Name;
  std::int64_t Size = 0;
  std::optional<Place> Declared; // in another file than the loops
  std::vector<Place> Arrays;     // declarations of what is made to hold many of them
  std::vector<LoopOverRecords> Walks;

  /// Index of the walk that wastes most among the surest, when all walks that may be hot together use at most this
  /// share.
  std::optional<std::size_t> worst(double MaxShare) const;
  /// Arguments of the finding for one of the walks.
  ArgMap arguments(const LoopOverRecords &W) const;
  bool hasLoopAt(const Place &P) const;
  /// Whether the loop jumps from record to record through memory, for a small part of each.
  bool isSlice(const LoopOverRecords &W) const;
  /// Whether it is a slice of fields that nobody would miss in the record: they fill lines by themselves, so that a
  /// loop that uses them beside others brings in as many lines when they are elsewhere.
  bool isApart(const LoopOverRecords &W) const;
  /// Whether hot loops change such records: those that are gathered are then what the program works on, no small table
  /// of kinds or materials.
  bool isState() const;
  /// Loops that do more with such records than to move them. Where it is one, what the program does with them is to
  /// move them.
  std::size_t countUses() const;
  /// The fields of all such slices.
  std::string fieldsApart() const;

  llvm::json::Value toJson(const Place &Declared) const;
  /// Adds the walks of a unit; a loop of a header, which many units see, once.
  void merge(const stored::Object &Entry);
};

} // namespace stridewise
#endif
