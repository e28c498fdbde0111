#include "net.hpp"
#include <cmath>

void Adam::step(Dense &d) const
{
    const float c1 = 1.f - std::pow(b1, float(t)), c2 = 1.f - std::pow(b2, float(t));
    for (std::size_t k = 0; k < d.w.size(); ++k) {
        d.mw[k] = b1*d.mw[k] + (1 - b1)*d.gw[k];
        d.vw[k] = b2*d.vw[k] + (1 - b2)*d.gw[k]*d.gw[k];
        d.w[k] -= lr*(d.mw[k]/c1)/(std::sqrt(d.vw[k]/c2) + eps);
    }
    for (int j = 0; j < d.out; ++j) d.b[j] -= lr*d.gb[j];
}

void Adam::step(Head &h) const
{
    const float c1 = 1.f - std::pow(b1, float(t)), c2 = 1.f - std::pow(b2, float(t));
    #pragma omp parallel for
    for (std::size_t k = 0; k < h.p.size(); ++k) {
        Param &q = h.p[k];
        q.m = b1*q.m + (1 - b1)*q.g;
        q.v = b2*q.v + (1 - b2)*q.g*q.g;
        q.w -= lr*(q.m/c1)/(std::sqrt(q.v/c2) + eps);
    }
    for (int j = 0; j < h.out; ++j) h.b[j] -= lr*h.gb[j];
}

void Adam::step(Conv &c) const
{
    for (std::size_t k = 0; k < c.w.size(); ++k) c.w[k] -= lr*c.gw[k];
    for (int k = 0; k < CH; ++k) c.b[k] -= lr*c.gb[k];
}
