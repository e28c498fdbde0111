#include "network.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace netsim {

Plasticity::Plasticity(Network& n, int nPlastic, int nGap)
    : net_(n), np_(std::min(nPlastic, n.cfg.nLocal / 2)), ng_(std::min(nGap, n.cfg.nLocal / 2)), w_(std::size_t(np_) * np_), g_(ng_, ng_), modes_(ng_, 24), cur_(ng_),
      dopa_(NX * NY, 0.1), next_(NX * NY) {
    Rng r(31);
    for (auto& x : w_) x = float(0.5 * r.uniform());
    for (int j = 0; j < ng_; ++j)
        for (int i = 0; i < ng_; ++i) {
            const double dx = n.cells[i].x - n.cells[j].x, dy = n.cells[i].y - n.cells[j].y;
            g_(i, j) = i == j ? 0.0 : 0.002 * std::exp(-8.0 * (dx * dx + dy * dy));
        }
    for (int m = 0; m < 24; ++m)
        for (int i = 0; i < ng_; ++i) modes_(i, m) = float(std::sin(M_PI * (m + 1) * (i + 0.5) / ng_));
}

// pair rule with traces between the first np and the next np cells
void Plasticity::stdp() {
    const Neuron* pre = net_.cells.data();
    const Neuron* post = pre + np_;
    std::vector<double> tp(np_), tq(np_);
    for (int i = 0; i < np_; ++i) {
        tp[i] = pre[i].trace;
        tq[i] = post[i].trace;
    }
#pragma omp parallel for
    for (int p = 0; p < np_; ++p) {
        const double xq = tq[p];
        for (int i = 0; i < np_; ++i) {
            float& w = w_[std::size_t(i) * np_ + p];
            if (xq > tp[i])
                w += float(1e-4 * xq * (1.0 - w));
            else
                w -= float(1.1e-4 * tp[i] * w);
        }
    }
    // drive from the plastic block, row by row
    double s = 0.0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < np_; ++i) {
        if (tp[i] < 1e-3) continue;
        const float* row = w_.data() + std::size_t(i) * np_;
        float t = 0.0f;
#pragma omp simd reduction(+ : t)
        for (int p = 0; p < np_; ++p) t += row[p];
        s += t * tp[i];
    }
    net_.cells[0].isyn += 1e-6 * s;
}

// electrical coupling, all pairs
void Plasticity::gap() {
    std::vector<double> v(ng_);
    std::transform(net_.cells.begin(), net_.cells.begin() + ng_, v.begin(), [](const Neuron& q) { return q.v; });
    std::fill(cur_.begin(), cur_.end(), 0.0);
    double* I = cur_.data();
    const int n = ng_;
#pragma omp parallel for reduction(+ : I[:n])
    for (int j = 0; j < n; ++j) {
        int i = 0;
        auto couple = [&](double vi) {
            I[i] += g_(i, j) * (v[j] - vi);
            ++i;
        };
        std::for_each(v.begin(), v.end(), couple);
    }
    for (int i = 0; i < n; ++i) net_.cells[i].isyn += 0.1 * I[i];
}

// recovery of depressed outgoing weights towards the target sum
void Plasticity::homeostasis(double target) {
    Csr& c = net_.csr;
    const int ns = net_.nGlobal();
#pragma omp parallel for schedule(static)
    for (int s = 0; s < ns; ++s) {
        double sum = 0.0;
        for (int q = c.ptr[s]; q < c.ptr[s + 1]; ++q) sum += std::fabs(c.syn[q].w);
        const double want = target * c.degree(s), f = sum > 0.0 ? 1.0 + 0.01 * (want / sum - 1.0) : 1.0;
        for (int q = c.ptr[s]; q < c.ptr[s + 1]; ++q) c.syn[q].w = float(c.syn[q].w * f);
    }
}

// neuromodulator: diffusion with uptake, released at the active cells
void Plasticity::diffuse() {
    for (const SpikeEvent& e : net_.mine) {
        const Neuron& q = net_.cells[e.src % net_.cfg.nLocal];
        at(dopa_, int(q.x * (NX - 1)), int(q.y * (NY - 1))) += 1.0;
    }
#pragma omp parallel for
    for (int x = 0; x < NX; ++x)
        for (int y = 0; y < NY; ++y) {
            if (x == 0 || y == 0 || x == NX - 1 || y == NY - 1) {
                at(next_, x, y) = 0.0;
                continue;
            }
            const double c = at(dopa_, x, y);
            const double lap = at(dopa_, x - 1, y) + at(dopa_, x + 1, y) + at(dopa_, x, y - 1) + at(dopa_, x, y + 1) - 4.0 * c;
            at(next_, x, y) = c + 0.2 * lap - 0.05 * c / (1.0 + c);
        }
    dopa_.swap(next_);
}

// projection of the coupling currents on the modes
double Plasticity::columnNorm() {
    double worst = 0.0;
    for (std::size_t m = 0; m < modes_.cols(); ++m) {
        double s = 0.0;
        for (std::size_t i = 0; i < modes_.rows(); ++i) s += modes_(i, m) * cur_[i];
        worst = std::max(worst, std::fabs(s));
    }
    return worst;
}

}  // namespace netsim
