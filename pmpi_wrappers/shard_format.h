/* The shard: what one rank leaves behind.
 *
 * One file per rank, mapped MAP_SHARED while the program runs, so that the kernel keeps every completed store even when
 * the process dies of SIGKILL. All integers little endian and naturally aligned; no pointers; every array has a fixed
 * capacity chosen at MPI_Init, so memory does not grow with the run. The writer is pmpi_wrappers/, the reader
 * runtime/merge/. Layout: one sw_header, then the sections that its directory names, each an array of fixed-size
 * entries. A reader must treat every number in the file as untrusted.
 */
#ifndef STRIDEWISE_SHARD_FORMAT_H
#define STRIDEWISE_SHARD_FORMAT_H

#include <stdint.h>

#define SW_SHARD_MAGIC UINT64_C(0x3144485344495254) /* "TRIDSHD1" in memory order */
#define SW_SHARD_VERSION 3u /* a reader of 3 reads 2 as well: sections were added, nothing changed its place */
#define SW_MAX_SECTIONS 16
#define SW_BURST_GAP_NS 5000.0 /* computation that ends a burst of messages to one rank, */
#define SW_BURST_GAP_CALLS 4   /* unless it takes less than so many of the calls that send them */
#define SW_MAX_FRAMES 8        /* callers kept per call path, innermost first */

/* Life of a shard. Anything below SW_STATE_CLOSED means the rank did not come to the end of MPI_Finalize. */
enum sw_state { SW_STATE_OPENED = 0, SW_STATE_RUNNING = 1, SW_STATE_FINALIZING = 2, SW_STATE_CLOSED = 3 };

enum sw_flavour { SW_MPI_UNKNOWN = 0, SW_MPI_OPENMPI = 1, SW_MPI_MPICH = 2 };

enum sw_section_kind {
  SW_SECTION_EVENTS = 1,    /* sw_event: a head that is never overwritten, then a ring of the latest */
  SW_SECTION_TABLE = 2,     /* sw_call_stats: open addressed, count == 0 means free */
  SW_SECTION_PATHS = 3,     /* sw_path */
  SW_SECTION_COMMS = 4,     /* sw_comm */
  SW_SECTION_MEMBERS = 5,   /* int32_t world ranks, pooled for the communicators */
  SW_SECTION_MODULES = 6,   /* sw_module */
  SW_SECTION_USAGE = 7,     /* sw_usage, one entry, refreshed now and then; not in older shards */
  SW_SECTION_THREADS = 8,   /* sw_thread_totals, by number of the thread; used under MPI_THREAD_SERIALIZED only */
  SW_SECTION_RANKS = 9,     /* sw_rank_summary: this shard is the summary of these ranks, see sw_reduced */
  SW_SECTION_REDUCED = 10,  /* sw_reduced */
  SW_SECTION_PROGRESS = 11, /* sw_progress, by number of the thread */
  SW_SECTION_FATE = 12,     /* sw_fate, one entry once something is about to end the process */
  SW_SECTION_MOST = 13,     /* sw_most, of a summary; not in older ones */
  SW_SECTION_PHASES = 14    /* sw_phase: those that the program has marked */
};

struct sw_section {
  uint32_t kind;
  uint32_t entry_bytes; /* size of one entry as written: a reader accepts a larger one and ignores the rest */
  uint64_t offset;      /* from the start of the file */
  uint64_t capacity;    /* entries that fit */
  uint64_t used;        /* entries valid now; for the event section see event_count */
};

/* One simultaneous reading of the three clocks. Event times are in ticks; two readings give the tick length. */
struct sw_clock {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};

