#include "md.hpp"

namespace md {

void System::half_kick()
{
    const double h = 0.5*par.dt;
    #pragma omp parallel for
    for (int i = 0; i < nlocal; ++i)
        for (int d = 0; d < 3; ++d)
            at[i].v[d] += h*at[i].f[d]/at[i].m;
}

void System::drift()
{
    #pragma omp parallel
    {
        for (int d = 0; d < 3; ++d) {
            #pragma omp for
            for (int i = 0; i < nlocal; ++i)
                at[i].r[d] += par.dt*at[i].v[d];
        }
    }
}

// Berendsen; also removes the drift of the centre of mass
void System::thermostat()
{
    double p[3] = {0, 0, 0}, ke = 0, m = 0;
    for (int i = 0; i < nlocal; ++i) {
        for (int d = 0; d < 3; ++d) { p[d] += at[i].m*at[i].v[d]; ke += 0.5*at[i].m*at[i].v[d]*at[i].v[d]; }
        m += at[i].m;
    }
    double loc[5] = {p[0], p[1], p[2], ke, m}, g[5];
    MPI_Allreduce(loc, g, 5, MPI_DOUBLE, MPI_SUM, comm);
    sum.ke = ke;
    double t = 2*g[3]/(3.0*natoms), lam = std::sqrt(1 + 0.01*(par.temp/t - 1));
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < nlocal; ++i)
        for (int d = 0; d < 3; ++d) at[i].v[d] = lam*(at[i].v[d] - g[d]/g[4]);
}

void System::reduce()
{
    double a;
    MPI_Allreduce(&sum.pe, &a, 1, MPI_DOUBLE, MPI_SUM, comm); sum.pe = a;
    MPI_Allreduce(&sum.ke, &a, 1, MPI_DOUBLE, MPI_SUM, comm); sum.ke = a;
    MPI_Allreduce(&sum.vir, &a, 1, MPI_DOUBLE, MPI_SUM, comm); sum.vir = a;
}

void System::step(int it)
{
    half_kick();
    drift();
    update_ghosts();
    if (need_rebuild()) {
        migrate();
        borders();
        build_list();
    }
    update_ghosts();
    force();
    if (par.ewald && it % 4 == 0) kspace();
    correct_charges();
    half_kick();
    thermostat();
    reduce();
    MPI_Barrier(comm);
}

} // namespace md
