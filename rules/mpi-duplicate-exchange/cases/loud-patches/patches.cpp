#include "patches.h"

Level::Level(int patches, int cells) {
  patches_.resize(patches);
  for (Patch &p : patches_) {
    p.cells = cells;
    p.state.assign(cells + 2, 1.0);
    p.rate.assign(cells + 2, 0.0);
  }
}

void Level::exchange() {
  Patch &first = patches_.front(), &last = patches_.back();
  for (std::size_t k = 0; k + 1 < patches_.size(); ++k)
    patches_[k + 1].state[0] = patches_[k].state[patches_[k].cells];
  MPI_Sendrecv(&last.state[last.cells], 1, MPI_DOUBLE, MPI_PROC_NULL, 1, &first.state[0], 1, MPI_DOUBLE, MPI_PROC_NULL,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&first.state[1], 1, MPI_DOUBLE, MPI_PROC_NULL, 2, &last.state[last.cells + 1], 1, MPI_DOUBLE,
               MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

double fastest(const Patch &p) {
  double most = 0.0;
  for (int i = 1; i <= p.cells; ++i)
    most = p.state[i] > most ? p.state[i] : most;
  return most;
}

void rates(Patch &p) {
  for (int i = 1; i <= p.cells; ++i)
    p.rate[i] = p.state[i] - p.state[i - 1];
}

void advance(Patch &p, double dt) {
  for (int i = 1; i <= p.cells; ++i)
    p.state[i] -= dt * p.rate[i];
}
