// libFuzzer target: two shards of one job, with arbitrary bytes, through the reader and all analyses. A shard that
// calls itself closed gets the checksum of what it holds, so that mutations come past it.
//
//   cmake -DSTRIDEWISE_FUZZ=ON …; tests/merge/fuzz_seeds.py SEEDS; bin/stridewise-merge-fuzzer -max_total_time=600
//   SEEDS

#include "../Analyses.h"
#include "../Trace.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace stridewise::merge;

namespace {

/// A file in memory that is open for the life of the object.
class MemoryFile {
public:
  explicit MemoryFile(std::vector<std::byte> Bytes) : Descriptor(memfd_create("shard", 0)) {
    if (Bytes.size() >= sizeof(sw_header)) {
      uint32_t State = 0;
      std::memcpy(&State, Bytes.data() + offsetof(sw_header, state), sizeof State);
      if (State == SW_STATE_CLOSED) {
        uint32_t Sum = crc32(Bytes, offsetof(sw_header, crc32));
        std::memcpy(Bytes.data() + offsetof(sw_header, crc32), &Sum, sizeof Sum);
      }
    }
    if (write(Descriptor, Bytes.data(), Bytes.size()) != static_cast<ssize_t>(Bytes.size()))
      std::abort();
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() { close(Descriptor); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(Descriptor); }

private:
  int Descriptor;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 4)
    return 0;
  // The first four bytes divide the rest into the two files.
  uint32_t First = 0;
  std::memcpy(&First, Data, 4);
  const auto *Bytes = reinterpret_cast<const std::byte *>(Data) + 4;
  Size -= 4;
  First = static_cast<uint32_t>(std::min<size_t>(First, Size));
  MemoryFile A(std::vector<std::byte>(Bytes, Bytes + First)), B(std::vector<std::byte>(Bytes + First, Bytes + Size));
  Trace T = readTrace({A.path(), B.path()});
  if (T.Ranks.empty())
    return 0;
  Results R = analyse(T);
  traceJson(T, R);
  return 0;
}
