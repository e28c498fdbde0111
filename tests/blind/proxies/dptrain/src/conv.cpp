#include "net.hpp"
#include <algorithm>
#include <cmath>

void Conv::init(std::mt19937 &r)
{
    std::normal_distribution<float> g(0.f, 0.4f);
    w.resize(CH*K*K);
    for (auto &v : w) v = g(r);
    b.assign(CH, 0.f);
    gw.assign(w.size(), 0.f);
    gb.assign(CH, 0.f);
}

void Conv::forward(const vec &x, vec &y, int batch) const
{
    #pragma omp parallel for collapse(2) schedule(static)
    for (int n = 0; n < batch; ++n)
        for (int c = 0; c < CH; ++c) {
            const float *xi = &x[std::size_t(n)*IMG*IMG];
            float *yo = &y[(std::size_t(n)*CH + c)*OIMG*OIMG];
            for (int i = 0; i < OIMG; ++i)
                for (int j = 0; j < OIMG; ++j) {
                    float s = b[c];
                    for (int ky = 0; ky < K; ++ky)
                        for (int kx = 0; kx < K; ++kx)
                            s += w[(c*K + ky)*K + kx]*xi[(i + ky)*IMG + j + kx];
                    yo[i*OIMG + j] = s;
                }
        }
}

// 1x1 convolution over the channels, NCHW
void Conv::mix(const vec &y, vec &z, const vec &m, int batch) const
{
    const int hw = OIMG*OIMG;
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < batch; ++n)
        for (int c = 0; c < CH; ++c)
            for (int q = 0; q < hw; ++q) {
                float s = 0.f;
                for (int d = 0; d < CH; ++d)
                    s += m[c*CH + d]*y[(std::size_t(n)*CH + d)*hw + q];
                z[(std::size_t(n)*CH + c)*hw + q] = s;
            }
}

void Conv::backward(const vec &x, const vec &dy, int batch)
{
    std::fill(gw.begin(), gw.end(), 0.f);
    std::fill(gb.begin(), gb.end(), 0.f);
    #pragma omp parallel
    {
        vec lw(gw.size(), 0.f), lb(CH, 0.f);
        #pragma omp for schedule(static) nowait
        for (int n = 0; n < batch; ++n)
            for (int c = 0; c < CH; ++c) {
                const float *xi = &x[std::size_t(n)*IMG*IMG];
                const float *d = &dy[(std::size_t(n)*CH + c)*OIMG*OIMG];
                for (int ky = 0; ky < K; ++ky)
                    for (int kx = 0; kx < K; ++kx) {
                        float s = 0.f;
                        for (int i = 0; i < OIMG; ++i)
                            for (int j = 0; j < OIMG; ++j)
                                s += d[i*OIMG + j]*xi[(i + ky)*IMG + j + kx];
                        lw[(c*K + ky)*K + kx] += s;
                    }
                for (int q = 0; q < OIMG*OIMG; ++q) lb[c] += d[q];
            }
        #pragma omp critical
        {
            for (std::size_t k = 0; k < gw.size(); ++k) gw[k] += lw[k];
            for (int c = 0; c < CH; ++c) gb[c] += lb[c];
        }
    }
}

void pool(const vec &y, vec &z, std::vector<int> &arg, int batch)
{
    #pragma omp parallel for collapse(2)
    for (int n = 0; n < batch; ++n)
        for (int c = 0; c < CH; ++c) {
            const std::size_t yo = (std::size_t(n)*CH + c)*OIMG*OIMG, zo = (std::size_t(n)*CH + c)*PIMG*PIMG;
            for (int i = 0; i < PIMG; ++i)
                for (int j = 0; j < PIMG; ++j) {
                    int best = int(yo) + 2*i*OIMG + 2*j;
                    for (int d = 1; d < 4; ++d) {
                        int q = int(yo) + (2*i + d/2)*OIMG + 2*j + d%2;
                        if (y[q] > y[best]) best = q;
                    }
                    z[zo + i*PIMG + j] = y[best];
                    arg[zo + i*PIMG + j] = best;
                }
        }
}

void pool_back(const vec &dz, const std::vector<int> &arg, vec &dy, int batch)
{
    std::fill(dy.begin(), dy.end(), 0.f);
    #pragma omp parallel for
    for (int q = 0; q < batch*FLAT; ++q) dy[arg[q]] += dz[q];
}
