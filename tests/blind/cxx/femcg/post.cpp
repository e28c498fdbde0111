#include "fem.h"
#include "dist.h"
#include <omp.h>
#include <algorithm>
#include <cmath>

double meanTemperature(const Mesh &m)
{
    double s = 0.0;
    const int n = int(m.nNodes());
#pragma omp parallel for reduction(+:s)
    for (int i = 0; i < n; i++)
        s += m.nodes[i].T;
    return s / n;
}

double maxChange(const Mesh &m)
{
    double d = 0.0;
    const int n = int(m.nNodes());
#pragma omp parallel for
    for (int i = 0; i < n; i++)
    {
        const double c = std::fabs(m.nodes[i].T - m.nodes[i].Told);
        if (c > d)
        {
#pragma omp critical
            if (c > d) d = c;
        }
    }
    return d;
}

// nodal fluxes from the element gradients, averaged
void recoverFlux(Mesh &m)
{
    const int ne = int(m.nElems()), nn = int(m.nNodes());
    dvec cnt(nn, 0.0);
    for (int i = 0; i < nn; i++) m.nodes[i].flux[0] = m.nodes[i].flux[1] = 0.0;
#pragma omp parallel for schedule(static)
    for (int l = 0; l < ne; l++)
    {
        const Element &e = m.elems[l];
        const Node &a = m.nodes[e.node[0]], &b = m.nodes[e.node[1]];
        const Node &c = m.nodes[e.node[2]], &d = m.nodes[e.node[3]];
        const double gx = 0.5 * (b.T + c.T - a.T - d.T) / (b.x - a.x);
        const double gy = 0.5 * (d.T + c.T - a.T - b.T) / (d.y - a.y);
        for (int k = 0; k < 4; k++)
        {
#pragma omp critical(nodal)
            {
                m.nodes[e.node[k]].flux[0] -= e.k * gx;
                m.nodes[e.node[k]].flux[1] -= e.k * gy;
                cnt[e.node[k]] += 1.0;
            }
        }
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < nn; i++)
    {
        m.nodes[i].flux[0] /= cnt[i];
        m.nodes[i].flux[1] /= cnt[i];
    }
}

// temperatures on an image, y downwards
void raster(const Mesh &m, Dense &img)
{
    const int nyn = m.ny + 1;
    for (int row = 0; row < img.rows(); row++)
        for (int col = 0; col < img.cols(); col++)
            img(row, col) = m.nodes[col * nyn + (nyn - 1 - row)].T;
}

// C = S^T S of the snapshots, lower half
void covariance(const Dense &S, Dense &C)
{
    const int n = S.rows(), k = S.cols();
#pragma omp parallel for schedule(dynamic)
    for (int a = 0; a < k; a++)
        for (int b = 0; b <= a; b++)
        {
            double s = 0.0;
            for (int i = 0; i < n; i++)
                s += S(i, a) * S(i, b);
            C(a, b) = s;
        }
    for (int a = 0; a < k; a++)
        for (int b = a + 1; b < k; b++) C(a, b) = C(b, a);
}

// out = S C
void project(const Dense &S, const Dense &C, Dense &out)
{
    const int n = S.rows(), k = S.cols();
    out.zero();
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < k; l++)
                out(i, j) += S(i, l) * C(l, j);
}

// snapshots without their mean over time
void centre(Dense &S)
{
    const int n = S.rows(), k = S.cols();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
    {
        double mean = 0.0;
        for (int j = 0; j < k; j++) mean += S(i, j);
        mean /= k;
        for (int j = 0; j < k; j++) S(i, j) -= mean;
    }
}

// each snapshot to unit length
void normalise(Dense &S)
{
    for (int j = 0; j < S.cols(); j++)
    {
        double s = 0.0;
        double *c = S.col(j);
        for (int i = 0; i < S.rows(); i++) s += c[i] * c[i];
        s = 1.0 / std::sqrt(s + 1e-300);
        for (int i = 0; i < S.rows(); i++) c[i] *= s;
    }
}

void statistics(const Mesh &m, Dist &D, std::vector<long> &hist)
{
    const int nb = int(hist.size()), n = int(m.nNodes());
    double lo = 1e300, hi = -1e300;
    for (int i = 0; i < n; i++)
    {
        lo = std::min(lo, m.nodes[i].T);
        hi = std::max(hi, m.nodes[i].T);
    }
    hi = D.max(hi);
    lo = -D.max(-lo);
    const double w = nb / (hi - lo + 1e-300);
#pragma omp parallel
    {
        std::vector<long> h(nb, 0);
#pragma omp for nowait
        for (int i = 0; i < n; i++)
        {
            const int b = std::min(nb - 1, int((m.nodes[i].T - lo) * w));
            h[b]++;
        }
#pragma omp critical
        for (int b = 0; b < nb; b++) hist[b] += h[b];
    }
}
