#ifndef DIST_H_INCLUDED
#define DIST_H_INCLUDED

#include <mpi.h>
#include "fem.h"

extern int g_rank, g_size;      // filled by Dist::init

// interface between the part of this rank and that of a neighbour
struct Iface
{
    int  rank;
    ivec node;      // local numbers, same order on both sides
    dvec sbuf, rbuf;
};

class Dist
{
public:
    static void init(int *argc, char ***argv);
    explicit Dist(const Mesh &m);
    void assembleInterface(dvec &v);          // add the shares of the neighbours
    void syncFlags(std::vector<Node> &nodes);
    double dot(const dvec &a, const dvec &b) const;
    double sum(double x) const;
    double max(double x) const;
    void collect(const dvec &mine, dvec &all) const;
    int firstNode(int nOwned) const;
    void tokenPrint(const char *what, double v) const;
    double weight(size_t i) const { return w_[i]; }
private:
    std::vector<Iface> nb_;
    dvec w_;        // 1/multiplicity
};

#endif
