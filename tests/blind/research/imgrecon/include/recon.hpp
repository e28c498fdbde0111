#pragma once
#include <array>
#include <complex>
#include <memory>
#include <vector>
#include "array.hpp"
namespace ir {
struct Geometry {
    int nAngles, nDet, ny, nx;
    std::vector<float> cosT, sinT;
    Geometry(int na, int nd, int n);
};

// Linear-interpolation footprint of a pixel on the detector.
struct Tap {
    bool inside;
    double w;
    int det;
};

struct RayInfo {
    float srcX, srcY, dstX, dstY;
    float dirX, dirY, length;
    float weight;
    float enter, leave, attenuation, offset;
    int angle, det, nHits, flags;
};

struct SolverOptions {
    bool nonNeg = true;
    double relax = 1.0;
    bool ringFix = true;
    int nIter = 8;
    double beta = 0.001;
    bool preview = false;
};

class Projector {
public:
    explicit Projector(const Geometry& g);
    void forward(Image img, Image sino) const;
    void backward(Image sino, Image img) const;
    void sensitivity(std::vector<float>& colSum) const;
    const std::vector<RayInfo>& rays() const { return rays_; }
    const Geometry& geo() const { return g_; }
private:
    Geometry g_;
    std::vector<Tap> taps_;
    std::vector<RayInfo> rays_;
};

using cplx = std::complex<float>;

class Fft {
public:
    explicit Fft(int n);
    void run(cplx* a, bool inverse) const;
    int size() const { return n_; }
private:
    int n_;
    std::vector<int> rev_;
    std::vector<cplx> tw_;
};

void rampFilter(Image sino);
void lowPass2D(Image img, float cutoff);
void flatField(std::vector<float>& raw, const std::vector<float>& flat, const std::vector<float>& dark, int na, int nz, int nd);
void removeRings(Image sino);

class Penalty {
public:
    virtual ~Penalty() = default;
    virtual float influence(float d) const = 0;
};
std::unique_ptr<Penalty> makePenalty(const char* name, float delta);

class Regularizer {
public:
    Regularizer(const Volume& like, std::unique_ptr<Penalty> p);
    void tvStep(Volume& v, float lambda, int nInner);
    void edgeStep(Volume& v, float lambda);
    void smooth(Volume& v, int axis);
private:
    std::unique_ptr<Penalty> pen_;
    Scratch gx_, gy_, gz_;
};

struct IterStats { double resid, peak; long clipped; };
IterStats sirt(const Projector& pr, Volume& sino, Volume& vol, Regularizer& reg, const SolverOptions& opt);
void fbp(const Projector& pr, Volume& sino, Volume& vol);
}  // namespace ir
