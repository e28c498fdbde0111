/* Which thread touches which bytes of which cache line, within one team and between two of its barriers.
 *
 * The pass (SharingPass.cpp) calls __stridewise_sharing_load and _store. watch.c keeps, for each thread, a small table
 * of the lines that it touched lately. What falls out of it, and all of it at a barrier, goes to the log of the team
 * (teams.c, which OMPT tells of regions and barriers). When no thread can add to the time between two barriers any
 * more, conflicts.c sorts the log by line and adds up what the threads' accesses to one line cost each other.
 * shard.c writes the sums when the program ends.
 *
 * Threads that share a core never touch a line at the same moment, nor do those that started late: real interleaving
 * says little. So each thread's own clock is the number of its accesses since the barrier, and threads are taken to
 * advance alike; where work is handed out dynamically, the time-stamp counter is looked at as well.
 *
 * A run may be limited to the parallel loops that findings of the source name (lines.c).
 *
 * Cost is bounded in three ways. Of the executions of a region the first ones are watched, then ever fewer. Within one,
 * a thread watches all lines in windows of its clock: [0, W), [4W, 5W), [16W, 17W), [64W, 65W), [128W, 129W), …; in
 * between only one line in 64, the same for all threads, so that elements handed out late are seen as well. Memory is
 * fixed for each thread.
 */
#ifndef STRIDEWISE_SHARING_H
#define STRIDEWISE_SHARING_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SW_LINE_SHIFT 6
#define SW_LINE_BYTES (1u << SW_LINE_SHIFT)
#define SW_HASH UINT64_C(0x9E3779B97F4A7C15)

#define SW_WINDOW UINT64_C(32768)    /* accesses of a thread in a window */
#define SW_FARTHEST (64 * SW_WINDOW) /* from the begin of a window to that of the next one, at most */
#define SW_THIN_BITS 6               /* outside the windows: one line in 64 */
#define SW_THIN_MASK (~UINT64_C(0) << (64 - SW_THIN_BITS))
#define SW_REUSE UINT64_C(8192)        /* accesses after which a line may have left the first-level cache anyway */
#define SW_SLACK UINT64_C(256)         /* accesses by which the threads' clocks may differ */
#define SW_SLACK_TICKS UINT64_C(30000) /* some 10 us: the time-stamp counter is read every 64th access */

#define SW_SITES 3   /* places in the program kept per thread and line */
#define SW_SETS 1024 /* lines of a thread's table: SW_SETS * SW_WAYS */
#define SW_WAYS 2
#define SW_TEAM_MAX 256   /* threads of a team that are told apart; larger teams are not watched */
#define SW_TEAMS 16       /* teams watched at a time */
#define SW_LOG (1u << 17) /* records of a team between two barriers */
#define SW_FRAMES 6       /* callers kept of an allocation */
#define SW_STARTERS 10    /* callers kept of the start of a thread */

#define SW_API __attribute__((visibility("default")))
#define SW_RARE(x) __builtin_expect(!!(x), 0)

/* What the instrumented code itself reads; the pass knows the layout. */
struct sw_sharing_state {
  uint64_t clock;    /* accesses since the last barrier */
  uint64_t turn;     /* clock at which to call __stridewise_sharing_turn */
  uint64_t mask;     /* a line is watched if its hash and the mask have no bit in common */
  uint64_t watching; /* which functions run instrumented: those whose levels have a bit of it; 0 for none */
};
#define SW_ALL UINT64_C(1)   /* a level of each function */
#define SW_NAMED UINT64_C(2) /* of functions of named lines, in a limited run (lines.c) */

/* A function and one of the files it was compiled from, as the pass tells it; a function may have several. */
struct sw_function {
  uint64_t *levels;
  const char *path;
  const uint32_t *lines;
  uint64_t count;
};

struct sw_site {
  uint64_t pc; /* return address; bit 63: a store */
  uint32_t count;
};
#define SW_STORE_BIT (UINT64_C(1) << 63)

/* One thread's accesses to one line between two barriers. */
struct sw_record {
  uint64_t line;          /* address >> SW_LINE_SHIFT; 0: free */
  uint64_t read, written; /* a bit for each byte */
  uint64_t first, last;   /* by the thread's clock */
  uint64_t first_tick, last_tick;
  uint32_t reads, writes;
  uint32_t reuses; /* accesses that would have found the line in the thread's own cache */
  uint32_t epoch;
  uint16_t member; /* number of the thread in its team */
  uint16_t last_was_load;
  struct sw_site sites[SW_SITES];
};

struct sw_thread;

/* The sums of one epoch over the members, by which counts in windows are extrapolated. */
struct sw_progress {
  uint64_t accesses, watched;
};

/* A team that is being watched. */
struct sw_team {
  atomic_flag lock;
  bool used;
  uint32_t region; /* index of sw_regions */
  uint32_t serial; /* from 1: which execution of any region this is */
  uint32_t size;
  uint32_t epoch;                 /* the newest that a record belongs to */
  uint32_t count;                 /* records in the log */
  uint64_t log_mask;              /* a line with few accesses is kept if its hash and the mask have no bit in common */
  struct sw_progress progress[4]; /* of the latest epochs, by the lowest two bits of their number */
  struct sw_thread *members[SW_TEAM_MAX];
  struct sw_record *log;
  uint32_t *order; /* room for sorting the log */
  uint64_t start;  /* in nanoseconds */
  bool threads;    /* the program's own (threads.c); of each, when it was started and joined */
  uint64_t started[SW_TEAM_MAX], joined[SW_TEAM_MAX];
};

