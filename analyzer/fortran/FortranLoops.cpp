#include "fortran/FortranLoops.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral MainProgram = "_QQmain";

// Of the loops around it (and itself) that one statement makes, how many are outside of it.
unsigned numberWithin(const Loop *L) {
  const DILocation *Own = L->getStartLoc().get();
  unsigned Number = 0;
  for (const Loop *P = L->getParentLoop(); P && P->getStartLoc().get() == Own; P = P->getParentLoop())
    ++Number;
  return Number;
}

bool isSection(const FortranStatement &S) {
  StringRef Text = S.Text;
  return !S.IsLoop && Text.contains(':') && !Text.contains("::");
}

} // namespace

const FortranText &fortranText(Unit &U, std::optional<bool> FixedForm) {
  return U.fact<FortranText>([&] {
    const clang::SourceManager &SM = U.sources();
    clang::FileID Main = SM.getMainFileID();
    StringRef Name = SM.getFilename(SM.getLocForStartOfFile(Main));
    return FortranText(SM.getBufferData(Main), FixedForm.value_or(isFixedForm(Name)));
  });
}

std::optional<FortranLoop> fortranLoop(const Loop *L, Unit &U) {
  const DILocation *At = L->getStartLoc().get();
  if (!At || !At->getLine())
    return std::nullopt;
  const FortranStatement *S = fortranText(U).at(At->getLine(), At->getColumn());
  if (!S)
    return std::nullopt;
  FortranLoop Found;
  Found.Statement = S;
  unsigned Number = numberWithin(L);
  if (S->IsLoop) {
    if (Number >= S->Counters.size())
      return std::nullopt;
    Found.Counter = S->Counters[Number];
    Found.Number = Number;
    return Found;
  }
  if (!isSection(*S))
    return std::nullopt;
  Found.Counter = ":";
  Found.IsSection = true;
  return Found;
}

static clang::SourceLocation endOf(unsigned Line, Unit &U) {
  const clang::SourceManager &SM = U.sources();
  return SM.translateLineCol(SM.getMainFileID(), Line, ~0U / 2);
}

clang::SourceRange headerOf(const FortranStatement &S, Unit &U) {
  const clang::SourceManager &SM = U.sources();
  clang::SourceLocation Begin = SM.translateLineCol(SM.getMainFileID(), S.Line, S.Column);
  return {Begin, Begin};
}

clang::SourceRange rangeOf(const FortranStatement &S, Unit &U) {
  clang::SourceLocation Begin = headerOf(S, U).getBegin();
  return {Begin, S.EndLine > S.Line ? endOf(S.EndLine, U) : Begin};
}

static const DISubprogram *procedure(const Loop *L) {
  const DILocation *At = L->getStartLoc().get();
  return At ? At->getScope()->getSubprogram() : nullptr;
}

bool isMainProgram(const DISubprogram *P) {
  return P && (P->getLinkageName() == MainProgram || P->getName() == MainProgram);
}

std::string procedureName(const DISubprogram *P) {
  if (isMainProgram(P))
    return "main program"; // as runs call it
  return P && !P->getName().starts_with("_") ? P->getName().str() : std::string();
}

std::string procedureName(const FortranProcedure &P) {
  return P.K == FortranProcedure::Program ? "main program" : P.Name;
}

clang::SourceRange procedureRange(const DISubprogram *P, Unit &U) {
  const clang::SourceManager &SM = U.sources();
  if (!P || !P->getLine())
    return {};
  unsigned Last = fortranText(U).endOfProcedure(P->getLine());
  return {SM.translateLineCol(SM.getMainFileID(), P->getLine(), 1), endOf(Last, U)};
}

std::string procedureAround(const Loop *L) { return procedureName(procedure(L)); }
bool isInMainProgram(const Loop *L) { return isMainProgram(procedure(L)); }

bool isOnDevice(const Loop *L, Unit &U) {
  for (; L; L = L->getParentLoop())
    if (std::optional<FortranLoop> Known = fortranLoop(L, U); Known && Known->Statement->OnDevice)
      return true;
  return false;
}

// What holds a value or a descriptor.
static std::string variableName(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return A->getName().str();
  const auto *G = dyn_cast<GlobalVariable>(V);
  if (!G || !G->getName().starts_with("_Q"))
    return {};
  // Of `_QMgridEwidth` and `_QFsolveEwidth` what stands behind the last capital: names of Fortran are in lower case.
  StringRef Name = G->getName();
  std::size_t Kind = Name.find_last_of('E');
  StringRef Own = Kind == StringRef::npos ? StringRef() : Name.drop_front(Kind + 1);
  return all_of(Own, [](char C) { return isLower(C) || isDigit(C) || C == '_'; }) ? Own.str() : std::string();
}

std::string fortranName(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  return Load ? variableName(Load->getPointerOperand()) : std::string();
}

std::string fortranArray(const Instruction &Access) {
  const Value *Address = getLoadStorePointerOperand(&Access);
  if (!Address) // a call that fills
    return {};
  const Value *Base = getUnderlyingObject(Address, /*MaxLookup=*/0);
  if (std::string Name = variableName(Base); !Name.empty())
    return Name;
  // Of a descriptor the address is the first field; that of a component stands further inside.
  const auto *Load = dyn_cast<LoadInst>(Base);
  return Load ? variableName(Load->getPointerOperand()) : std::string();
}

} // namespace stridewise
