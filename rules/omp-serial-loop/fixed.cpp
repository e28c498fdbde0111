// flags: -fopenmp
// Particles in a box: the team moves them, and turns back those that left it.
#include <cstdio>
#include <vector>

struct Particle {
  double place[3], speed[3];
};

int main(int argc, char **) {
  const int count = 200000 * argc;
  // expect: omp-calloc-first-touch
  std::vector<Particle> box(count);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; ++i)
    for (int d = 0; d < 3; ++d) {
      box[i].place[d] = (i % 1000) * 1e-3;
      box[i].speed[d] = (i % 7 - 3) * 0.1;
    }
  for (int step = 0; step < 30; ++step) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
      for (int d = 0; d < 3; ++d)
        box[i].place[d] += 0.01 * box[i].speed[d];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
      for (int d = 0; d < 3; ++d)
        if (box[i].place[d] < 0.0 || box[i].place[d] > 1.0)
          box[i].speed[d] = -box[i].speed[d];
  }
  double sum = 0.0;
  for (const Particle &p : box)
    sum += p.place[0];
  std::printf("%.6f\n", sum);
}
