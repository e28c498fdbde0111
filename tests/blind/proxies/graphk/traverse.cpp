#include "graph.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

static void reset_levels(Graph &g)
{
    #pragma omp parallel for
    for (vid u = 0; u < g.n; ++u) { g.v[u].level = -1; g.v[u].parent = -1; }
}

// top-down
vid bfs_queue(Graph &g, vid src)
{
    reset_levels(g);
    std::vector<vid> cur{src}, nxt;
    g.v[src].level = 0;
    vid seen = 1;
    for (int lev = 1; !cur.empty(); ++lev) {
        nxt.clear();
        #pragma omp parallel for schedule(dynamic,64) reduction(+:seen)
        for (std::size_t k = 0; k < cur.size(); ++k) {
            const vid u = cur[k];
            for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
                const vid w = g.adj[e].dst;
                if (g.v[w].level != -1) continue;
                if (__sync_bool_compare_and_swap(&g.v[w].level, -1, lev)) {
                    g.v[w].parent = u;
                    ++seen;
                    #pragma omp critical(push)
                    nxt.push_back(w);
                }
            }
        }
        cur.swap(nxt);
    }
    return seen;
}

// bottom-up on a bitmap of the frontier
vid bfs_bottom_up(Graph &g, vid src)
{
    reset_levels(g);
    std::vector<char> front(g.n, 0), next(g.n, 0);
    front[src] = 1;
    g.v[src].level = 0;
    vid seen = 1, found = 1;
    for (int lev = 1; found; ++lev) {
        found = 0;
        #pragma omp parallel reduction(+:found)
        {
            std::vector<vid> mine;
            #pragma omp for schedule(dynamic,1024) nowait
            for (vid u = 0; u < g.n; ++u) {
                if (g.v[u].level != -1) continue;
                for (eid e = g.off[u]; e < g.off[u+1]; ++e)
                    if (front[g.adj[e].dst]) {
                        g.v[u].level = lev;
                        g.v[u].parent = g.adj[e].dst;
                        mine.push_back(u);
                        ++found;
                        break;
                    }
            }
            #pragma omp critical
            for (vid u : mine) next[u] = 1;
            #pragma omp barrier
            #pragma omp single
            front.swap(next);
            #pragma omp barrier
            #pragma omp for
            for (vid u = 0; u < g.n; ++u) next[u] = 0;
        }
        seen += found;
    }
    return seen;
}

// delta stepping with lazy buckets
double sssp(Graph &g, vid src, double delta)
{
    const double inf = std::numeric_limits<double>::infinity();
    #pragma omp parallel for
    for (vid u = 0; u < g.n; ++u) g.v[u].dist = inf;
    g.v[src].dist = 0;
    std::vector<std::vector<vid>> bucket(1, std::vector<vid>{src});
    for (std::size_t b = 0; b < bucket.size(); ++b) {
        while (!bucket[b].empty()) {
            std::vector<vid> cur;
            cur.swap(bucket[b]);
            std::vector<std::vector<std::pair<std::size_t,vid>>> out(omp_get_max_threads());
            #pragma omp parallel for schedule(guided)
            for (std::size_t k = 0; k < cur.size(); ++k) {
                const vid u = cur[k];
                const double du = g.v[u].dist;
                for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
                    const Edge &x = g.adj[e];
                    const double nd = du + x.w;
                    auto &slot = reinterpret_cast<std::atomic<double> &>(g.v[x.dst].dist);
                    double old = slot.load(std::memory_order_relaxed);
                    while (nd < old)
                        if (slot.compare_exchange_weak(old, nd)) {
                            out[omp_get_thread_num()].emplace_back(std::size_t(nd/delta), x.dst);
                            break;
                        }
                }
            }
            for (auto &o : out)
                for (auto &p : o) { 
                    if (p.first >= bucket.size()) bucket.resize(p.first + 1);
                    bucket[std::max(p.first, b)].push_back(p.second);
                }
        }
    }
    double s = 0;
    #pragma omp parallel for reduction(+:s)
    for (vid u = 0; u < g.n; ++u)
        if (g.v[u].dist < inf) s += g.v[u].dist;
    return s;
}

// label propagation with pointer jumping
vid components(Graph &g)
{
    bool changed = true;
    #pragma omp parallel for
    for (vid u = 0; u < g.n; ++u) g.v[u].comp = u;
    while (changed) {
        changed = false;
        #pragma omp parallel for schedule(dynamic,1024) reduction(||:changed)
        for (vid u = 0; u < g.n; ++u) {
            vid c = g.v[u].comp;
            for (eid e = g.off[u]; e < g.off[u+1]; ++e) c = std::min(c, __atomic_load_n(&g.v[g.adj[e].dst].comp, __ATOMIC_RELAXED));
            if (c < g.v[u].comp) { __atomic_store_n(&g.v[u].comp, c, __ATOMIC_RELAXED); changed = true; }
        }
    }
    vid nc = 0;
    #pragma omp parallel for schedule(dynamic) reduction(+:nc)
    for (vid u = 0; u < g.n; ++u) nc += g.v[u].comp == u;
    return nc;
}

// peeling
int kcore(Graph &g)
{
    std::vector<int> deg(g.n);
    for (vid u = 0; u < g.n; ++u) deg[u] = g.v[u].deg;
    std::vector<char> gone(g.n, 0);
    vid left = g.n;
    int k = 0;
    while (left > 0) {
        std::vector<vid> peel;
        for (vid u = 0; u < g.n; ++u)
            if (!gone[u] && deg[u] <= k) { gone[u] = 1; peel.push_back(u); }
        if (peel.empty()) { ++k; continue; }
        left -= vid(peel.size());
        for (vid u : peel) {
            g.v[u].core = k;
            #pragma omp parallel for
            for (eid e = g.off[u]; e < g.off[u+1]; ++e) {
                #pragma omp atomic
                --deg[g.adj[e].dst];
            }
        }
    }
    return k;
}
