#include "net.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

std::vector<Sample> make_data(int n, int seed)
{
    std::vector<Sample> d(n);
    std::mt19937 r(seed);
    std::uniform_real_distribution<float> u(0.f, 1.f);
    for (auto &s : d) {
        s.label = char(r() % CLASSES);
        s.weight = 1.f;
        s.augmented = false;
        for (int i = 0; i < IMG; ++i)
            for (int j = 0; j < IMG; ++j)
                s.pix[i*IMG + j] = 0.3f*u(r) + ((i*s.label + j) % 11 < 4 ? 0.7f : 0.f);
    }
    return d;
}

void gather_batch(const std::vector<Sample> &d, const std::vector<int> &idx, int at, int batch, vec &x, std::vector<int> &lab)
{
    #pragma omp parallel for
    for (int i = 0; i < batch; ++i) {
        const Sample &s = d[idx[at + i]];
        std::memcpy(&x[std::size_t(i)*IMG*IMG], s.pix, sizeof s.pix);
        lab[i] = s.label;
    }
}

int main(int argc, char **argv)
{
    int prov;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    Comm cm(MPI_COMM_WORLD);
    const int batch = argc > 1 ? std::atoi(argv[1]) : 64;
    const int nsamp = argc > 2 ? std::atoi(argv[2]) : 192;
    const int epochs = argc > 3 ? std::atoi(argv[3]) : 1;
    const int hid = 512;

    std::mt19937 gen(7);
    auto data = make_data(nsamp, 100 + cm.rank);
    Conv cv; Dense d1, d2; Head hd; BatchNorm bn; Adam opt;
    cv.init(gen); d1.init(FLAT, hid, gen); d2.init(hid, hid, gen); hd.init(hid, CLASSES, gen); bn.init(hid);
    cm.bcast_model(cv, d1, d2, hd);
    vec mixw(CH*CH);
    for (int a = 0; a < CH; ++a)
        for (int b = 0; b < CH; ++b) mixw[b*CH + a] = a == b ? 1.f : 0.05f;

    vec x(std::size_t(batch)*IMG*IMG), y(std::size_t(batch)*CH*OIMG*OIMG), ym(y.size()), dyc(y.size());
    vec f(std::size_t(batch)*FLAT), df(f.size()), h1(std::size_t(batch)*hid), n1(h1), h2(h1), dh1(h1), dh2(h1);
    vec z(std::size_t(batch)*CLASSES), dz(z);
    std::vector<int> lab(batch), arg(f.size()), idx(nsamp);
    std::iota(idx.begin(), idx.end(), 0);
    const act_t leaky = [](float v) { return v > 0.f ? v : 0.01f*v; };

    double tt = MPI_Wtime();
    for (int ep = 0; ep < epochs; ++ep) {
        std::shuffle(idx.begin(), idx.end(), gen);
        double eloss = 0, eacc = 0;
        for (int at = 0; at + batch <= nsamp; at += batch) {
            gather_batch(data, idx, at, batch, x, lab);
            cv.forward(x, y, batch);
            cv.mix(y, ym, mixw, batch);
            activate(ym, leaky);
            pool(ym, f, arg, batch);
            d1.forward(f, h1, batch);
            bn.forward(h1, n1, batch, cm.c);
            relu(n1);
            dropout(n1, 0.1f, gen);
            d2.forward(n1, h2, batch);
            relu(h2);
            hd.forward(h2, z, batch);
            int ok = 0;
            double loss = softmax_loss(z, lab, dz, batch, &ok), acc = ok;
            hd.backward(h2, dz, dh2, batch);
            relu_back(h2, dh2);
            d2.backward(n1, dh2, &dh1, batch);
            relu_back(n1, dh1);
            d1.backward(f, dh1, &df, batch);
            pool_back(df, arg, dyc, batch);
            cv.backward(x, dyc, batch);
            cm.allreduce_grads(cv, d1, d2, hd);
            ++opt.t;
            opt.step(cv); opt.step(d1); opt.step(d2); opt.step(hd);
            d1.refresh_transpose();
            cm.ring_mean(bn.rmean);
            cm.average_model(hd);
            double two[2] = {loss, acc};
            MPI_Allreduce(MPI_IN_PLACE, two, 2, MPI_DOUBLE, MPI_SUM, cm.c);
            eloss += two[0]/cm.size;
            eacc += two[1]/cm.size/batch;
        }
        long conf[CLASSES][CLASSES] = {{0}}, tot[CLASSES][CLASSES];
        confusion(z, lab, batch, conf);
        for (int c = 0; c < CLASSES; ++c)
            MPI_Reduce(conf[c], tot[c], CLASSES, MPI_LONG, MPI_SUM, 0, cm.c);
        cm.ring_max(bn.rvar);
        MPI_Barrier(cm.c);
        if (cm.rank == 0) {
            long diag = 0;
            for (int c = 0; c < CLASSES; ++c) diag += tot[c][c];
            const int nb = nsamp/batch;
            std::printf("epoch %d loss %.4f acc %.3f diag %ld |w| %.3f time %.3f\n", ep, eloss/nb, eacc/nb, diag, std::sqrt(weight_norm(d1.w)), MPI_Wtime() - tt);
        }
    }
    MPI_Finalize();
    return 0;
}
