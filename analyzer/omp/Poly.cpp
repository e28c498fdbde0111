#include "omp/Poly.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace stridewise {

Poly Poly::constant(std::int64_t C) {
  Poly P;
  P.add({}, C);
  return P;
}

Poly Poly::symbol(SymbolId S) {
  Poly P;
  P.add({S}, 1);
  return P;
}

void Poly::add(const Monomial &M, std::int64_t C) {
  // Coefficients wrap as the machine's would; nothing here decides about overflow.
  auto Sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(Terms[M]) + static_cast<std::uint64_t>(C));
  if (Sum)
    Terms[M] = Sum;
  else
    Terms.erase(M);
}

Poly operator+(const Poly &A, const Poly &B) {
  Poly R = A;
  for (const auto &[M, C] : B.Terms)
    R.add(M, C);
  return R;
}

Poly operator*(const Poly &A, const Poly &B) {
  Poly R;
  for (const auto &[MA, CA] : A.Terms)
    for (const auto &[MB, CB] : B.Terms) {
      Poly::Monomial M;
      std::merge(MA.begin(), MA.end(), MB.begin(), MB.end(), std::back_inserter(M));
      R.add(M, static_cast<std::int64_t>(static_cast<std::uint64_t>(CA) * static_cast<std::uint64_t>(CB)));
    }
  return R;
}

Poly operator-(const Poly &A, const Poly &B) { return A + Poly::constant(-1) * B; }

std::optional<std::int64_t> Poly::asConstant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

bool Poly::mentions(SymbolId S) const {
  return llvm::any_of(Terms, [&](const auto &T) { return llvm::is_contained(T.first, S); });
}

std::set<SymbolId> Poly::symbols() const {
  std::set<SymbolId> All;
  for (const auto &[M, C] : Terms)
    All.insert(M.begin(), M.end());
  return All;
}

std::optional<std::int64_t> Poly::coefficient(SymbolId S) const {
  std::int64_t Found = 0;
  for (const auto &[M, C] : Terms)
    if (llvm::is_contained(M, S)) {
      if (M.size() != 1)
        return std::nullopt;
      Found = C;
    }
  return Found;
}

std::size_t Poly::degree() const {
  std::size_t D = 0;
  for (const auto &[M, C] : Terms)
    D = std::max(D, M.size());
  return D;
}

} // namespace stridewise
