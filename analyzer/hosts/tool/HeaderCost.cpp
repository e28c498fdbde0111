#include "hosts/tool/HeaderCost.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace stridewise {
namespace {

// Open MPI, MPICH and those made of them, LAM.
constexpr llvm::StringLiteral Switches[] = {"OMPI_SKIP_MPICXX", "MPICH_SKIP_MPICXX"};

// The parser asks the option at each body: it is set while a system header is read.
class LateTemplates : public PPCallbacks {
public:
  explicit LateTemplates(LangOptions &Lang) : Lang(Lang) {}
  void FileChanged(SourceLocation, FileChangeReason, SrcMgr::CharacteristicKind Kind, FileID) override {
    Lang.DelayedTemplateParsing = SrcMgr::isSystem(Kind);
  }

private:
  LangOptions &Lang;
};

class WatchSwitches : public PPCallbacks {
public:
  WatchSwitches(const SourceManager &SM, bool &Asked) : SM(SM), Asked(Asked) {}
  void Defined(const Token &Name, const MacroDefinition &, SourceRange) override { asked(Name); }
  void Ifdef(SourceLocation, const Token &Name, const MacroDefinition &) override { asked(Name); }
  void Ifndef(SourceLocation, const Token &Name, const MacroDefinition &) override { asked(Name); }

private:
  void asked(const Token &Name) {
    // Not the text before the unit, which asks, too.
    Asked |= llvm::is_contained(Switches, Name.getIdentifierInfo()->getName()) &&
             !SM.isWrittenInBuiltinFile(Name.getLocation());
  }
  const SourceManager &SM;
  bool &Asked;
};

} // namespace

void parseLibraryTemplatesLate(CompilerInstance &CI) {
  LangOptions &Lang = CI.getLangOpts();
  if (Lang.CPlusPlus && !Lang.CPlusPlus20 && !Lang.DelayedTemplateParsing)
    CI.getPreprocessor().addPPCallbacks(std::make_unique<LateTemplates>(Lang));
}

std::string withoutMpiBindings() {
  std::string Out;
  for (llvm::StringRef S : Switches)
    Out += ("#ifndef " + S + "\n#define " + S + " 1\n#endif\n").str();
  return Out;
}

void watchMpiBindings(CompilerInstance &CI, bool &LeftOut) {
  CI.getPreprocessor().addPPCallbacks(std::make_unique<WatchSwitches>(CI.getSourceManager(), LeftOut));
}

} // namespace stridewise
