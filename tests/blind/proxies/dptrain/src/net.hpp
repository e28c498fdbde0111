#pragma once
#include <mpi.h>
#include <omp.h>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

constexpr int IMG = 28, CH = 8, K = 3, CLASSES = 10;
constexpr int OIMG = IMG - K + 1, PIMG = OIMG/2, FLAT = CH*PIMG*PIMG;

using vec = std::vector<float>;

// weight, gradient and the two moments of Adam side by side
struct Param { float w = 0, g = 0, m = 0, v = 0; };

struct Sample {
    char  label;
    float weight;
    float pix[IMG*IMG];
    bool  augmented;
};

struct Dense {                       // plain arrays
    int in, out;
    vec w, b, gw, gb, mw, vw, wt;    // w[in][out]
    void init(int i, int o, std::mt19937 &r);
    void forward(const vec &x, vec &y, int batch) const;
    void backward(const vec &x, const vec &dy, vec *dx, int batch);
    void refresh_transpose();
};

struct Head {                        // older layer type, with Param records
    int in, out;
    std::vector<Param> p;            // p[in][out]
    vec b, gb;
    void init(int i, int o, std::mt19937 &r);
    void forward(const vec &x, vec &y, int batch) const;
    void backward(const vec &x, const vec &dy, vec &dx, int batch);
};

struct Conv {
    vec w, b, gw, gb;                // w[c][ky][kx], one input channel
    void init(std::mt19937 &r);
    void forward(const vec &x, vec &y, int batch) const;        // y NCHW
    void mix(const vec &y, vec &z, const vec &m, int batch) const;
    void backward(const vec &x, const vec &dy, int batch);
};

struct BatchNorm {
    int n;
    vec mean, var, gamma, beta, rmean, rvar;
    void init(int n_);
    void forward(const vec &x, vec &y, int batch, MPI_Comm comm);
};

using act_t = std::function<float(float)>;
void   activate(vec &x, const act_t &f);
void   relu(vec &x);
void   relu_back(const vec &y, vec &dy);
void   dropout(vec &x, float p, std::mt19937 &gen);
void   pool(const vec &y, vec &z, std::vector<int> &arg, int batch);
void   pool_back(const vec &dz, const std::vector<int> &arg, vec &dy, int batch);
double softmax_loss(const vec &z, const std::vector<int> &lab, vec &dz, int batch, int *correct);
double weight_norm(const vec &w);

struct Adam {
    float lr = 1e-3f, b1 = 0.9f, b2 = 0.999f, eps = 1e-8f;
    int   t = 0;
    void  step(Dense &d) const;
    void  step(Head &h) const;
    void  step(Conv &c) const;
};

struct Comm {
    MPI_Comm c;
    int rank, size;
    explicit Comm(MPI_Comm cc);
    void allreduce_grads(Conv &cv, Dense &d1, Dense &d2, Head &h);
    void average_model(Head &h);
    void bcast_model(Conv &cv, Dense &d1, Dense &d2, Head &h);
    void ring_mean(vec &x);
    void ring_max(vec &x);
};

std::vector<Sample> make_data(int n, int seed);
void gather_batch(const std::vector<Sample> &d, const std::vector<int> &idx, int at, int batch, vec &x, std::vector<int> &lab);
void confusion(const vec &z, const std::vector<int> &lab, int batch, long cm[CLASSES][CLASSES]);