/* The team that a thread works in, and how far it has come. */
struct sw_context {
  struct sw_team *team;
  uint32_t member, epoch;
  uint64_t window_end;   /* clock at which the window ends; 0 outside windows */
  uint64_t window_begin; /* of this window or the next one */
  uint64_t windows;      /* accesses in windows that have ended */
  uint64_t level;        /* of `watching`, while the thread works in this team */
};

#define SW_DEPTH 8

struct sw_thread {
  struct sw_sharing_state *state;
  struct sw_context context;
  struct {
    struct sw_context context;
    struct sw_sharing_state state;
  } outer[SW_DEPTH]; /* of the teams that the thread came from by nested regions */
  uint32_t depth;
  uint64_t tick; /* the time-stamp counter, lately */
  uint32_t until_tick;
  uint32_t held; /* lines in the table */
  struct sw_record table[SW_SETS][SW_WAYS];
};

struct sw_region {
  uint64_t pc; /* the call that starts it; 0: free */
  uint64_t executions, watched, threads;
  uint64_t nanoseconds; /* of the watched executions */
  atomic_bool named;    /* it came by a named line */
  bool by_threads;      /* the program's own; then `pc` is the innermost of these callers */
  uint64_t callers[SW_STARTERS];
};
#define SW_REGIONS 1024u

enum sw_place { SW_PLACE_UNKNOWN = 0, SW_PLACE_HEAP = 1, SW_PLACE_STATIC = 2, SW_PLACE_STACK = 3 };

struct sw_object {
  uint32_t place;
  uint32_t thread;      /* of a stack: 0 for the program's first thread, else 1 */
  uint64_t begin, size; /* address and bytes, where known */
  uint64_t callers[SW_FRAMES];
};

#define SW_GROUP_SITES 8
#define SW_ONLY_READS (1u << 31) /* in `bytes` of a group: this thread writes none of them */

/* The conflicts of one region, one kind of object and one most active store. */
struct sw_group {
  uint32_t region;
  uint32_t members;               /* largest number of threads in one line */
  struct sw_object object, other; /* of two threads' bytes; the same where one object holds both */
  uint64_t key_site;
  uint64_t example;                        /* address of the first byte of the line of the example */
  uint32_t member[2], offset[2], bytes[2]; /* two threads of the example, where they write, how much */
  double transfers;         /* each line once: sampled lines exactly, others as the windows showed them */
  double sampled_transfers; /* of the lines that were watched all the time */
  double accesses, writes;
  double lines; /* as seen, not extrapolated */
  uint64_t sampled_lines;
  uint64_t epochs, last_epoch; /* how many times between barriers showed it, and the last of them */
  struct {
    uint64_t pc;
    double weight;
  } sites[SW_GROUP_SITES];
};
#define SW_GROUPS 512u

/* What was seen of one place in the program, whether it was in conflict or not. */
struct sw_seen {
  uint64_t pc;
  uint32_t region, most_members;
  uint64_t accesses;
  double transfers;
};
#define SW_SEEN 8192u

extern struct sw_region sw_regions[SW_REGIONS];
extern struct sw_group sw_groups[SW_GROUPS];
extern struct sw_seen sw_seens[SW_SEEN];
extern struct sw_losses {
  atomic_ullong teams, records, groups, blocks, seen, regions;
} sw_lost; /* what found no room */

static inline uint64_t sw_hash(uint64_t line) { return line * SW_HASH; }

/* The holder may have lost its core to the one that waits. */
static inline void sw_lock(atomic_flag *lock) {
  for (unsigned tries = 1; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); ++tries)
    if (tries % 64 == 0)
      sched_yield();
}
static inline void sw_unlock(atomic_flag *lock) { atomic_flag_clear_explicit(lock, memory_order_release); }

/* watch.c */
struct sw_thread *sw_self(void); /* NULL where no memory is left */
void sw_begin_epoch(struct sw_thread *thread);
void sw_flush(struct sw_thread *thread); /* the table to the team's log */
void sw_stop(struct sw_thread *thread);
void sw_forget_self(void); /* the thread ends */
uint64_t sw_ticks(void);

/* teams.c */
void sw_log(struct sw_team *team, const struct sw_record *record);
bool sw_enabled(void);
struct sw_team *sw_open_team(const uint64_t callers[SW_STARTERS]); /* NULL: not this time */
void sw_close_team(struct sw_team *team);
bool sw_join_team(struct sw_thread *thread, struct sw_team *team, uint32_t member);
void sw_leave_team(struct sw_thread *thread);

/* threads.c */
void sw_remember_module(const void *address);
void sw_end_threads(void);

/* lines.c */
void sw_read_lines(void);
bool sw_limited(void);

/* conflicts.c: removes the records of that epoch and of older ones from the log. The team is locked. */
void sw_settle(struct sw_team *team, uint32_t epoch);

/* allocations.c */
bool sw_find_block(uint64_t address, struct sw_object *out);
bool sw_is_block(uint64_t begin, uint64_t size); /* whether it still is one */

/* shard.c */
void sw_write_shard(void);

#endif
