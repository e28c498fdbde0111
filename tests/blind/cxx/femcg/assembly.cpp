#include "fem.h"
#include <cmath>
#include <set>
#include <algorithm>

void Csr::pattern(const Mesh &m)
{
    n = int(m.nNodes());
    std::vector<std::set<int> > rows(n);
    for (size_t e = 0; e < m.nElems(); e++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                rows[m.elems[e].node[a]].insert(m.elems[e].node[b]);
    ptr.assign(n + 1, 0);
    for (int i = 0; i < n; i++) ptr[i + 1] = ptr[i] + int(rows[i].size());
    ind.resize(ptr[n]);
    val.assign(ptr[n], 0.0);
    for (int i = 0; i < n; i++)
        std::copy(rows[i].begin(), rows[i].end(), ind.begin() + ptr[i]);
}

void Csr::zero()
{
#pragma omp parallel for schedule(static)
    for (long k = 0; k < (long)val.size(); k++) val[k] = 0.0;
}

int Csr::find(int i, int j) const
{
    for (int k = ptr[i]; k < ptr[i + 1]; k++)
        if (ind[k] == j) return k;
    return -1;
}

void Csr::add(int i, int j, double v)
{
    val[find(i, j)] += v;
}

void Csr::mult(const dvec &x, dvec &y) const
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++)
    {
        double s = 0.0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            s += val[k] * x[ind[k]];
        y[i] = s;
    }
}

void Csr::diagonal(dvec &d) const
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        d[i] = val[find(i, i)];
}

// k(T), per element; needs the temperatures of the last iterate
void conductivity(Mesh &m)
{
    const int ne = int(m.nElems());
#pragma omp parallel for schedule(static)
    for (int l = 0; l < ne; l++)
    {
        Element *e = &m.elems[l];
        double T = 0.0;
        for (int a = 0; a < 4; a++) T += 0.25 * m.nodes[e->node[a]].T;
        const double k0 = e->material ? 2.0 : 1.0;
        e->k = k0 * std::pow(1.0 + 0.1 * std::fabs(T), 1.25) + 0.01 * std::exp(-T * T);
    }
}

void elementMatrix(const Mesh &m, const Element &e, double ke[4][4], double fe[4])
{
    static const double gp = 0.57735026918962576;
    static const double sx[4] = {-1, 1, 1, -1}, sy[4] = {-1, -1, 1, 1};
    const Node &n0 = m.nodes[e.node[0]], &n2 = m.nodes[e.node[2]];
    const double hx = n2.x - n0.x, hy = n2.y - n0.y;
    for (int a = 0; a < 4; a++)
    {
        fe[a] = 0.0;
        for (int b = 0; b < 4; b++) ke[a][b] = 0.0;
    }
    for (int q = 0; q < 4; q++)
    {
        const double xi = gp * sx[q], et = gp * sy[q];
        double bx[4], by[4];
        for (int a = 0; a < 4; a++)
        {
            bx[a] = 0.25 * sx[a] * (1 + sy[a] * et) * 2.0 / hx;
            by[a] = 0.25 * sy[a] * (1 + sx[a] * xi) * 2.0 / hy;
            fe[a] += 0.25 * e.area * 0.25 * (1 + sx[a] * xi) * (1 + sy[a] * et)
                     * m.nodes[e.node[a]].source;
        }
        for (int b = 0; b < 4; b++)
            for (int a = 0; a < 4; a++)
                ke[a][b] += 0.25 * e.area * e.k * (bx[a] * bx[b] + by[a] * by[b]);
    }
}

void assembleMatrix(const Mesh &m, Csr &A)
{
    A.zero();
    for (int c = 0; c < m.nColours; c++)
    {
        const ivec &list = m.elemsOfColour[c];
        const int n = int(list.size());
#pragma omp parallel for schedule(static)
        for (int l = 0; l < n; l++)
        {
            const Element &e = m.elems[list[l]];
            double ke[4][4], fe[4];
            elementMatrix(m, e, ke, fe);
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) A.add(e.node[a], e.node[b], ke[a][b]);
        }
    }
}

void assembleLoad(const Mesh &m, dvec &f)
{
    std::fill(f.begin(), f.end(), 0.0);
    const int ne = int(m.nElems());
#pragma omp parallel for schedule(static)
    for (int l = 0; l < ne; l++)
    {
        double ke[4][4], fe[4];
        elementMatrix(m, m.elems[l], ke, fe);
        for (int a = 0; a < 4; a++)
            f[m.elems[l].node[a]] += fe[a];
    }
}

void assembleCapacity(const Mesh &m, dvec &c)
{
    std::fill(c.begin(), c.end(), 0.0);
    const int ne = int(m.nElems());
#pragma omp parallel for schedule(static)
    for (int l = 0; l < ne; l++)
        for (int a = 0; a < 4; a++)
        {
            double &t = c[m.elems[l].node[a]];
#pragma omp atomic
            t += 0.25 * m.elems[l].area;
        }
}

void applyBc(const Mesh &m, Csr &A, dvec &f)
{
    const int n = A.n;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        for (int k = A.ptr[i]; k < A.ptr[i + 1]; k++)
        {
            const int j = A.ind[k];
            if (m.nodes[i].bc)
            {
                A.val[k] = i == j ? 1.0 : 0.0;
                f[i] = m.nodes[i].bcValue;
            }
            else if (m.nodes[j].bc)
                A.val[k] = 0.0;
        }
}
