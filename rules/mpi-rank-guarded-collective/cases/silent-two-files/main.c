// Both arms come to the same collective calls in the other file, or those of one arm concern its own ranks only.
#include <mpi.h>

void send_parameters(double *values, int n);
void receive_parameters(double *values, int n);
void leaders_only(MPI_Comm leaders, double *values, int n);
void own_business(double *values, int n);
void serve(double *values, int n);
void work(double *values, int n);
void print_all(const double *values, int n);

static double values[64];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm leaders;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  if (rank == 0)
    send_parameters(values, 64);
  else
    receive_parameters(values, 64);
  if (rank == 0) {
    leaders_only(leaders, values, 64);
    own_business(values, 64);
  }
  if (rank == 0)
    serve(values, 64);
  else
    work(values, 64);
  if (rank == 0)
    print_all(values, 64);
  MPI_Finalize();
  return 0;
}
