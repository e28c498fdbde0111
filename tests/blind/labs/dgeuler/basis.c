#include <math.h>
#include "dgeuler.h"

double Dm[N][N], Wq[N], Xq[N];

void basis_init(void)
{
    double c[N];
    int i, j, k;

    Xq[0] = -1.0; Xq[1] = -sqrt(3.0 / 7.0); Xq[2] = 0.0; Xq[3] = -Xq[1]; Xq[4] = 1.0;
    Wq[0] = Wq[4] = 0.1; Wq[1] = Wq[3] = 49.0 / 90.0; Wq[2] = 32.0 / 45.0;
    for (i = 0; i < N; i++) {
        c[i] = 1.0;
        for (k = 0; k < N; k++) if (k != i) c[i] *= Xq[i] - Xq[k];
    }
    for (j = 0; j < N; j++) {
        Dm[j][j] = 0.0;
        for (i = 0; i < N; i++) if (i != j) Dm[i][j] = c[i] / (c[j] * (Xq[i] - Xq[j]));
        for (k = 0; k < N; k++) if (k != j) Dm[j][j] += 1.0 / (Xq[j] - Xq[k]);
    }
}

double euler_pressure(double r, double mx, double my, double e)
{
    double p = (GAM - 1.0) * (e - 0.5 * (mx * mx + my * my) / r);
    return p > 1e-8 ? p : 1e-8;
}
