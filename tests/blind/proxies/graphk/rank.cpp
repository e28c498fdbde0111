#include "graph.hpp"
#include <cmath>

// pull formulation, damping 0.85
double pagerank(Graph &g, int iters)
{
    const double d = 0.85;
    double diff = 0;
    for (int it = 0; it < iters; ++it) {
        double dangling = 0;
        for (vid u = 0; u < g.n; ++u)
            if (g.v[u].deg == 0) dangling += g.v[u].rank;
        const double base = (1 - d)/g.n + d*dangling/g.n;
        #pragma omp parallel for schedule(dynamic,512)
        for (vid u = 0; u < g.n; ++u) {
            double s = 0;
            for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
                const Vertex &w = g.v[g.adj[e].dst];
                s += w.rank/w.deg;
            }
            g.v[u].next = base + d*s;
        }
        diff = 0;
        #pragma omp parallel for reduction(+:diff)
        for (vid u = 0; u < g.n; ++u) {
            diff += std::fabs(g.v[u].next - g.v[u].rank);
            g.v[u].rank = g.v[u].next;
        }
    }
    return diff;
}

// hubs and authorities (undirected here, so both agree)
double hits(const Graph &g, int iters)
{
    std::vector<double> h(g.n, 1.0), a(g.n);
    const int nt = omp_get_max_threads();
    std::vector<double> part(nt);
    double norm = 0;
    for (int it = 0; it < iters; ++it) {
        std::fill(part.begin(), part.end(), 0.0);
        #pragma omp parallel
        {
            const int t = omp_get_thread_num();
            #pragma omp for schedule(dynamic,512)
            for (vid u = 0; u < g.n; ++u) {
                double s = 0;
                for (eid e = g.off[u]; e < g.off[u+1]; ++e) s += h[g.adj[e].dst];
                a[u] = s;
                part[t] += s*s;
            }
        }
        norm = 0;
        for (double p : part) norm += p;
        norm = std::sqrt(norm);
        #pragma omp parallel for simd
        for (vid u = 0; u < g.n; ++u) h[u] = a[u]/norm;
    }
    return norm;
}

double katz(const Graph &g, int iters, double alpha)
{
    std::vector<double> x(g.n, 0.0), y(g.n, 0.0);
    std::vector<Counter> cnt(omp_get_max_threads());
    for (int it = 0; it < iters; ++it) {
        for (auto &c : cnt) c.s = 0;
        #pragma omp parallel
        {
            Counter &c = cnt[omp_get_thread_num()];
            #pragma omp for schedule(dynamic,512)
            for (vid u = 0; u < g.n; ++u) {
                double s = 0;
                for (eid e = g.off[u]; e < g.off[u+1]; ++e) s += x[g.adj[e].dst];
                y[u] = 1.0 + alpha*s;
                c.s += y[u];
            }
        }
        #pragma omp parallel for
        for (vid u = 0; u < g.n; ++u) x.at(u) = y.at(u)/(1.0 + 1e-9*u);
    }
    double s = 0;
    for (auto &c : cnt) s += c.s;
    return s;
}
