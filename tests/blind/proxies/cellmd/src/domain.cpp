#include "md.hpp"
#include <random>
#include <stdexcept>

namespace md {

System::System(MPI_Comm c, const Params &p) : comm(c), par(p)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    lo = (rank + size - 1) % size;
    hi = (rank + 1) % size;
}

// fcc crystal with alternating charges, slabs along z
void System::create()
{
    const double a = std::cbrt(4.0/par.rho);
    const int n = par.cells, nzc = n*size;
    box[0] = box[1] = a*n;
    box[2] = a*nzc;
    zlo = box[2]*rank/size;
    zhi = box[2]*(rank + 1)/size;
    static const double basis[4][3] = {{0,0,0},{.5,.5,0},{.5,0,.5},{0,.5,.5}};
    std::mt19937_64 gen(par.seed + rank);
    std::normal_distribution<double> g(0.0, std::sqrt(par.temp));
    at.clear();
    for (int k = n*rank; k < n*(rank + 1); ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                for (int b = 0; b < 4; ++b) {
                    Atom s;
                    s.r[0] = a*(i + basis[b][0] + 0.25);
                    s.r[1] = a*(j + basis[b][1] + 0.25);
                    s.r[2] = a*(k + basis[b][2] + 0.25);
                    for (int d = 0; d < 3; ++d) { s.v[d] = g(gen); s.f[d] = 0; s.r0[d] = s.r[d]; }
                    s.id = ((k*n + j)*n + i)*4 + b;
                    s.type = b & 1;
                    s.q = b & 1 ? -0.1 : 0.1;
                    at.push_back(s);
                }
    nlocal = static_cast<int>(at.size());
    long l = nlocal;
    MPI_Allreduce(&l, &natoms, 1, MPI_LONG, MPI_SUM, comm);
    for (int x = 0; x <= 3; ++x)
        for (int y = -3; y <= 3; ++y)
            for (int z = -3; z <= 3; ++z) {
                int k2 = x*x + y*y + z*z;
                if (k2 == 0 || k2 > 9 || (x == 0 && (y < 0 || (y == 0 && z < 0)))) continue;
                std::array<double,3> k{2*M_PI*x/box[0], 2*M_PI*y/box[1], 2*M_PI*z/box[2]};
                double kk = k[0]*k[0] + k[1]*k[1] + k[2]*k[2];
                kvec.push_back(k);
                kfac.push_back(std::exp(-kk/4.0)/kk);
            }
}

// atoms that have left the slab go to the neighbour
void System::migrate()
{
    for (int i = 0; i < nlocal; ++i)
        for (int d = 0; d < 2; ++d) {
            if (at[i].r[d] < 0) { at[i].r[d] += box[d]; --at[i].img[d]; }
            else if (at[i].r[d] >= box[d]) { at[i].r[d] -= box[d]; ++at[i].img[d]; }
        }
    at.resize(nlocal);
    for (int dir = 0; dir < 2; ++dir) {
        const int to = dir ? hi : lo, from = dir ? lo : hi;
        std::vector<Atom> leave;
        for (std::size_t i = 0; i < at.size();) {
            bool go = dir ? at[i].r[2] >= zhi : at[i].r[2] < zlo;
            if (!go) { ++i; continue; }
            Atom a = at[i];
            if (a.r[2] < 0) a.r[2] += box[2];
            if (a.r[2] >= box[2]) a.r[2] -= box[2];
            leave.push_back(a);
            at[i] = at.back();
            at.pop_back();
        }
        int ns = static_cast<int>(leave.size()), nr = 0;
        MPI_Sendrecv(&ns, 1, MPI_INT, to, 5, &nr, 1, MPI_INT, from, 5, comm, MPI_STATUS_IGNORE);
        std::vector<MPI_Request> rq(ns);
        for (int i = 0; i < ns; ++i)
            MPI_Isend(&leave[i], sizeof(Atom), MPI_BYTE, to, 6, comm, &rq[i]);
        for (int i = 0; i < nr; ++i) {
            Atom a;
            MPI_Recv(&a, sizeof(Atom), MPI_BYTE, from, 6, comm, MPI_STATUS_IGNORE);
            at.push_back(a);
        }
        MPI_Waitall(ns, rq.data(), MPI_STATUSES_IGNORE);
    }
    nlocal = static_cast<int>(at.size());
}

// ghost atoms within the cutoff of the slab faces
void System::borders()
{
    const double w = par.rc + par.skin;
    for (int dir = 0; dir < 2; ++dir) {
        const int to = dir ? hi : lo, from = dir ? lo : hi;
        auto &sl = sendlist[dir];
        auto &sh = sendshift[dir];
        sl.clear(); sh.clear();
        for (int i = 0; i < nlocal; ++i)
            if (dir ? at[i].r[2] > zhi - w : at[i].r[2] < zlo + w) {
                sl.push_back(i);
                double s = 0;
                if (dir && rank == size - 1) s = -box[2];
                if (!dir && rank == 0) s = box[2];
                sh.push_back(s);
            }
        int ns = static_cast<int>(sl.size());
        MPI_Sendrecv(&ns, 1, MPI_INT, to, 7, &nrecv[dir], 1, MPI_INT, from, 7, comm, MPI_STATUS_IGNORE);
        std::vector<Atom> out(ns), in(nrecv[dir]);
        for (int q = 0; q < ns; ++q) { out[q] = at[sl[q]]; out[q].r[2] += sh[q]; out[q].ghost = true; }
        MPI_Sendrecv(out.data(), ns*sizeof(Atom), MPI_BYTE, to, 8, in.data(), nrecv[dir]*sizeof(Atom), MPI_BYTE, from, 8, comm, MPI_STATUS_IGNORE);
        at.insert(at.end(), in.begin(), in.end());
    }
    nghost = static_cast<int>(at.size()) - nlocal;
}

// new positions of the ghosts, every step
void System::update_ghosts()
{
    int off = nlocal;
    for (int dir = 0; dir < 2; ++dir) {
        const int to = dir ? hi : lo, from = dir ? lo : hi;
        const auto &sl = sendlist[dir];
        const int ns = static_cast<int>(sl.size()), nr = nrecv[dir];
        std::vector<double> sb(ns), rb(nr);
        for (int d = 0; d < 3; ++d) {
            for (int q = 0; q < ns; ++q) sb[q] = at[sl[q]].r[d] + (d == 2 ? sendshift[dir][q] : 0.0);
            MPI_Sendrecv(sb.data(), ns, MPI_DOUBLE, to, 20 + d, rb.data(), nr, MPI_DOUBLE, from, 20 + d, comm, MPI_STATUS_IGNORE);
            for (int q = 0; q < nr; ++q) at[off + q].r[d] = rb[q];
        }
        off += nr;
    }
}

} // namespace md
