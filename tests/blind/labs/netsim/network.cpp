#include "network.hpp"
#include <algorithm>
#include <cmath>
#include <omp.h>

namespace netsim {

Network::Network(const Config& c, int rank, int size)
    : cfg(c), rank_(rank), size_(size), input_(4711 + rank) {
    cells.resize(cfg.nLocal);
    ring_.assign(std::size_t(cfg.nLocal) * DELAYS, 0.0);
    for (int t = 0; t < omp_get_max_threads(); ++t) rngs_.emplace_back(1 + t + 1000 * rank);
    gate_ = [](double v) { return v > -50.0 ? 1.0 : 0.4 + 0.012 * (v + 100.0); };
    Rng r(17 + rank);
    for (int n = 0; n < cfg.nLocal; ++n) {
        Neuron& q = cells[n];
        const double f = r.uniform();
        q = Neuron();
        q.pop = n % 5 == 4 ? 3 : n % 3;
        q.v = -65.0;
        q.a = q.pop == 3 ? 0.02f + 0.08f * float(f) : 0.02f;
        q.b = q.pop == 3 ? 0.25f - 0.05f * float(f) : 0.2f;
        q.c = -65.0f + (q.pop == 3 ? 0.0f : 15.0f * float(f * f));
        q.d = q.pop == 3 ? 2.0f : 8.0f - 6.0f * float(f * f);
        q.u = q.b * q.v;
        q.x = r.uniform(); q.y = r.uniform(); q.z = r.uniform();
        std::snprintf(q.label, sizeof q.label, "n%d", n);
    }
}

// out-degrees follow a power law; targets of a row are distinct
void Network::build() {
    const int ng = nGlobal(), nl = cfg.nLocal;
    std::vector<int> deg(ng);
    csr.ptr.assign(ng + 1, 0);
    Rng common(99);
    for (int s = 0; s < ng; ++s) {
        const double x = std::max(1e-4, common.uniform());
        deg[s] = std::min(nl / 4, int(0.4 * cfg.degree / std::sqrt(x)) + 1);
    }
    std::sort(deg.rbegin(), deg.rend());
    for (int s = 0; s < ng; ++s) csr.ptr[s + 1] = csr.ptr[s] + deg[s];
    csr.syn.resize(csr.ptr[ng]);
#pragma omp parallel for schedule(guided)
    for (int s = 0; s < ng; ++s) {
        Rng r(7 * s + rank_ + 1);
        const int d = deg[s], stepw = std::max(1, nl / d), off = r.below(nl);
        for (int e = 0; e < d; ++e) {
            Synapse& y = csr.syn[csr.ptr[s] + e];
            y.tgt = (off + e * stepw) % nl;
            y.kind = s % 5 == 4;
            y.w = float((y.kind ? -1.2 : cfg.wExc) * r.uniform());
            y.delay = std::uint16_t(1 + r.below(200));
        }
    }
    // targets ascending inside a row
    for (int s = 0; s < ng; ++s)
        std::sort(csr.syn.begin() + csr.ptr[s], csr.syn.begin() + csr.ptr[s + 1],
                  [](const Synapse& a, const Synapse& b) { return a.tgt < b.tgt; });
}

// external drive
void Network::poisson(long step) {
    for (int n = 0; n < cfg.nLocal; ++n)
        if (input_.uniform() < cfg.rate) slot(n, step + 1 + input_.below(8)) += 30.0 + 30.0 * input_.uniform();
}

void Network::deliver(long step) {
    // excitation: hubs have thousands of targets
    for (const SpikeEvent& e : all) {
        if (!e.exc) continue;
        const int lo = csr.ptr[e.src], hi = csr.ptr[e.src + 1];
#pragma omp parallel for
        for (int q = lo; q < hi; ++q) {
            const Synapse& y = csr.syn[q];
            slot(y.tgt, step + y.delay) += e.w * y.w;
        }
    }
    const long ns = long(all.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (long k = 0; k < ns; ++k) {
        const SpikeEvent& e = all[k];
        if (e.exc) continue;
        for (int q = csr.ptr[e.src]; q < csr.ptr[e.src + 1]; ++q)
            slot(csr.syn[q].tgt, step + csr.syn[q].delay) += e.w * csr.syn[q].w;
    }
}

}  // namespace netsim
