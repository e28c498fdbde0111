// The rules as the analyser knows them: made by the build from rules/*/rule.toml.
#ifndef STRIDEWISE_UNIT_CATALOGUE_H
#define STRIDEWISE_UNIT_CATALOGUE_H

#include "unit/Finding.h"
#include "llvm/ADT/ArrayRef.h"

namespace stridewise {

struct ThresholdInfo {
  const char *Name;
  double Value;
  const char *Unit;
};

struct VariantInfo {
  const char *Name, *Text;
};

struct RuleInfo {
  const char *Slug, *Title, *Severity, *StaticMessage, *StaticAdvice;
  llvm::ArrayRef<ThresholdInfo> Thresholds;
  llvm::ArrayRef<VariantInfo> Variants;    // sentences of which a check chooses one
  llvm::ArrayRef<const char *> Supersedes; // rules whose findings are dropped where this one explains the place
};

/// The rule, or null for an unknown slug.
const RuleInfo *findRule(llvm::StringRef Slug);
llvm::ArrayRef<RuleInfo> allRules();

/// Replaces each {name} by the argument of that name. A hole without an argument stays visible as {name}.
std::string fillTemplate(llvm::StringRef Template, const ArgMap &Args);
/// The rule's sentence of that name with its holes filled. Aborts on a name that rule.toml lacks.
std::string variant(llvm::StringRef Slug, llvm::StringRef Name, const ArgMap &Args = {});

} // namespace stridewise
#endif
