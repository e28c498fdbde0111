/* Ends in the way that its argument names: finalize, exit, abort, kill (rank 1 by SIGKILL), segv (rank 1), fork, exec,
 * spawn, errors, threads, many (a second argument says how many messages). */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void steps(int count) {
  int peer = 1 - rank;
  double a = rank, b;
  for (int i = 0; i < count; ++i)
    MPI_Sendrecv(&a, 1, MPI_DOUBLE, peer, 1, &b, 1, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *talk(void *argument) {
  int tag = *(int *)argument, peer = 1 - rank;
  double a[32], b[32];
  MPI_Request requests[2];
  memset(a, 0, sizeof a);
  for (int i = 0; i < 100; ++i) {
    MPI_Irecv(b, 32, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(a, 32, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

/* One course of life after the other, complexity 29. */
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "finalize";
  int provided;
  if (!strcmp(how, "before")) /* a child of its own before there is any MPI */
    system("true");
  MPI_Init_thread(&argc, &argv, !strcmp(how, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(how, "threads")) {
    pthread_t threads[3];
    int tags[3] = {1, 2, 3};
    if (provided < MPI_THREAD_MULTIPLE)
      return 77;
    for (int i = 0; i < 3; ++i)
      pthread_create(&threads[i], NULL, talk, &tags[i]);
    for (int i = 0; i < 3; ++i)
      pthread_join(threads[i], NULL);
  } else {
    steps(200 * (size == 2));
  }
  if (!strcmp(how, "spawn")) {
    MPI_Comm parent, children;
    double token = rank;
    char *arguments[] = {"spawn", NULL};
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
      MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
      if (rank == 0)
        MPI_Recv(&token, 1, MPI_DOUBLE, 0, 9, children, MPI_STATUS_IGNORE);
      MPI_Comm_disconnect(&children);
    } else {
      MPI_Send(&token, 1, MPI_DOUBLE, 0, 9, parent);
      MPI_Comm_disconnect(&parent);
    }
  }
  if (!strcmp(how, "many")) {
    double x[2] = {0, 0};
    for (long i = 0, count = atol(argv[2]); i < count; ++i)
      MPI_Send(x, 1 + (int)(i & 1), MPI_DOUBLE, MPI_PROC_NULL, (int)(i & 1), MPI_COMM_WORLD);
  }
  if (!strcmp(how, "exit")) {
    MPI_Barrier(MPI_COMM_WORLD);
    exit(0);
  }
  if (!strcmp(how, "abort") && rank == 0)
    MPI_Abort(MPI_COMM_WORLD, 5);
  if (!strcmp(how, "kill") && rank == 1)
    raise(SIGKILL);
  if (!strcmp(how, "segv") && rank == 1)
    *(volatile int *)8 = 1;
  if (!strcmp(how, "kill") || !strcmp(how, "segv") || !strcmp(how, "abort"))
    for (;;)
      pause();
  if (!strcmp(how, "fork")) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      double t = MPI_Wtime();
      exit(t < 0); /* runs exit handlers, as a careless child does */
    }
    waitpid(child, NULL, 0);
  }
  if (!strcmp(how, "exec")) {
    fflush(stdout);
    int status = system("exit 3");
    pid_t child = fork();
    if (child == 0)
      execlp("sh", "sh", "-c", "exit 4", (char *)NULL);
    int other;
    waitpid(child, &other, 0);
    printf("%d %d\n", WEXITSTATUS(status), WEXITSTATUS(other));
    steps(100);
  }
  if (!strcmp(how, "errors")) {
    double x = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int bad = MPI_Send(&x, 1, MPI_DOUBLE, size + 5, 1, MPI_COMM_WORLD), kind;
    int type = MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD), type_kind;
    MPI_Error_class(bad, &kind);
    MPI_Error_class(type, &type_kind);
    printf("%d %d\n", kind == MPI_ERR_RANK, type_kind == MPI_ERR_TYPE);
  }
  MPI_Finalize();
  return 0;
}
