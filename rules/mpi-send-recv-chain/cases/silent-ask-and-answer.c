// The clients' only peer is rank 0, which receives first.
#include <mpi.h>

double ask(double question, MPI_Comm comm) {
  double answer;
  MPI_Send(&question, 1, MPI_DOUBLE, 0, 1, comm);
  MPI_Recv(&answer, 1, MPI_DOUBLE, 0, 2, comm, MPI_STATUS_IGNORE);
  return answer;
}

void answer_all(int clients, MPI_Comm comm) {
  for (int client = 1; client <= clients; client++) {
    double question;
    MPI_Recv(&question, 1, MPI_DOUBLE, client, 1, comm, MPI_STATUS_IGNORE);
    const double answer = 2.0 * question;
    MPI_Send(&answer, 1, MPI_DOUBLE, client, 2, comm);
  }
}
