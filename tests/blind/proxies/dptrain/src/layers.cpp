#include "net.hpp"
#include <algorithm>
#include <cmath>

void activate(vec &x, const act_t &f)
{
    #pragma omp parallel for
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = f(x[k]);
}

void relu(vec &x)
{
    #pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::max(0.f, x[k]);
}

void relu_back(const vec &y, vec &dy)
{
    #pragma omp parallel for simd schedule(static)
    for (std::size_t k = 0; k < y.size(); ++k) dy[k] = y[k] > 0.f ? dy[k] : 0.f;
}

void dropout(vec &x, float p, std::mt19937 &gen)
{
    const float s = 1.f/(1.f - p);
    const std::uint32_t cut = std::uint32_t(p*4294967295.0);
    #pragma omp parallel for
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = gen() < cut ? 0.f : x[k]*s;
}

void BatchNorm::init(int n_)
{
    n = n_;
    mean.assign(n, 0.f); var.assign(n, 1.f); gamma.assign(n, 1.f); beta.assign(n, 0.f);
    rmean = mean; rvar = var;
}

void BatchNorm::forward(const vec &x, vec &y, int batch, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    vec st(2*n, 0.f);
    #pragma omp parallel for
    for (int j = 0; j < n; ++j) {
        float s = 0.f, q = 0.f;
        for (int i = 0; i < batch; ++i) {
            const float v = x[std::size_t(i)*n + j];
            s += v; q += v*v;
        }
        st[j] = s; st[n + j] = q;
    }
    MPI_Allreduce(MPI_IN_PLACE, st.data(), 2*n, MPI_FLOAT, MPI_SUM, comm);
    for (int j = 0; j < n; ++j) {
        mean[j] = st[j]/(batch*size);
        var[j] = std::max(0.f, st[n+j]/(batch*size) - mean[j]*mean[j]);
        rmean[j] = 0.9f*rmean[j] + 0.1f*mean[j];
        rvar[j] = 0.9f*rvar[j] + 0.1f*var[j];
    }
    #pragma omp parallel for
    for (int i = 0; i < batch; ++i)
        for (int j = 0; j < n; ++j)
            y[std::size_t(i)*n + j] = gamma[j]*(x[std::size_t(i)*n + j] - mean[j])/std::sqrt(var[j] + 1e-5f) + beta[j];
}

double softmax_loss(const vec &z, const std::vector<int> &lab, vec &dz, int batch, int *correct)
{
    double loss = 0;
    int ok = 0;
    #pragma omp parallel for reduction(+:loss,ok)
    for (int i = 0; i < batch; ++i) {
        const float *zi = &z[std::size_t(i)*CLASSES];
        float *di = &dz[std::size_t(i)*CLASSES];
        float mx = zi[0], s = 0.f;
        int am = 0;
        for (int c = 1; c < CLASSES; ++c) if (zi[c] > mx) { mx = zi[c]; am = c; }
        for (int c = 0; c < CLASSES; ++c) { di[c] = std::exp(zi[c] - mx); s += di[c]; }
        for (int c = 0; c < CLASSES; ++c) di[c] /= s*batch;
        loss -= std::log(std::max(1e-20f, di[lab[i]]*batch));
        di[lab[i]] -= 1.f/batch;
        ok += am == lab[i];
    }
    *correct = ok;
    return loss/batch;
}

void confusion(const vec &z, const std::vector<int> &lab, int batch, long cm[CLASSES][CLASSES])
{
    static int hits[256];
    #pragma omp parallel
    {
        hits[omp_get_thread_num()] = 0;
        #pragma omp for
        for (int i = 0; i < batch; ++i) {
            const float *zi = &z[std::size_t(i)*CLASSES];
            const int am = int(std::max_element(zi, zi + CLASSES) - zi);
            #pragma omp atomic
            cm[lab[i]][am]++;
            hits[omp_get_thread_num()] += am == lab[i];
        }
    }
}
