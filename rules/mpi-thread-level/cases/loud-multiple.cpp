// flags: -fopenmp
// Each thread sends its own block; the level allows one thread at a time.
#include <mpi.h>
#include <omp.h>
#include <vector>

class Blocks {
public:
  Blocks(int count, int n) : data(static_cast<std::size_t>(count), std::vector<double>(static_cast<std::size_t>(n))) {}
  void send(std::size_t b, int to) {
    MPI_Send(data[b].data(), static_cast<int>(data[b].size()), MPI_DOUBLE, to, static_cast<int>(b), MPI_COMM_WORLD);
  }
  void send_all(int to) {
#pragma omp parallel for
    for (std::size_t b = 0; b < data.size(); ++b)
      // expect: mpi-thread-level high
      send(b, to);
  }

private:
  std::vector<std::vector<double>> data;
};

int start(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  return provided >= MPI_THREAD_SERIALIZED;
}
