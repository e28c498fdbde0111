#include "network.hpp"
#include <algorithm>

namespace netsim {

// every rank gets the spikes of all ranks
void Network::exchange() {
    const int n = int(mine.size());
    std::vector<int> cnt(size_), off(size_ + 1, 0);
    MPI_Allgather(&n, 1, MPI_INT, cnt.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size_; ++r) off[r + 1] = off[r] + cnt[r];
    all.resize(off[size_]);
    std::copy(mine.begin(), mine.end(), all.begin() + off[rank_]);
    std::vector<MPI_Request> rq;
    rq.reserve(2 * size_);
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        MPI_Request q;
        MPI_Irecv(all.data() + off[r], int(cnt[r] * sizeof(SpikeEvent)), MPI_BYTE, r, 5, MPI_COMM_WORLD, &q);
        rq.push_back(q);
        MPI_Isend(mine.data(), int(n * sizeof(SpikeEvent)), MPI_BYTE, r, 5, MPI_COMM_WORLD, &q);
        rq.push_back(q);
    }
    MPI_Waitall(int(rq.size()), rq.data(), MPI_STATUSES_IGNORE);
    // same order on all ranks whatever the threads did
    std::sort(all.begin(), all.end(), [](const SpikeEvent& a, const SpikeEvent& b) { return a.src < b.src; });
}

}  // namespace netsim
