// Polynomials with integer coefficients over symbols: indices as the source computes them.
#ifndef STRIDEWISE_OMP_POLY_H
#define STRIDEWISE_OMP_POLY_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace stridewise {

using SymbolId = unsigned;

/// Terms with coefficient 0 are absent.
class Poly {
public:
  using Monomial = std::vector<SymbolId>; // sorted
  Poly() = default;
  static Poly constant(std::int64_t C);
  static Poly symbol(SymbolId S);

  const std::map<Monomial, std::int64_t> &terms() const { return Terms; }
  std::optional<std::int64_t> asConstant() const;
  bool mentions(SymbolId S) const;
  std::set<SymbolId> symbols() const;
  /// The coefficient of the symbol alone, when the polynomial is linear in it with a constant coefficient.
  std::optional<std::int64_t> coefficient(SymbolId S) const;
  std::size_t degree() const;

  friend Poly operator+(const Poly &A, const Poly &B);
  friend Poly operator-(const Poly &A, const Poly &B);
  friend Poly operator*(const Poly &A, const Poly &B);
  friend bool operator==(const Poly &, const Poly &) = default;

private:
  void add(const Monomial &M, std::int64_t C);
  std::map<Monomial, std::int64_t> Terms;
};

} // namespace stridewise
#endif
