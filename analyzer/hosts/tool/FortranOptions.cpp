#include "hosts/tool/FortranOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

namespace stridewise {

BuildOptions backEndOptions(llvm::ArrayRef<std::string> Words, std::string &Processor) {
  BuildOptions Out;
  for (llvm::StringRef Word : Words) {
    if (Word == "-g")
      Out.DebugInfo = true;
    else if (Word.consume_front("--tests-bounds="))
      Out.TestsBounds = Word.str();
    else if (Word.consume_front("-march="))
      Processor = Word == "native" ? llvm::sys::getHostCPUName().str() : Word.str();
    else if (unsigned Level; Word.consume_front("-O") && !Word.getAsInteger(10, Level))
      Out.OptimizationLevel = Level;
  }
  return Out;
}

std::optional<bool> fixedForm(llvm::ArrayRef<std::string> Words) {
  std::optional<bool> Fixed;
  for (llvm::StringRef Word : Words)
    if (Word == "-ffixed-form" || Word == "-ffree-form")
      Fixed = Word == "-ffixed-form";
  return Fixed;
}

} // namespace stridewise
