#include "net.hpp"
#include <algorithm>
#include <cmath>

void Dense::init(int i, int o, std::mt19937 &r)
{
    in = i; out = o;
    std::normal_distribution<float> g(0.f, std::sqrt(2.f/i));
    w.resize(std::size_t(i)*o);
    for (auto &v : w) v = g(r);
    b.assign(o, 0.f); gb = b;
    gw.assign(w.size(), 0.f); mw = gw; vw = gw; wt = gw;
}

// y = x w + b
void Dense::forward(const vec &x, vec &y, int batch) const
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < batch; ++i) {
        float *yi = &y[std::size_t(i)*out];
        for (int j = 0; j < out; ++j) yi[j] = b[j];
        for (int k = 0; k < in; ++k) {
            const float a = x[std::size_t(i)*in + k];
            const float *wk = &w[std::size_t(k)*out];
            for (int j = 0; j < out; ++j)
                yi[j] += a*wk[j];
        }
    }
}

void Dense::backward(const vec &x, const vec &dy, vec *dx, int batch)
{
    // gw = x^T dy
    #pragma omp parallel for schedule(static)
    for (int k = 0; k < in; ++k)
        for (int j = 0; j < out; ++j) {
            float s = 0.f;
            for (int i = 0; i < batch; ++i)
                s += x[std::size_t(i)*in + k]*dy[std::size_t(i)*out + j];
            gw[std::size_t(k)*out + j] = s;
        }
    for (int j = 0; j < out; ++j) {
        float s = 0.f;
        for (int i = 0; i < batch; ++i) s += dy[std::size_t(i)*out + j];
        gb[j] = s;
    }
    if (!dx) return;
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < batch; ++i)
        for (int k = 0; k < in; ++k) {
            const float *wk = &w[std::size_t(k)*out], *di = &dy[std::size_t(i)*out];
            float s = 0.f;
            for (int j = 0; j < out; ++j) s += wk[j]*di[j];
            (*dx)[std::size_t(i)*in + k] = s;
        }
}

// transposed copy for the evaluation path
void Dense::refresh_transpose()
{
    for (int k = 0; k < in; ++k)
        for (int j = 0; j < out; ++j)
            wt[std::size_t(j)*in + k] = w[std::size_t(k)*out + j];
}

void Head::init(int i, int o, std::mt19937 &r)
{
    in = i; out = o;
    std::normal_distribution<float> g(0.f, std::sqrt(2.f/i));
    p.resize(std::size_t(i)*o);
    for (auto &q : p) q.w = g(r);
    b.assign(o, 0.f); gb = b;
}

void Head::forward(const vec &x, vec &y, int batch) const
{
    for (int i = 0; i < batch; ++i) {
        #pragma omp parallel for
        for (int j = 0; j < out; ++j) {
            float s = b[j];
            for (int k = 0; k < in; ++k)
                s += x[std::size_t(i)*in + k]*p[std::size_t(k)*out + j].w;
            y[std::size_t(i)*out + j] = s;
        }
    }
}

void Head::backward(const vec &x, const vec &dy, vec &dx, int batch)
{
    for (auto &q : p) q.g = 0.f;
    std::fill(gb.begin(), gb.end(), 0.f);
    #pragma omp parallel for
    for (int i = 0; i < batch; ++i) {
        const float *xi = &x[std::size_t(i)*in], *di = &dy[std::size_t(i)*out];
        for (int k = 0; k < in; ++k) {
            float s = 0.f;
            for (int j = 0; j < out; ++j) s += di[j]*p[std::size_t(k)*out + j].w;
            dx[std::size_t(i)*in + k] = s;
        }
        #pragma omp critical
        {
            for (int k = 0; k < in; ++k)
                for (int j = 0; j < out; ++j) p[std::size_t(k)*out + j].g += xi[k]*di[j];
            for (int j = 0; j < out; ++j) gb[j] += di[j];
        }
    }
}

double weight_norm(const vec &w)
{
    double s = 0;
    #pragma omp parallel for reduction(+:s)
    for (std::size_t k = 0; k < w.size(); ++k) s += double(w[k])*w[k];
    return s;
}
