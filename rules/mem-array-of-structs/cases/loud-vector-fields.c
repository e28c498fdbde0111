// Positions are an array within each record; a loop over its components reads them.
struct particle {
  int id, species;
  double position[3];
  double velocity[3];
  double force[3];
};

double potential(const struct particle *all, int count, double cutoff) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    // expect: mem-array-of-structs high "particle"
    for (int j = 0; j < count; ++j) {
      double distance = 0;
      for (int d = 0; d < 3; ++d) {
        double along = all[i].position[d] - all[j].position[d];
        distance += along * along;
      }
      if (distance < cutoff)
        sum += cutoff - distance;
    }
  return sum;
}
