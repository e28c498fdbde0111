// Polynomials with integer coefficients over symbols: what the source or the IR computes of numbers that are not known.
#ifndef STRIDEWISE_UNIT_POLYNOMIAL_H
#define STRIDEWISE_UNIT_POLYNOMIAL_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace stridewise {

/// Terms with coefficient 0 are absent. Coefficients wrap as the machine's would; nothing here decides about overflow.
template <class Symbol> class Polynomial {
public:
  using Monomial = std::vector<Symbol>; // sorted

  static Polynomial constant(std::int64_t C) {
    Polynomial P;
    P.add({}, C);
    return P;
  }
  static Polynomial symbol(Symbol S) {
    Polynomial P;
    P.add({S}, 1);
    return P;
  }

  const std::map<Monomial, std::int64_t> &terms() const { return Terms; }
  bool isZero() const { return Terms.empty(); }
  std::optional<std::int64_t> asConstant() const {
    if (Terms.empty())
      return 0;
    return Terms.size() == 1 && Terms.begin()->first.empty() ? std::optional(Terms.begin()->second) : std::nullopt;
  }
  bool mentions(Symbol S) const {
    return llvm::any_of(Terms, [&](const auto &T) { return llvm::is_contained(T.first, S); });
  }
  std::set<Symbol> symbols() const {
    std::set<Symbol> All;
    for (const auto &[M, C] : Terms)
      All.insert(M.begin(), M.end());
    return All;
  }
  std::size_t degree() const {
    std::size_t D = 0;
    for (const auto &[M, C] : Terms)
      D = std::max(D, M.size());
    return D;
  }

  /// The coefficient of the symbol alone, when the polynomial is linear in it with a constant coefficient.
  std::optional<std::int64_t> coefficient(Symbol S) const {
    std::int64_t Found = 0;
    for (const auto &[M, C] : Terms)
      if (llvm::is_contained(M, S)) {
        if (M.size() != 1)
          return std::nullopt;
        Found = C;
      }
    return Found;
  }

  /// True when it is not negative whatever the symbols are, if none is below `Least`.
  bool isNonNegative(std::int64_t Least = 0) const {
    // With each symbol as Least + t, t >= 0: then no coefficient may be negative.
    constexpr std::size_t MostFactors = 6;
    Polynomial Shifted;
    for (const auto &[M, C] : Terms) {
      if (M.size() > MostFactors)
        return false;
      Polynomial Product = constant(C);
      for (const Symbol &S : M)
        Product = Product * (symbol(S) + constant(Least));
      Shifted += Product;
    }
    return llvm::all_of(Shifted.Terms, [](const auto &T) { return T.second >= 0; });
  }

  /// Its value for these numbers; nothing when it is too large.
  template <class Function> std::optional<std::int64_t> valueAt(Function &&Of) const {
    std::int64_t Sum = 0;
    for (const auto &[M, C] : Terms) {
      std::int64_t Product = C;
      for (const Symbol &S : M)
        if (llvm::MulOverflow(Product, Of(S), Product))
          return std::nullopt;
      if (llvm::AddOverflow(Sum, Product, Sum))
        return std::nullopt;
    }
    return Sum;
  }

  /// The remainder of polynomial division: what is left when multiples of the divisor are taken away.
  Polynomial modulo(const Polynomial &Divisor) const {
    constexpr unsigned MostRounds = 16;
    Polynomial Out = *this;
    if (Divisor.isZero())
      return Out;
    const auto &Lead = *std::max_element(Divisor.Terms.begin(), Divisor.Terms.end(),
                                         [](const auto &A, const auto &B) { return A.first.size() < B.first.size(); });
    for (unsigned Round = 0; Round < MostRounds; ++Round) {
      Polynomial Quotient;
      for (const auto &[M, C] : Out.Terms)
        if (C % Lead.second == 0 && std::includes(M.begin(), M.end(), Lead.first.begin(), Lead.first.end())) {
          Monomial Rest;
          std::set_difference(M.begin(), M.end(), Lead.first.begin(), Lead.first.end(), std::back_inserter(Rest));
          Quotient.add(Rest, C / Lead.second);
          break;
        }
      if (Quotient.isZero())
        break;
      Out = Out - Quotient * Divisor;
    }
    return Out;
  }

  Polynomial &operator+=(const Polynomial &O) { return *this = *this + O; }
  friend Polynomial operator+(const Polynomial &A, const Polynomial &B) {
    Polynomial R = A;
    for (const auto &[M, C] : B.Terms)
      R.add(M, C);
    return R;
  }
  friend Polynomial operator*(const Polynomial &A, const Polynomial &B) {
    Polynomial R;
    for (const auto &[MA, CA] : A.Terms)
      for (const auto &[MB, CB] : B.Terms) {
        Monomial M;
        std::merge(MA.begin(), MA.end(), MB.begin(), MB.end(), std::back_inserter(M));
        R.add(M, static_cast<std::int64_t>(static_cast<std::uint64_t>(CA) * static_cast<std::uint64_t>(CB)));
      }
    return R;
  }
  friend Polynomial operator-(const Polynomial &A, const Polynomial &B) { return A + constant(-1) * B; }
  friend bool operator==(const Polynomial &, const Polynomial &) = default;

private:
  void add(const Monomial &M, std::int64_t C) {
    auto Sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(Terms[M]) + static_cast<std::uint64_t>(C));
    if (Sum)
      Terms[M] = Sum;
    else
      Terms.erase(M);
  }
  std::map<Monomial, std::int64_t> Terms;
};

} // namespace stridewise
#endif
