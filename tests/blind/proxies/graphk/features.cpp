#include "graph.hpp"
#include <algorithm>
#include <cmath>

// lower bounds on distances from the hop counts of nl landmarks,
// stored landmark after landmark: hop[l*n + v]
double landmark_bounds(Graph &g, int nl)
{
    const std::size_t n = g.n;
    std::vector<float> hop(nl*n);
    std::vector<vid> pick(nl);
    for (int l = 0; l < nl; ++l) {
        pick[l] = vid(((l + 1)*std::uint64_t(2654435761u)) % n);
        bfs_bottom_up(g, pick[l]);
        #pragma omp parallel for
        for (std::size_t u = 0; u < n; ++u) hop[l*n + u] = float(g.v[u].level);
    }
    double s = 0;
    const std::size_t t = n/3;
    #pragma omp parallel for reduction(+:s)
    for (std::size_t u = 0; u < n; ++u) {
        float b = 0;
        for (int l = 0; l < nl; ++l)
            b = std::max(b, std::fabs(hop[l*n + u] - hop[l*n + t]));
        s += b;
    }
    return s/n;
}

// mean aggregation over the neighbours, then a dense layer; features are
// kept feature by feature: x[f*n + v]
static void aggregate(const Graph &g, const std::vector<float> &x, std::vector<float> &y, int dim)
{
    const std::size_t n = g.n;
    #pragma omp parallel for schedule(dynamic,64)
    for (vid u = 0; u < g.n; ++u) {
        const float inv = 1.0f/(g.v[u].deg + 1);
        for (int f = 0; f < dim; ++f) y[f*n + u] = x[f*n + u]*inv;
        for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
            const vid w = g.adj[e].dst;
            for (int f = 0; f < dim; ++f)
                y[f*n + u] += inv*x[f*n + w];
        }
    }
}

static void dense(const std::vector<float> &x, const std::vector<float> &w, std::vector<float> &y, std::size_t n, int dim)
{
    // tiles of vertices, so that a tile of x and y stays in cache
    const std::size_t tile = 256;
    #pragma omp parallel for schedule(static)
    for (std::size_t b = 0; b < n; b += tile) {
        const std::size_t e = std::min(n, b + tile);
        for (int o = 0; o < dim; ++o) {
            float *yo = &y[o*n];
            for (std::size_t u = b; u < e; ++u) yo[u] = 0;
            for (int f = 0; f < dim; ++f) {
                const float wf = w[f*dim + o];
                const float *xf = &x[f*n];
                for (std::size_t u = b; u < e; ++u) yo[u] += wf*xf[u];
            }
            for (std::size_t u = b; u < e; ++u) yo[u] = std::max(0.0f, yo[u]);
        }
    }
}

double propagate(const Graph &g, int dim, int layers)
{
    const std::size_t n = g.n;
    std::vector<float> x(n*dim), y(n*dim), w(dim*dim);
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = float((k*37 % 101)/101.0 - 0.5)/dim;
    #pragma omp parallel for collapse(2)
    for (int f = 0; f < dim; ++f)
        for (std::size_t u = 0; u < n; ++u) x[f*n + u] = float(((u + f)*17 % 23)/23.0);
    for (int l = 0; l < layers; ++l) {
        aggregate(g, x, y, dim);
        dense(y, w, x, n, dim);
    }
    double s = 0;
    for (std::size_t u = 0; u < n; ++u) 
        for (int f = 0; f < dim; f += dim/4)
            s += x[f*n + u];
    return s;
}

// all shortest paths within the landmark graph
double landmark_paths(const Graph &g, int nl)
{
    std::vector<float> d(std::size_t(nl)*nl, 1e9f);
    for (int i = 0; i < nl; ++i) d[std::size_t(i)*nl + i] = 0;
    const vid step = std::max<vid>(1, g.n/nl);
    for (vid u = 0; u < g.n; ++u)
        for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
            const int a = std::min<int>(u/step, nl - 1), b = std::min<int>(g.adj[e].dst/step, nl - 1);
            float &s = d[std::size_t(a)*nl + b];
            s = std::min(s, float(g.adj[e].w));
        }
    for (int k = 0; k < nl; ++k) {
        const float *dk = &d[std::size_t(k)*nl];
        #pragma omp parallel for schedule(static)
        for (int i = 0; i < nl; ++i) {
            float *di = &d[std::size_t(i)*nl];
            const float dik = di[k];
            for (int j = 0; j < nl; ++j)
                di[j] = std::min(di[j], dik + dk[j]);
        }
    }
    double s = 0;
    for (int j = 0; j < nl; ++j)
        for (int i = 0; i < nl; ++i)
            s += d[std::size_t(i)*nl + j];
    return s/(double(nl)*nl);
}
