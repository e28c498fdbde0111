#include "Shard.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stridewise::merge {

// More ranks than any machine has cores; keeps tables indexed by rank small whatever the file says.
static constexpr int32_t MaxRanks = 1 << 24;

std::optional<MappedFile> MappedFile::open(const std::string &Path, std::string &Why) {
  int Descriptor = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Descriptor < 0) {
    Why = std::strerror(errno);
    return std::nullopt;
  }
  struct stat Status{};
  if (::fstat(Descriptor, &Status) != 0 || !S_ISREG(Status.st_mode)) {
    Why = "not a regular file";
    ::close(Descriptor);
    return std::nullopt;
  }
  auto Size = static_cast<size_t>(Status.st_size);
  void *Data = nullptr;
  if (Size != 0) {
    Data = ::mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, Descriptor, 0);
    if (Data == MAP_FAILED) {
      Why = std::strerror(errno);
      ::close(Descriptor);
      return std::nullopt;
    }
  }
  ::close(Descriptor);
  return MappedFile(static_cast<const std::byte *>(Data), Size);
}

MappedFile::MappedFile(MappedFile &&Other) noexcept
    : Data(std::exchange(Other.Data, nullptr)), Size(std::exchange(Other.Size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&Other) noexcept {
  std::swap(Data, Other.Data);
  std::swap(Size, Other.Size);
  return *this;
}

MappedFile::~MappedFile() {
  if (Data)
    ::munmap(const_cast<std::byte *>(Data), Size);
}

void MappedFile::forget(size_t Begin, size_t End) const {
  static const auto Page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  Begin -= Begin % Page;
  if (Data && Begin < End)
    ::madvise(const_cast<std::byte *>(Data) + Begin, End - Begin, MADV_DONTNEED);
}

// Slicing by sixteen: as many tables let one step take as many bytes.
using CrcTables = std::array<std::array<uint32_t, 256>, 16>;

static CrcTables makeCrcTables() {
  CrcTables Tables{};
  for (uint32_t Byte = 0; Byte < 256; ++Byte) {
    uint32_t Value = Byte;
    for (int Bit = 0; Bit < 8; ++Bit)
      Value = (Value >> 1) ^ ((Value & 1) ? 0xEDB88320u : 0u);
    Tables[0][Byte] = Value;
  }
  for (uint32_t Byte = 0; Byte < 256; ++Byte)
    for (size_t Slice = 1; Slice < Tables.size(); ++Slice)
      Tables[Slice][Byte] = (Tables[Slice - 1][Byte] >> 8) ^ Tables[0][Tables[Slice - 1][Byte] & 0xFF];
  return Tables;
}

static uint32_t crcUpdate(uint32_t Crc, std::span<const std::byte> Bytes) {
  static const CrcTables Tables = makeCrcTables();
  constexpr size_t Step = std::tuple_size_v<CrcTables>;
  const std::byte *At = Bytes.data();
  size_t Left = Bytes.size();
  for (; Left >= Step; Left -= Step, At += Step) {
    std::array<uint32_t, Step / 4> Words;
    std::memcpy(Words.data(), At, Step);
    Words[0] ^= Crc;
    Crc = 0;
    for (size_t Word = 0; Word < Words.size(); ++Word)
      for (size_t Byte = 0; Byte < 4; ++Byte)
        Crc ^= Tables[Step - 1 - 4 * Word - Byte][(Words[Word] >> 8 * Byte) & 0xFF];
  }
  for (; Left != 0; --Left, ++At)
    Crc = (Crc >> 8) ^ Tables[0][(Crc ^ static_cast<uint32_t>(*At)) & 0xFF];
  return Crc;
}

uint32_t crc32(std::span<const std::byte> Bytes, size_t SkipBegin) {
  constexpr std::array<std::byte, 4> Zero{};
  uint32_t Crc = crcUpdate(~0u, Bytes.first(SkipBegin));
  Crc = crcUpdate(Crc, Zero);
  return ~crcUpdate(Crc, Bytes.subspan(SkipBegin + Zero.size()));
}

uint32_t crc32(const MappedFile &File, size_t SkipBegin) {
  constexpr std::array<std::byte, 4> Zero{};
  constexpr size_t Part = size_t(1) << 20;
  std::span<const std::byte> Bytes = File.bytes();
  uint32_t Crc = crcUpdate(crcUpdate(~0u, Bytes.first(SkipBegin)), Zero);
  for (size_t At = SkipBegin + Zero.size(); At < Bytes.size();) {
    size_t Length = std::min(Part, Bytes.size() - At);
    Crc = crcUpdate(Crc, Bytes.subspan(At, Length));
    File.forget(At, At + Length);
    At += Length;
  }
  return ~Crc;
}

static bool fail(Problem &Why, uint64_t Offset, std::string Text) {
  Why.Offset = Offset;
  Why.Text = std::move(Text);
  return false;
}

std::optional<Shard> Shard::open(const std::string &Path, Problem &Why) {
  Why.Shard = Path.substr(Path.find_last_of('/') + 1);
  auto File = MappedFile::open(Path, Why.Text);
  if (!File)
    return std::nullopt;
  Shard Result(std::move(*File));
  Result.Name = Why.Shard;
  if (!Result.check(Why))
    return std::nullopt;
  return Result;
}

bool Shard::check(Problem &Why) {
  std::span<const std::byte> Bytes = File.bytes();
  if (Bytes.size() < sizeof(sw_header))
    return fail(Why, Bytes.size(), "truncated inside the header");
  std::memcpy(&Header, Bytes.data(), sizeof Header);
  if (Header.magic != SW_SHARD_MAGIC)
    return fail(Why, offsetof(sw_header, magic), "not a shard: wrong magic number");
  constexpr uint32_t Oldest = 2; // without the sections that came later
  if (Header.version < Oldest || Header.version > SW_SHARD_VERSION)
    return fail(Why, offsetof(sw_header, version),
                "shard version " + std::to_string(Header.version) + ", this tool reads versions " +
                    std::to_string(Oldest) + " to " + std::to_string(SW_SHARD_VERSION));
  if (Header.header_bytes < sizeof(sw_header) || Header.header_bytes > Bytes.size())
    return fail(Why, offsetof(sw_header, header_bytes), "impossible header size");
  if (Header.file_bytes > Bytes.size())
    return fail(Why, Bytes.size(), "truncated: " + std::to_string(Header.file_bytes) + " bytes were written");
  if (Header.file_bytes != Bytes.size())
    return fail(Why, offsetof(sw_header, file_bytes), "file is longer than its header says");
  if (Header.state > SW_STATE_CLOSED)
    return fail(Why, offsetof(sw_header, state), "unknown state");
  if (closed() && crc32(File, offsetof(sw_header, crc32)) != Header.crc32)
    return fail(Why, offsetof(sw_header, crc32), "checksum differs: the shard is corrupt");
  if (Header.world_size < 1 || Header.world_size > MaxRanks)
    return fail(Why, offsetof(sw_header, world_size), "impossible number of ranks");
  if (Header.world_rank < 0 || Header.world_rank >= Header.world_size)
    return fail(Why, offsetof(sw_header, world_rank), "rank outside the world");
  return readSections(Why) && checkTables(Why);
}

bool Shard::readSections(Problem &Why) {
  struct Wanted {
    uint32_t Kind;
    uint64_t EntryBytes, Alignment;
    Section *Target;
    bool Seen = false;
  };
  std::array<Wanted, 14> All{
      {{SW_SECTION_EVENTS, sizeof(sw_event), alignof(sw_event), &Events},
       {SW_SECTION_TABLE, offsetof(sw_call_stats, pieces), alignof(sw_call_stats), &Table},
       {SW_SECTION_PATHS, sizeof(sw_path), alignof(sw_path), &Paths},
       {SW_SECTION_COMMS, sizeof(sw_comm), alignof(sw_comm), &Comms},
       {SW_SECTION_MEMBERS, sizeof(int32_t), alignof(int32_t), &Members},
       {SW_SECTION_MODULES, sizeof(sw_module), alignof(sw_module), &Modules},
       {SW_SECTION_USAGE, offsetof(sw_usage, processors), alignof(sw_usage), &Usage},
       {SW_SECTION_THREADS, sizeof(sw_thread_totals), alignof(sw_thread_totals), &Threads},
       {SW_SECTION_RANKS, offsetof(sw_rank_summary, peak_bytes), alignof(sw_rank_summary), &Ranks},
       {SW_SECTION_REDUCED, sizeof(sw_reduced), alignof(sw_reduced), &Reduced},
       {SW_SECTION_PROGRESS, sizeof(sw_progress), alignof(sw_progress), &Progress},
       {SW_SECTION_FATE, sizeof(sw_fate), alignof(sw_fate), &Fate},
       {SW_SECTION_MOST, sizeof(sw_most), alignof(sw_most), &Most},
       {SW_SECTION_PHASES, sizeof(sw_phase), alignof(sw_phase), &Phases}}};
  uint64_t Size = Header.file_bytes;
  for (size_t Index = 0; Index < SW_MAX_SECTIONS; ++Index) {
    const sw_section &S = Header.sections[Index];
    uint64_t At = offsetof(sw_header, sections) + Index * sizeof(sw_section);
    if (S.kind == 0)
      continue;
    Wanted *Known = nullptr;
    for (Wanted &W : All)
      if (W.Kind == S.kind)
        Known = &W;
    if (!Known) // a later minor addition; nothing else refers to it
      continue;
    if (Known->Seen)
      return fail(Why, At, "section of kind " + std::to_string(S.kind) + " occurs twice");
    Known->Seen = true;
    if (S.entry_bytes < Known->EntryBytes || S.entry_bytes % Known->Alignment != 0)
      return fail(Why, At + offsetof(sw_section, entry_bytes), "impossible entry size");
    if (S.offset < Header.header_bytes || S.offset > Size || S.offset % Known->Alignment != 0)
      return fail(Why, At + offsetof(sw_section, offset), "section outside the file");
    if (S.capacity > (Size - S.offset) / S.entry_bytes)
      return fail(Why, At + offsetof(sw_section, capacity), "section longer than the file");
    if (S.used > S.capacity)
      return fail(Why, At + offsetof(sw_section, used), "more entries used than there are");
    // Events wrap and the table is open addressed: both use all slots.
    bool WholeCapacity = S.kind == SW_SECTION_EVENTS || S.kind == SW_SECTION_TABLE;
    *Known->Target =
        Section(File.bytes().data() + S.offset, S.offset, S.entry_bytes, WholeCapacity ? S.capacity : S.used);
  }
  for (const Wanted &W : All)
    if (!W.Seen && W.Kind != SW_SECTION_MEMBERS && W.Kind < SW_SECTION_USAGE)
      return fail(Why, offsetof(sw_header, sections), "section of kind " + std::to_string(W.Kind) + " is missing");

  Capacity = Events.size();
  if (Header.event_head > Capacity)
    return fail(Why, offsetof(sw_header, event_head), "event head longer than the event section");
  if (Header.event_count <= Capacity) {
    HeadEnd = TailBegin = Header.event_count;
    return true;
  }
  HeadEnd = Header.event_head;
  TailBegin = Header.event_count - (Capacity - Header.event_head);
  return true;
}

bool Shard::checkTables(Problem &Why) {
  for (uint64_t I = 0; I < Paths.size(); ++I)
    if (Paths.at<sw_path>(I).depth > SW_MAX_FRAMES)
      return fail(Why, Paths.offsetOf(I), "call path deeper than a path can be");
  for (uint64_t I = 0; I < Comms.size(); ++I) {
    sw_comm Comm = Comms.at<sw_comm>(I);
    if (Comm.members_first == UINT64_MAX)
      continue;
    if (Comm.members_first > Members.size() || Comm.size > Members.size() - Comm.members_first)
      return fail(Why, Comms.offsetOf(I), "members of a communicator outside their section");
    for (uint64_t M = 0; M < Comm.size; ++M) {
      int32_t World = Members.at<int32_t>(Comm.members_first + M);
      if (World < SW_PEER_OTHER || World >= Header.world_size)
        return fail(Why, Members.offsetOf(Comm.members_first + M), "member outside the world");
    }
  }
  for (uint64_t I = 0; I < Modules.size(); ++I) {
    sw_module Module = Modules.at<sw_module>(I);
    if (Module.begin > Module.end || Module.build_id_bytes > sizeof Module.build_id)
      return fail(Why, Modules.offsetOf(I), "impossible module");
  }
  for (uint64_t I = 0; I < Table.size(); ++I) {
    sw_call_stats Stats = Table.at<sw_call_stats>(I);
    if (Stats.count == 0)
      continue;
    if (closed() && !valid(Stats))
      return fail(Why, Table.offsetOf(I), "impossible entry in the call table");
  }
  return checkSummary(Why);
}

bool Shard::checkSummary(Problem &Why) {
  for (uint64_t I = 0; I < Ranks.size(); ++I) {
    int32_t World = Ranks.at<sw_rank_summary>(I).rank;
    if (World < 0 || World >= Header.world_size)
      return fail(Why, Ranks.offsetOf(I), "rank outside the world");
  }
  for (uint64_t I = 0; I < Reduced.size(); ++I) {
    auto Entry = Reduced.at<sw_reduced>(I);
    const sw_totals &All = Entry.all, &Most = Entry.most;
    if ((Entry.path != SW_NO_PATH && Entry.path >= Paths.size()) || Entry.most_rank < 0 ||
        Entry.most_rank >= Header.world_size || Entry.ranks == 0 || Entry.ranks > Ranks.size() || All.count == 0 ||
        Most.count > All.count || Most.ns > All.ns || All.bursts > All.count || All.burst_count > All.count ||
        Most.bursts > Most.count || Most.burst_count > Most.count)
      return fail(Why, Reduced.offsetOf(I), "impossible entry in a summary");
  }
  for (uint64_t I = 0; I < Most.size(); ++I) {
    auto Entry = Most.at<sw_most>(I);
    if ((Entry.path != SW_NO_PATH && Entry.path >= Paths.size()) || Entry.ranks == 0 || Entry.ranks > Ranks.size() ||
        Entry.count == 0 || Entry.partners > static_cast<uint32_t>(Header.world_size))
      return fail(Why, Most.offsetOf(I), "impossible entry in a summary");
  }
  return true;
}

bool Shard::valid(const sw_call_stats &Stats) const {
  return (Stats.path == SW_NO_PATH || Stats.path < Paths.size()) &&
         (Stats.comm == SW_NO_COMM || Stats.comm < Comms.size()) && Stats.peer >= SW_PEER_OTHER &&
         Stats.peer < Header.world_size && Stats.bursts <= Stats.count && Stats.burst_count <= Stats.count &&
         Stats.ticks_max <= Stats.ticks && Stats.burst_ticks <= Stats.ticks;
}

} // namespace stridewise::merge
