// Constructs that a compiler pass could break: variadic calls, records by value, exceptions, virtual calls, addresses
// of labels, thread-local variables. Prints the same whoever watches.
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <omp.h>
#include <stdexcept>
#include <vector>
struct Big {
  double v[20];
};
static Big make(Big b, int k) {
  b.v[k % 20] += k;
  return b;
}
__attribute__((noinline)) double sum(int n, ...) {
  va_list a;
  va_start(a, n);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += va_arg(a, double);
  va_end(a);
  return s;
}
struct T {
  virtual ~T() {}
  virtual double f(double x) const {
    if (x < 0)
      throw std::runtime_error("neg");
    return x * 2;
  }
};
struct U : T {
  double f(double x) const override {
    try {
      return T::f(x) + 1;
    } catch (const std::exception &e) {
      return -1;
    }
  }
};
thread_local int tl = 0;
static int jump(int x) {
  static void *const t[] = {&&a, &&b, &&c};
  goto *t[x % 3];
a:
  return 1;
b:
  return 2;
c:
  return 3;
}
int main() {
  std::vector<double> out(1000);
  std::vector<T *> ts{new T, new U};
  long js = 0;
  double vs = 0;
  std::function<double(double)> g = [&](double x) { return x + out.size(); };
#pragma omp parallel for reduction(+ : js, vs)
  for (int i = 0; i < 1000; i++) {
    Big b{};
    b = make(b, i);
    tl++;
    out[i] = ts[i & 1]->f(i % 7 - 1 + (i & 1 ? -3 : 1)) + b.v[i % 20] + g(i);
    js += jump(i);
    vs += sum(3, 1.0, 2.0, (double)i);
  }
  double s = 0;
  for (double x : out)
    s += x;
  printf("%.1f %ld %.1f\n", s, js, vs);
  for (auto *t : ts)
    delete t;
}
