#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "allvars.h"

void initial_conditions(void)
{
  int i, k, n = All.NTotal / NTask;
  srand48(101 + ThisTask);
  P = calloc(MAXLOCAL, sizeof *P);
  for (i = 0; i < n; i++) {
    const double r = 0.02 + 0.3 * pow(drand48(), 1.5), ct = 2 * drand48() - 1, ph = 2 * M_PI * drand48(), st = sqrt(1 - ct * ct);
    const double v = 0.3 * sqrt(All.G * All.NTotal * 1e-5 / r);
    P[i].Pos[0] = 0.5 + r * st * cos(ph);
    P[i].Pos[1] = 0.5 + r * st * sin(ph);
    P[i].Pos[2] = 0.5 + r * ct;
    P[i].Vel[0] = -v * sin(ph);
    P[i].Vel[1] = v * cos(ph);
    P[i].Mass = 1.0;
    P[i].ID = (long)ThisTask * n + i;
    for (k = 0; k < 5; k++) P[i].Metals[k] = 0.02f / (k + 1);
  }
  NumPart = n;
}

void kick(double dt)
{
  int i, k;
  for (k = 0; k < 3; k++)
    for (i = 0; i < NumPart; i++)
      P[i].Vel[k] += dt * (P[i].Acc[k] + 1e-6 * P[i].GridAcc[k]);
}

void drift(double dt)
{
  int i, k;
  for (i = 0; i < NumPart; i++)
    for (k = 0; k < 3; k++) {
      P[i].Pos[k] += dt * P[i].Vel[k];
      if (P[i].Pos[k] < 0.01) P[i].Pos[k] = 0.01, P[i].Vel[k] = fabs(P[i].Vel[k]);
      if (P[i].Pos[k] > 0.99) P[i].Pos[k] = 0.99, P[i].Vel[k] = -fabs(P[i].Vel[k]);
    }
}

double timestep(void)
{
  double amax = 1e-12, g;
  int i;
  for (i = 0; i < NumPart; i++) {
    const double *a = P[i].Acc;
    amax = fmax(amax, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  }
  MPI_Allreduce(&amax, &g, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return fmin(2e-3, sqrt(0.2 * All.Soft / sqrt(g)));
}

static void parse(int argc, char **argv)
{
  All = (struct global_data){ .RunName = "cluster", .Theta = 0.6, .Rcut = 0.03, .Soft = 2e-3, .G = 1e-5, .NTotal = 60000,
                              .NSteps = 20, .SnapEvery = 200, .UseTree = 1, .LogLevel = 1 };
  for (int a = 1; a + 1 < argc; a += 2) {
    if (!strcmp(argv[a], "-n")) All.NTotal = atoi(argv[a + 1]);
    if (!strcmp(argv[a], "-steps")) All.NSteps = atoi(argv[a + 1]);
    if (!strcmp(argv[a], "-theta")) All.Theta = atof(argv[a + 1]);
    if (!strcmp(argv[a], "-tree")) All.UseTree = atoi(argv[a + 1]);
  }
}

int main(int argc, char **argv)
{
  double prof[NBIN], mean[NKEEP], res, t0;
  char line[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &ThisTask);
  MPI_Comm_size(MPI_COMM_WORLD, &NTask);
  parse(argc, argv);
  initial_conditions();
  FdLog = ThisTask ? stderr : fopen("nbody.log", "w");
  while (!ThisTask && access("HOLD", F_OK) == 0) sleep(1);
  MPI_Barrier(MPI_COMM_WORLD);
  t0 = MPI_Wtime();
  for (All.Step = 0; All.Step < All.NSteps; All.Step++) {
    domain_decompose();
    migrate();
    ghosts_and_tree();
    grid_density();
    grid_solve(4);
    res = grid_residual();
    grid_force();
    if (All.UseTree) tree_force();
    velocity_dispersion();
    All.Dt = timestep();
    kick(All.Dt);
    drift(All.Dt);
    All.Time += All.Dt;
    energies();
    projection();
    profile_x(prof);
    orbit_record();
    orbit_drift(mean);
    if (!ThisTask) {
      snprintf(line, sizeof line, "%5d t %.4f dt %.2e Ekin %.5e Epot %.5e |p| %.2e res %.2e core %.3f r0 %.3f\n", All.Step, All.Time, All.Dt,
               All.Ekin, All.Epot, sqrt(All.Mom[0] * All.Mom[0] + All.Mom[1] * All.Mom[1] + All.Mom[2] * All.Mom[2]), res, prof[0], mean[0]);
      log_line(line);
    }
    if ((All.Step + 1) % 50 == 0) jackknife();
    if (All.SnapEvery && (All.Step + 1) % All.SnapEvery == 0) snapshot(All.Step / All.SnapEvery);
  }
  if (!ThisTask) printf("%s: %d steps, %.2f s, Ekin %.5e Epot %.5e\n", All.RunName, All.NSteps, MPI_Wtime() - t0, All.Ekin, All.Epot);
  MPI_Finalize();
  return 0;
}
