#include "fem.h"
#include "dist.h"
#include <cmath>
#include <algorithm>
#include <cstdio>

// y = A x, with the shares of the neighbours
static void apply(const Csr &A, Dist &D, const dvec &x, dvec &y)
{
    A.mult(x, y);
    D.assembleInterface(y);
}

static void precond(const dvec &dinv, const dvec &r, dvec &z)
{
    const long n = (long)r.size();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        z[i] = dinv[i] * r[i];
}

int solveCg(const Csr &A, Dist &D, const dvec &b, dvec &x, double tol, int maxit)
{
    const long n = A.n;
    dvec r(n), z(n), p(n), q(n), dinv(n);
    A.diagonal(dinv);
    D.assembleInterface(dinv);
    for (long i = 0; i < n; i++) dinv[i] = 1.0 / dinv[i];

    apply(A, D, x, q);
    for (long i = 0; i < n; i++) r[i] = b[i] - q[i];
    precond(dinv, r, z);
    p = z;
    double rz = D.dot(r, z);
    const double bnorm = std::sqrt(D.dot(b, b)) + 1e-300;
    int it;
    for (it = 0; it < maxit; it++)
    {
        apply(A, D, p, q);
        const double pq = D.dot(p, q);
        const double alpha = rz / pq;
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            x[i] += alpha * p[i];
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            r[i] -= alpha * q[i];
        precond(dinv, r, z);
        const double rr = D.dot(r, r);
        const double rzNew = D.dot(r, z);
        if (std::sqrt(rr) < tol * bnorm) break;
        const double beta = rzNew / rz;
        rz = rzNew;
        for (long i = 0; i < n; i++)
            p[i] = z[i] + beta * p[i];
    }
    return it;
}

// coefficients of r in the deflation space
void defl(const MultiVec &V, Dist &D, const dvec &r, dvec &c)
{
    const long n = (long)V.size();
    const int nv = V.nvec();
    c.assign(nv, 0.0);
    for (int k = 0; k < nv; k++)
    {
        double s = 0.0;
#pragma omp parallel for reduction(+:s)
        for (long i = 0; i < n; i++)
            s += D.weight(i) * V.at(i, k) * r[i];
        c[k] = D.sum(s);
    }
}

// deflation vectors orthogonal to the first one
void orthogonalise(MultiVec &V, const Dist &D)
{
    const size_t n = V.size();
    for (int k = 1; k < V.nvec(); k++)
    {
        double s = 0.0, q = 0.0;
        for (size_t i = 0; i < n; i++)
        {
            s += V.at(i, k) * V.at(i, 0);
            q += V.at(i, 0) * V.at(i, 0);
        }
        const double both = D.sum(s), self = D.sum(q);
        for (size_t i = 0; i < n; i++) V.at(i, k) -= both / self * V.at(i, 0);
    }
}

// values of the expansion with coefficients c
void expand(const MultiVec &V, const dvec &c, dvec &y)
{
    std::fill(y.begin(), y.end(), 0.0);
    for (int k = 0; k < V.nvec(); k++)
        for (long i = 0; i < (long)V.size(); i++)
            y[i] += c[k] * V.at(i, k);
}

void smoothVectors(MultiVec &V, int sweeps)
{
    const long n = (long)V.size();
    const int nv = V.nvec();
    for (int s = 0; s < sweeps; s++)
        for (long i = 1; i < n - 1; i++)
            for (int k = 0; k < nv; k++)
                V.at(i, k) = 0.5 * V.at(i, k) + 0.25 * (V.at(i - 1, k) + V.at(i + 1, k));
}
