#include <mpi.h>
#include <unistd.h>
#include <algorithm>
#include "system.hpp"

namespace md {

// Atoms that left the slab go to the neighbour.
void System::migrate() {
  for (int dir = 0; dir < 2; ++dir) {
    const int to = dir ? env.up : env.down, from = dir ? env.down : env.up;
    std::vector<Atom> keep, leave, come;
    for (int i = 0; i < nlocal_; ++i) {
      const double z = atoms_[i].pos[2];
      const bool out = dir ? z >= zhi && to != MPI_PROC_NULL : z < zlo && to != MPI_PROC_NULL;
      (out ? leave : keep).push_back(atoms_[i]);
    }
    int ns = int(leave.size()), nr = 0;
    MPI_Sendrecv(&ns, 1, MPI_INT, to, 1, &nr, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    come.resize(nr);
    std::vector<MPI_Request> rq(nr);
    for (int k = 0; k < nr; ++k)
      MPI_Irecv(&come[k], sizeof(Atom), MPI_BYTE, from, 2, MPI_COMM_WORLD, &rq[k]);
    for (int k = 0; k < ns; ++k)
      MPI_Send(&leave[k], sizeof(Atom), MPI_BYTE, to, 2, MPI_COMM_WORLD);
    MPI_Waitall(nr, rq.data(), MPI_STATUSES_IGNORE);
    keep.insert(keep.end(), come.begin(), come.end());
    atoms_.swap(keep);
    nlocal_ = int(atoms_.size());
  }
}

// Ghosts: positions of atoms within the cut-off of the faces.
void System::borders() {
  const double w = rcut_ + skin_;
  atoms_.resize(nlocal_);
  sendUp_.clear();
  sendDown_.clear();
  for (int i = 0; i < nlocal_; ++i) {
    if (env.up != MPI_PROC_NULL && atoms_[i].pos[2] > zhi - w) sendUp_.push_back(i);
    if (env.down != MPI_PROC_NULL && atoms_[i].pos[2] < zlo + w) sendDown_.push_back(i);
  }
  auto swapList = [&](const std::vector<int> &list, int to, int from) {
    std::vector<Atom> buf;
    for (int i : list) buf.push_back(atoms_[i]);
    int ns = int(buf.size()), nr = 0;
    MPI_Sendrecv(&ns, 1, MPI_INT, to, 3, &nr, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::size_t at = atoms_.size();
    atoms_.resize(at + nr);
    MPI_Sendrecv(buf.data(), ns * int(sizeof(Atom)), MPI_BYTE, to, 4, atoms_.data() + at,
                 nr * int(sizeof(Atom)), MPI_BYTE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return nr;
  };
  ghostDown_ = swapList(sendUp_, env.up, env.down);
  ghostUp_ = swapList(sendDown_, env.down, env.up);
}

void System::forwardPositions() {
  auto pack = [&](const std::vector<int> &l) {
    std::vector<double> b;
    b.reserve(3 * l.size());
    for (int i : l) b.insert(b.end(), atoms_[i].pos.begin(), atoms_[i].pos.end());
    return b;
  };
  auto put = [&](const std::vector<double> &b, int at) {
    for (std::size_t k = 0; k < b.size(); ++k) atoms_[at + k / 3].pos[k % 3] = b[k];
  };
  std::vector<double> up = pack(sendUp_), down = pack(sendDown_);
  std::vector<double> fromDown(3 * ghostDown_), fromUp(3 * ghostUp_);
  // upwards, then downwards
  MPI_Send(up.data(), int(up.size()), MPI_DOUBLE, env.up, 11, MPI_COMM_WORLD);
  MPI_Recv(fromDown.data(), int(fromDown.size()), MPI_DOUBLE, env.down, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(down.data(), int(down.size()), MPI_DOUBLE, env.down, 12, MPI_COMM_WORLD);
  MPI_Recv(fromUp.data(), int(fromUp.size()), MPI_DOUBLE, env.up, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  put(fromDown, nlocal_);
  put(fromUp, nlocal_ + ghostDown_);
}

// Atom numbers of all ranks on the root, for the balance line of the log.
void System::reverseCounts(std::vector<int> &counts) {
  if (env.rank == 0) {
    counts.assign(env.size, 0);
    counts[0] = nlocal_;
    for (int done = 1; done < env.size;) {
      int flag = 0;
      MPI_Status st;
      MPI_Iprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &flag, &st);
      if (!flag) {
        usleep(500);
        continue;
      }
      MPI_Recv(&counts[st.MPI_SOURCE], 1, MPI_INT, st.MPI_SOURCE, 21, MPI_COMM_WORLD, &st);
      ++done;
    }
  } else {
    MPI_Send(&nlocal_, 1, MPI_INT, 0, 21, MPI_COMM_WORLD);
  }
}

}  // namespace md
