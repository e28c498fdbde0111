#include "network.hpp"
#include <algorithm>
#include <cmath>
#include <omp.h>

namespace netsim {

namespace {
// Izhikevich, two half steps for v
inline bool advance(Neuron& q, double in, double dt) {
    for (int h = 0; h < 2; ++h) q.v += 0.5 * dt * (0.04 * q.v * q.v + 5.0 * q.v + 140.0 - q.u + in);
    q.u += dt * q.a * (q.b * q.v - q.u);
    if (q.v < 30.0) return false;
    q.v = q.c;
    q.u += q.d;
    return true;
}
}  // namespace

void Network::update(long step) {
    mine.clear();
    vstat.reset();
    const double dt = cfg.dt;
    const int base = rank_ * cfg.nLocal;
#pragma omp parallel
    {
        std::vector<SpikeEvent> local;
        const int th = omp_get_thread_num();
#pragma omp for schedule(static) nowait
        for (int n = 0; n < cfg.nLocal; ++n) {
            Neuron& q = cells[n];
            double& in = ring_[std::size_t(n) * DELAYS + (step & MASK)];
            const double noise = 4.0 * (rngs_[th].uniform() - 0.5);
            q.isyn = 0.8 * q.isyn + in * gate_(q.v);
            in = 0.0;
            if (advance(q, q.isyn + noise, dt)) {
                q.tlast = step * dt;
                q.trace += 1.0;
                ++q.nspk;
                local.push_back({q.tlast, 1.0, base + n, q.pop != 3, 0});
            }
            vstat.add(q.v);
        }
#pragma omp barrier
#pragma omp critical(spikes)
        mine.insert(mine.end(), local.begin(), local.end());
    }
    nspikes += long(mine.size());
}

void Network::decayTraces() {
    const double f = std::exp(-cfg.dt / 20.0);
#pragma omp parallel for simd
    for (int n = 0; n < cfg.nLocal; ++n) cells[n].trace *= f;
}

std::array<double, 4> Network::popMeans() const {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    long c[4] = {0, 0, 0, 0};
#pragma omp parallel for reduction(+ : s0, s1, s2, s3, c[:4])
    for (int n = 0; n < cfg.nLocal; ++n) {
        const Neuron& q = cells[n];
        ++c[q.pop];
        (q.pop == 0 ? s0 : q.pop == 1 ? s1 : q.pop == 2 ? s2 : s3) += q.v;
    }
    std::array<double, 4> m{{s0, s1, s2, s3}};
    for (int p = 0; p < 4; ++p) m[p] /= std::max(1L, c[p]);
    return m;
}

}  // namespace netsim
