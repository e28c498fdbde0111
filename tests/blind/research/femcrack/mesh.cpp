#include "mesh.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
namespace fc {
Mesh::Mesh(const Config& cfg) {
  const int n = cfg.n + 1;
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> jit(-0.2, 0.2);
  nodes.resize(std::size_t(n) * n);
  for (int ix = 0; ix < n; ++ix)
    for (int iy = 0; iy < n; ++iy) {
      const bool rim = ix == 0 || iy == 0 || ix == n - 1 || iy == n - 1;
      Node& nd = nodes[iy * n + ix];
      nd.id = iy * n + ix;
      nd.x = (ix + (rim ? 0 : jit(rng))) / cfg.n;
      nd.y = (iy + (rim ? 0 : jit(rng))) / cfg.n;
      if (rim) boundary.push_back(nd.id);
      if (iy == 0) bottom.push_back(nd.id);
      if (iy == n - 1) top.push_back(nd.id);
    }
  auto add = [this](int a, int b, int c) {
    TriGeom t{{a, b, c}, 0, {}, {}, 0};
    const Node *p = &nodes[a], *q = &nodes[b], *r = &nodes[c];
    const double det = (q->x - p->x) * (r->y - p->y) - (r->x - p->x) * (q->y - p->y);
    const Node* v[3] = {p, q, r};
    for (int k = 0; k < 3; ++k) {
      t.b[k] = (v[(k + 1) % 3]->y - v[(k + 2) % 3]->y) / det;
      t.c[k] = (v[(k + 2) % 3]->x - v[(k + 1) % 3]->x) / det;
    }
    t.area = 0.5 * det;
    tri.push_back(t);
  };
  for (int iy = 0; iy + 1 < n; ++iy)
    for (int ix = 0; ix + 1 < n; ++ix) {
      const int a = iy * n + ix, b = a + 1, c = a + n, d = c + 1;
      if ((ix + iy) & 1) add(a, b, d), add(a, d, c);
      else add(a, b, c), add(b, d, c);
    }
  std::sort(tri.begin(), tri.end(), [](const TriGeom& l, const TriGeom& r) {
    return *std::min_element(l.n, l.n + 3) < *std::min_element(r.n, r.n + 3);
  });
  colourElements();
}

/* greedy: elements of one colour share no node */
void Mesh::colourElements() {
  std::vector<std::uint32_t> used(nodes.size(), 0);
  for (int e = 0; e < nelem(); ++e) {
    std::uint32_t m = 0;
    for (int v : tri[e].n) m |= used[v];
    int c = 0;
    while (m >> c & 1u) ++c;
    for (int v : tri[e].n) used[v] |= 1u << c;
    tri[e].colour = c;
    if (c >= int(byColour.size())) byColour.resize(c + 1);
    byColour[c].push_back(e);
  }
}

std::vector<std::vector<int>> Mesh::nodeGraph() const {
  std::vector<std::vector<int>> adj(nodes.size());
  for (const auto& t : tri)
    for (int a : t.n)
      for (int b : t.n) adj[a].push_back(b);
  for (auto& row : adj) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return adj;
}
}  // namespace fc
