// Ten arrays of whole multiples of 4096 bytes follow each other, so that all begin in one set.
#define POINTS (1 << 18)

static double mass[POINTS], energy[POINTS], pressure[POINTS], volume[POINTS], speed[POINTS];
static double work[POINTS], heat[POINTS], force[POINTS], flux[POINTS], density[POINTS];

void advance(double step) {
  // expect: mem-power-of-two-stride medium
  for (int k = 0; k < POINTS; k++) {
    density[k] = mass[k] / volume[k];
    energy[k] += step * (work[k] + heat[k] - pressure[k] * flux[k]);
    speed[k] += step * force[k] / mass[k];
  }
}

double *fields(int which) {
  double *all[] = {mass, energy, pressure, volume, speed, work, heat, force, flux, density};
  return all[which];
}
