/* agcm.c - main program */
#include <math.h>
#include <string.h>
#include "agcm.h"
#include <omp.h>

int im = 144, jm, km = 20;
Var u = {"u"}, v = {"v"}, h = {"h"}, t = {"t"}, q = {"q"};
double *trac[NTRAC], **topo, *cosz;
Surface *sfc;
Control ctl = {'g', 0.01, 8, 0.05, 'u', 0.0};

double *new3(void)
{
    size_t n = (size_t)km * JW * IW, l;
    double *a = malloc(n * sizeof(double));
    for (l = 0; l < n; l++) a[l] = 0.0;
    return a;
}

static void *new_shared(size_t n)
{
    double *a = malloc(n * sizeof(double));
    long l;
#pragma omp parallel for schedule(static)
    for (l = 0; l < (long)n; l++) a[l] = 0.0;
    return a;
}

static void setup(void)
{
    Var *all[5];
    int f, i, j, k;
    all[0] = &u; all[1] = &v; all[2] = &h; all[3] = &t; all[4] = &q;
    for (f = 0; f < 5; f++) {
        all[f]->a = new3();
        all[f]->tend = new3();
    }
    for (f = 0; f < NTRAC; f++) trac[f] = new3();
    cosz = calloc((size_t)JW * IW, sizeof(double));
    colT = new_shared((size_t)im * jm * km);
    colQ = new_shared((size_t)im * jm * km);
    sfc = calloc((size_t)im * jm, sizeof(Surface));
    topo = malloc(JW * sizeof(double *));
    for (j = 0; j < JW; j++) topo[j] = calloc(IW, sizeof(double));
    for (i = 1; i <= im; i++)
        for (j = 1; j <= jm; j++)
            for (k = 0; k < km; k++) {
                double x = 2 * M_PI * i / im, y = M_PI * (myrank * jm + j - 0.5) / (jm * nprocs);
                u.a[X3(k, j, i)] = 0.5 * sin(y);
                h.a[X3(k, j, i)] = 1.0 + 0.05 * sin(3 * x) * sin(y) * sin(y);
                t.a[X3(k, j, i)] = 10.0 * sin(y) - 0.5 * k;
                q.a[X3(k, j, i)] = 0.01 * sin(y);
                trac[(i + k) % NTRAC][X3(k, j, i)] = 1.0;
                topo[j][i] = sin(5 * x) * sin(3 * y);
            }
    for (i = 0; i < im * jm; i++) {
        sfc[i].type = i % 3;
        sfc[i].albedo = 0.3;
        sfc[i].soil[0] = sfc[i].soil[1] = sfc[i].soil[2] = 0.5;
    }
}

static void step(int n)
{
    int m;
    halo(u.a);
    halo(v.a);
    halo(h.a);
    continuity(ctl.dt);
    pressure_gradient();
    diffuse(u.a, ctl.nu);
    diffuse(v.a, ctl.nu);
    diffuse(t.a, ctl.nu);
    diffuse(q.a, ctl.nu);
    update(ctl.dt);
    halo_packed(t.a);
    halo_packed(q.a);
    advect(t.a);
    advect(q.a);
    for (m = 0; m < NTRAC; m++) {
        halo_packed(trac[m]);
        advect(trac[m]);
    }
    polar_filter(u.a);
    polar_filter(v.a);
    vertical_mix(t.a, ctl.dt);
    sun(n * 0.5);
    run_physics(ctl.dt);
    surface(ctl.dt);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double t0, e, w, wm, mass[NTRAC], *zm, *zall, *ci, *drag, *lm;
    int n, nth, *wet;
    par_init(&argc, &argv);
    if (argc > 1) ctl.nstep = atoi(argv[1]);
    jm = (argc > 2 ? atoi(argv[2]) : 96) / nprocs;
    setup();
    nth = omp_get_max_threads();
    wet = calloc(nth, sizeof(int));
    zm = calloc((size_t)km * jm, sizeof(double));
    zall = calloc((size_t)km * jm * nprocs, sizeof(double));
    ci = calloc((size_t)JW * IW, sizeof(double));
    drag = calloc((size_t)JW * IW, sizeof(double));
    lm = calloc(km, sizeof(double));
    if (myrank == 0) printf("roughness %.4f\n", roughness());
    MPI_Barrier(MPI_COMM_WORLD);
    t0 = MPI_Wtime();
    for (n = 0; n < ctl.nstep; n++) {
        step(n);
        e = gsum(total_energy());
        w = gsum(total_water());
        wm = running_max(max_wind());
        if (n % 4 == 3) wait_ocean(n);
        zonal_mean(t.a, zm);
        gather_rows(zm, zall, km * jm);
        column_integral(q.a, ci);
        tracer_mass(mass);
        slope_drag(drag);
        level_means(colT, lm);
        count_wet(wet);
        {
            double sm = gsum(surface_mean()) / nprocs;
            if (myrank == 0)
                printf("%3d e %.6e w %.4e wind %.4f ts %.4f tr %.3e wet %d\n", n, e, w, wm, sm, mass[0], wet[0]);
        }
    }
    e = gmax(ci[X2(1, 1)]);
    w = gmax(zm[0]);
    if (myrank == 0) printf("%.3e %.3e  %.3f s\n", e, w, MPI_Wtime() - t0);
    MPI_Finalize();
    return 0;
}
