#include "recon.hpp"
#include <cmath>
namespace ir {
Geometry::Geometry(int na, int nd, int n) : nAngles(na), nDet(nd), ny(n), nx(n), cosT(na), sinT(na) {
    for (int a = 0; a < na; ++a) {
        cosT[a] = std::cos(static_cast<float>(M_PI) * a / na);
        sinT[a] = std::sin(static_cast<float>(M_PI) * a / na);
    }
}
namespace {
// 2x2 rotation applied to the grid corners
void rotate(const float m[2][2], const float in[2], float out[2]) {
    out[0] = out[1] = 0.0f;
    for (int c = 0; c < 2; ++c)
        for (int r = 0; r < 2; ++r) out[r] += m[r][c] * in[c];
}
}  // namespace
Projector::Projector(const Geometry& g)
    : g_(g), taps_(static_cast<std::size_t>(g.nAngles) * g.ny * g.nx), rays_(static_cast<std::size_t>(g.nAngles) * g.nDet) {
    const float cx = 0.5f * (g.nx - 1), cy = 0.5f * (g.ny - 1), cd = 0.5f * (g.nDet - 1);
    const float rmax2 = 0.25f * g.nx * g.nx;
    #pragma omp parallel for schedule(static)
    for (int a = 0; a < g.nAngles; ++a) {
        const float m[2][2] = {{g.cosT[a], g.sinT[a]}, {-g.sinT[a], g.cosT[a]}};
        Tap* t = &taps_[static_cast<std::size_t>(a) * g.ny * g.nx];
        for (int y = 0; y < g.ny; ++y) {
            for (int x = 0; x < g.nx; ++x, ++t) {
                const float p[2] = {x - cx, y - cy};
                float q[2];
                rotate(m, p, q);
                const float s = q[0] + cd;
                t->det = static_cast<int>(std::floor(s));
                t->w = s - t->det;
                t->inside = p[0] * p[0] + p[1] * p[1] < rmax2 && t->det >= 0 && t->det + 1 < g.nDet;
            }
        }
        for (int d = 0; d < g.nDet; ++d) {
            RayInfo& r = rays_[static_cast<std::size_t>(a) * g.nDet + d];
            const float off = d - cd;
            const float half = std::sqrt(std::max(rmax2 - off * off, 0.0f));
            r = RayInfo();
            r.dirX = -g.sinT[a]; r.dirY = g.cosT[a];
            r.srcX = off * g.cosT[a] - half * r.dirX; r.srcY = off * g.sinT[a] - half * r.dirY;
            r.dstX = off * g.cosT[a] + half * r.dirX; r.dstY = off * g.sinT[a] + half * r.dirY;
            r.length = 2.0f * half; r.offset = off;
            r.weight = half > 0.5f ? 1.0f / r.length : 0.0f;
            r.angle = a; r.det = d;
        }
    }
}
void Projector::forward(Image img, Image sino) const {
    std::fill(sino.data(), sino.data() + sino.size(), 0.0f);
    const std::size_t plane = img.size();
    #pragma omp parallel for schedule(static)
    for (int y = 0; y < g_.ny; ++y) {
        const float* src = img.row(y);
        for (int a = 0; a < g_.nAngles; ++a) {
            const Tap* t = &taps_[a * plane + static_cast<std::size_t>(y) * g_.nx];
            float* dst = sino.row(a);
            for (int x = 0; x < g_.nx; ++x) {
                if (!t[x].inside) continue;
                const float v1 = static_cast<float>(t[x].w) * src[x];
                #pragma omp atomic
                dst[t[x].det] += src[x] - v1;
                #pragma omp atomic
                dst[t[x].det + 1] += v1;
            }
        }
    }
}
void Projector::backward(Image sino, Image img) const {
    const std::size_t plane = img.size();
    #pragma omp parallel for schedule(static)
    for (int y = 0; y < g_.ny; ++y) {
        float* dst = img.row(y);
        std::fill(dst, dst + g_.nx, 0.0f);
        for (int a = 0; a < g_.nAngles; ++a) {
            const Tap* t = &taps_[a * plane + static_cast<std::size_t>(y) * g_.nx];
            const float* src = sino.row(a);
            for (int x = 0; x < g_.nx; ++x) {
                if (!t[x].inside) continue;
                const float w = static_cast<float>(t[x].w);
                dst[x] += (1.0f - w) * src[t[x].det] + w * src[t[x].det + 1];
            }
        }
    }
}
// Column sums of the system matrix, needed once before iterating.
void Projector::sensitivity(std::vector<float>& colSum) const {
    const std::size_t plane = static_cast<std::size_t>(g_.ny) * g_.nx;
    colSum.assign(plane, 0.0f);
    for (int a = 0; a < g_.nAngles; ++a) {
        const Tap* t = &taps_[a * plane];
        for (std::size_t i = 0; i < plane; ++i) colSum[i] += t[i].inside ? 1.0f : 0.0f;
    }
}
}  // namespace ir
