#include "fem.h"
#include "dist.h"
#include <cmath>
#include <cstdlib>
#include <algorithm>

Mesh::Mesh(int nxe, int nye, const MeshOptions &opt) : nx(nxe), ny(nye), nColours(0)
{
    build(opt);
    colour();
}

void Mesh::build(const MeshOptions &opt)
{
    const int nyn = ny + 1;
    nodes.resize(size_t(nx + 1) * nyn);
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j < nyn; j++)
        {
            Node &n = nodes[i * nyn + j];
            n.x = (g_rank * nx + i) / double(nx * g_size);
            n.y = std::pow(j / double(ny), opt.grading);
            n.T = n.Told = 0.0;
            n.flux[0] = n.flux[1] = 0.0;
            n.source = 1.0;
            n.globalId = (g_rank * nx + i) * nyn + j;
            n.bc = (j == 0);
            n.bcValue = 0.0;
            for (int h = 0; h < 8; h++) n.hist[h] = 0.0;
        }
    elems.resize(size_t(nx) * ny);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
        {
            Element &e = elems[i * ny + j];
            e.active = true;
            e.material = char((i / 8 + j / 8) % 2);
            e.region = 0;
            e.node[0] = i * nyn + j;
            e.node[1] = (i + 1) * nyn + j;
            e.node[2] = (i + 1) * nyn + j + 1;
            e.node[3] = i * nyn + j + 1;
            e.k = 1.0;
            e.qtot = 0.0;
            const double dx = nodes[e.node[1]].x - nodes[e.node[0]].x;
            const double dy = nodes[e.node[3]].y - nodes[e.node[0]].y;
            e.area = dx * dy;
        }
}

// greedy colouring, so that elements of one colour have no node in common
void Mesh::colour()
{
    std::vector<unsigned> mask(nodes.size(), 0u);
    for (size_t e = 0; e < elems.size(); e++)
    {
        unsigned m = 0;
        for (int a = 0; a < 4; a++) m |= mask[elems[e].node[a]];
        int c = 0;
        while (m & (1u << c)) c++;
        elems[e].colour = short(c);
        for (int a = 0; a < 4; a++) mask[elems[e].node[a]] |= 1u << c;
        nColours = std::max(nColours, c + 1);
    }
    elemsOfColour.resize(nColours);
    for (size_t e = 0; e < elems.size(); e++)
        elemsOfColour[elems[e].colour].push_back(int(e));
}