struct sw_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes; /* sizeof(struct sw_header) of the writer */
  uint64_t file_bytes;
  uint32_t crc32;  /* zlib's CRC-32 of the whole file with this field zero; valid when state is CLOSED */
  uint32_t state;  /* enum sw_state */
  uint64_t job_id; /* the same on all ranks of one job */
  int32_t world_rank;
  int32_t world_size;
  uint32_t flavour;      /* enum sw_flavour */
  uint32_t thread_level; /* as provided by MPI_Init_thread */
  uint64_t pid;
  struct sw_clock begin;   /* after MPI_Init returned */
  struct sw_clock end;     /* before MPI_Finalize is entered; refreshed now and then while running */
  int64_t clock_offset_ns; /* add to monotonic_ns to get rank 0's monotonic clock; 0 on the same host */
  uint64_t clock_error_ns; /* bound of that offset */
  uint64_t mpi_ticks;      /* time of the initial thread in outermost MPI calls between begin and end */
  uint64_t call_count;     /* of all threads; of both, what is in sw_thread_totals comes in addition: of mpi_ticks, that
                              of the first entry */
  uint64_t event_count;    /* events ever recorded, also those overwritten since; under MPI_THREAD_SERIALIZED numbers
                              handed out to threads, which may leave some unused */
  uint64_t event_head;     /* the first event_head slots are never overwritten; later event e is in slot
                              event_head + (e - event_head) % (capacity - event_head) */
  uint64_t dropped_calls;  /* calls that found the table full: they are in call_count and mpi_ticks only */
  uint64_t dropped_paths;
  uint64_t dropped_requests;
  uint64_t dropped_comms;
  char host[64];
  char mpi_version[128];
  char executable[512];
  char command[1024];  /* argv joined by blanks, cut to fit */
  char directory[512]; /* working directory at MPI_Init: relative source paths are relative to a build, not to this */
  struct sw_section sections[SW_MAX_SECTIONS];
};

/* What an event is, as flags: one MPI call can leave several events (Sendrecv leaves a SEND and a RECV with the same
 * times; Waitall leaves one COMPLETE per finished request). */
enum sw_event_flags {
  SW_EV_SEND = 1u << 0,       /* data leaves this rank towards `peer` */
  SW_EV_RECV = 1u << 1,       /* data arrives from `peer` */
  SW_EV_COLLECTIVE = 1u << 2, /* on `comm`, not on a window or file; peer = root (world rank) or SW_PEER_NONE */
  SW_EV_START = 1u << 3,      /* non-blocking: only started here; `request` names it */
  SW_EV_COMPLETE = 1u << 4,   /* a wait or test finished `request`; for receives peer, tag, bytes are the actual ones */
  SW_EV_SYNCHRONOUS = 1u << 5, /* Ssend, Issend: completion implies the receive was posted */
  SW_EV_READY = 1u << 6,       /* Rsend: correctness depends on the receive being posted */
  SW_EV_BUFFERED = 1u << 7,    /* Bsend */
  SW_EV_ANY_SOURCE = 1u << 8,
  SW_EV_ANY_TAG = 1u << 9,
  SW_EV_PROBE = 1u << 10,     /* Probe, Iprobe, Mprobe, Improbe (only a successful one is recorded) */
  SW_EV_BARRIER = 1u << 11,   /* with COLLECTIVE */
  SW_EV_FULL_SYNC = 1u << 12, /* with COLLECTIVE: nobody leaves before all have entered, by the counts of this call */
  SW_EV_RMA = 1u << 13,
  SW_EV_IO = 1u << 14,    /* MPI-IO */
  SW_EV_WAIT = 1u << 15,  /* a completion call itself; a test that completed nothing leaves no event */
  SW_EV_TIMER = 1u << 16, /* MPI_Wtime: a barrier beside it delimits a measurement; repeated reads at one place: once */
  SW_EV_COMM = 1u << 17,  /* creates or frees communicators, windows or files */
  SW_EV_SENDRECV = 1u << 18, /* this SEND or RECV is half of one Sendrecv */
  SW_EV_OTHER_IO =
      1u << 19,           /* the thread wrote outside MPI since its last event, not to the standard output or error */
  SW_EV_RUN = 1u << 20,   /* with SEND or RECV alone: a run, see sw_event */
  SW_EV_PRINT = 1u << 22, /* the thread wrote to the standard output or error since its last event */
  SW_EV_BURST = 1u << 21  /* with RUN and SEND: every message of the run continues the burst of the one before it */
};

