#include "fortran/DeclaredArrays.h"
#include "fortran/FortranLoops.h"
#include "fortran/IncludedText.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxIncludes = 8; // one in another
constexpr unsigned BitsOfByte = 8;

// The variable that a procedure sees there: flang describes the members of common blocks in each procedure.
const DIVariable *variableAt(const GlobalVariable &G, const Function &F) {
  SmallVector<DIGlobalVariableExpression *, 1> Described;
  G.getDebugInfo(Described);
  if (!Described.empty())
    return Described.front()->getVariable();
  for (const Instruction &I : instructions(F))
    for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (R.getType() == DbgVariableRecord::LocationType::Declare && R.getAddress() == &G &&
          !R.getDebugLoc()->getInlinedAt())
        return R.getVariable();
  return nullptr;
}

void takeType(const DIType *T, DeclaredArray &Into) {
  const auto *Array = dyn_cast_or_null<DICompositeType>(T);
  if (!Array || Array->getTag() != dwarf::DW_TAG_array_type || !Array->getBaseType())
    return;
  Into.ElementBytes = Array->getBaseType()->getSizeInBits() / BitsOfByte;
  for (const DINode *Each : Array->getElements()) {
    const auto *Range = dyn_cast<DISubrange>(Each);
    const auto *Count = Range ? dyn_cast_if_present<ConstantInt *>(Range->getCount()) : nullptr;
    if (!Count || Count->getSExtValue() <= 0) {
      Into.Extents.clear();
      return;
    }
    Into.Extents.push_back(Count->getZExtValue());
  }
}

// Whether the name stands on that line of the text, which is no statement that uses it.
bool declaresOn(StringRef Raw, unsigned Line, StringRef Name) {
  for (; Line > 1 && !Raw.empty(); --Line)
    Raw = Raw.split('\n').second;
  const std::string Text = Raw.split('\n').first.lower();
  for (std::size_t At = Text.find(Name); At != std::string::npos; At = Text.find(Name, At + 1)) {
    auto IsWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
    if ((At == 0 || !IsWord(Text[At - 1])) && (At + Name.size() == Text.size() || !IsWord(Text[At + Name.size()])))
      return true;
  }
  return false;
}

clang::SourceLocation inIncluded(const DeclaredArray &A, StringRef Raw, const FortranText &Text, unsigned Begin,
                                 unsigned End, Unit &U, unsigned Depth = 0) {
  for (const FortranStatement &S : Text.statements()) {
    if (S.Text != "include'" || S.Line < Begin || S.Line > End || Depth >= MaxIncludes)
      continue;
    const std::unique_ptr<MemoryBuffer> Buffer = includedFile(Raw, S.Line, U);
    if (!Buffer)
      continue;
    const clang::SourceManager &SM = U.sources();
    if (const auto File = SM.getFileManager().getOptionalFileRef(Buffer->getBufferIdentifier());
        File && declaresOn(Buffer->getBuffer(), A.Line, A.Name)) {
      // The tree of a unit of Fortran holds its text alone; what it includes is added where a finding speaks of it.
      auto &Open = const_cast<clang::SourceManager &>(SM);
      const clang::FileID Id = Open.getOrCreateFileID(*File, clang::SrcMgr::C_User);
      return SM.translateLineCol(Id, A.Line, 1);
    }
    const FortranText Inner(Buffer->getBuffer(), isFixedForm(nameOfFile(U)));
    if (const clang::SourceLocation Found = inIncluded(A, Buffer->getBuffer(), Inner, 0, ~0U, U, Depth + 1);
        Found.isValid())
      return Found;
  }
  return {};
}

} // namespace

std::uint64_t DeclaredArray::extentOf(std::uint64_t StepBytes) const {
  std::uint64_t Step = ElementBytes;
  for (const std::uint64_t Extent : Extents) {
    if (Step == StepBytes)
      return Extent;
    Step *= Extent;
  }
  return 0;
}

std::optional<DeclaredArray> declaredArray(const Instruction &Access) {
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  const auto *G = dyn_cast_or_null<GlobalVariable>(Pointer ? getUnderlyingObject(Pointer, /*MaxLookup=*/0) : nullptr);
  const DIVariable *V = G ? variableAt(*G, *Access.getFunction()) : nullptr;
  if (!V)
    return std::nullopt;
  DeclaredArray A;
  A.Name = V->getName().lower();
  A.Line = V->getLine();
  A.In = isa<DILocalVariable>(V) ? Access.getFunction()->getSubprogram() : nullptr;
  A.File = V->getFile() ? sys::path::filename(V->getFile()->getFilename()).str() : std::string();
  takeType(V->getType(), A);
  return A;
}

clang::SourceLocation placeOf(const DeclaredArray &A, Unit &U) {
  const clang::SourceManager &SM = U.sources();
  const StringRef Raw = SM.getBufferData(SM.getMainFileID());
  const FortranText &Text = fortranText(U);
  if (A.File != sys::path::filename(nameOfFile(U))) // a module of another file
    return {};
  const unsigned Begin = A.In ? A.In->getLine() : 0, End = A.In ? Text.endOfProcedure(Begin) : ~0U;
  if (const clang::SourceLocation Found = inIncluded(A, Raw, Text, Begin, End, U); Found.isValid())
    return Found;
  return declaresOn(Raw, A.Line, A.Name) ? SM.translateLineCol(SM.getMainFileID(), A.Line, 1) : clang::SourceLocation();
}

} // namespace stridewise
