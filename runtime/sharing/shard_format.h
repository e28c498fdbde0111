/* The shard of a false-sharing run: one file per process, written when it ends. All numbers little endian, no pointers;
 * addresses as they were in the process, to be told apart by the list of modules. A reader
 * (stridewise/runs/sharing/shards.py) trusts nothing in it: sections lie where the directory says, entries may be
 * longer than it knows.
 */
#ifndef STRIDEWISE_SHARING_FORMAT_H
#define STRIDEWISE_SHARING_FORMAT_H

#include <stdint.h>

#define SW_SHARING_MAGIC UINT64_C(0x3152414853575253) /* "SRWSHAR1" in memory order */
#define SW_SHARING_VERSION 2u

enum sw_sharing_kind { SW_OF_REGIONS = 1, SW_OF_GROUPS = 2, SW_OF_SEEN = 3, SW_OF_MODULES = 4, SW_SECTIONS = 4 };

struct sw_sharing_section {
  uint32_t kind, entry_bytes;
  uint64_t offset, count;
};

struct sw_sharing_header {
  uint64_t magic;
  uint32_t version, header_bytes;
  uint64_t file_bytes;
  uint32_t crc32; /* zlib's CRC-32 of the whole file with this field zero */
  uint32_t line_bytes;
  int32_t pid, rank; /* rank: of MPI's launcher, -1 without */
  uint64_t lost_teams, lost_records, lost_groups, lost_blocks, lost_seen, lost_regions;
  char host[64];
  char executable[256];
  struct sw_sharing_section sections[SW_SECTIONS];
};

struct sw_sharing_region {
  uint64_t pc, executions, watched, threads, nanoseconds;
  uint64_t by_threads; /* 1: the program's own threads; then the calls by which they were started, innermost first */
  uint64_t callers[10];
};

struct sw_sharing_object {
  uint32_t place, reserved;
  uint64_t begin, size, callers[6];
};

struct sw_sharing_group {
  uint32_t region, members;
  struct sw_sharing_object objects[2];
  uint64_t line; /* of the example, and two threads in it: their first byte in the line, and how far they reach;
                    bit 31: they only read */
  uint32_t member[2], offset[2], bytes[2];
  double transfers, sampled_transfers, accesses, writes, lines;
  uint64_t sampled_lines, epochs;
  struct {
    uint64_t pc; /* bit 63: a store */
    double transfers;
  } sites[8];
};

struct sw_sharing_seen {
  uint64_t pc;
  uint32_t region, most_members;
  uint64_t accesses;
  double transfers;
};

struct sw_sharing_module {
  uint64_t base, low, high; /* load address; first and last byte mapped */
  char build_id[48];        /* hexadecimal */
  char path[256];
};

#endif
