/* What messages and collective calls cost within one node, with this MPI.
 *
 *   mpirun -n RANKS PROGRAM SECONDS CPU,CPU,… [PROBE]      rank i is bound to the i-th processor
 *
 * PROBE as in omp_costs.c.
 *
 * Between ranks 0 and 1: `message.BYTES` half a round trip, `send.BYTES` the time in a blocking send whose receive is
 * posted. Of all ranks: `barrier`, and `CALL.BYTES` from the first entry (all leave a barrier before) to the last exit.
 * Rank 0 chooses and announces the number of repetitions, so all ranks make the same calls.
 *
 * Rounds over all of them follow one another until the seconds are over. As in omp_costs.c, rounds in which the ranks'
 * processors got in each other's way are left out, and others measured for them.
 */
#include "measure.h"

#include <mpi.h>

enum { MostRounds = 201, FewestRounds = 5, Tag = 7, MostBytes = 4 << 20, Burst = 32 };

static int cpus[MostCpus];
static int rank, ranks;
static char *sent, *received;

static const int message_bytes[] = {8, 64, 512, 4096, 32768, 262144, MostBytes};
static const int send_bytes[] = {8, 512, 4096};
static const int collective_bytes[] = {8, 8192};

#define COUNT(ARRAY) (int)(sizeof(ARRAY) / sizeof(ARRAY)[0])

/* --- what is repeated: each returns its seconds for one, the same meaning on every rank -----------------------------
 */

static double round_trips(int bytes, long n) {
  double begin = seconds_now();
  for (long k = 0; k < n; ++k) {
    if (rank == 0) {
      MPI_Send(sent, bytes, MPI_BYTE, 1, Tag, MPI_COMM_WORLD);
      MPI_Recv(received, bytes, MPI_BYTE, 1, Tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(received, bytes, MPI_BYTE, 0, Tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(sent, bytes, MPI_BYTE, 0, Tag, MPI_COMM_WORLD);
    }
  }
  return (seconds_now() - begin) / (2.0 * (double)n);
}

static double sends(int bytes, long n) {
  MPI_Request requests[Burst];
  MPI_Status statuses[Burst];
  double inside = 0;
  for (long k = 0; k < n; ++k) {
    if (rank == 1)
      for (int i = 0; i < Burst; ++i)
        MPI_Irecv(received + i * bytes, bytes, MPI_BYTE, 0, Tag, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      double begin = seconds_now();
      for (int i = 0; i < Burst; ++i)
        MPI_Send(sent, bytes, MPI_BYTE, 1, Tag, MPI_COMM_WORLD);
      inside += seconds_now() - begin;
    } else if (rank == 1) {
      MPI_Waitall(Burst, requests, statuses);
    }
  }
  return inside / ((double)n * Burst);
}

static double barriers(int bytes, long n) {
  (void)bytes;
  double begin = seconds_now();
  for (long k = 0; k < n; ++k)
    MPI_Barrier(MPI_COMM_WORLD);
  return (seconds_now() - begin) / (double)n;
}

/* The mean over n calls of the longest time that a rank spends in one, entered together. */
#define COLLECTIVE(NAME, CALL)                                                                                         \
  static double NAME(int bytes, long n) {                                                                              \
    double inside = 0, longest = 0;                                                                                    \
    int count = bytes / (int)sizeof(double);                                                                           \
    (void)count;                                                                                                       \
    for (long k = 0; k < n; ++k) {                                                                                     \
      MPI_Barrier(MPI_COMM_WORLD);                                                                                     \
      double begin = seconds_now();                                                                                    \
      CALL;                                                                                                            \
      inside += seconds_now() - begin;                                                                                 \
    }                                                                                                                  \
    MPI_Allreduce(&inside, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);                                          \
    return longest / (double)n;                                                                                        \
  }

COLLECTIVE(broadcasts, MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD))
COLLECTIVE(reduces, MPI_Reduce(sent, received, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD))
COLLECTIVE(allreduces, MPI_Allreduce(sent, received, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))
COLLECTIVE(gathers, MPI_Gather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, 0, MPI_COMM_WORLD))
COLLECTIVE(allgathers, MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD))
COLLECTIVE(alltoalls, MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD))

static const struct {
  const char *name;
  double (*run)(int, long);
} collectives[] = {{"MPI_Bcast", broadcasts}, {"MPI_Reduce", reduces},       {"MPI_Allreduce", allreduces},
                   {"MPI_Gather", gathers},   {"MPI_Allgather", allgathers}, {"MPI_Alltoall", alltoalls}};

/* --- sampling -------------------------------------------------------------------------------------------------------
 */

enum { MostKinds = COUNT(message_bytes) + COUNT(send_bytes) + 1 + COUNT(collectives) * COUNT(collective_bytes) };

static struct {
  const char *name;
  int bytes;
  double (*run)(int, long);
  long n; /* repetitions */
} kinds[MostKinds];
static int kind_count;

static struct {
  double seconds[MostKinds];
  int disturbed;
} rounds[MostRounds];

