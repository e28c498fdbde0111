/* What messages and collective calls cost within one node, with this MPI.
 *
 *   mpirun -n RANKS PROGRAM SECONDS CPU,CPU,…      rank i is bound to the i-th processor
 *
 * Between ranks 0 and 1: `message.BYTES` half a round trip, `send.BYTES` the time in a blocking send whose receive is
 * posted. Of all ranks: `barrier`, and `CALL.BYTES` from the first entry (all leave a barrier before) to the last exit.
 * Rank 0 chooses and announces the number of repetitions, so all ranks make the same calls.
 */
#include "measure.h"

#include <mpi.h>

enum { MostRounds = 61, FewestRounds = 5, Tag = 7, MostBytes = 4 << 20, Burst = 32 };

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

/* Short samples, many of them: what else the machine does hits few of them then. */
static void measure(const char *name, int bytes, double (*run)(int, long), double budget) {
  double sample_seconds = budget / (MostRounds + 10), begin = seconds_now();
  long n = 4;
  (void)run(bytes, n);
  for (;;) {
    double took = seconds_now();
    (void)run(bytes, n);
    took = seconds_now() - took;
    long next = took >= sample_seconds || n >= 1L << 24 ? 0 : n * (took * 4 < sample_seconds ? 4 : 2);
    MPI_Bcast(&next, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (!next)
      break;
    n = next;
  }
  for (int round = 0; round < MostRounds; ++round) {
    int go_on = seconds_now() - begin < (round < FewestRounds ? 10 : 1) * budget;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!go_on)
      break;
    MPI_Barrier(MPI_COMM_WORLD);
    double each = run(bytes, n);
    if (rank != 0)
      continue;
    if (bytes)
      printf("sample %s.%d %.4e\n", name, bytes, each);
    else
      print_sample(name, each);
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
  if (argc != 3)
    refuse("usage: mpirun -n RANKS PROGRAM SECONDS CPU,CPU,...");
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

  int kinds = COUNT(message_bytes) + COUNT(send_bytes) + 1 + COUNT(collectives) * COUNT(collective_bytes);
  double each = budget / kinds;
  if (ranks == 2) {
    for (int i = 0; i < COUNT(message_bytes); ++i)
      measure("message", message_bytes[i], round_trips, each);
    for (int i = 0; i < COUNT(send_bytes); ++i)
      measure("send", send_bytes[i], sends, each);
  }
  measure("barrier", 0, barriers, each);
  for (int c = 0; c < COUNT(collectives); ++c)
    for (int i = 0; i < COUNT(collective_bytes); ++i)
      measure(collectives[c].name, collective_bytes[i], collectives[c].run, each);
  MPI_Finalize();
  free(sent);
  free(received);
  return 0;
}
