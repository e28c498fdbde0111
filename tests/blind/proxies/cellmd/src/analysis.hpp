#pragma once
#include "grid.hpp"
#include "md.hpp"

class Analysis {
public:
    Analysis(const md::System &s, int nb, int ng);
    void rdf(const md::System &s);
    void density(const md::System &s);
    void blur(int passes);
    void remember(const md::System &s);
    std::vector<double> vacf() const;
    double covariance(const md::System &s, int nblk);
    double profile(std::vector<double> &pz) const;
    void collect(const md::System &s, std::vector<double> &g) const;
private:
    int nb_, ng_;
    std::vector<double> hist_;
    Grid3<double> dens_, tmp_;
    std::vector<std::vector<double>> vh_;   // [time][atom], vx only
    std::vector<std::vector<double>> mom_;  // [sample][block]
};
