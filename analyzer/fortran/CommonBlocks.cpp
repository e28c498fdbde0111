// The layout of a block is in the text; where its members begin, flang's code says: it reaches each of them by a
// constant number of bytes.
#include "fortran/CommonBlocks.h"
#include "fortran/FortranLoops.h"
#include "fortran/IncludedText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"
#include <map>

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxIncludes = 8; // one in another

// How the procedures of a file, and of what it includes, declare blocks.
struct Layouts {
  Unit &U;
  StringMap<StringSet<>> Of = {}; // by block: lists of members, as the text has them
  bool Joined = false;            // names share memory by a statement

  void read(StringRef Raw, const FortranText &Text, unsigned Depth = 0) {
    for (const FortranStatement &S : Text.statements()) {
      StringRef T = S.Text;
      Joined |= T.starts_with("equivalence(");
      if (T == "include'" && Depth < MaxIncludes) {
        if (std::unique_ptr<MemoryBuffer> Buffer = includedFile(Raw, S.Line, U))
          read(Buffer->getBuffer(), FortranText(Buffer->getBuffer(), isFixedForm(nameOfFile(U))), Depth + 1);
      } else if (T.consume_front("common/")) {
        SmallVector<StringRef, 8> Parts; // name, members, name, members, …
        T.split(Parts, '/');
        for (unsigned K = 0; K + 1 < Parts.size(); K += 2)
          Of[Parts[K]].insert(Parts[K + 1].rtrim(','));
      }
    }
  }

  // The number of members of a block that is the same everywhere; 0 where it is not, or is unknown.
  unsigned members(StringRef Block) const {
    const auto It = Of.find(Block);
    return Joined || It == Of.end() || It->second.size() != 1 ? 0 : fortranList(It->second.begin()->getKey()).size();
  }
};

// The constant number of bytes by which an expression goes into the block.
std::optional<std::uint64_t> memberAt(const User &Of, const GlobalVariable &Block) {
  const auto *Offset = dyn_cast<GEPOperator>(&Of);
  if (!isa<ConstantExpr>(Of) || !Offset || Offset->getPointerOperand() != &Block || Offset->getNumIndices() != 1 ||
      !Offset->getSourceElementType()->isIntegerTy(8) || !isa<ConstantInt>(Offset->getOperand(1)))
    return std::nullopt;
  return cast<ConstantInt>(Offset->getOperand(1))->getZExtValue();
}

void split(GlobalVariable &Block, unsigned Members) {
  std::map<std::uint64_t, Constant *> Begins{{0, nullptr}};
  for (User *Each : Block.users())
    if (const std::optional<std::uint64_t> At = memberAt(*Each, Block))
      Begins[*At] = cast<Constant>(Each);
  const std::uint64_t End = cast<ArrayType>(Block.getValueType())->getNumElements();
  if (Begins.size() < 2 || Begins.size() > Members || Begins.rbegin()->first >= End)
    return;
  for (auto It = Begins.rbegin(); It != Begins.rend(); ++It) {
    const auto [At, Address] = *It;
    const std::uint64_t Next = It == Begins.rbegin() ? End : std::prev(It)->first;
    auto *Type = ArrayType::get(Type::getInt8Ty(Block.getContext()), Next - At);
    auto *Member =
        new GlobalVariable(*Block.getParent(), Type, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
                           Block.getName() + "+" + Twine(At), &Block, GlobalValue::NotThreadLocal, std::nullopt);
    Member->setAlignment(Block.getAlign());
    (Address ? Address : &Block)->replaceAllUsesWith(Member);
  }
}

} // namespace

void splitCommonBlocks(Module &M, Unit &U) {
  SmallVector<GlobalVariable *, 8> Blocks;
  for (GlobalVariable &G : M.globals())
    if (const auto *Bytes = dyn_cast<ArrayType>(G.getValueType());
        G.hasCommonLinkage() && Bytes && Bytes->getElementType()->isIntegerTy(8))
      Blocks.push_back(&G);
  if (Blocks.empty())
    return;
  Layouts Declared{U};
  Declared.read(U.sources().getBufferData(U.sources().getMainFileID()), fortranText(U));
  for (GlobalVariable *Block : Blocks)
    if (const unsigned Members = Declared.members(Block->getName().drop_back(Block->getName().ends_with("_"))))
      split(*Block, Members);
}

} // namespace stridewise
