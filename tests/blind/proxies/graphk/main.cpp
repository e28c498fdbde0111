#include "graph.hpp"
#include <cstdio>
#include <cstdlib>
#include <functional>

template <class F> static void run(std::vector<Result> &out, const char *name, F f)
{
    const double t = omp_get_wtime();
    const double v = double(f());
    out.push_back({name, omp_get_wtime() - t, v});
}

int main(int argc, char **argv)
{
    const int scale = argc > 1 ? std::atoi(argv[1]) : 15;
    const int degree = argc > 2 ? std::atoi(argv[2]) : 8;
    const int nl = argc > 3 ? std::atoi(argv[3]) : 700;
    Graph g;
    if (argc > 4) {
        if (!load_edges(argv[4], g)) { std::fprintf(stderr, "cannot read %s\n", argv[4]); return 1; }
    } else
        g = make_rmat(scale, degree, 12345);

    vid src = 0;
    for (vid u = 0; u < g.n; ++u) if (g.v[u].deg > g.v[src].deg) src = u;

    std::vector<Result> r;
    run(r, "bfs-queue",  [&] { return bfs_queue(g, src); });
    run(r, "bfs-bottom", [&] { return bfs_bottom_up(g, src); });
    run(r, "sssp",       [&] { return sssp(g, src, 0.25); });
    run(r, "components", [&] { return components(g); });
    run(r, "kcore",      [&] { return kcore(g); });
    run(r, "pagerank",   [&] { return pagerank(g, 10); });
    run(r, "hits",       [&] { return hits(g, 10); });
    run(r, "katz",       [&] { return katz(g, 10, 1e-3); });
    run(r, "triangles",  [&] { return triangles(g); });
    run(r, "wedges",     [&] { return wedges(g); });
    run(r, "modularity", [&] { return modularity(g); });
    run(r, "histogram",  [&] { return degree_histogram(g, 64)[1]; });
    run(r, "bounds",     [&] { return landmark_bounds(g, 32); });
    run(r, "propagate",  [&] { return propagate(g, 32, 2); });
    run(r, "paths",      [&] { return landmark_paths(g, nl); });

    std::printf("n %d  m %lld  threads %d\n", g.n, (long long)g.m, omp_get_max_threads());
    for (auto &x : r) std::printf("%-12s %9.4f s  %.6g\n", x.name.c_str(), x.seconds, x.value);
    return 0;
}
