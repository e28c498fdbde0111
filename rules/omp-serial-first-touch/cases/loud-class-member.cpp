// flags: -fopenmp
#include <cstddef>

class Lattice {
public:
  explicit Lattice(std::size_t size) : Size(size), Spins(new double[size]) {
    // expect: omp-serial-first-touch medium "'Spins'" "line 17"
    for (std::size_t n = 0; n < Size; ++n)
      Spins[n] = n % 2 ? 1.0 : -1.0;
  }
  ~Lattice() { delete[] Spins; }
  Lattice(const Lattice &) = delete;
  Lattice &operator=(const Lattice &) = delete;

  void decay(double factor) {
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < Size; ++n)
      Spins[n] *= factor;
  }
  double at(std::size_t n) const { return Spins[n]; }

private:
  std::size_t Size;
  double *Spins;
};

double evolve(std::size_t size, int steps) {
  Lattice lattice(size);
  for (int step = 0; step < steps; ++step)
    lattice.decay(0.9);
  return lattice.at(size / 2);
}
