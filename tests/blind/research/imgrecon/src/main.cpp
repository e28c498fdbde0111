#include "recon.hpp"
#include <omp.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
using namespace ir;
namespace {
struct Ellipse { float x, y, a, b, phi, rho; };

const std::array<Ellipse, 5> kPhantom = {{
    {0.00f, 0.00f, 0.69f, 0.90f, 0.0f, 1.00f}, {0.00f, -0.02f, 0.62f, 0.82f, 0.0f, -0.70f},
    {0.22f, 0.00f, 0.11f, 0.31f, -0.3f, 0.25f}, {-0.22f, 0.00f, 0.16f, 0.41f, 0.3f, 0.20f},
    {0.00f, 0.35f, 0.21f, 0.25f, 0.0f, 0.30f}}};

void makePhantom(Volume& v) {
    #pragma omp parallel for collapse(2) schedule(static)
    for (int z = 0; z < v.nz(); ++z)
        for (int y = 0; y < v.ny(); ++y)
            for (int x = 0; x < v.nx(); ++x) {
                const float px = 2.0f * x / v.nx() - 1.0f, py = 2.0f * y / v.ny() - 1.0f;
                float s = 0.0f;
                for (const Ellipse& e : kPhantom) {
                    const float shrink = 1.0f - 0.3f * std::fabs(2.0f * z / v.nz() - 1.0f);
                    const float dx = px - e.x, dy = py - e.y, c = std::cos(e.phi), n = std::sin(e.phi);
                    const float u = (dx * c + dy * n) / (e.a * shrink), w = (dy * c - dx * n) / (e.b * shrink);
                    if (u * u + w * w < 1.0f) s += e.rho;
                }
                v(z, y, x) = s;
            }
}

// camera order [angle][slice][det] -> [slice][angle][det]
void sortIntoSinograms(const std::vector<float>& raw, Volume& sino) {
    const int nz = sino.nz(), na = sino.ny(), nd = sino.nx();
    #pragma omp parallel for schedule(static)
    for (int z = 0; z < nz; ++z)
        for (int a = 0; a < na; ++a)
            std::memcpy(sino.slice(z).row(a), &raw[(static_cast<std::size_t>(a) * nz + z) * nd], nd * sizeof(float));
}

// The beamline pipeline may still be writing when we are started.
bool waitForFile(const char* name) {
    for (int tries = 0; tries < 5; ++tries) {
        if (std::ifstream(name).good()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return false;
}

double relativeError(const Volume& a, const Volume& b) {
    double num = 0.0, den = 0.0;
    #pragma omp parallel
    {
        double n = 0.0, d = 0.0;
        #pragma omp for nowait
        for (long i = 0; i < static_cast<long>(a.size()); ++i) {
            const double e = a.data()[i] - b.data()[i];
            n += e * e;
            d += static_cast<double>(b.data()[i]) * b.data()[i];
        }
        #pragma omp critical
        { num += n; den += d; }
    }
    return std::sqrt(num / den);
}
}  // namespace
int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 48;
    const int nz = argc > 2 ? std::atoi(argv[2]) : 6;
    const int na = 3 * n / 2, nd = n + 8;
    SolverOptions opt;
    if (argc > 3) opt.nIter = std::atoi(argv[3]);
    opt.preview = argc > 4 && std::strcmp(argv[4], "-p") == 0;
    if (argc > 5 && !waitForFile(argv[5])) return 1;
    Volume truth(nz, n, n), sino(nz, na, nd), vol(nz, n, n);
    makePhantom(truth);
    Projector pr(Geometry(na, nd, n));
    // simulate counts with a fixed pattern of detector gains
    std::vector<float> raw(static_cast<std::size_t>(na) * nz * nd), flat(nz * nd), dark(nz * nd, 0.01f);
    for (int z = 0; z < nz; ++z) {
        pr.forward(truth.slice(z), sino.slice(z));
        for (int d = 0; d < nd; ++d) flat[z * nd + d] = 1.0f + 0.05f * std::sin(0.9f * d);
        for (int a = 0; a < na; ++a)
            for (int d = 0; d < nd; ++d) {
                const std::size_t q = static_cast<std::size_t>(z) * nd + d;
                raw[static_cast<std::size_t>(a) * nz * nd + q] = dark[q] + (flat[q] - dark[q]) * std::exp(-sino(z, a, d) / n);
            }
    }
    flatField(raw, flat, dark, na, nz, nd);
    sortIntoSinograms(raw, sino);
    std::for_each(sino.data(), sino.data() + sino.size(), [n](float& v) { v *= n; });
    fbp(pr, sino, vol);
    std::printf("fbp   rel. error %.4f\n", relativeError(vol, truth));
    Regularizer reg(vol, makePenalty("huber", 0.05f));
    const double t0 = omp_get_wtime();
    const IterStats st = sirt(pr, sino, vol, reg, opt);
    std::printf("sirt  rel. error %.4f  resid %.4e  %.2f s\n", relativeError(vol, truth), std::sqrt(st.resid), omp_get_wtime() - t0);
    for (int i = 0; i < 4; ++i, std::printf("\n"))
        for (int j = 0; j < 4; ++j) std::printf("%8.4f", vol(nz / 2, j * n / 4, i * n / 4));
    return 0;
}
