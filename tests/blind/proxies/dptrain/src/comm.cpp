#include "net.hpp"
#include <algorithm>

Comm::Comm(MPI_Comm cc) : c(cc)
{
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
}

// sum of all gradients
void Comm::allreduce_grads(Conv &cv, Dense &d1, Dense &d2, Head &h)
{
    MPI_Request rq[2];
    MPI_Barrier(c);
    MPI_Iallreduce(MPI_IN_PLACE, d1.gw.data(), int(d1.gw.size()), MPI_FLOAT, MPI_SUM, c, &rq[0]);
    MPI_Iallreduce(MPI_IN_PLACE, d2.gw.data(), int(d2.gw.size()), MPI_FLOAT, MPI_SUM, c, &rq[1]);
    MPI_Waitall(2, rq, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, d1.gb.data(), d1.out, MPI_FLOAT, MPI_SUM, c);
    MPI_Allreduce(MPI_IN_PLACE, d2.gb.data(), d2.out, MPI_FLOAT, MPI_SUM, c);
    MPI_Allreduce(MPI_IN_PLACE, h.gb.data(), h.out, MPI_FLOAT, MPI_SUM, c);
    MPI_Allreduce(MPI_IN_PLACE, cv.gw.data(), int(cv.gw.size()), MPI_FLOAT, MPI_SUM, c);
    MPI_Allreduce(MPI_IN_PLACE, cv.gb.data(), CH, MPI_FLOAT, MPI_SUM, c);
    vec t(h.p.size());
    #pragma omp parallel for
    for (std::size_t k = 0; k < t.size(); ++k) t[k] = h.p[k].g;
    MPI_Allreduce(MPI_IN_PLACE, t.data(), int(t.size()), MPI_FLOAT, MPI_SUM, c);
    const float s = 1.f/size;
    #pragma omp parallel for
    for (std::size_t k = 0; k < t.size(); ++k) h.p[k].g = s*t[k];
    for (auto *g : {&d1.gw, &d1.gb, &d2.gw, &d2.gb, &h.gb, &cv.gw, &cv.gb}) {
        float *q = g->data();
        #pragma omp parallel for
        for (std::size_t k = 0; k < g->size(); ++k) q[k] *= s;
    }
}

// guards against drift between the ranks
void Comm::average_model(Head &h)
{
    vec w(h.p.size()), t(h.p.size());
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = h.p[k].w;
    if (rank == 0) {
        for (int r = 1; r < size; ++r) {
            MPI_Recv(t.data(), int(t.size()), MPI_FLOAT, r, 31, c, MPI_STATUS_IGNORE);
            for (std::size_t k = 0; k < w.size(); ++k) w[k] += t[k];
        }
        for (auto &v : w) v /= size;
        for (int r = 1; r < size; ++r) MPI_Send(w.data(), int(w.size()), MPI_FLOAT, r, 32, c);
    } else {
        MPI_Send(w.data(), int(w.size()), MPI_FLOAT, 0, 31, c);
        MPI_Recv(w.data(), int(w.size()), MPI_FLOAT, 0, 32, c, MPI_STATUS_IGNORE);
    }
    for (std::size_t k = 0; k < w.size(); ++k) h.p[k].w = w[k];
}

void Comm::bcast_model(Conv &cv, Dense &d1, Dense &d2, Head &h)
{
    MPI_Bcast(cv.w.data(), int(cv.w.size()), MPI_FLOAT, 0, c);
    MPI_Bcast(d1.w.data(), int(d1.w.size()), MPI_FLOAT, 0, c);
    MPI_Bcast(d2.w.data(), int(d2.w.size()), MPI_FLOAT, 0, c);
    MPI_Bcast(h.p.data(), int(4*h.p.size()), MPI_FLOAT, 0, c);
}

// mean over the ranks by passing partial sums around
void Comm::ring_mean(vec &x)
{
    if (size == 1) return;
    const int n = int(x.size()), nxt = (rank + 1) % size, prv = (rank + size - 1) % size;
    vec t(n);
    if (rank > 0) {
        MPI_Recv(t.data(), n, MPI_FLOAT, prv, 41, c, MPI_STATUS_IGNORE);
        for (int k = 0; k < n; ++k) x[k] += t[k];
    }
    if (rank < size - 1) MPI_Send(x.data(), n, MPI_FLOAT, nxt, 41, c);
    if (rank == size - 1) {
        for (auto &v : x) v /= size;
        MPI_Send(x.data(), n, MPI_FLOAT, 0, 42, c);
    } else {
        MPI_Recv(x.data(), n, MPI_FLOAT, prv, 42, c, MPI_STATUS_IGNORE);
        if (rank != size - 2) MPI_Send(x.data(), n, MPI_FLOAT, nxt, 42, c);
    }
}

// largest entry, one shift around the ring per rank
void Comm::ring_max(vec &x)
{
    vec cur = x, in(x.size());
    for (int s = 1; s < size; ++s) {
        MPI_Sendrecv(cur.data(), int(cur.size()), MPI_FLOAT, (rank + 1) % size, 43, in.data(), int(in.size()), MPI_FLOAT, (rank + size - 1) % size, 43, c, MPI_STATUS_IGNORE);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::max(x[k], in[k]);
        cur.swap(in);
    }
}
