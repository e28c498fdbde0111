#include "star.hpp"
namespace star {
Domain::Domain(int nn, double box) : n(nn), h(box / nn) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nz = n / size;
    z0 = rank * nz;
    lo_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    hi_ = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
}
// ghost planes are contiguous, sent straight from the field
void Domain::exchange(Field3<double>& f) const {
    const int g = Field3<double>::G, cnt = int(g * f.planeSize());
    MPI_Sendrecv(f.plane(0), cnt, MPI_DOUBLE, lo_, 1, f.plane(f.nz()), cnt, MPI_DOUBLE, hi_, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(f.plane(f.nz() - g), cnt, MPI_DOUBLE, hi_, 2, f.plane(-g), cnt, MPI_DOUBLE, lo_, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void Domain::begin(Field3<double>* f, int nf) {
    const int g = Field3<double>::G;
    for (int v = 0; v < nf; ++v) {
        Field3<double>& a = f[v];
        const int cnt = int(g * a.planeSize());
        MPI_Request r[4];
        MPI_Irecv(a.plane(a.nz()), cnt, MPI_DOUBLE, hi_, 10 + v, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(a.plane(-g), cnt, MPI_DOUBLE, lo_, 20 + v, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(a.plane(0), cnt, MPI_DOUBLE, lo_, 10 + v, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(a.plane(a.nz() - g), cnt, MPI_DOUBLE, hi_, 20 + v, MPI_COMM_WORLD, &r[3]);
        req_.insert(req_.end(), r, r + 4);
    }
}
void Domain::finish() {
    MPI_Waitall(int(req_.size()), req_.data(), MPI_STATUSES_IGNORE);
    req_.clear();
}
// mass of all slabs below this one
double Domain::enclosedBelow(double mine) const {
    double below = 0.0;
    if (lo_ != MPI_PROC_NULL)
        MPI_Recv(&below, 1, MPI_DOUBLE, lo_, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double upto = below + mine;
    if (hi_ != MPI_PROC_NULL) MPI_Send(&upto, 1, MPI_DOUBLE, hi_, 31, MPI_COMM_WORLD);
    return below;
}
}  // namespace star
