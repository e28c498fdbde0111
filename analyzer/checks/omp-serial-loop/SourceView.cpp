#include "checks/omp-serial-loop/SourceView.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace stridewise {

std::unique_ptr<SourceView> SourceView::of(Unit &U) { return U.isFortran() ? viewOfFortran(U) : viewOfC(U); }

StringRef reductionOperator(ReductionKind K) {
  switch (K) {
  case ReductionKind::Sum:
    return "+";
  case ReductionKind::Product:
    return "*";
  case ReductionKind::Greatest:
    return "max";
  case ReductionKind::Least:
    return "min";
  case ReductionKind::None:
  case ReductionKind::Several:
    break;
  }
  return "";
}

LoopClauses loopClauses(llvm::ArrayRef<std::string> Private, llvm::ArrayRef<std::string> Sums, ReductionKind K) {
  LoopClauses C;
  C.Private = llvm::join(Private, ", ");
  C.Sum = llvm::join(Sums, ", ");
  C.IsWhole = K != ReductionKind::Several;
  if (!C.Private.empty())
    C.Text += " private(" + C.Private + ")";
  if (!C.Sum.empty() && C.IsWhole)
    C.Text += " reduction(" + reductionOperator(K).str() + ":" + C.Sum + ")";
  return C;
}

} // namespace stridewise
