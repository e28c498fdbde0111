#include "recon.hpp"
#include <cmath>
#include <cstring>
namespace ir {
namespace {
class HuberPenalty final : public Penalty {
public:
    explicit HuberPenalty(float d) : d_(d) {}
    float influence(float x) const override { return std::fabs(x) <= d_ ? x : std::copysign(d_, x); }
private:
    float d_;
};

class FairPenalty final : public Penalty {
public:
    explicit FairPenalty(float d) : d_(d) {}
    float influence(float x) const override { return x / (1.0f + std::fabs(x) / d_); }
private:
    float d_;
};
}  // namespace
std::unique_ptr<Penalty> makePenalty(const char* name, float delta) {
    if (std::strcmp(name, "fair") == 0) return std::unique_ptr<Penalty>(new FairPenalty(delta));
    return std::unique_ptr<Penalty>(new HuberPenalty(delta));
}

Regularizer::Regularizer(const Volume& like, std::unique_ptr<Penalty> p)
    : pen_(std::move(p)), gx_(like.size()), gy_(like.size()), gz_(like.size()) {}

// A few gradient steps on the smoothed total variation.
void Regularizer::tvStep(Volume& v, float lambda, int nInner) {
    const int nz = v.nz(), ny = v.ny(), nx = v.nx();
    const std::size_t sy = nx, sz = static_cast<std::size_t>(ny) * nx;
    const float eps = 1e-6f;
    float* u = v.data();
    #pragma omp parallel
    for (int it = 0; it < nInner; ++it) {
        #pragma omp for schedule(static)
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const std::size_t i = z * sz + y * sy + x;
                    gx_[i] = x + 1 < nx ? u[i + 1] - u[i] : 0.0f;
                }
        #pragma omp for schedule(static)
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const std::size_t i = z * sz + y * sy + x;
                    gy_[i] = y + 1 < ny ? u[i + sy] - u[i] : 0.0f;
                }
        #pragma omp for schedule(static)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                for (int z = 0; z < nz; ++z) {
                    const std::size_t i = z * sz + y * sy + x;
                    gz_[i] = z + 1 < nz ? u[i + sz] - u[i] : 0.0f;
                }
        #pragma omp for schedule(static)
        for (std::size_t i = 0; i < nz * sz; ++i) {
            const float r = 1.0f / std::sqrt(gx_[i] * gx_[i] + gy_[i] * gy_[i] + gz_[i] * gz_[i] + eps);
            gx_[i] *= r; gy_[i] *= r; gz_[i] *= r;
        }
        #pragma omp for schedule(static)
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const std::size_t i = z * sz + y * sy + x;
                    float div = gx_[i] + gy_[i] + gz_[i];
                    if (x > 0) div -= gx_[i - 1];
                    if (y > 0) div -= gy_[i - sy];
                    if (z > 0) div -= gz_[i - sz];
                    u[i] += lambda * div;
                }
    }
}

// Edge-preserving step with the configured penalty, in-plane neighbours only.
void Regularizer::edgeStep(Volume& v, float lambda) {
    const int ny = v.ny(), nx = v.nx();
    forEachSlice(v, [&](Image s, int z) {
        float* tmp = gx_.data() + static_cast<std::size_t>(z) * ny * nx;
        for (int y = 1; y + 1 < ny; ++y) {
            for (int x = 1; x + 1 < nx; ++x) {
                const float c = s(y, x);
                tmp[y * nx + x] = pen_->influence(s(y, x + 1) - c) + pen_->influence(s(y, x - 1) - c)
                                + pen_->influence(s(y + 1, x) - c) + pen_->influence(s(y - 1, x) - c);
            }
        }
        for (int y = 1; y + 1 < ny; ++y)
            for (int x = 1; x + 1 < nx; ++x) s(y, x) += lambda * tmp[y * nx + x];
    });
}

// Weak three-tap damping along one axis against checkerboard modes.
void Regularizer::smooth(Volume& v, int axis) {
    float* out = gz_.data();
    constexpr float kSide = 0.001f;
    const int nz = v.nz(), ny = v.ny(), nx = v.nx();
    switch (axis) {
    case 0:
        #pragma omp parallel for schedule(static)
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const int zm = std::max(z - 1, 0), zp = std::min(z + 1, nz - 1);
                    out[(static_cast<std::size_t>(z) * ny + y) * nx + x] = kSide * (v(zm, y, x) + v(zp, y, x)) + (1.0f - 2.0f * kSide) * v(z, y, x);
                }
        break;
    case 1:
        #pragma omp parallel for schedule(static)
        for (int z = 0; z < nz; ++z)
            for (int x = 0; x < nx; ++x) {
                float prev = v(z, 0, x);
                for (int y = 0; y < ny; ++y) {
                    const float cur = v(z, y, x), next = y + 1 < ny ? v(z, y + 1, x) : cur;
                    out[(static_cast<std::size_t>(z) * ny + y) * nx + x] = kSide * (prev + next) + (1.0f - 2.0f * kSide) * cur;
                    prev = cur;
                }
            }
        break;
    default: return;
    }
    #pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < static_cast<long>(v.size()); ++i) v.data()[i] = out[i];
}
}  // namespace ir
