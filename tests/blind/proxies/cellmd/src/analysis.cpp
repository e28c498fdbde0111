#include "analysis.hpp"
#include <algorithm>

using md::System;

Analysis::Analysis(const System &, int nb, int ng)
    : nb_(nb), ng_(ng), hist_(nb, 0.0), dens_(ng, ng, ng), tmp_(ng, ng, ng) {}

// pair distances of the local atoms; all pairs, range up to half the box
void Analysis::rdf(const System &s)
{
    const int n = s.nlocal/2;
    const double rmax = 0.5*s.box[0], sc = nb_/rmax;
    std::vector<double> x(n), y(n), z(n);
    for (int i = 0; i < n; ++i) { x[i] = s.at[2*i].r[0]; y[i] = s.at[2*i].r[1]; z[i] = s.at[2*i].r[2]; }
    #pragma omp parallel
    {
        std::vector<double> h(nb_, 0.0);
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j) {
                double dx = md::pbc(x[i] - x[j], s.box[0]), dy = md::pbc(y[i] - y[j], s.box[1]), dz = z[i] - z[j];
                double r = std::sqrt(dx*dx + dy*dy + dz*dz);
                if (r < rmax) h[int(r*sc)] += 1;
            }
        #pragma omp critical
        for (int b = 0; b < nb_; ++b) hist_[b] += h[b];
    }
}

void Analysis::density(const System &s)
{
    std::fill_n(dens_.data(), dens_.size(), 0.0);
    const double lz = s.zhi - s.zlo;
    for (int i = 0; i < s.nlocal; ++i) {
        int c[3] = {int(s.at[i].r[0]/s.box[0]*ng_), int(s.at[i].r[1]/s.box[1]*ng_), int((s.at[i].r[2] - s.zlo)/lz*ng_)};
        for (int &v : c) v = std::clamp(v, 0, ng_ - 1);
        dens_(c[0], c[1], c[2]) += 1.0;
    }
}

// seven-point smoothing of the density
void Analysis::blur(int passes)
{
    for (int p = 0; p < passes; ++p) {
        #pragma omp parallel for
        for (int x = 1; x < ng_ - 1; ++x)
            for (int y = 1; y < ng_ - 1; ++y)
                for (int z = 1; z < ng_ - 1; ++z)
                    tmp_(x, y, z) = 0.4*dens_(x, y, z)
                        + 0.1*(dens_(x-1, y, z) + dens_(x+1, y, z) + dens_(x, y-1, z) + dens_(x, y+1, z) + dens_(x, y, z-1) + dens_(x, y, z+1));
        #pragma omp parallel for
        for (int z = 1; z < ng_ - 1; ++z)
            for (int y = 1; y < ng_ - 1; ++y)
                for (int x = 1; x < ng_ - 1; ++x)
                    dens_(x, y, z) = tmp_(x, y, z);
    }
}

double Analysis::profile(std::vector<double> &pz) const
{
    pz.assign(ng_, 0.0);
    double m = 0;
    for (int y = 0; y < ng_; ++y)
        for (int x = 0; x < ng_; ++x)
            for (int z = 0; z < ng_; ++z)
                pz[z] += dens_(x, y, z);
    for (double v : pz) m = std::max(m, v);
    return m;
}

void Analysis::remember(const System &s)
{
    std::vector<double> v(s.nlocal);
    for (int i = 0; i < s.nlocal; ++i) v[i] = s.at[i].v[0];
    vh_.push_back(std::move(v));
}

// covariance of the momenta of blocks of atoms over all samples so far
double Analysis::covariance(const System &s, int nblk)
{
    std::vector<double> p(nblk, 0.0);
    for (int i = 0; i < s.nlocal; ++i) p[i % nblk] += s.at[i].m*s.at[i].v[2];
    mom_.push_back(std::move(p));
    const int ns = static_cast<int>(mom_.size());
    std::vector<double> cov(std::size_t(nblk)*nblk, 0.0);
    for (int a = 0; a < nblk; ++a)
        for (int b = 0; b < nblk; ++b)
            for (int t = 0; t < ns; ++t)
                cov[std::size_t(a)*nblk + b] += mom_[t][a]*mom_[t][b];
    double tr = 0;
    for (int a = 0; a < nblk; ++a) tr += cov[std::size_t(a)*nblk + a];
    return tr/ns;
}

// autocorrelation over the stored history
std::vector<double> Analysis::vacf() const
{
    const int nt = static_cast<int>(vh_.size());
    std::vector<double> c(nt, 0.0);
    if (!nt) return c;
    std::size_t n = vh_[0].size();
    for (auto &v : vh_) n = std::min(n, v.size());
    for (int lag = 0; lag < nt; ++lag)
        for (std::size_t a = 0; a < n; ++a)
            for (int t = 0; t + lag < nt; ++t)
                c[lag] += vh_[t][a]*vh_[t+lag][a];
    for (int lag = 0; lag < nt; ++lag) c[lag] /= double(n)*(nt - lag);
    return c;
}

void Analysis::collect(const System &s, std::vector<double> &g) const
{
    g.assign(nb_, 0.0);
    MPI_Reduce(hist_.data(), g.data(), nb_, MPI_DOUBLE, MPI_SUM, 0, s.comm);
}
