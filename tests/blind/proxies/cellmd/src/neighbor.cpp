#include "md.hpp"
#include <algorithm>

namespace md {

bool System::need_rebuild() const
{
    double m = 0;
    #pragma omp parallel for reduction(max:m)
    for (int i = 0; i < nlocal; ++i) {
        double dx = at[i].r[0] - at[i].r0[0], dy = at[i].r[1] - at[i].r0[1], dz = at[i].r[2] - at[i].r0[2];
        m = std::max(m, dx*dx + dy*dy + dz*dz);
    }
    int go = m > 0.25*par.skin*par.skin, any = 0;
    MPI_Allreduce(&go, &any, 1, MPI_INT, MPI_LOR, comm);
    return any;
}

// half list between locals, full towards ghosts; linked cells with the
// cells stored as counting-sorted index ranges
void System::build_list()
{
    const double w = par.rc + par.skin;
    const int n = static_cast<int>(at.size());
    int nc[3];
    double cs[3], org[3] = {0, 0, zlo - w};
    for (int d = 0; d < 3; ++d) {
        double len = d == 2 ? zhi - zlo + 2*w : box[d];
        nc[d] = std::max(1, int(len/w));
        cs[d] = len/nc[d];
    }
    const int ncell = nc[0]*nc[1]*nc[2];
    std::vector<int> cell(n), start(ncell + 1, 0), idx(n);
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        int c[3];
        for (int d = 0; d < 3; ++d) {
            c[d] = int((at[i].r[d] - org[d])/cs[d]);
            if (d < 2) c[d] = (c[d] + nc[d]) % nc[d];
            else c[d] = std::clamp(c[d], 0, nc[d] - 1);
        }
        cell[i] = (c[2]*nc[1] + c[1])*nc[0] + c[0];
    }
    for (int i = 0; i < n; ++i) ++start[cell[i] + 1];
    for (int c = 0; c < ncell; ++c) start[c+1] += start[c];
    std::vector<int> pos(start.begin(), start.end() - 1);
    for (int i = 0; i < n; ++i) idx[pos[cell[i]]++] = i;

    nstart.assign(nlocal + 1, 0);
    std::vector<std::vector<int>> tmp(nlocal);
    const double w2 = w*w;
    #pragma omp parallel for schedule(dynamic,32)
    for (int i = 0; i < nlocal; ++i) {
        int cz = cell[i]/(nc[0]*nc[1]), cy = cell[i]/nc[0] % nc[1], cx = cell[i] % nc[0];
        auto &l = tmp[i];
        for (int dz = -1; dz <= 1; ++dz) {
            int z = cz + dz;
            if (z < 0 || z >= nc[2]) continue;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    int c = (z*nc[1] + (cy + dy + nc[1]) % nc[1])*nc[0] + (cx + dx + nc[0]) % nc[0];
                    for (int q = start[c]; q < start[c+1]; ++q) {
                        int j = idx[q];
                        if (j <= i) continue;
                        double ex = pbc(at[i].r[0] - at[j].r[0], box[0]);
                        double ey = pbc(at[i].r[1] - at[j].r[1], box[1]);
                        double ez = at[i].r[2] - at[j].r[2];
                        scratch_rsq = ex*ex + ey*ey + ez*ez;
                        if (scratch_rsq < w2) l.push_back(j);
                    }
                }
        }
    }
    for (int i = 0; i < nlocal; ++i) nstart[i+1] = nstart[i] + int(tmp[i].size());
    nlist.resize(nstart[nlocal]);
    #pragma omp parallel for
    for (int i = 0; i < nlocal; ++i) {
        std::copy(tmp[i].begin(), tmp[i].end(), nlist.begin() + nstart[i]);
        for (int d = 0; d < 3; ++d) at[i].r0[d] = at[i].r[d];
    }
    ++nbuild;
}

} // namespace md
