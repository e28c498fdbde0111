// A function of another file is given what the iteration has put into an array, and gives a number; the greatest one is
// reduced over the ranks afterwards, which leaves it in a register before.
#include <math.h>
#include <mpi.h>

typedef struct {
  int is, ie, js, je, ks, ke;
  double ****u; // [n][k][j][i]
  double dx, dt;
} Grid;

double pressure(const double *cell);

void time_step(Grid *grid) {
  double fastest = 0, cell[5];
  for (int i = grid->is; i <= grid->ie; i++)
    for (int j = grid->js; j <= grid->je; j++)
      // expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "give the same in any order"
      for (int k = grid->ks; k <= grid->ke; k++) {
        for (int n = 0; n < 5; n++)
          cell[n] = grid->u[n][k][j][i];
        const double speed = sqrt(1.4 * pressure(cell) / cell[0]);
        fastest = fmax(fastest, (fabs(cell[1] / cell[0]) + speed) / grid->dx);
        fastest = fmax(fastest, (fabs(cell[2] / cell[0]) + speed) / grid->dx);
      }
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  grid->dt = 0.4 / fastest;
}