#define SW_PEER_NONE (-1)  /* no peer: barrier, allreduce, wait */
#define SW_PEER_ANY (-2)   /* a wildcard receive not yet matched */
#define SW_PEER_NULL (-3)  /* MPI_PROC_NULL: nothing moves */
#define SW_PEER_OTHER (-4) /* outside MPI_COMM_WORLD (spawned, intercommunicator) or over the table's limit */

/* A run stands for blocking messages, one call after the other with no other event between them, that agree in all but
 * times, buffer and number. They are numbered seq, seq + 1, ... (a run with MPI_PROC_NULL: not at all); begin is that
 * of the first call, end and address are those of the last. The writer lets a run grow in place: it sets repeat last,
 * so that a killed process leaves at most an end that is one message late. */
struct sw_event {
  uint64_t begin;  /* ticks when the call was entered; 0: no event is here, UINT64_MAX: it was being written */
  uint64_t end;    /* ticks when it returned */
  uint32_t flags;  /* enum sw_event_flags */
  uint16_t call;   /* row of mpi_calls.toml, see call_names in the trace */
  uint16_t thread; /* small thread number, 0 for the one that called MPI_Init; taken anew when a thread has ended */
  uint32_t path;   /* index into PATHS; SW_NO_PATH if unknown */
  uint32_t comm;   /* index into COMMS; SW_NO_COMM if unknown */
  int32_t peer;    /* world rank or SW_PEER_* */
  int32_t tag;     /* of partitioned messages plus SW_TAG_PARTITIONED: they match only one another */
  uint32_t seq;    /* SEND/RECV: number of this message in its channel (comm, source, destination, tag), from 0, counted
                      when it is started (posted), or when matched for wildcards; COLLECTIVE: number of this collective on
                      comm, from 0; else, and for a receive that was cancelled, SW_NO_SEQ */
  uint32_t bytes32; /* payload bytes, saturated at 2^32 - 1 */
  union {
    uint64_t request; /* serial number of the request from 1, 0 for blocking calls */
    uint64_t repeat;  /* RUN: messages, at least 1 */
  };
  uint64_t address; /* of the user's buffer (0 for none): bursts need distinct ones */
  union {
    uint64_t hash;      /* of the payload of sends, of a sample of those beyond SW_HASH_BYTES (0 when not taken) */
    uint64_t run_ticks; /* RUN: time in the calls; the rest up to end - begin was spent between them */
  };
};

#define SW_TAG_PARTITIONED INT32_MIN
#define SW_NO_PATH UINT32_MAX
#define SW_NO_COMM UINT32_MAX
#define SW_NO_SEQ UINT32_MAX /* the message or collective was not counted */
#define SW_HASH_BYTES 4096

/* Totals of one (call, path, comm, peer, size bucket); exact for the whole run, whatever happened to the events. Under
 * MPI_THREAD_SERIALIZED each thread has entries of its own, so that a reader adds up those that are alike. */
struct sw_call_stats {
  uint64_t count; /* 0: slot is free */
  uint64_t ticks;
  uint64_t ticks_max;
  uint64_t bytes;
  uint16_t call;
  uint16_t size_bucket; /* floor(log2(bytes)) + 1, 0 for no bytes */
  uint32_t path;
  uint32_t comm;
  int32_t peer;
  uint64_t first_ticks; /* begin of the first and of the last such call */
  uint64_t last_ticks;
  /* Bursts, for sends: runs of messages on one channel from different buffers, with nothing received from that peer, no
   * collective and no long computation in between. A run of one message is a burst too. */
  uint64_t bursts;
  uint64_t burst_max;   /* messages in the longest */
  uint64_t burst_ticks; /* time in the calls of bursts of two or more messages */
  uint64_t burst_count; /* messages in bursts of two or more */
  /* Of sends by a datatype with gaps; not in older shards, which end here. */
  uint64_t pieces; /* contiguous ones, of all messages together */
  uint64_t span;   /* bytes from the first to the last one of a message, of all messages together */
};

