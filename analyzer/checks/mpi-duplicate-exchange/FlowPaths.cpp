#include "checks/mpi-duplicate-exchange/FlowPaths.h"
#include "library/LibraryCalls.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <numeric>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// Pointers loaded one from another, from a name of the source to what is written.
constexpr unsigned MaxSteps = 6;
// Pointers between which the code chooses.
constexpr std::size_t MaxChoices = 4;
// Uses of a pointer that are followed to see whether the program keeps it.
constexpr unsigned MaxUses = 128;
// An index within so many elements is one of a small array's.
constexpr std::uint64_t MostElements = 1u << 20;
// What is longer is a record.
constexpr std::int64_t MaxNumberBytes = 8;

// "mesh 40": the record and the place in it, where the type says that.
std::string memberOf(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return "";
  const auto *Type = dyn_cast<MDNode>(Tag->getOperand(0));
  const auto *At = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  const auto *Name = Type && Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  if (!Name || !At || Tag->getOperand(0) == Tag->getOperand(1))
    return "";
  return (Name->getString() + " " + Twine(At->getZExtValue())).str();
}

std::string fileOf(Unit &U) {
  const clang::SourceManager &SM = U.sources();
  const clang::OptionalFileEntryRef File = SM.getFileEntryRefForID(SM.getMainFileID());
  return File ? File->getName().str() : std::string();
}

// Bytes that an address is beyond its base: known ones, and steps of those that vary.
struct Distance {
  ScalarEvolution &SE;
  const DataLayout &DL;
  std::int64_t Known = 0, Outside = 0; // Outside: beyond what varies
  std::int64_t Span = 0, Within = 0;   // of all bounded steps, and of those within a record
  std::uint64_t Step = 0, Record = 0;  // of those without bounds (0: none), and of all longer than a number
  Value *Varies = nullptr;
  void vary(Value *All) {
    if (!Varies) {
      Varies = All;
      Outside = Known;
    }
  }
  void anywhere(Value *All) {
    vary(All);
    Step = Record = 1;
  }
  // An index into an array of so many elements, or one that is bounded by itself, spans them.
  void index(const SCEV *Index, std::int64_t Bytes, std::uint64_t Elements) {
    const ConstantRange Range = SE.getSignedRange(Index);
    const APInt Low = Range.getSignedMin(), High = Range.getSignedMax();
    std::optional<std::int64_t> Others; // bytes of the elements behind the first one
    if (Elements > 1) {
      Others = Bytes * std::int64_t(Elements - 1);
    } else if (Bytes > 0 && Low.abs().ult(MostElements) && High.abs().ult(MostElements)) {
      Known += Bytes * Low.getSExtValue();
      Others = Bytes * (High.getSExtValue() - Low.getSExtValue());
    }
    const std::uint64_t Multiple = std::max<std::uint64_t>(SE.getConstantMultiple(Index).getLimitedValue(), 1);
    const std::uint64_t By = std::uint64_t(std::abs(Bytes)) * Multiple;
    Span += Others.value_or(0);
    if (!Others)
      Step = std::gcd(Step, By);
    if (Others && Bytes <= MaxNumberBytes)
      Within += *Others;
    else
      Record = std::gcd(Record, Others ? std::uint64_t(std::abs(Bytes)) : By);
  }
  void add(GEPOperator &G) {
    APInt Constant(64, 0);
    if (G.accumulateConstantOffset(DL, Constant)) {
      Known += Constant.getSExtValue();
      return;
    }
    vary(&G);
    const Type *Array = nullptr; // that the index is one of
    for (auto It = gep_type_begin(G), End = gep_type_end(G); It != End; Array = It.getIndexedType(), ++It) {
      Value *Index = It.getOperand();
      if (StructType *S = It.getStructTypeOrNull()) {
        const auto Member = unsigned(cast<ConstantInt>(Index)->getZExtValue());
        Known += std::int64_t(DL.getStructLayout(S)->getElementOffset(Member).getFixedValue());
        continue;
      }
      const TypeSize Size = It.getSequentialElementStride(DL);
      if (Size.isScalable() || !SE.isSCEVable(Index->getType()))
        return anywhere(&G);
      const auto Bytes = std::int64_t(Size.getFixedValue());
      if (const auto *C = dyn_cast<ConstantInt>(Index))
        Known += Bytes * C->getSExtValue();
      else
        index(SE.getSCEV(Index), Bytes,
              isa_and_nonnull<ArrayType>(Array) ? cast<ArrayType>(Array)->getNumElements() : 0);
    }
  }
  FlowOffset offset() const {
    if (!Varies)
      return {Known, "", ""};
    auto Window = [&](std::uint64_t Modulus, std::int64_t Bytes) {
      const auto M = std::int64_t(Modulus);
      return FlowOffset::Window{Modulus, M ? ((Known % M) + M) % M : Known, Bytes};
    };
    return {std::nullopt, "", "", Window(Step, Span), Window(Record, Within)};
  }
};

} // namespace

