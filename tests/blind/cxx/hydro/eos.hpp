#ifndef EOS_HPP
#define EOS_HPP
#include <cmath>
#include <string>

namespace hyd {

struct EosOptions {
  bool clipPressure;
  double gamma;
  bool verbose;
  double pfloor;
  char name;
};

class Eos {
 public:
  virtual ~Eos() {}
  virtual double pressure(double rho, double eint) const = 0;
  virtual double soundSpeed(double rho, double p) const = 0;
};

class IdealGas : public Eos {
 public:
  explicit IdealGas(const EosOptions &o) : opt_(o) {}
  double pressure(double rho, double eint) const {
    const double p = (opt_.gamma - 1.0) * rho * eint;
    return (opt_.clipPressure && p < opt_.pfloor) ? opt_.pfloor : p;
  }
  double soundSpeed(double rho, double p) const {
    return std::sqrt(opt_.gamma * p / rho);
  }
 private:
  EosOptions opt_;
};

}  // namespace hyd
#endif
