#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
namespace star {
class EosBase {
public:
    virtual ~EosBase() {}
    virtual double pressure(double rho, double e) const = 0;
    virtual double temperature(double rho, double e) const = 0;
};
class GammaLaw final : public EosBase {
public:
    explicit GammaLaw(double g) : g_(g) {}
    double pressure(double rho, double e) const override { return (g_ - 1.0) * rho * e; }
    double temperature(double, double e) const override { return (g_ - 1.0) * e; }
private:
    double g_;
};
/// Tabulated in log rho and log e, bilinear.
class TableEos final : public EosBase {
public:
    TableEos(int nr, int ne) : nr_(nr), ne_(ne), lp_(nr * ne), lt_(nr * ne) {
        for (int m = 0; m < ne_; ++m)
            for (int r = 0; r < nr_; ++r) {
                const double rho = std::exp(lr0_ + r * dlr()), e = std::exp(le0_ + m * dle());
                const double pg = 0.4 * rho * e, pd = 0.2 * std::pow(rho, 5.0 / 3.0);
                lp_[r * ne_ + m] = std::log(pg + pd);
                lt_[r * ne_ + m] = std::log(0.4 * e);
            }
    }
    double pressure(double rho, double e) const override { return std::exp(look(lp_, rho, e)); }
    double temperature(double rho, double e) const override { return std::exp(look(lt_, rho, e)); }
private:
    double dlr() const { return (lr1_ - lr0_) / (nr_ - 1); }
    double dle() const { return (le1_ - le0_) / (ne_ - 1); }
    double look(const std::vector<double>& t, double rho, double e) const {
        double x = (std::log(std::max(rho, 1e-12)) - lr0_) / dlr(), y = (std::log(std::max(e, 1e-12)) - le0_) / dle();
        x = std::min(std::max(x, 0.0), nr_ - 1.001);
        y = std::min(std::max(y, 0.0), ne_ - 1.001);
        const int i = int(x), j = int(y);
        const double a = x - i, b = y - j;
        const double* q = &t[i * ne_ + j];
        return (1 - a) * ((1 - b) * q[0] + b * q[1]) + a * ((1 - b) * q[ne_] + b * q[ne_ + 1]);
    }
    int nr_, ne_;
    double lr0_ = -16.0, lr1_ = 4.0, le0_ = -10.0, le1_ = 8.0;
    std::vector<double> lp_, lt_;
};
}  // namespace star
