#include "mesh.h"
#include <cmath>
#include <algorithm>

namespace {
struct F { int l, r; double a; Vec3 n; char bc; int col; };
bool byColour(const F& a, const F& b) { return a.col < b.col; }
}

Mesh::Mesh(int nx, int ny, int nz, int rank, int np) {
  const bool lo = rank > 0, hi = rank < np - 1;
  const int plane = nx * ny;
  nown_ = plane * nz;
  cells_.resize(nown_ + (lo ? plane : 0) + (hi ? plane : 0));
  const int glo = nown_, ghi = nown_ + (lo ? plane : 0);
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        Cell& c = cells_[i + nx * (j + ny * k)];
        c.setVolume(1e-3 * (1 + 0.1 * std::sin(0.3 * (i + j + k))));
        c.setCentre(Vec3(i * 0.1, j * 0.1, (k + rank * nz) * 0.1));
        c.setWallDistance(0.1 * j + 0.05);
        c.setPart(rank);
      }
  for (int c = nown_; c < nCells(); ++c) cells_[c].setVolume(1e-3);
  std::vector<F> fs;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int c = i + nx * (j + ny * k);
        F f;
        f.a = 0.01; f.bc = 0;
        if (i + 1 < nx) { f.l = c; f.r = c + 1; f.n = Vec3(1, 0, 0); f.col = i & 1; fs.push_back(f); }
        if (j + 1 < ny) { f.l = c; f.r = c + nx; f.n = Vec3(0, 1, 0); f.col = 2 + (j & 1); fs.push_back(f); }
        if (k + 1 < nz) { f.l = c; f.r = c + plane; f.n = Vec3(0, 0, 1); f.col = 4 + (k & 1); fs.push_back(f); }
      }
  for (int p = 0; p < plane; ++p) {
    F f;
    f.a = 0.01; f.bc = 0;
    if (lo) { f.l = glo + p; f.r = p; f.n = Vec3(0, 0, 1); f.col = 6; fs.push_back(f); send_[0].push_back(p); recv_[0].push_back(glo + p); }
    if (hi) { f.l = plane * (nz - 1) + p; f.r = ghi + p; f.n = Vec3(0, 0, 1); f.col = 7; fs.push_back(f); send_[1].push_back(f.l); recv_[1].push_back(f.r); }
  }
  std::stable_sort(fs.begin(), fs.end(), byColour);
  colour_.assign(9, 0);
  for (size_t i = 0; i < fs.size(); ++i) {
    faces_.push_back(Face(fs[i].l, fs[i].r, fs[i].a, fs[i].n, fs[i].bc));
    cells_[fs[i].l].addFace((int)i);
    cells_[fs[i].r].addFace((int)i);
    colour_[fs[i].col + 1] = (int)i + 1;
  }
  for (int c = 1; c < 9; ++c) if (colour_[c] < colour_[c - 1]) colour_[c] = colour_[c - 1];
  Patch p;
  p.type = 'w'; p.viscous = true; p.first = 0; p.last = 0;
  for (int v = 0; v < NVAR; ++v) p.value[v] = 0;
  patches_.assign(4, p);
}