/* In the place of a row of mpi_calls.toml: what the program did outside MPI, see effects.c. Such totals are not in the
 * header's, and have neither communicator nor peer. */
#define SW_CALL_SLEEP 0xfff0u
#define SW_CALL_WRITE 0xfff1u    /* output, to a file or another process */
#define SW_CALL_PRINT 0xfff2u    /* output, to the standard output or error */
#define SW_CALL_ALLOCATE 0xfff3u /* memory that the program asks for; it takes no time here */

struct sw_path {
  uint32_t depth; /* frames valid */
  uint32_t flags; /* 1: cut at SW_MAX_FRAMES, 2: the caller is a Fortran binding; from SW_PATH_PHASE on the number of
                     the phase that the call was made in, from 1, or 0 */
  uint64_t frames[SW_MAX_FRAMES]; /* address inside the calling instruction (return address - 1), innermost first */
};

#define SW_PATH_PHASE 16

/* What the program has named, see phases.c. Other parts of the process's time are in no phase. */
struct sw_phase {
  char name[64];
  uint64_t ticks;       /* between begins and ends */
  uint64_t begin_ticks; /* of the present stay, 0 if there is none */
  uint64_t count;       /* stays */
  uint32_t flags;       /* enum sw_phase_flags */
  uint32_t unused;
};

enum sw_phase_flags {
  SW_PHASE_GUESSED = 1u << 0, /* the name is what followed the level 1 of MPI_Pcontrol, if anything did */
  SW_PHASE_SURE = 1u << 1     /* and what followed -1 */
};

struct sw_comm {
  uint64_t stable_id; /* the same on all members; 1 = MPI_COMM_WORLD, 2 = MPI_COMM_SELF */
  uint32_t size;
  int32_t rank;           /* of this process in it */
  uint64_t members_first; /* index into MEMBERS; UINT64_MAX: not kept (equal to the world, or too large) */
  uint64_t collectives;   /* collectives this rank has started on it */
};

/* The initial thread between MPI_Init and MPI_Finalize, by the system's scheduler. */
struct sw_usage {
  uint64_t running_ns;
  uint64_t queueing_ns;     /* ready to run, but other processes had the processors */
  uint32_t processors;      /* that it may run on; not in older shards, which end here */
  uint32_t first_processor; /* the lowest of them: ranks that are bound apart differ in it */
  uint64_t peak_bytes;      /* largest resident memory, without the shard's; not in older shards, which end here */
};

/* What one thread adds to the header, until MPI_Finalize adds it there. */
struct sw_thread_totals {
  uint64_t call_count;
  uint64_t mpi_ticks;
  uint64_t threads; /* that have had this number, one after the other; the last number is shared by all for whom there
                       was no other */
  uint64_t added_mpi_ticks; /* what was in mpi_ticks, once MPI_Finalize has added it up */
  uint64_t unused[4];
};

/* The latest call of a thread: in progress while `end` is 0. It is what a rank that hangs, or that is killed, was at.
 */
struct sw_progress {
  uint64_t begin; /* ticks; 0: the thread has made no call */
  uint64_t end;
  uint64_t pc;   /* inside the calling instruction */
  uint32_t path; /* SW_NO_PATH: the call site alone is known */
  uint32_t comm; /* index into COMMS; SW_NO_COMM if the call has none */
  uint16_t call;
  uint16_t what; /* enum sw_progress_flags */
  int32_t peer;  /* world rank or SW_PEER_*: receiver, sender or root, where the call names one */
  int32_t tag;
  uint32_t unused;
  uint64_t more[2];
};

