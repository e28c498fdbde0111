/* Threads that come and go: waves of them, each thread sending to its like on the other rank and to nobody, and
 * starting what the first thread completes. Then, if asked, more threads at a time than there are numbers.
 *
 *   threads WAVES THREADS CROWD */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 20, MOST = 512 };

struct job {
  int number, peer;
  MPI_Request started;
  double in, out;
};

static pthread_barrier_t all_there;

static void *talk(void *argument) {
  struct job *job = argument;
  double mine = job->number, theirs;
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Send(&mine, 1, MPI_DOUBLE, MPI_PROC_NULL, job->number, MPI_COMM_WORLD);
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, job->peer, 1 + job->number, &theirs, 1, MPI_DOUBLE, job->peer, 1 + job->number,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (theirs != mine)
      MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Irecv(&job->in, 1, MPI_DOUBLE, job->peer, 1000 + job->number, MPI_COMM_WORLD, &job->started);
  return NULL;
}

static void *crowd(void *argument) {
  struct job *job = argument;
  double mine = job->number;
  pthread_barrier_wait(&all_there);
  for (int i = 0; i < MESSAGES; ++i)
    MPI_Send(&mine, 1, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
  pthread_barrier_wait(&all_there);
  return NULL;
}

int main(int argc, char **argv) {
  static struct job jobs[MOST];
  static pthread_t threads[MOST];
  int rank, provided, waves = atoi(argv[1]), count = atoi(argv[2]), many = atoi(argv[3]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int wave = 0; wave < waves; ++wave) {
    for (int i = 0; i < count; ++i) {
      jobs[i] = (struct job){.number = i, .peer = 1 - rank};
      pthread_create(&threads[i], NULL, talk, &jobs[i]);
    }
    for (int i = 0; i < count; ++i)
      pthread_join(threads[i], NULL);
    for (int i = 0; i < count; ++i) {
      jobs[i].out = i;
      MPI_Send(&jobs[i].out, 1, MPI_DOUBLE, 1 - rank, 1000 + i, MPI_COMM_WORLD);
      MPI_Wait(&jobs[i].started, MPI_STATUS_IGNORE);
    }
  }
  if (many) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    pthread_barrier_init(&all_there, NULL, (unsigned)many);
    for (int i = 0; i < many; ++i) {
      jobs[i] = (struct job){.number = i};
      pthread_create(&threads[i], &small, crowd, &jobs[i]);
    }
    for (int i = 0; i < many; ++i)
      pthread_join(threads[i], NULL);
  }
  MPI_Finalize();
  return 0;
}
