// graphk - kernels on synthetic power-law graphs
#ifndef GRAPHK_HPP
#define GRAPHK_HPP
#include <omp.h>
#include <cstdint>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using vid = std::int32_t;
using eid = std::int64_t;

struct Edge {
    bool   loop;
    double w;
    vid    dst;
    char   kind;
};

struct Vertex {
    double  rank, next;
    double  dist;
    vid     parent, comp;
    std::int32_t deg, core, level, mark;
};

struct Graph {
    vid n = 0;
    eid m = 0;
    std::vector<eid>    off;
    std::vector<Edge>   adj;
    std::vector<Vertex> v;
    eid degree(vid u) const { return off[u+1] - off[u]; }
};

struct alignas(64) Counter { std::uint64_t n = 0; double s = 0; };

struct Result { std::string name; double seconds, value; };

// build.cpp
Graph make_rmat(int scale, int degree, std::uint64_t seed);
bool  load_edges(const std::string &file, Graph &g);
// traverse.cpp
vid    bfs_queue(Graph &g, vid src);
vid    bfs_bottom_up(Graph &g, vid src);
double sssp(Graph &g, vid src, double delta);
vid    components(Graph &g);
int    kcore(Graph &g);
// rank.cpp
double pagerank(Graph &g, int iters);
double hits(const Graph &g, int iters);
double katz(const Graph &g, int iters, double alpha);
// count.cpp
std::uint64_t triangles(const Graph &g);
std::uint64_t wedges(const Graph &g);
double modularity(const Graph &g);
std::vector<std::uint64_t> degree_histogram(const Graph &g, int bins);
// features.cpp
double landmark_bounds(Graph &g, int nl);
double propagate(const Graph &g, int dim, int layers);
double landmark_paths(const Graph &g, int nl);
#endif