static void add(const char *name, int bytes, double (*run)(int, long)) {
  kinds[kind_count].name = name;
  kinds[kind_count].bytes = bytes;
  kinds[kind_count++].run = run;
}

static void add_kinds(void) {
  if (ranks == 2) {
    for (int i = 0; i < COUNT(message_bytes); ++i)
      add("message", message_bytes[i], round_trips);
    for (int i = 0; i < COUNT(send_bytes); ++i)
      add("send", send_bytes[i], sends);
  }
  add("barrier", 0, barriers);
  for (int c = 0; c < COUNT(collectives); ++c)
    for (int i = 0; i < COUNT(collective_bytes); ++i)
      add(collectives[c].name, collective_bytes[i], collectives[c].run);
}

/* Repetitions that take as long as a sample should. */
static void choose_repetitions(double sample_seconds) {
  for (int k = 0; k < kind_count; ++k) {
    (void)kinds[k].run(kinds[k].bytes, 4);
    for (long next = 4; next;) {
      kinds[k].n = next;
      double took = seconds_now();
      (void)kinds[k].run(kinds[k].bytes, next);
      took = seconds_now() - took;
      next = took >= sample_seconds || next >= 1L << 24 ? 0 : next * (took * 4 < sample_seconds ? 4 : 2);
      MPI_Bcast(&next, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
  }
}

static void sleep_until(double moment) {
  for (double left; (left = moment - seconds_now()) > 0;) {
    struct timespec rest = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
    nanosleep(&rest, NULL);
  }
}

static double alone; /* the seconds of this rank's probe while the others slept */

/* One rank after another: none waits in the library, where it may look for messages in a loop. */
static void probe_in_turns(void) {
  const double turn = 0.003;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = seconds_now() + turn;
  sleep_until(begin + rank * turn);
  alone = probe_alone(turn / 2);
  sleep_until(begin + ranks * turn);
}

/* Whether the ranks' processors get in each other's way now: on every rank the same answer. */
static int disturbed(void) {
  int any = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  int mine = probe() > InTheWay * alone;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any;
}

static void settle(double seconds) {
  double begin = seconds_now();
  for (int quiet = 0, go_on = 1; go_on;) {
    quiet = disturbed() ? 0 : quiet + 1;
    go_on = quiet < QuietProbes && seconds_now() - begin < seconds;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

/* Fills rounds until the seconds since `begin` are over; returns how many, in *quiet those that count. */
static int measure_rounds(double begin, double budget, int *quiet) {
  int count = 0, before = disturbed();
  for (*quiet = 0; count < MostRounds; ++count) {
    double most = count < FewestRounds ? 10 : *quiet < FewestRounds ? 1.25 : 1;
    int go_on = !count || seconds_now() - begin < most * budget;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!go_on)
      break;
    for (int k = 0; k < kind_count; ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      rounds[count].seconds[k] = kinds[k].run(kinds[k].bytes, kinds[k].n);
    }
    int after = disturbed();
    rounds[count].disturbed = before || after;
    *quiet += !rounds[count].disturbed;
    before = after;
  }
  return count;
}

static void print_rounds(int count, int quiet) {
  printf("info disturbed %d of %d\n", count - quiet, count);
  for (int round = 0; round < count; ++round) {
    if (quiet && rounds[round].disturbed)
      continue;
    for (int k = 0; k < kind_count; ++k)
      if (kinds[k].bytes)
        printf("sample %s.%d %.4e\n", kinds[k].name, kinds[k].bytes, rounds[round].seconds[k]);
      else
        print_sample(kinds[k].name, rounds[round].seconds[k]);
  }
}

static void print_version(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, "\r\n")] = 0;
  printf("info version %s\n", text);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 && argc != 4)
    refuse("usage: mpirun -n RANKS PROGRAM SECONDS CPU,CPU,... [PROBE]");
  if (ranks < 2 || read_cpus(argv[2], cpus) < ranks)
    refuse("there must be two ranks, and a processor for each");
  double budget = read_seconds(argv[1]);
  pin(cpus[rank]);
  size_t bytes = (size_t)ranks * 8192 > MostBytes ? (size_t)ranks * 8192 : MostBytes;
  sent = calloc(1, bytes), received = calloc(1, bytes);
  if (!sent || !received)
    refuse("there is too little memory for the messages");
  memset(received, 0, bytes);
  if (rank == 0)
    print_version();

  probe_in_turns();
  if (rank == 0)
    printf("info probe %.4e\n", alone);
  if (argc == 4 && read_probe(argv[3]) < alone)
    alone = read_probe(argv[3]);
  settle(LongestSettling * budget);
  add_kinds();
  double begin = seconds_now();
  choose_repetitions(budget / 70 / kind_count);
  int quiet = 0, count = measure_rounds(begin, budget, &quiet);
  if (rank == 0)
    print_rounds(count, quiet);
  MPI_Finalize();
  free(sent);
  free(received);
  return 0;
}