json::Array FlowPath::toJson() const {
  json::Array Out;
  auto Add = [&](const FlowOffset &O) {
    json::Array Each{O.Bytes ? json::Value(*O.Bytes) : json::Value(nullptr), O.Member, O.From};
    if ((!O.Bytes || !O.From.empty()) && (O.Whole.Modulus != 1 || O.Records.Modulus != 1))
      for (const FlowOffset::Window &W : {O.Whole, O.Records})
        for (const std::int64_t Number : {std::int64_t(W.Modulus), W.Rest, W.Span})
          Each.push_back(Number);
    Out.push_back(std::move(Each));
  };
  for (const FlowOffset &O : Steps)
    Add(O);
  Add(Last);
  return json::Array{Root, std::move(Out)};
}

std::string FlowPath::text() const {
  std::string Text;
  raw_string_ostream(Text) << json::Value(toJson());
  return Text;
}

FlowPath FlowPath::base() const {
  FlowPath Base = *this;
  Base.Last = {std::nullopt, "", ""};
  return Base;
}

bool isNewMemory(const Value *V, const TargetLibraryInfo &TLI) {
  const auto *C = dyn_cast<CallBase>(V);
  const LibraryCall *Known = C && C->getType()->isPointerTy() ? findLibraryCall(*C) : nullptr;
  return C &&
         (isAllocationFn(C, &TLI) || (Known && Known->onlyDoes(LibAllocates | LibWrites) && Known->does(LibAllocates)));
}

std::string flowName(const Function &F, Unit &U) {
  return F.hasLocalLinkage() ? (F.getName() + " in " + fileOf(U)).str() : F.getName().str();
}

StringRef kindOf(const Type *T) {
  T = T->getScalarType();
  // Characters may be a part of anything.
  return T->isFloatingPointTy() ? "f" : T->isPointerTy() ? "p" : T->isIntegerTy() && !T->isIntegerTy(8) ? "i" : "m";
}

FlowPaths::FlowPaths(Function &F, Unit &U)
    : F(F), U(U), M(MpiFunction::get(F, U.analyses())), TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)) {}

FlowPath FlowPaths::of(Value *V, bool Named, unsigned Depth) {
  FlowPath P;
  Distance D{M.engine().scalarEvolution(), F.getDataLayout()};
  for (;;) {
    if (auto *G = dyn_cast<GEPOperator>(V)) {
      D.add(*G);
      V = G->getPointerOperand();
    } else if (isa<AddrSpaceCastInst, SExtInst, ZExtInst>(V)) {
      V = cast<Instruction>(V)->getOperand(0);
    } else if (isa<PHINode, SelectInst>(V) && V->getType()->isPointerTy()) {
      // A pointer that walks.
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(V, Objects, nullptr, 0);
      D.anywhere(V);
      if (Objects[0] == V || !areOnePlace(Objects, Depth))
        break;
      V = const_cast<Value *>(Objects[0]);
    } else {
      break;
    }
  }
  if (auto *Load = dyn_cast<LoadInst>(V); Load && Load->isSimple() && Depth < MaxSteps) {
    P = of(Load->getPointerOperand(), Named, Depth + 1);
    P.Last.Member = memberOf(*Load);
    P.Steps.push_back(P.Last);
  } else {
    P.Root = rootOf(V);
    if (!P.isKnown())
      D.anywhere(V);
  }
  P.Last = D.offset();
  if (Named && D.Varies) {
    P.Last.Bytes = D.Outside;
    P.Last.From = idOf(*D.Varies);
  }
  return P;
}

