// One rank's file, checked before anything of it is believed.
#ifndef STRIDEWISE_MERGE_SHARD_H
#define STRIDEWISE_MERGE_SHARD_H

#include "shard_format.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace stridewise::merge {

/// Why a shard, or a part of it, was left out.
struct Problem {
  std::string Shard; // file name
  uint64_t Offset = 0;
  std::string Text;
};

/// A file mapped read-only for the life of the object.
class MappedFile {
public:
  /// Maps Path; on failure returns nullopt and fills Why.
  static std::optional<MappedFile> open(const std::string &Path, std::string &Why);
  MappedFile(MappedFile &&Other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  MappedFile &operator=(MappedFile &&Other) noexcept;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return {Data, Size}; }
  /// Takes the pages of a part out of this process's memory; who reads them again gets them from the system's cache.
  void forget(size_t Begin, size_t End) const;

private:
  MappedFile(const std::byte *Data, size_t Size) : Data(Data), Size(Size) {}
  const std::byte *Data;
  size_t Size;
};

/// An array of fixed-size entries inside the file; its bounds are inside the file.
class Section {
public:
  Section() = default;
  Section(const std::byte *Data, uint64_t Offset, uint64_t Stride, uint64_t Count)
      : Data(Data), Offset(Offset), Stride(Stride), Count(Count) {}
  uint64_t size() const { return Count; }
  uint64_t offsetOf(uint64_t Index) const { return Offset + Index * Stride; }
  /// A copy: entries of a newer writer may be longer than T, those of an older one shorter, and their rest is zero.
  template <typename T> T at(uint64_t Index) const {
    T Entry{};
    std::memcpy(&Entry, Data + Index * Stride, Stride < sizeof(T) ? Stride : sizeof(T));
    return Entry;
  }

private:
  const std::byte *Data = nullptr;
  uint64_t Offset = 0, Stride = 0, Count = 0;
};

/// A shard whose header, checksum, section bounds and table indexes are valid. Events are checked one by one when they
/// are read, since the last of a killed process may be half written.
class Shard {
public:
  /// Opens and checks. On failure returns nullopt and fills Why with the offset of the first wrong byte.
  static std::optional<Shard> open(const std::string &Path, Problem &Why);

  const sw_header &header() const { return Header; }
  const std::string &name() const { return Name; }
  bool closed() const { return Header.state == SW_STATE_CLOSED; }
  /// Whether it stands for the ranks that it lists.
  bool isSummary() const { return Ranks.size() != 0; }

  Section Table, Paths, Comms, Members, Modules, Usage, Threads, Ranks, Reduced, Most, Progress, Fate, Phases;

  /// Event numbers present: [0, headEnd()) and [tailBegin(), eventCount()).
  uint64_t eventCount() const { return Header.event_count; }
  uint64_t headEnd() const { return HeadEnd; }
  uint64_t tailBegin() const { return TailBegin; }
  sw_event event(uint64_t Number) const { return Events.at<sw_event>(slotOf(Number)); }
  /// The file's pages leave the memory of this process until they are read again.
  void forget() const { File.forget(0, File.bytes().size()); }
  /// Whether an entry of the call table refers to what exists; one of a killed process may be half written.
  bool valid(const sw_call_stats &Stats) const;
  uint64_t eventOffset(uint64_t Number) const { return Events.offsetOf(slotOf(Number)); }

private:
  explicit Shard(MappedFile &&File) : File(std::move(File)) {}
  bool check(Problem &Why);
  bool readSections(Problem &Why);
  bool checkTables(Problem &Why);
  bool checkSummary(Problem &Why);
  uint64_t slotOf(uint64_t Number) const {
    return Number < Header.event_head
               ? Number
               : Header.event_head + (Number - Header.event_head) % (Capacity - Header.event_head);
  }

  MappedFile File;
  std::string Name;
  sw_header Header{};
  Section Events;
  uint64_t Capacity = 0, HeadEnd = 0, TailBegin = 0;
};

/// zlib's CRC-32 of Bytes, with [SkipBegin, SkipBegin + 4) taken as zero.
uint32_t crc32(std::span<const std::byte> Bytes, size_t SkipBegin);
/// The same of a whole file, of which no more than a part is in memory at a time.
uint32_t crc32(const MappedFile &File, size_t SkipBegin);

/// A fixed-size text field that need not be terminated.
template <size_t N> std::string fieldText(const char (&Field)[N]) { return std::string(Field, strnlen(Field, N)); }

} // namespace stridewise::merge
#endif
