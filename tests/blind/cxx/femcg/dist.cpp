#include "dist.h"
#include <cstdio>
#include <unistd.h>

int g_rank = 0, g_size = 1;

void Dist::init(int *argc, char ***argv)
{
    int prov;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &prov);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
}

Dist::Dist(const Mesh &m) : w_(m.nNodes(), 1.0)
{
    // strips in x: the first and the last column of nodes are shared
    const int nyn = m.ny + 1;
    for (int side = 0; side < 2; side++)
    {
        Iface f;
        f.rank = side == 0 ? g_rank - 1 : g_rank + 1;
        if (f.rank < 0 || f.rank >= g_size) continue;
        const int base = side == 0 ? 0 : m.nx * nyn;
        for (int j = 0; j < nyn; j++)
        {
            f.node.push_back(base + j);
            w_[base + j] = 0.5;
        }
        f.sbuf.resize(f.node.size());
        f.rbuf.resize(f.node.size());
        nb_.push_back(f);
    }
}

void Dist::assembleInterface(dvec &v)
{
    MPI_Request rq[4];
    int nr = 0;
    for (size_t k = 0; k < nb_.size(); k++)
    {
        Iface &f = nb_[k];
        MPI_Irecv(&f.rbuf[0], (int)f.rbuf.size(), MPI_DOUBLE, f.rank, 5, MPI_COMM_WORLD, &rq[nr++]);
        for (size_t i = 0; i < f.node.size(); i++)
            f.sbuf[i] = v[f.node[i]];
        MPI_Isend(&f.sbuf[0], (int)f.sbuf.size(), MPI_DOUBLE, f.rank, 5, MPI_COMM_WORLD, &rq[nr++]);
    }
    MPI_Waitall(nr, rq, MPI_STATUSES_IGNORE);
    for (size_t k = 0; k < nb_.size(); k++)
        for (size_t i = 0; i < nb_[k].node.size(); i++)
            v[nb_[k].node[i]] += nb_[k].rbuf[i];
    MPI_Barrier(MPI_COMM_WORLD);
}

// boundary flags may be switched by the contact model on one side only
void Dist::syncFlags(std::vector<Node> &nodes)
{
    for (size_t k = 0; k < nb_.size(); k++)
    {
        const Iface &f = nb_[k];
        for (size_t i = 0; i < f.node.size(); i++)
        {
            int mine = nodes[f.node[i]].bc, other = 0;
            MPI_Sendrecv(&mine, 1, MPI_INT, f.rank, 6, &other, 1, MPI_INT, f.rank, 6,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (other > mine) nodes[f.node[i]].bc = other;
        }
    }
}

double Dist::dot(const dvec &a, const dvec &b) const
{
    double s = 0.0, r;
    const long n = (long)a.size();
#pragma omp parallel for reduction(+:s)
    for (long i = 0; i < n; i++)
        s += w_[i] * a[i] * b[i];
    MPI_Allreduce(&s, &r, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return r;
}

double Dist::sum(double x) const
{
    double r;
    MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return r;
}

double Dist::max(double x) const
{
    double r;
    MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return r;
}

// parts of different length, in rank order, on all ranks
void Dist::collect(const dvec &mine, dvec &all) const
{
    int n = (int)mine.size();
    all.clear();
    for (int r = 0; r < g_size; r++)
    {
        int len = r == g_rank ? n : 0;
        MPI_Bcast(&len, 1, MPI_INT, r, MPI_COMM_WORLD);
        dvec part(len);
        if (r == g_rank) part = mine;
        MPI_Bcast(&part[0], len, MPI_DOUBLE, r, MPI_COMM_WORLD);
        all.insert(all.end(), part.begin(), part.end());
    }
}

// number of the first node of this rank
int Dist::firstNode(int nOwned) const
{
    int first = 0;
    if (g_rank > 0)
        MPI_Recv(&first, 1, MPI_INT, g_rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int next = first + nOwned;
    if (g_rank < g_size - 1)
        MPI_Send(&next, 1, MPI_INT, g_rank + 1, 9, MPI_COMM_WORLD);
    return first;
}

void Dist::tokenPrint(const char *what, double v) const
{
    int tok = 0;
    if (g_rank > 0)
        MPI_Recv(&tok, 1, MPI_INT, g_rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("[%d] %s %.6g\n", g_rank, what, v);
    std::fflush(stdout);
    usleep(2000);
    if (g_rank < g_size - 1)
        MPI_Send(&tok, 1, MPI_INT, g_rank + 1, 8, MPI_COMM_WORLD);
}
