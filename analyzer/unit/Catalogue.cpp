#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace stridewise {

// The build writes here one array of thresholds per rule and `static const RuleInfo Rules[]`, sorted by slug.
#include "catalogue.inc"

llvm::ArrayRef<RuleInfo> allRules() { return Rules; }

const RuleInfo *findRule(llvm::StringRef Slug) {
  const auto *It = llvm::find_if(allRules(), [&](const RuleInfo &R) { return Slug == R.Slug; });
  return It == allRules().end() ? nullptr : It;
}

static std::string toText(const Arg &A) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (const auto *S = std::get_if<std::string>(&A))
    OS << *S;
  else if (const auto *N = std::get_if<std::int64_t>(&A))
    OS << *N;
  else
    OS << llvm::format("%.3g", std::get<double>(A));
  return Text;
}

std::string fillTemplate(llvm::StringRef Template, const ArgMap &Args) {
  std::string Out;
  while (!Template.empty()) {
    auto [Before, Rest] = Template.split('{');
    Out += Before;
    if (Before.size() == Template.size())
      break;
    auto [Name, After] = Rest.split('}');
    auto It = Args.find(Name);
    Out += It != Args.end() ? toText(It->second) : ("{" + Name + "}").str();
    Template = After;
  }
  return Out;
}

std::string variant(llvm::StringRef Slug, llvm::StringRef Name, const ArgMap &Args) {
  if (const RuleInfo *R = findRule(Slug))
    for (const VariantInfo &V : R->Variants)
      if (Name == V.Name)
        return fillTemplate(V.Text, Args);
  llvm::report_fatal_error(llvm::Twine("rule '") + Slug + "' has no variant '" + Name + "'");
}

static std::vector<CheckRegistry::Entry> &registered() {
  static std::vector<CheckRegistry::Entry> Entries;
  return Entries;
}

void CheckRegistry::add(llvm::StringRef Slug, CheckFactory F) { registered().push_back({Slug.str(), F}); }

llvm::ArrayRef<CheckRegistry::Entry> CheckRegistry::all() {
  // Registration order is the linker's; findings must not depend on it.
  llvm::sort(registered(), [](const Entry &A, const Entry &B) { return A.Slug < B.Slug; });
  return registered();
}

} // namespace stridewise
