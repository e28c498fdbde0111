// THERMOS: nonlinear steady heat conduction by Picard iteration
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <algorithm>
#include "fem.h"
#include "dist.h"

int main(int argc, char **argv)
{
    Dist::init(&argc, &argv);
    const int nx = (argc > 1 ? std::atoi(argv[1]) : 96) / g_size;
    const int ny = argc > 2 ? std::atoi(argv[2]) : 96;
    const int nsteps = argc > 3 ? std::atoi(argv[3]) : 6;

    MeshOptions opt = {'q', 1.0, 1, 0.0, false};
    Mesh mesh(nx, ny, opt);
    Dist D(mesh);
    const int first = D.firstNode(int(mesh.nNodes()));
    const long n = (long)mesh.nNodes();
    Csr A;
    A.pattern(mesh);
    dvec f(n), x(n, 0.0), cap(n), coef, local, all;
    assembleCapacity(mesh, cap);
    D.assembleInterface(cap);

    MultiVec V(n, 8);
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            V.at(i, k) = std::cos(3.14159 * k * mesh.nodes[i].x);
    smoothVectors(V, 2);
    orthogonalise(V, D);
    dvec approx(n);

    Dense snap(int(n), nsteps), C(nsteps, nsteps), proj(int(n), nsteps);
    Dense img(ny + 1, nx + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    for (int step = 0; step < nsteps; step++)
    {
        conductivity(mesh);
        D.syncFlags(mesh.nodes);
        assembleMatrix(mesh, A);
        assembleLoad(mesh, f);
        applyBc(mesh, A, f);
        D.assembleInterface(f);
        for (long i = 0; i < n; i++)
            if (mesh.nodes[i].bc) f[i] = mesh.nodes[i].bcValue * 2.0;
        const int it = solveCg(A, D, f, x, 1e-8, 400);
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
        {
            Node &nd = mesh.nodes[i];
            nd.Told = nd.T;
            nd.T = x[i];
        }
        recoverFlux(mesh);
        defl(V, D, x, coef);
        expand(V, coef, approx);
        for (long i = 0; i < n; i++) snap(int(i), step) = x[i];
        Dense work(snap);
        centre(work);
        normalise(work);
        covariance(work, C);
        project(snap, C, proj);
        raster(mesh, img);
        local.assign(img.col(0), img.col(0) + img.rows());
        D.collect(local, all);
        const double ch = D.max(maxChange(mesh));
        D.tokenPrint("mean T", meanTemperature(mesh));
        if (g_rank == 0)
            std::printf("step %d: %d iterations, change %.3e, c0 %.4e\n", step, it, ch, coef[0]);
    }
    std::vector<long> hist(16, 0);
    statistics(mesh, D, hist);
    if (g_rank == 0)
        std::printf("first %d, bin0 %ld, %.3f s\n", first, hist[0], MPI_Wtime() - t0);
    MPI_Finalize();
    return 0;
}
