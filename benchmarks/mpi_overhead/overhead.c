/* Times MPI calls as a program sees them: prints "<name> <nanoseconds per call>" lines on rank 0, each the best of
 * several rounds. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double buffer[512];

/* A send through a few functions, as programs have them. */
#define LEVEL(n, next)                                                                                                 \
  __attribute__((noinline)) static int level##n(int count, int peer) {                                                 \
    int rc = next(count, peer);                                                                                        \
    __asm__ volatile("");                                                                                              \
    return rc + 1;                                                                                                     \
  }
__attribute__((noinline)) static int level0(int count, int peer) {
  int rc = MPI_Send(buffer, count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
  __asm__ volatile("");
  return rc + 1;
}
LEVEL(1, level0)
LEVEL(2, level1)
LEVEL(3, level2)
LEVEL(4, level3)

static double best_probe(int rounds, int calls) {
  double best = 1e30;
  int flag;
  for (int r = 0; r < rounds; ++r) {
    double begin = now_ns();
    for (int i = 0; i < calls; ++i)
      MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    double each = (now_ns() - begin) / calls;
    best = each < best ? each : best;
  }
  return best;
}

static double best_null(int rounds, int calls, int count, int (*send)(int, int)) {
  double best = 1e30;
  for (int r = 0; r < rounds; ++r) {
    double begin = now_ns();
    for (int i = 0; i < calls; ++i)
      send(count, MPI_PROC_NULL);
    double each = (now_ns() - begin) / calls;
    best = each < best ? each : best;
  }
  return best;
}

/* Two messages to nobody and the wait for both: three calls. */
static double best_nonblocking(int rounds, int calls) {
  double best = 1e30;
  for (int r = 0; r < rounds; ++r) {
    double begin = now_ns();
    for (int i = 0; i < calls; ++i) {
      MPI_Request requests[2];
      MPI_Irecv(buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    double each = (now_ns() - begin) / calls / 3;
    best = each < best ? each : best;
  }
  return best;
}

static double best_collective(int rounds, int calls) {
  double best = 1e30, out;
  for (int r = 0; r < rounds; ++r) {
    double begin = now_ns();
    for (int i = 0; i < calls; ++i)
      MPI_Allreduce(buffer, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    double each = (now_ns() - begin) / calls;
    best = each < best ? each : best;
  }
  return best;
}

/* A message to itself, whose payload the interposer looks at. No two alike in a row: in a run of messages it looks at
 * none. */
static double best_self(int rounds, int calls, int bytes) {
  char *out = calloc(1, (size_t)bytes), *in = calloc(1, (size_t)bytes);
  double best = 1e30;
  for (int r = 0; r < rounds; ++r) {
    double begin = now_ns();
    for (int i = 0; i < calls; ++i)
      MPI_Sendrecv(out, bytes, MPI_BYTE, 0, i & 1, in, bytes, MPI_BYTE, 0, i & 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    double each = (now_ns() - begin) / calls;
    best = each < best ? each : best;
  }
  free(out);
  free(in);
  return best;
}

/* So many messages, no two alike in a row, each an event of its own; then what the process holds in memory. */
static void many_events(long count) {
  char line[256];
  for (long i = 0; i < count; ++i)
    MPI_Send(buffer, 1 + (int)(i & 1), MPI_DOUBLE, MPI_PROC_NULL, (int)(i & 1), MPI_COMM_WORLD);
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    long kilobytes;
    if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1)
      printf("resident_kilobytes %ld\n", kilobytes);
  }
  if (status)
    fclose(status);
}

static double best_ping_pong(int rounds, int trips, int rank) {
  double best = 1e30;
  int peer = 1 - rank;
  for (int r = 0; r < rounds; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    for (int i = 0; i < trips; ++i)
      if (rank == 0) {
        MPI_Send(buffer, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
        MPI_Recv(buffer, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(buffer, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, 1, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
      }
    double half = (now_ns() - begin) / trips / 2;
    best = half < best ? half : best;
  }
  return best;
}

/* Two threads that send at the same time, each with tags of its own: processor time of a call, waiting for one another
 * included, time without a processor not. */
enum { TEAM = 2 };
static int team_calls;
static atomic_int arrived;

static double thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct member {
  int number;
  double each;
};

static void *team_member(void *argument) {
  struct member *member = argument;
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < TEAM)
    ;
  double begin = thread_ns();
  for (int i = 0; i < team_calls; ++i)
    MPI_Send(buffer, 1 + (i & 1), MPI_DOUBLE, MPI_PROC_NULL, 2 * member->number + (i & 1), MPI_COMM_WORLD);
  member->each = (thread_ns() - begin) / team_calls;
  return NULL;
}

static int threaded(int rounds, int calls) {
  int provided;
  pthread_t threads[TEAM];
  struct member members[TEAM];
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  team_calls = 20 * rounds * calls;
  for (int i = 0; i < TEAM; ++i) {
    members[i] = (struct member){.number = i};
    pthread_create(&threads[i], NULL, team_member, &members[i]);
  }
  for (int i = 0; i < TEAM; ++i)
    pthread_join(threads[i], NULL);
  if (provided == MPI_THREAD_MULTIPLE)
    printf("threads_send %.1f\n", (members[0].each + members[1].each) / TEAM);
  MPI_Finalize();
  return 0;
}

int main(int argc, char **argv) {
  int rank, size;
  if (getenv("OVERHEAD_THREADS"))
    return threaded(argc > 1 ? atoi(argv[1]) : 20, argc > 2 ? atoi(argv[2]) : 2000);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *events = getenv("OVERHEAD_EVENTS");
  if (events) {
    if (rank == 0)
      many_events(atol(events));
    MPI_Finalize();
    return 0;
  }
  int rounds = argc > 1 ? atoi(argv[1]) : 20, calls = argc > 2 ? atoi(argv[2]) : 2000;
  if (rank == 0) {
    printf("iprobe %.1f\n", best_probe(rounds, calls));
    printf("send_null %.1f\n", best_null(rounds, calls, 1, level0));
    printf("send_null_deep %.1f\n", best_null(rounds, calls, 1, level4));
    printf("nonblocking %.1f\n", best_nonblocking(rounds, calls));
    printf("allreduce_self %.1f\n", best_collective(rounds, calls));
    for (int bytes = 4096; bytes <= 1 << 20; bytes *= 16)
      printf("self_%d %.1f\n", bytes, best_self(rounds, 200, bytes));
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (size >= 2 && rank < 2) {
    double half = best_ping_pong(rounds, calls, rank);
    if (rank == 0)
      printf("ping_pong_half %.1f\n", half);
  }
  if (getenv("OVERHEAD_EXIT")) { /* leaves the shard as it is while a program runs */
    MPI_Barrier(MPI_COMM_WORLD);
    fflush(stdout);
    _exit(0);
  }
  MPI_Finalize();
  return 0;
}