enum sw_progress_flags {
  SW_PROGRESS_FORTRAN = 1u << 0,
  SW_PROGRESS_PEER = 1u << 1, /* the call has a peer or a root */
  SW_PROGRESS_TAG = 1u << 2,
  SW_PROGRESS_COLLECTIVE = 1u << 3 /* on `comm`, and blocking: number `collectives` of struct sw_comm */
};

enum sw_fate_kind {
  SW_FATE_SIGNAL = 1, /* a signal whose action ends the process, unless a handler of the program goes on */
  SW_FATE_ABORT = 2,  /* it has called MPI_Abort */
  SW_FATE_EXIT = 3    /* it has called exit, or returned from main, without MPI_Finalize */
};

#define SW_FATE_FRAMES 16

/* What ended the process, as far as the process itself could tell: not SIGKILL, not _exit. */
struct sw_fate {
  uint32_t kind;
  int32_t signal;
  int32_t code;     /* si_code of the signal; the error code of MPI_Abort */
  int32_t sender;   /* process that sent the signal, 0 if the processor or the kernel raised it */
  uint64_t address; /* that a fault was about */
  uint32_t thread;  /* number of the thread; SW_FATE_NO_THREAD of one that never called MPI */
  uint32_t depth;   /* of `frames`, innermost first, addresses inside the calling instruction but for the first of a
                       signal, which is the instruction itself */
  struct sw_clock clock;
  uint64_t frames[SW_FATE_FRAMES];
};

#define SW_FATE_NO_THREAD UINT32_MAX

/* A summary stands for the ranks that it lists, which have left it in place of shards of their own; of a few of them
 * there is a shard as well. It has no events, no communicators and an empty call table. Times are in nanoseconds. The
 * addresses of its modules and paths are made up, so that they are the same for all ranks. */
struct sw_rank_summary {
  int32_t rank; /* of the world */
  uint32_t thread_level;
  int64_t begin_ns; /* when it left MPI_Init, on rank 0's monotonic clock */
  uint64_t wall_ns;
  uint64_t mpi_ns;
  uint64_t queueing_ns;
  uint64_t call_count;
  uint64_t event_count;
  uint64_t dropped_calls, dropped_paths, dropped_requests, dropped_comms;
  uint64_t peak_bytes; /* as in sw_usage; not in older summaries, which end here */
  uint32_t processors;
  uint32_t unused;
};

/* See sw_call_stats. */
struct sw_totals {
  uint64_t count;
  uint64_t ns;
  uint64_t bytes;
  uint64_t bursts;
  uint64_t burst_max;
  uint64_t burst_ns;
  uint64_t burst_count;
  uint64_t pieces;
  uint64_t span;
};

/* Totals of one (call, path, size bucket) over all ranks of the summary, all peers and communicators. */
struct sw_reduced {
  struct sw_totals all;
  struct sw_totals most; /* of the one rank with the most time */
  int32_t most_rank;
  uint32_t ranks; /* that made such calls */
  uint32_t path;
  uint16_t call;
  uint16_t size_bucket;
  int32_t peer; /* 0 for any rank, else SW_PEER_* */
  uint32_t unused;
};

/* The largest of (call, path) over all ranks of the summary; each member may be of another rank. */
struct sw_most {
  uint64_t count;
  uint64_t bytes; /* but of messages that go nowhere */
  uint32_t path;
  uint16_t call;
  uint16_t unused;
  uint32_t partners; /* distinct ranks that the calls of one rank name */
  uint32_t ranks;    /* that made such calls */
};

struct sw_module {
  uint64_t begin; /* lowest and highest mapped address */
  uint64_t end;
  uint64_t bias; /* subtract from a runtime address to get the address in the file's own space */
  uint8_t build_id[20];
  uint32_t build_id_bytes;
  char path[232];
};

#endif
