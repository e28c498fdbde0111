// What other compilers take and clang does not: which of clang's errors leave a syntax tree that says what the build's
// compiler understood, which go away when the unit is read in another way, and where the rest stand.
#ifndef STRIDEWISE_HOSTS_TOOL_DIALECT_H
#define STRIDEWISE_HOSTS_TOOL_DIALECT_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/LangOptions.h"
#include "llvm/Support/JSON.h"
#include <set>
#include <string>
#include <vector>

namespace stridewise {

/// How to read a unit once more: arguments behind the command's own, those to leave out, and text before its first
/// line.
struct Reading {
  std::set<std::string> Arguments;
  std::set<std::string> WithoutPrefixes;
  std::set<std::string> Declarations;
  bool MpiBindings = false; // with those of MPI for C++
  bool operator==(const Reading &) const = default;
};

/// Makes warnings of all errors that clang lets its users turn off: no build stops at them that has another compiler,
/// and none has them that passes with this one.
void demoteErrors(clang::DiagnosticsEngine &Diags);

/// Text before the unit: declarations of what GCC knows by itself and clang does not (types such as _Float128), and
/// macros by which headers leave out what the unit does not need.
std::string predeclared(const clang::LangOptions &Lang, const Reading &R);

/// Collects the compiler's errors; warnings are the compiler's own business.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  /// \param R how the unit is being read
  explicit ErrorCollector(const Reading &R) : Next(R) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override;

  /// Errors that no other compiler would forgive, at most 20, as a unit's result shows them.
  llvm::json::Array &shown() { return Shown; }
  /// Whether there are any.
  bool any() const { return Count != 0; }
  /// Where they stand in the source.
  const std::vector<clang::SourceLocation> &places() const { return Places; }
  /// Whether their places are all known: none lies outside of the source, none was left out.
  bool allPlaced() const { return Count == Places.size() && !Overflow; }
  /// `main` has parameters that only clang refuses, for which it marks the function as invalid.
  bool refusedMain() const { return RefusedMain; }
  /// The reading under which errors of this one would not occur; the same one where none is known.
  const Reading &next() const { return Next; }

private:
  bool isTolerated(unsigned Id, const clang::Diagnostic &Info);
  llvm::json::Array Shown;
  std::vector<clang::SourceLocation> Places;
  std::size_t Count = 0;
  bool Overflow = false, RefusedMain = false;
  Reading Next;
  std::string Conflicting; // the name of the error before, a conflict of types
};

} // namespace stridewise
#endif
