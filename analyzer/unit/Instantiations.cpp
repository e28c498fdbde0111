#include "unit/Instantiations.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace stridewise {

class InstantiationCollector : public Visitor<InstantiationCollector> {
public:
  explicit InstantiationCollector(Instantiations &Out) : Out(Out), SM(Out.Ctx.getSourceManager()) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(Decl *D) override {
    if (!D ||
        (D->getDeclContext() && D->getDeclContext()->isTranslationUnit() && SM.isInSystemHeader(D->getLocation())))
      return true;
    return Visitor::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    const FunctionDecl *Source = F->getTemplateInstantiationPattern();
    if (!Source || !F->doesThisDeclarationHaveABody())
      return true;
    auto [File, Begin] = SM.getDecomposedLoc(SM.getFileLoc(Source->getBeginLoc()));
    auto [EndFile, End] = SM.getDecomposedLoc(SM.getFileLoc(Source->getEndLoc()));
    if (File != EndFile)
      return true;
    auto It = llvm::find_if(Out.Patterns, [&, File = File, Begin = Begin](const Instantiations::Pattern &P) {
      return P.File == File && P.Begin == Begin;
    });
    if (It == Out.Patterns.end())
      It = Out.Patterns.insert(It, {File, Begin, End, {}});
    std::string Name;
    llvm::raw_string_ostream OS(Name);
    F->getNameForDiagnostic(OS, Out.Ctx.getPrintingPolicy(), /*Qualified=*/true);
    It->Names.push_back(OS.str());
    return true;
  }

private:
  Instantiations &Out;
  const SourceManager &SM;
};

std::vector<std::string> Instantiations::at(SourceLocation Loc) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (!Ctx.getLangOpts().CPlusPlus || Loc.isInvalid())
    return {};
  if (!Read) {
    Read = true;
    InstantiationCollector(*this).TraverseDecl(Ctx.getTranslationUnitDecl());
    for (Pattern &P : Patterns) {
      llvm::sort(P.Names);
      P.Names.erase(std::unique(P.Names.begin(), P.Names.end()), P.Names.end());
    }
  }
  auto [File, Offset] = SM.getDecomposedLoc(SM.getFileLoc(Loc));
  const Pattern *Innermost = nullptr;
  for (const Pattern &P : Patterns)
    if (P.File == File && P.Begin <= Offset && Offset <= P.End && (!Innermost || P.Begin > Innermost->Begin))
      Innermost = &P;
  return Innermost ? Innermost->Names : std::vector<std::string>();
}

} // namespace stridewise
