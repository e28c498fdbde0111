#include "recon.hpp"
#include <cmath>
namespace ir {
Fft::Fft(int n) : n_(n), rev_(n), tw_(n / 2) {
    int bits = 0;
    while ((1 << bits) < n) ++bits;
    for (int i = 0; i < n; ++i) {
        int r = 0;
        for (int b = 0; b < bits; ++b) r |= ((i >> b) & 1) << (bits - 1 - b);
        rev_[i] = r;
    }
    for (int k = 0; k < n / 2; ++k) tw_[k] = std::polar(1.0f, -2.0f * static_cast<float>(M_PI) * k / n);
}

void Fft::run(cplx* a, bool inverse) const {
    for (int i = 0; i < n_; ++i)
        if (i < rev_[i]) std::swap(a[i], a[rev_[i]]);
    for (int len = 2; len <= n_; len <<= 1) {
        const int half = len / 2, step = n_ / len;
        for (int b = 0; b < n_; b += len) {
            for (int k = 0; k < half; ++k) {
                const cplx w = inverse ? std::conj(tw_[k * step]) : tw_[k * step];
                const cplx u = a[b + k];
                const cplx q = a[b + k + half];
                const cplx t(w.real() * q.real() - w.imag() * q.imag(), w.real() * q.imag() + w.imag() * q.real());
                a[b + k] = u + t;
                a[b + k + half] = u - t;
            }
        }
    }
    if (inverse) {
        const float s = 1.0f / n_;
        for (int i = 0; i < n_; ++i) a[i] *= s;
    }
}

static int padded(int n) {
    int p = 1;
    while (p < 2 * n) p <<= 1;
    return p;
}

void rampFilter(Image sino) {
    const int nf = padded(sino.nx()), na = sino.ny(), nd = sino.nx();
    const Fft fft(nf);
    std::vector<float> ramp(nf);
    for (int k = 0; k < nf; ++k) ramp[k] = std::min(k, nf - k) * 2.0f / nf;
    std::vector<cplx> spec(static_cast<std::size_t>(na) * nf);
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (int a = 0; a < na; ++a) {
            std::copy(sino.row(a), sino.row(a) + nd, &spec[static_cast<std::size_t>(a) * nf]);
            fft.run(&spec[static_cast<std::size_t>(a) * nf], false);
        }
        #pragma omp for schedule(static)
        for (int k = 0; k < nf; ++k) {
            const float h = ramp[k];
            if (h == 0.0f) continue;
            for (int a = 0; a < na; ++a) spec[static_cast<std::size_t>(a) * nf + k] *= h;
        }
        #pragma omp for schedule(static)
        for (int a = 0; a < na; ++a) {
            cplx* s = &spec[static_cast<std::size_t>(a) * nf];
            s[0] = 0.0f;
            fft.run(s, true);
            for (int d = 0; d < nd; ++d) sino(a, d) = s[d].real();
        }
    }
}

void lowPass2D(Image img, float cutoff) {
    const int n = padded(std::max(img.ny(), img.nx())) / 2;
    const Fft fft(n);
    std::vector<cplx> f(static_cast<std::size_t>(n) * n);
    for (int y = 0; y < img.ny(); ++y) std::copy(img.row(y), img.row(y) + img.nx(), &f[static_cast<std::size_t>(y) * n]);
    auto columns = [&](bool inverse) {
        std::vector<cplx> tmp(n);
        for (int c = 0; c < n; ++c) {
            for (int k = 0; k < n; ++k) tmp[k] = f[static_cast<std::size_t>(k) * n + c];
            fft.run(tmp.data(), inverse);
            for (int k = 0; k < n; ++k) f[static_cast<std::size_t>(k) * n + c] = tmp[k];
        }
    };
    for (int y = 0; y < n; ++y) fft.run(&f[static_cast<std::size_t>(y) * n], false);
    columns(false);
    for (int y = 0; y < n; ++y) {
        const float fy = std::min(y, n - y) / (0.5f * n);
        for (int x = 0; x < n; ++x) {
            const float fx = std::min(x, n - x) / (0.5f * n);
            f[static_cast<std::size_t>(y) * n + x] *= 1.0f / (1.0f + (fx * fx + fy * fy) / (cutoff * cutoff));
        }
    }
    columns(true);
    for (int y = 0; y < img.ny(); ++y) {
        fft.run(&f[static_cast<std::size_t>(y) * n], true);
        for (int x = 0; x < img.nx(); ++x) img(y, x) = f[static_cast<std::size_t>(y) * n + x].real();
    }
}

// raw is [angle][slice][detector] as it comes from the camera
void flatField(std::vector<float>& raw, const std::vector<float>& flat, const std::vector<float>& dark, int na, int nz, int nd) {
    #pragma omp parallel for schedule(static)
    for (int z = 0; z < nz; ++z) {
        for (int d = 0; d < nd; ++d) {
            const std::size_t q = static_cast<std::size_t>(z) * nd + d;
            const float gain = 1.0f / std::max(flat[q] - dark[q], 1e-3f);
            float* p = raw.data() + q;
            for (int a = 0; a < na; ++a, p += static_cast<std::size_t>(nz) * nd)
                *p = -std::log(std::max((*p - dark[q]) * gain, 1e-4f));
        }
    }
}

void removeRings(Image sino) {
    const int na = sino.ny(), nd = sino.nx();
    std::vector<float> byDet(sino.size()), prof(nd), col(na);
    for (int a = 0; a < na; ++a)
        for (int d = 0; d < nd; ++d) byDet[static_cast<std::size_t>(d) * na + a] = sino(a, d);
    for (int d = 0; d < nd; ++d) {
        std::copy_n(&byDet[static_cast<std::size_t>(d) * na], na, col.begin());
        std::nth_element(col.begin(), col.begin() + na / 2, col.end());
        prof[d] = col[na / 2];
    }
    for (int d = 1; d + 1 < nd; ++d) {
        const float dev = prof[d] - 0.5f * (prof[d - 1] + prof[d + 1]);
        float* p = &byDet[static_cast<std::size_t>(d) * na];
        for (int a = 0; a < na; ++a) p[a] -= 0.2f * dev;
    }
    constexpr int B = 32;
    for (int d0 = 0; d0 < nd; d0 += B)
        for (int a0 = 0; a0 < na; a0 += B)
            for (int a = a0; a < std::min(a0 + B, na); ++a)
                for (int d = d0; d < std::min(d0 + B, nd); ++d)
                    sino(a, d) = byDet[static_cast<std::size_t>(d) * na + a];
}
}  // namespace ir
