// flags: -fopenmp
// Loops over iterators and ranges, functions of mathematics in them, and an equation of state behind a virtual call.
#include <cmath>
#include <cstdio>
#include <vector>

struct Element {
  double k, area, heat;
};

class Material {
public:
  virtual ~Material() = default;
  virtual double pressure(double density) const = 0;
};

class Ideal : public Material {
public:
  double pressure(double density) const override { return 0.4 * density; }
};

const Material *chosen(int kind) {
  static const Ideal ideal;
  return kind ? &ideal : nullptr;
}

struct Mesh {
  std::vector<Element> elements;
};

void conductivity(Mesh &mesh) {
  // expect: omp-serial-loop medium "'mesh.elements'" "parallel for" unsafe-fix
  for (std::vector<Element>::iterator e = mesh.elements.begin(); e != mesh.elements.end(); ++e)
    e->k = 1.0 + std::exp(-e->heat);
}

double heat(const Mesh &mesh) {
  double total = 0.0;
  // expect: omp-serial-loop medium "'mesh.elements'" "reduction(+:total)" unsafe-fix
  for (const Element &e : mesh.elements)
    total += e.heat;
  return total;
}

void grow(Mesh &mesh) {
  // expect: omp-serial-loop medium "'mesh.elements'" "parallel for" unsafe-fix
  for (Element &e : mesh.elements)
    e.area *= 0.5 + e.k;
}

void state(Mesh &mesh, const Material &material) {
#pragma omp parallel for
  for (std::size_t i = 0; i < mesh.elements.size(); ++i)
    mesh.elements[i].heat = material.pressure(mesh.elements[i].area) + mesh.elements[i].k;
}

int main(int argc, char **) {
  Mesh mesh;
  // expect: omp-calloc-first-touch
  mesh.elements.resize(100000 * argc);
  double total = 0.0;
  for (int step = 0; step < 10; ++step) {
    conductivity(mesh);
    grow(mesh);
    state(mesh, *chosen(argc));
    total += heat(mesh);
  }
  std::printf("%.3f\n", total);
}
