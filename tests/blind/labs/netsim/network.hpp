#pragma once
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>
#include "util.hpp"

namespace netsim {

constexpr int DELAYS = 512;      // ring slots, 0.1 ms each
constexpr int MASK = DELAYS - 1;

struct Config {
    bool quiet = false;
    double dt = 0.1;
    int nLocal = 20000;
    double rate = 0.02;
    int nSteps = 1000;
    double wExc = 0.6;
    int degree = 100;
};

struct Neuron {
    double v, u, isyn;
    double x, y, z;
    double vmean, vvar;
    double tlast, trace, ref;
    float a, b, c, d;
    int pop, nspk;
    char label[16];
};

struct SpikeEvent {
    double t;
    double w;
    int src;
    bool exc;
    std::uint8_t flag;
};

struct Synapse {
    std::uint16_t delay;
    int tgt;
    std::uint8_t kind;
    float w;
};

/// Rows: global sources, entries: local targets.
struct Csr {
    std::vector<int> ptr;
    std::vector<Synapse> syn;
    int degree(int s) const { return ptr[s + 1] - ptr[s]; }
};

class Network {
public:
    Network(const Config& c, int rank, int size);
    void build();
    void poisson(long step);
    void update(long step);
    void deliver(long step);
    void exchange();
    void decayTraces();
    std::array<double, 4> popMeans() const;
    int nGlobal() const { return cfg.nLocal * size_; }

    const Config& cfg;
    std::vector<Neuron> cells;
    std::vector<SpikeEvent> mine, all;
    Csr csr;
    Stat vstat;
    long nspikes = 0;

private:
    double& slot(int n, long s) { return ring_[std::size_t(n) * DELAYS + (s & MASK)]; }
    int rank_, size_;
    std::vector<double> ring_;
    std::vector<Rng> rngs_;
    Rng input_;
    std::function<double(double)> gate_;
};

class Plasticity {
public:
    Plasticity(Network& n, int nPlastic, int nGap);
    void stdp();
    void gap();
    void homeostasis(double target);
    double columnNorm();
    void diffuse();

private:
    Network& net_;
    int np_, ng_;
    std::vector<float> w_;       // [pre][post]
    Matrix<double> g_;
    ColMatrix<float> modes_;
    std::vector<double> cur_;
    static constexpr int NX = 400, NY = 400;
    double& at(std::vector<double>& f, int x, int y) const { return f[std::size_t(y) * NX + x]; }
    std::vector<double> dopa_, next_;
};

class Recorder {
public:
    Recorder(const Network& n, int nChan, int nElec, int nBins);
    void sample(long step);
    void covariance();
    double lfp();
    double windowMean();
    double rateSpread();
    void turn();
    void appendOrdered(long step, int rank, int size);
    void report(long step, int rank);

private:
    double coef(int n, int e) const { return coef_[std::size_t(n) * nElec_ + e]; }
    const Network& net_;
    int nChan_, nElec_, nBins_;
    Matrix<double> cov_;
    std::vector<float> coef_;
    std::vector<std::vector<float>> hist_;
    Matrix<float> rates_;
    std::vector<float> turned_;
    std::vector<double> count_, field_;
};

}  // namespace netsim
