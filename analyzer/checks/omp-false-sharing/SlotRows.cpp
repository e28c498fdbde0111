// Rows of counters, one for each thread, whose length is known when the program runs only: `bins[thread * n + key[i]]`.
// Only the ends of long rows share lines; short ones lie in a few lines that all threads write. Where nothing says
// which it is, they may be short. Rows that a team divides among its threads are long: few elements are not worth that.
#include "checks/omp-false-sharing/TeamCode.h"

using namespace clang;

namespace stridewise {

// What is multiplied by the thread's number, and the rest; nothing when the number is in there twice.
static std::optional<std::pair<Poly, Poly>> splitAt(SymbolId Thread, const Poly &Index) {
  Poly Row, Rest;
  for (const auto &[Symbols, Factor] : Index.terms()) {
    Poly Term = Poly::constant(Factor);
    for (SymbolId S : Symbols)
      if (S != Thread)
        Term = Term * Poly::symbol(S);
    const auto Times = llvm::count(Symbols, Thread);
    if (Times > 1)
      return std::nullopt;
    (Times ? Row : Rest) = (Times ? Row : Rest) + Term;
  }
  return std::pair(Row, Rest);
}

// Whether the loops around an access change the value, other than by counting.
bool TeamCode::isScattered(SymbolId S, const Level *L) const {
  const SymbolInfo &I = Paths.symbol(S);
  if (I.Var)
    return L->Assigned.contains(I.Var->getCanonicalDecl());
  return llvm::any_of(I.Inputs, [&](SymbolId Input) {
    const SymbolInfo &Of = Paths.symbol(Input);
    if (Of.Var && L->Assigned.contains(Of.Var->getCanonicalDecl()))
      return true;
    for (const Level *Around = L; Around; Around = Around->Parent)
      if (Around->Counter && Paths.dependsOn(Poly::symbol(Input), *Around->Counter))
        return true;
    return false;
  });
}

bool TeamCode::isLengthOfRow(const Poly &Row, const Level *L) const {
  return llvm::none_of(Row.symbols(), [&](SymbolId S) {
    if (isScattered(S, L))
      return true;
    return llvm::any_of(
        Levels, [&](const auto &Any) { return Any->Counter && Paths.dependsOn(Poly::symbol(S), *Any->Counter); });
  });
}

// Whether a shared loop of this code walks along rows of the array.
bool TeamCode::dividesRows(const Access &A, std::size_t At) const {
  return llvm::any_of(Accesses, [&](const Access &B) {
    return B.P.Root == A.P.Root && B.P.Var == A.P.Var && B.P.Steps.size() == A.P.Steps.size() &&
           B.P.Steps[At].isElement() && !Paths.dependsOn(B.P.Steps[At].Index, Thread) &&
           mentionsShared(B.P.Steps[At].Index, B.In);
  });
}

// A product of symbols in the program's words; empty when one has no name.
static std::string nameOf(const Poly::Monomial &Symbols, const PathResolver &Paths) {
  std::string Text;
  for (SymbolId S : Symbols) {
    const SymbolInfo &I = Paths.symbol(S);
    std::string Name = I.Var ? I.Var->getNameAsString() : std::string();
    if (Name.empty() && I.Loaded && !I.Loaded->Steps.empty() && I.Loaded->Steps.back().Field)
      Name = I.Loaded->Steps.back().Field->getNameAsString();
    if (Name.empty())
      return {};
    Text += (Text.empty() ? "" : " * ") + Name;
  }
  return Text;
}

// "8 * bins", "8 * (bins + 2)"; empty when a part has no name.
static std::string inBytes(const Poly &Row, std::int64_t Size, const PathResolver &Paths) {
  std::string Sum;
  std::int64_t Constant = 0;
  for (const auto &[Symbols, Factor] : Row.terms()) {
    if (Symbols.empty()) {
      Constant = Factor;
      continue;
    }
    const std::string Name = nameOf(Symbols, Paths);
    if (Name.empty())
      return {};
    const std::string Sign = Factor < 0 ? (Sum.empty() ? "-" : " - ") : (Sum.empty() ? "" : " + ");
    Sum += Sign + (std::abs(Factor) == 1 ? "" : std::to_string(std::abs(Factor)) + " * ") + Name;
  }
  if (Constant)
    Sum += (Constant < 0 ? " - " : " + ") + std::to_string(std::abs(Constant));
  if (Size == 1)
    return Sum;
  return std::to_string(Size) + " * " + (Row.terms().size() == 1 ? Sum : "(" + Sum + ")");
}

bool TeamCode::choosesRow(const Access &A, std::size_t At, std::int64_t Size, SlotWrite &W) const {
  const auto Parts = splitAt(Thread, A.P.Steps[At].Index);
  if (!Parts || !isLengthOfRow(Parts->first, A.In))
    return false;
  // A length that is a multiple of a line, or an element that the loop does not choose by data.
  std::int64_t Least = 0;
  for (const auto &[Symbols, Factor] : Parts->first.terms())
    Least += Factor * Size;
  if (static_cast<double>(Least) >= Limits.LineBytes || static_cast<double>(Size) >= Limits.LineBytes)
    return false;
  const std::set<SymbolId> Chosen = Parts->second.symbols();
  if (llvm::none_of(Chosen, [&](SymbolId S) { return isScattered(S, A.In); }) ||
      llvm::any_of(Chosen,
                   [&](SymbolId S) { return llvm::any_of(Levels, [&](const auto &L) { return L->Counter == S; }); }) ||
      dividesRows(A, At))
    return false;
  W.Row = inBytes(Parts->first, Size, Paths);
  W.By = SlotWrite::Thread;
  W.Array = nameOf(A.P, At);
  W.Sure = false;
  return !W.Row.empty() && !W.Array.empty();
}

} // namespace stridewise
