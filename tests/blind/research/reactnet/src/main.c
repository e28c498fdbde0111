#include "reactnet.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct input { int gx, gy, ns, nstep; double kappa, sigma; };

static int read_input(const char *name, struct input *in)
{
    FILE *fp = NULL;
    for (int k = 0; k < 3 && !(fp = fopen(name, "r")); k++)
        sleep(1);
    if (!fp) return 1;
    const int n = fscanf(fp, "%d %d %d %d %lf %lf", &in->gx, &in->gy, &in->ns, &in->nstep, &in->kappa, &in->sigma);
    fclose(fp);
    return n != 6;
}

int main(int argc, char **argv)
{
    struct input in = {48, 48, 12, 20, 2.0e-4, 3.0};
    struct network net;
    struct block b;
    struct runstat st = {0};
    int prov, rank, err = 0;
    double time = 0.0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && argc > 1) err = read_input(argv[1], &in);
    MPI_Bcast(&err, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&in, sizeof in, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (err || in.ns > MAXSP || in.ns < 4) {
        if (rank == 0) fprintf(stderr, "reactnet: bad input\n");
        MPI_Finalize();
        return 1;
    }
    set_limiter(getenv("REACTNET_LIMITER"));
    net_build(&net, in.ns);
    block_init(&b, in.gx, in.gy, in.ns, MPI_COMM_WORLD);
    set_initial(&b);
    MPI_Barrier(b.cart);
    const double t0 = MPI_Wtime();
    tick(&b, NULL);

    for (st.step = 0; st.step < in.nstep; st.step++) {
        fill_walls(&b);
        halo_conc(&b);
        const double dt = stable_dt(&b);
        tick(&b, &st.t_halo);
        st.limited += advect(&b, dt);
        conduct(&b, dt, in.kappa);
        line_diffuse(&b, dt, 0.1 * in.kappa);
        normalise(&b, 1.0);
        tick(&b, &st.t_adv);
        shade(&b, in.sigma);
        st.newton += chem_step(&b, &net, dt);
        st.qmax = heat_release(&b, dt);
        tick(&b, &st.t_chem);
        totals(&b, &net, &st);
        st.grad = front_gradient(&b);
        time += dt;
        if (rank == 0 && st.step % 5 == 0)
            printf("%4d t=%.4f mass %.6f heat %.6f grad %.2f qmax %.2f\n", st.step, time, st.mass, st.heat, st.grad, st.qmax);
    }

    if (b.rank == 0)
        printf("done: %ld newton, %ld limited, chem %.2f adv %.2f halo %.2f total %.2f s\n",
               st.newton, st.limited, st.t_chem, st.t_adv, st.t_halo, MPI_Wtime() - t0);
    write_profile(&b, "profile.dat");
    block_free(&b);
    MPI_Finalize();
    return 0;
}