// Pointers that were loaded from one place, if there are several.
bool FlowPaths::areOnePlace(ArrayRef<const Value *> Objects, unsigned Depth) {
  if (Objects.size() == 1)
    return true;
  std::set<std::string> Places;
  for (const Value *V : Objects.take_front(MaxChoices + 1))
    Places.insert(isa<LoadInst>(V) && Depth < MaxSteps ? of(const_cast<Value *>(V), false, Depth + 1).text() : "*");
  return Objects.size() <= MaxChoices && Places.size() == 1 && !Places.contains("*");
}

std::string FlowPaths::rootOf(Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return "a" + std::to_string(A->getArgNo());
  if (const auto *G = dyn_cast<GlobalVariable>(V))
    return "@" + nameOf(*G);
  const auto *C = dyn_cast<CallBase>(V);
  if (!isa<AllocaInst>(V) && (!C || !V->getType()->isPointerTy()))
    return "*";
  const std::string Number = std::to_string(Own.try_emplace(V, Own.size()).first->second);
  const bool Stored = isStored(V);
  if (isa<AllocaInst>(V))
    return (Stored ? "A" : "L") + Number;
  const char *Kind = Stored ? "A" : "H";
  if (isNewMemory(C, TLI))
    return Kind + Number;
  const Function *Callee = C->getCalledFunction();
  return Callee ? Kind + Number + " " + flowName(*Callee, U) : "R" + Number;
}

// Whether a pointer is kept where another one may be loaded from, or returned.
bool FlowPaths::isStored(const Value *V) const {
  SmallVector<const Value *, 8> Work{V};
  SmallPtrSet<const Value *, 8> Seen{V};
  for (unsigned Met = 0; !Work.empty(); ++Met) {
    if (Met == MaxUses)
      return true;
    for (const User *Each : Work.pop_back_val()->users()) {
      if (const auto *Store = dyn_cast<StoreInst>(Each); Store && Seen.contains(Store->getValueOperand()))
        return true;
      if (isa<ReturnInst, PtrToIntInst>(Each))
        return true;
      if (isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst>(Each) && Seen.insert(Each).second)
        Work.push_back(Each);
    }
  }
  return false;
}

FlowPath FlowPaths::ofAccess(Value *Pointer, const Instruction *Access) {
  FlowPath P = of(Pointer);
  const auto *G = dyn_cast<GlobalVariable>(Pointer);
  P.Last.Member = G && G->getValueType()->isSingleValueType() ? "variable" : Access ? memberOf(*Access) : "";
  return P;
}

FlowPath FlowPaths::behind(Value *Pointer) {
  FlowPath P = of(Pointer);
  P.Steps.push_back(P.Last);
  return P.base();
}

std::string FlowPaths::idOf(const Value &V) {
  return "V" + std::to_string(Ids.try_emplace(&V, Ids.size()).first->second);
}

std::string FlowPaths::nameOf(const GlobalVariable &G) const {
  bool Here = G.hasLocalLinkage();
  // One without an initial value has no definition in the code.
  if (!Here && G.isDeclaration()) {
    clang::ASTContext &Ctx = U.ast();
    Here = any_of(Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(G.getName())),
                  [](const clang::NamedDecl *D) { return isa<clang::VarDecl>(D) && !D->isExternallyVisible(); });
  }
  return Here ? (G.getName() + " in " + fileOf(U)).str() : G.getName().str();
}

} // namespace stridewise
