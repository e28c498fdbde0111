#include "network.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace netsim {

Recorder::Recorder(const Network& n, int nChan, int nElec, int nBins)
    : net_(n), nChan_(nChan), nElec_(nElec), nBins_(nBins), cov_(nChan, nChan), coef_(std::size_t(n.cfg.nLocal) * nElec),
      hist_(nBins, std::vector<float>(n.cfg.nLocal)), rates_(nBins, n.cfg.nLocal), turned_(std::size_t(nBins) * n.cfg.nLocal),
      count_(nChan), field_(nElec) {
    for (int e = 0; e < nElec; ++e)
        for (int c = 0; c < n.cfg.nLocal; ++c) {
            const Neuron& q = n.cells[c];
            const double dx = q.x - (e % 8) / 8.0, dy = q.y - (e / 8) / 8.0;
            coef_[std::size_t(c) * nElec + e] = float(1.0 / std::sqrt(dx * dx + dy * dy + 0.01));
        }
}

void Recorder::sample(long step) {
    const int b = int(step % nBins_);
    float* h = hist_[b].data();
    float* r = rates_[b];
#pragma omp parallel for
    for (int n = 0; n < net_.cfg.nLocal; ++n) {
        h[n] = float(net_.cells[n].v);
        r[n] = float(net_.cells[n].trace);
    }
    std::fill(count_.begin(), count_.end(), 0.0);
    for (const SpikeEvent& e : net_.mine) count_[e.src % nChan_] += 1.0;
}

// spike count covariance of the channels
void Recorder::covariance() {
    const double a = 0.01;
#pragma omp parallel for
    for (int c = 0; c < nChan_; ++c)
        for (int r = 0; r < nChan_; ++r)
            cov_[r][c] += a * (count_[r] * count_[c] - cov_[r][c]);
}

// potential at the electrodes
double Recorder::lfp() {
#pragma omp parallel for
    for (int e = 0; e < nElec_; ++e) {
        double s = 0.0;
        for (int n = 0; n < net_.cfg.nLocal; ++n) s += coef(n, e) * net_.cells[n].isyn;
        field_[e] = s;
    }
    return *std::max_element(field_.begin(), field_.end());
}

// sliding mean of the potentials, largest deviation
double Recorder::windowMean() {
    double dev = 0.0;
#pragma omp parallel for reduction(max : dev)
    for (int n = 0; n < net_.cfg.nLocal; ++n) {
        float s = 0.0f, lo = 1e30f;
        for (const auto& h : hist_) {
            if (h[n] == 0.0f) break;
            s += h[n];
            lo = std::min(lo, h[n]);
        }
        dev = std::max(dev, double(s / nBins_ - lo));
    }
    return dev;
}

double Recorder::rateSpread() {
    const std::ptrdiff_t nc = std::ptrdiff_t(rates_.cols());
    double mx = 0.0;
#pragma omp parallel for reduction(max : mx)
    for (std::ptrdiff_t n = 0; n < nc; ++n) {
        StrideIter<float> first(rates_[0] + n, nc), last(rates_[0] + n + nBins_ * nc, nc);
        mx = std::max(mx, double(std::accumulate(first, last, 0.0f)));
    }
    return mx / nBins_;
}

// time-major copy for the spectral estimator
void Recorder::turn() {
    const int nl = net_.cfg.nLocal;
#pragma omp parallel for
    for (int b = 0; b < nBins_; ++b)
        for (int n = 0; n < nl; ++n) turned_[std::size_t(n) * nBins_ + b] = rates_(b, n);
}

// one file, spikes in the order of the ranks
void Recorder::appendOrdered(long step, int rank, int size) {
    int token = 0;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (std::FILE* f = std::fopen("spikes.bin", token || step ? "ab" : "wb")) {
        std::fwrite(net_.mine.data(), sizeof(SpikeEvent), net_.mine.size(), f);
        std::fclose(f);
    }
    token = 1;
    if (rank < size - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 9, MPI_COMM_WORLD);
}

void Recorder::report(long step, int rank) {
    const auto pm = net_.popMeans();
    const double part = double(net_.cfg.nLocal) / net_.nGlobal();
    double x[4] = {double(net_.mine.size()), pm[0] * part, pm[3] * part, net_.vstat.var() * part}, y[4];
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && step % 100 == 0 && !net_.cfg.quiet)
        std::printf("step %ld spikes %.0f v0 %.3f v3 %.3f var %.3f\n", step, y[0], y[1], y[2], y[3]);
}

}  // namespace netsim
