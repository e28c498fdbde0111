// flags: -fopenmp
// Objects that smart pointers own, and a call through the base class that one class implements.
#include <memory>
#include <vector>

class Operator {
public:
  virtual ~Operator() = default;
  virtual void apply(const std::vector<double> &x, double *y) const = 0;
};

class Diagonal final : public Operator {
public:
  explicit Diagonal(std::size_t n)
      // expect: omp-calloc-first-touch medium "the constructor of std::vector" "'scale_'"
      : scale_(n, 2.0) {}
  void apply(const std::vector<double> &x, double *y) const override {
#pragma omp parallel for
    for (std::size_t i = 0; i < scale_.size(); ++i)
      y[i] = scale_[i] * x[i];
  }

private:
  std::vector<double> scale_;
};

class Field {
public:
  explicit Field(std::size_t n)
      // expect: omp-calloc-first-touch medium "the constructor of std::vector" "'value_'"
      : value_(n) {}
  void relax(int times) {
    for (int t = 0; t < times; ++t) {
#pragma omp parallel for
      for (std::size_t i = 0; i < value_.size(); ++i)
        value_[i] *= 0.5;
    }
  }
  double *data() { return value_.data(); }

private:
  std::vector<double> value_;
};

double power(const Operator &op, const std::vector<double> &x, Field &f, int times) {
  for (int t = 0; t < times; ++t)
    op.apply(x, f.data());
  return f.data()[0];
}

int main() {
  const std::size_t n = 4'000'000;
  std::unique_ptr<Operator> op = std::make_unique<Diagonal>(n);
  auto field = std::make_unique<Field>(n);
  field->relax(10);
  std::vector<double> x;
  x.reserve(n);
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i)
    x.data()[i] = 1;
  return power(*op, x, *field, 10) > 0 ? 0 : 1;
}
