#include "graph.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

static inline std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30))*0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27))*0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static Graph from_pairs(vid n, const std::vector<std::pair<vid,vid>> &e)
{
    Graph g;
    g.n = n;
    g.off.assign(n + 1, 0);
    for (auto &p : e) {
        if (p.first == p.second) continue;
        ++g.off[p.first + 1];
        ++g.off[p.second + 1];
    }
    for (vid u = 0; u < n; ++u) g.off[u+1] += g.off[u];
    g.m = g.off[n];
    g.adj.resize(g.m);
    std::vector<eid> pos(g.off.begin(), g.off.end() - 1);
    for (std::size_t k = 0; k < e.size(); ++k) {
        vid a = e[k].first, b = e[k].second;
        if (a == b) continue;
        double w = 0.1 + (mix(k) >> 40)/double(1 << 24);
        Edge x;
        x.loop = false; x.w = w; x.kind = char(k & 7);
        x.dst = b; g.adj[pos[a]++] = x;
        x.dst = a; g.adj[pos[b]++] = x;
    }
    #pragma omp parallel for schedule(dynamic,256)
    for (vid u = 0; u < n; ++u)
        std::sort(g.adj.begin() + g.off[u], g.adj.begin() + g.off[u+1],
                  [](const Edge &p, const Edge &q) { return p.dst < q.dst; });
    g.v.resize(n);
    #pragma omp parallel for
    for (vid u = 0; u < n; ++u) {
        g.v[u].deg = std::int32_t(g.degree(u));
        g.v[u].rank = 1.0/n;
        g.v[u].mark = 0;
    }
    return g;
}

Graph make_rmat(int scale, int degree, std::uint64_t seed)
{
    const vid n = vid(1) << scale;
    const std::size_t m = std::size_t(n)*degree;
    std::vector<std::pair<vid,vid>> e(m);
    #pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < m; ++k) {
        vid a = 0, b = 0;
        std::uint64_t h = mix(seed + k);
        for (int s = 0; s < scale; ++s) {
            h = mix(h);
            double r = (h >> 11)/9007199254740992.0;
            a <<= 1; b <<= 1;
            if (r < 0.57) ;
            else if (r < 0.76) b |= 1;
            else if (r < 0.95) a |= 1;
            else { a |= 1; b |= 1; }
        }
        e[k] = {vid(mix(a) & (n - 1)), vid(mix(b) & (n - 1))};
    }
    return from_pairs(n, e);
}

// text file "u v" per line; may be on a file system that is slow to mount
bool load_edges(const std::string &file, Graph &g)
{
    FILE *f = nullptr;
    for (int tries = 0; tries < 5 && !(f = std::fopen(file.c_str(), "r")); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (!f) return false;
    std::vector<std::pair<vid,vid>> e;
    vid n = 0;
    int a, b;
    while (std::fscanf(f, "%d %d", &a, &b) == 2) {
        e.emplace_back(a, b);
        n = std::max(n, std::max(a, b) + 1);
    }
    std::fclose(f);
    g = from_pairs(n, e);
    return true;
}
