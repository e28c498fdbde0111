// Which instantiations of a template a place in the source belongs to.
#ifndef STRIDEWISE_UNIT_INSTANTIATIONS_H
#define STRIDEWISE_UNIT_INSTANTIATIONS_H

#include "clang/AST/ASTContext.h"
#include <string>
#include <vector>

namespace stridewise {

class Instantiations {
public:
  explicit Instantiations(clang::ASTContext &Ctx) : Ctx(Ctx) {}
  /// The unit's instantiations of the innermost function template, member of a class template or generic lambda around
  /// the place, by name, sorted; empty where the place is in no template. Reads the unit when first asked.
  std::vector<std::string> at(clang::SourceLocation Loc);

private:
  struct Pattern {
    clang::FileID File;
    unsigned Begin = 0, End = 0; // offsets
    std::vector<std::string> Names;
  };
  friend class InstantiationCollector;
  clang::ASTContext &Ctx;
  std::vector<Pattern> Patterns;
  bool Read = false;
};

} // namespace stridewise
#endif
