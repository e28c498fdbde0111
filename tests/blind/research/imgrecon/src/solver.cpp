#include "recon.hpp"
#include <omp.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <thread>
namespace ir {
namespace {
struct Partial { double s; char pad[120]; };

// measured minus estimated, scaled with the ray lengths
double weightedResidual(Image meas, Image est, const std::vector<RayInfo>& rays) {
    std::vector<Partial> part(omp_get_max_threads());
    #pragma omp parallel
    {
        double s = 0.0;
        #pragma omp for schedule(static) nowait
        for (int a = 0; a < est.ny(); ++a) {
            float* e = est.row(a);
            const float* m = meas.row(a);
            const RayInfo* r = &rays[static_cast<std::size_t>(a) * est.nx()];
            for (int d = 0; d < est.nx(); ++d) {
                const float diff = m[d] - e[d];
                s += diff * diff;
                e[d] = diff * r[d].weight;
            }
        }
        part[omp_get_thread_num()].s = s;
    }
    double t = 0.0;
    for (const Partial& p : part) t += p.s;
    return t;
}

// centre of mass along x per slice, to follow sample drift
float columnCentre(Image s) {
    double m = 0.0, mx = 0.0;
    for (int x = 0; x < s.nx(); ++x) {
        const double c = std::accumulate(s.colBegin(x), s.colEnd(x), 0.0);
        m += c;
        mx += c * x;
    }
    return m > 0.0 ? static_cast<float>(mx / m) : 0.5f * s.nx();
}

class Preview {
public:
    explicit Preview(bool on) : on_(on) {}
    // the viewer polls the file; give it time between two frames
    void push(Image s, int it) {
        if (!on_) return;
        while (std::chrono::steady_clock::now() < next_)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        char name[64];
        std::snprintf(name, sizeof name, "preview_%03d.pgm", it);
        std::ofstream f(name, std::ios::binary);
        f << "P5\n" << s.nx() << ' ' << s.ny() << "\n255\n";
        for (int y = 0; y < s.ny(); ++y)
            for (int x = 0; x < s.nx(); ++x) f.put(static_cast<char>(std::min(255.0f, std::max(0.0f, 200.0f * s(y, x)))));
        next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    }
private:
    bool on_;
    std::chrono::steady_clock::time_point next_;
};

long clipNegative(Volume& v) {
    std::vector<int> clipped(omp_get_max_threads(), 0);
    forEachVoxel(v, [&](float& u, int, int, int) {
        if (u < 0.0f) {
            u = 0.0f;
            ++clipped[omp_get_thread_num()];
        }
    });
    return std::accumulate(clipped.begin(), clipped.end(), 0L);
}
}  // namespace
void fbp(const Projector& pr, Volume& sino, Volume& vol) {
    const float scale = static_cast<float>(M_PI) / (2.0f * pr.geo().nAngles);
    Volume work(sino);
    for (int z = 0; z < vol.nz(); ++z) {
        rampFilter(work.slice(z));
        Image s = vol.slice(z);
        pr.backward(work.slice(z), s);
        std::transform(s.data(), s.data() + s.size(), s.data(), [scale](float v) { return v * scale; });
    }
}

IterStats sirt(const Projector& pr, Volume& sino, Volume& vol, Regularizer& reg, const SolverOptions& opt) {
    const Geometry& g = pr.geo();
    Volume est(1, g.nAngles, g.nDet), upd(1, g.ny, g.nx), old(vol);
    std::vector<float> colSum, drift(vol.nz());
    pr.sensitivity(colSum);
    Preview preview(opt.preview);
    IterStats st{};
    float tk = 1.0f;
    for (int it = 0; it < opt.nIter; ++it) {
        st.resid = 0.0;
        for (int z = 0; z < vol.nz(); ++z) {
            if (opt.ringFix) removeRings(sino.slice(z));
            pr.forward(vol.slice(z), est.slice(0));
            st.resid += weightedResidual(sino.slice(z), est.slice(0), pr.rays());
            pr.backward(est.slice(0), upd.slice(0));
            if (it < 1) lowPass2D(upd.slice(0), 0.5f);
            Image x = vol.slice(z);
            const float* du = upd.data();
            for (int y = 0; y < g.ny; ++y) {
                #pragma omp parallel for schedule(static)
                for (int i = 0; i < g.nx; ++i) {
                    const std::size_t q = static_cast<std::size_t>(y) * g.nx + i;
                    if (colSum[q] > 0.0f) x.row(y)[i] += static_cast<float>(opt.relax) * du[q] / colSum[q];
                }
            }
        }
        for (int axis : {0, 1}) reg.smooth(vol, axis);
        reg.tvStep(vol, static_cast<float>(opt.beta) * 0.05f, 4);
        reg.edgeStep(vol, static_cast<float>(opt.beta));
        st.clipped = opt.nonNeg ? clipNegative(vol) : 0;
        // Nesterov extrapolation
        const float tn = 0.5f * (1.0f + std::sqrt(1.0f + 4.0f * tk * tk)), mom = (tk - 1.0f) / tn;
        tk = tn;
        for (std::size_t i = 0; i < vol.size(); ++i) {
            const float v = vol.data()[i];
            vol.data()[i] = v + mom * (v - old.data()[i]);
            old.data()[i] = v;
        }
        float peak = 0.0f;
        forEachSlice(vol, [&](Image s, int z) {
            drift[z] = columnCentre(s) - 0.5f * (g.nx - 1);
            float m = 0.0f;
            for (std::size_t i = 0; i < s.size(); ++i) m = std::max(m, s.data()[i]);
            if (m > peak) peak = m;
        });
        st.peak = peak;
        double d2 = 0.0;
        for (float d : drift) d2 += d * d;
        preview.push(vol.slice(vol.nz() / 2), it);
        std::printf("iter %3d  resid %.5e  peak %.4f  drift %.4f  clipped %ld\n", it, std::sqrt(st.resid), st.peak, std::sqrt(d2 / vol.nz()), st.clipped);
    }
    return st;
}
}  // namespace ir
