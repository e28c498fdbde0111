// flags: -fopenmp
// Iterators that no directive takes, sums that depend on their order, an end that the loop moves, results behind it.
#include <cmath>
#include <cstdio>
#include <list>
#include <vector>

struct Element {
  double k, heat;
};

double smoothed(std::vector<Element> &elements) {
  double last = 0.0;
  for (Element &e : elements) {
    e.heat = 0.5 * (e.heat + last);
    last = e.heat;
  }
  return last;
}

void parts(std::vector<Element> &elements, double *whole) {
  for (Element &e : elements)
    e.k = std::modf(e.heat, whole);
}

std::vector<Element>::iterator hottest(std::vector<Element> &elements) {
  std::vector<Element>::iterator e;
  for (e = elements.begin(); e != elements.end(); ++e)
    e->k *= 0.5;
  return e;
}

void team(std::vector<Element> &elements) {
#pragma omp parallel for
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i].heat += elements[i].k;
}

int main(int argc, char **) {
  // expect: omp-calloc-first-touch
  std::vector<Element> elements(100000 * argc);
  std::list<double> order(100000, 1.0);
  double total = 0.0;
  for (int step = 0; step < 10; ++step) {
    total += smoothed(elements);
    parts(elements, &total);
    total += hottest(elements) == elements.end();
    for (double &x : order)
      x *= 0.5;
    team(elements);
  }
  std::printf("%.6f %.6f\n", total, order.front());
}
