// Three components in three planes: the strided loop is short, and the loop around it is contiguous.
void kick(double *velocity, const double *force, int count, double seconds) {
  for (int i = 0; i < count; i++)
    for (int d = 0; d < 3; d++)
      velocity[d * count + i] += seconds * force[d * count + i];
}
