#include <algorithm>
#include <cmath>
#include "parallel.hpp"
#include "system.hpp"

namespace md {

int System::cellOf(const Vec3 &p) const {
  const double w = rcut_ + skin_;
  auto clip = [](int v, int n) { return std::min(std::max(v, 0), n - 1); };
  const int x = clip(int(p[0] / lx * ncx_), ncx_);
  const int y = clip(int(p[1] / ly * ncy_), ncy_);
  const int z = clip(int((p[2] - zlo + w) / w), ncz_);
  return x + ncx_ * (y + ncy_ * z);
}

void System::buildCells() {
  const double w = rcut_ + skin_;
  ncx_ = std::max(3, int(lx / w));
  ncy_ = std::max(3, int(ly / w));
  ncz_ = int((zhi - zlo) / w) + 3;
  cell_.resize(ncx_ * ncy_ * ncz_);
  for (auto &c : cell_) c.clear();
  for (int i = 0; i < nAll(); ++i)
    cell_[cellOf(atoms_[i].pos)].push_back(i);
}

void System::buildPairs() {
  forwardPositions();
  pairs_.resize(nlocal_);
  const double rl2 = (rcut_ + skin_) * (rcut_ + skin_);
  for (int cz = 0; cz < ncz_; ++cz)
    for (int cy = 0; cy < ncy_; ++cy)
      for (int cx = 0; cx < ncx_; ++cx) {
        const auto &own = cell_[cx + ncx_ * (cy + ncy_ * cz)];
        // threads share the atoms of the cell
        parallel_for(int(own.size()), [&](int k) {
          const int i = own[k];
          if (i >= nlocal_) return;
          auto &list = pairs_[i];
          list.clear();
          for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
              for (int dx = -1; dx <= 1; ++dx) {
                const int z = cz + dz;
                if (z < 0 || z >= ncz_) continue;
                const int x = (cx + dx + ncx_) % ncx_, y = (cy + dy + ncy_) % ncy_;
                for (int j : cell_[x + ncx_ * (y + ncy_ * z)]) {
                  if (j == i) continue;
                  double ddx = atoms_[i].pos[0] - atoms_[j].pos[0];
                  double ddy = atoms_[i].pos[1] - atoms_[j].pos[1];
                  const double ddz = atoms_[i].pos[2] - atoms_[j].pos[2];
                  ddx -= lx * std::round(ddx / lx);
                  ddy -= ly * std::round(ddy / ly);
                  if (ddx * ddx + ddy * ddy + ddz * ddz < rl2)
                    list.push_back(Pair{atoms_[i].molecule == -1, j, char(atoms_[j].type), 1.0});
                }
              }
        });
      }
}

}  // namespace md
