#include "graph.hpp"
#include <algorithm>

// marks the neighbours of u, then looks at the neighbours of those
std::uint64_t triangles(const Graph &g)
{
    std::uint64_t total = 0;
    std::vector<vid> mark(g.n, -1);
    #pragma omp parallel for schedule(static) reduction(+:total)
    for (vid u = 0; u < g.n; ++u) {
        for (eid e = g.off[u]; e < g.off[u+1]; ++e) mark[g.adj[e].dst] = u;
        for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
            const vid w = g.adj[e].dst;
            if (w >= u) break;
            for (eid f = g.off[w]; f < g.off[w+1]; ++f) {
                const vid z = g.adj[f].dst;
                if (z >= w) break;
                total += mark[z] == u;
            }
        }
    }
    return total;
}

// merge based count of closed wedges over a sample of edges
std::uint64_t wedges(const Graph &g)
{
    std::uint64_t n = 0;
    #pragma omp parallel for schedule(dynamic,128) reduction(+:n)
    for (vid u = 0; u < g.n; u += 4)
        for (eid e = g.off[u]; e < g.off[u+1]; e += 4) {
            eid a = g.off[u], b = g.off[g.adj[e].dst];
            const eid ae = g.off[u+1], be = g.off[g.adj[e].dst + 1];
            while (a < ae && b < be) {
                const vid x = g.adj[a].dst, y = g.adj[b].dst;
                n += x == y;
                a += x <= y;
                b += y <= x;
            }
        }
    return n;
}

double modularity(const Graph &g)
{
    std::vector<double> in(64, 0.0), tot(64, 0.0);
    #pragma omp parallel
    {
        double li[64] = {0}, lt[64] = {0};
        #pragma omp for schedule(dynamic,512) nowait
        for (vid u = 0; u < g.n; ++u) {
            const int c = g.v[u].comp & 63;
            lt[c] += g.v[u].deg;
            for (eid e = g.off[u]; e < g.off[u+1]; ++e)
                if ((g.v[g.adj[e].dst].comp & 63) == c) li[c] += 1;
        }
        #pragma omp critical
        for (int c = 0; c < 64; ++c) { in[c] += li[c]; tot[c] += lt[c]; }
    }
    double q = 0;
    for (int c = 0; c < 64; ++c) q += in[c]/g.m - (tot[c]/g.m)*(tot[c]/g.m);
    return q;
}

std::vector<std::uint64_t> degree_histogram(const Graph &g, int bins)
{
    const int nt = omp_get_max_threads();
    std::vector<std::vector<std::uint64_t>> h(nt, std::vector<std::uint64_t>(bins, 0));
    #pragma omp parallel
    {
        auto &mine = h[omp_get_thread_num()];
        #pragma omp for
        for (vid u = 0; u < g.n; ++u) ++mine[std::min<int>(g.v[u].deg, bins - 1)];
    }
    std::vector<std::uint64_t> r(bins, 0);
    for (int b = 0; b < bins; ++b)
        for (int t = 0; t < nt; ++t) r[b] += h[t][b];
    return r;
}
