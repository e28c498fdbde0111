#include "mpi/DerivedTypes.h"
#include "unit/Counted.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

// Types are built from types, but not deeper than this.
constexpr unsigned MaxDepth = 6;

std::pair<const Value *, std::int64_t> addressOf(const Value *Pointer, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

std::optional<std::uint64_t> constant(const Value *V) {
  const auto *C = dyn_cast_or_null<ConstantInt>(V);
  return C && !C->isNegative() && C->getValue().getActiveBits() <= 63 ? std::optional(C->getZExtValue()) : std::nullopt;
}

std::optional<std::uint64_t> product(std::optional<std::uint64_t> A, std::optional<std::uint64_t> B) {
  return A && B ? std::optional(*A * *B) : std::nullopt;
}

// The part of a constant at a byte offset: a pointer, or an integer of `Bytes` bytes.
const Value *constantAt(const Constant *C, std::int64_t Offset, unsigned Bytes, const DataLayout &DL) {
  if (Offset < 0)
    return nullptr;
  Type *Ty = C->getType();
  if (Ty->isPointerTy())
    return Offset == 0 && Bytes == DL.getPointerSize() ? C : nullptr;
  if (const auto *I = dyn_cast<ConstantInt>(C)) {
    if (std::uint64_t(Offset) + Bytes > DL.getTypeStoreSize(Ty))
      return nullptr;
    APInt Part = I->getValue().lshr(unsigned(Offset) * 8).trunc(Bytes * 8);
    return ConstantInt::get(Ty->getContext(), Part);
  }
  if (isa<ConstantAggregateZero>(C))
    return ConstantInt::get(Type::getIntNTy(Ty->getContext(), Bytes * 8), 0);
  std::uint64_t Count = Ty->isArrayTy() ? Ty->getArrayNumElements() : 0;
  std::uint64_t Size = Count ? DL.getTypeAllocSize(Ty->getArrayElementType()) : 0;
  if (!Size || std::uint64_t(Offset) / Size >= Count)
    return nullptr;
  const Constant *Part = C->getAggregateElement(unsigned(std::uint64_t(Offset) / Size));
  return Part ? constantAt(Part, Offset % std::int64_t(Size), Bytes, DL) : nullptr;
}

} // namespace

DerivedTypes::DerivedTypes(Unit &U, ArrayRef<MpiFunction *> Functions) : U(U), Sources(U) {
  std::vector<Maker> Makers;
  for (MpiFunction *M : Functions)
    for (const MpiSite &S : M->sites())
      if (S.Sig->Does >= MpiDoes::TypeContiguous && S.Call->arg_size() > 1)
        Makers.push_back({M, S});
  if (Makers.empty())
    return;
  struct MemberNames : Visitor<MemberNames> {
    DerivedTypes &Types;
    explicit MemberNames(DerivedTypes &Types) : Types(Types) { ShouldVisitTemplateInstantiations = true; }
    bool VisitMemberExpr(clang::MemberExpr *E) override {
      const auto *Field = dyn_cast<clang::FieldDecl>(E->getMemberDecl());
      if (Field && isDatatypeType(Field->getType())) {
        const clang::SourceManager &SM = Types.U.sources();
        for (clang::SourceLocation Where : {E->getMemberLoc(), E->getBeginLoc()})
          Types.Members.try_emplace(SM.getDecomposedLoc(SM.getExpansionLoc(Where)), Field);
      }
      return true;
    }
  } Names(*this);
  for (clang::Decl *D : ownDecls(U.ast()))
    Names.TraverseDecl(D);
  for (const Maker &By : Makers) {
    const Value *Out = By.Site.Call->getArgOperand(By.Site.Call->arg_size() - 1);
    ByAddress[addressOf(Out, By.M->function().getParent()->getDataLayout())].push_back(By);
    std::vector<SourceFrame> Frames = Sources.frames(*By.Site.Call);
    if (Frames.empty() || !Frames[0].Call || !Frames[0].Call->getNumArgs())
      continue;
    const clang::Expr *Filled = Frames[0].Call->getArg(Frames[0].Call->getNumArgs() - 1)->IgnoreParenImpCasts();
    if (const auto *Unary = dyn_cast<clang::UnaryOperator>(Filled); Unary && Unary->getOpcode() == clang::UO_AddrOf)
      Filled = Unary->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *Member = dyn_cast<clang::MemberExpr>(Filled))
      if (const auto *Field = dyn_cast<clang::FieldDecl>(Member->getMemberDecl()))
        ByMember[Field].push_back(By);
  }
}

const clang::FieldDecl *DerivedTypes::memberAt(const Instruction &I) const {
  if (Members.empty() || !I.getDebugLoc())
    return nullptr;
  clang::SourceLocation Where = U.locate(I.getDebugLoc());
  if (Where.isInvalid())
    return nullptr;
  auto It = Members.find(U.sources().getDecomposedLoc(Where));
  return It == Members.end() ? nullptr : It->second;
}

// The value that a variable of this file keeps from its initialiser on.
static const ConstantInt *keptValue(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  const auto *G = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  if (!G || !G->hasDefinitiveInitializer() || (!G->isConstant() && !G->hasLocalLinkage()) ||
      !all_of(G->users(), [](const User *Use) { return isa<LoadInst>(Use); }))
    return nullptr;
  return dyn_cast<ConstantInt>(G->getInitializer());
}

std::optional<DerivedTypes::Bytes> DerivedTypes::messageBytes(MpiFunction &M, const MpiSite &S) {
  Value *Count = S.arg(S.Sig->Count);
  std::optional<TypeLayout> L = layout(M, S.arg(S.Sig->Type));
  if (!Count || !L || !L->Size)
    return std::nullopt;
  const auto *Exact = dyn_cast<ConstantInt>(Count);
  if (!Exact)
    Exact = keptValue(Count);
  if (Exact)
    return Bytes{Exact->getZExtValue() * *L->Size, true};
  ScalarEvolution &SE = M.engine().scalarEvolution();
  APInt Most = SE.getUnsignedRange(SE.getSCEV(Count)).getUnsignedMax();
  if (Most.getActiveBits() > 30)
    return std::nullopt;
  return Bytes{Most.getZExtValue() * *L->Size, false};
}

std::optional<TypeLayout> DerivedTypes::layout(MpiFunction &M, const Value *Datatype, unsigned Depth) {
  if (!Datatype || Depth > MaxDepth)
    return std::nullopt;
  if (std::optional<std::uint64_t> Bytes = M.typeBytes(Datatype)) {
    TypeLayout L;
    L.Size = L.Extent = L.PieceBytes = Bytes;
    L.Pieces = 1;
    return L;
  }
  const auto *Load = dyn_cast<LoadInst>(Datatype);
  if (!Load)
    return std::nullopt;
  const std::vector<Maker> *Makers = nullptr;
  Address At = addressOf(Load->getPointerOperand(), Load->getModule()->getDataLayout());
  if (auto It = ByAddress.find(At); It != ByAddress.end()) {
    Makers = &It->second;
  } else if (const clang::FieldDecl *Field = memberAt(*Load)) {
    auto Known = ByMember.find(Field);
    Makers = Known == ByMember.end() ? nullptr : &Known->second;
  }
  if (!Makers)
    return std::nullopt;
  // What a variable holds in the function where it is made counts there; copies of one call agree.
  std::optional<TypeLayout> Result;
  for (const Maker &By : *Makers) {
    std::optional<TypeLayout> L = made(By, Depth + 1);
    if (!L)
      return std::nullopt;
    if (Result && (Result->Strided != L->Strided || Result->PieceBytes != L->PieceBytes || Result->Size != L->Size))
      return std::nullopt;
    Result = L;
  }
  return Result;
}

const Value *DerivedTypes::element(const Maker &By, const Value *Array, unsigned Index, unsigned Bytes) const {
  const DataLayout &DL = By.M->function().getParent()->getDataLayout();
  Address At = addressOf(Array, DL);
  At.second += std::int64_t(Index) * Bytes;
  auto InitialValue = [&](const Value *From, std::int64_t Offset) -> const Value * {
    const auto *G = dyn_cast<GlobalVariable>(From);
    return G && G->isConstant() && G->hasInitializer() ? constantAt(G->getInitializer(), Offset, Bytes, DL) : nullptr;
  };
  if (const Value *V = InitialValue(At.first, At.second))
    return V;
  // The last write before the call in its block, else the only one of the function.
  const Value *Found = nullptr;
  bool Several = false;
  for (const Instruction &I : counted(instructions(By.M->function()))) {
    if (I.getParent() == By.Site.Call->getParent() && By.Site.Call->comesBefore(&I))
      continue;
    const Value *Written = nullptr;
    if (const auto *St = dyn_cast<StoreInst>(&I)) {
      Address To = addressOf(St->getPointerOperand(), DL);
      std::int64_t Inside = At.second - To.second;
      const Value *V = St->getValueOperand();
      if (To.first != At.first || Inside < 0 || Inside >= std::int64_t(DL.getTypeStoreSize(V->getType())))
        continue;
      const auto *C = dyn_cast<Constant>(V);
      Written = Inside == 0 && DL.getTypeStoreSize(V->getType()) == Bytes ? V
                : C                                                       ? constantAt(C, Inside, Bytes, DL)
                                                                          : nullptr;
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      Address To = addressOf(Copy->getDest(), DL), From = addressOf(Copy->getSource(), DL);
      if (To.first != At.first)
        continue;
      Written = InitialValue(From.first, From.second + At.second - To.second);
    } else {
      continue;
    }
    bool Near = I.getParent() == By.Site.Call->getParent();
    Several |= Found && !Near && Found != Written;
    Found = Written;
    if (Near)
      Several = false;
    if (!Found)
      return nullptr;
  }
  return Several ? nullptr : Found;
}

std::optional<TypeLayout> DerivedTypes::repeat(TypeLayout Old, const Value *Count, const Value *Block,
                                               const Value *Step, bool StepInBytes, const Maker &By) {
  std::optional<std::uint64_t> N = constant(Count), B = Block ? constant(Block) : std::optional<std::uint64_t>(1);
  TypeLayout L;
  L.Made = By.Site.Call;
  L.Size = product(product(Old.Size, B), N);
  const auto *StepConstant = dyn_cast_or_null<ConstantInt>(Step);
  std::optional<std::int64_t> Pitch;
  if (StepConstant && StepInBytes)
    Pitch = StepConstant->getSExtValue();
  else if (StepConstant && Old.Extent)
    Pitch = StepConstant->getSExtValue() * std::int64_t(*Old.Extent);
  std::optional<std::uint64_t> Run = product(Old.Extent, B);
  bool Dense =
      !Step || (Pitch && Run && *Pitch == std::int64_t(*Run)) || (Block && Step == Block && !StepInBytes) || N == 1u;
  if (Dense) {
    L.Extent = product(Run, N);
    L.Strided = Old.Strided;
    L.PieceBytes = Old.Strided ? Old.PieceBytes : L.Size;
    L.Pieces = Old.Strided ? product(product(Old.Pieces, B), N) : std::optional<std::uint64_t>(1);
    L.PitchBytes = Old.PitchBytes;
    L.Inner = Old.Inner;
    return L;
  }
  L.Strided = true;
  L.Inner = By.Site.Call;
  if (N && *N && Pitch && Run)
    L.Extent = (*N - 1) * std::uint64_t(std::abs(*Pitch)) + *Run;
  if (Old.Strided) {
    L.PieceBytes = Old.PieceBytes;
    L.PitchBytes = Old.PitchBytes;
    L.Pieces = product(product(Old.Pieces, B), N);
  } else {
    L.PieceBytes = product(Old.Size, B);
    L.PitchBytes = Pitch;
    L.Pieces = N;
  }
  return L;
}

std::optional<TypeLayout> DerivedTypes::madeSubarray(const Maker &By, unsigned Depth) {
  const CallBase &C = *By.Site.Call;
  std::optional<std::uint64_t> Dimensions = constant(C.getArgOperand(0));
  const auto *Order = dyn_cast<ConstantInt>(C.getArgOperand(4));
  std::optional<TypeLayout> Old = layout(*By.M, C.getArgOperand(5), Depth);
  if (!Dimensions || !*Dimensions || *Dimensions > 7 || !Order || !Old || Old->Strided)
    return std::nullopt;
  bool Fortran = Order->getZExtValue() & 1; // 0 or 56 is C's order, 1 or 57 Fortran's
  TypeLayout L;
  L.Made = &C;
  // From the fastest index outwards: whole dimensions lengthen the run, the first partial one ends it.
  std::optional<std::uint64_t> Run = Old->Size, Pieces = 1, Extent = Old->Extent;
  std::optional<std::int64_t> Pitch;
  bool Whole = true, Apart = false;
  for (unsigned K = 0; K < *Dimensions; ++K) {
    unsigned D = Fortran ? K : unsigned(*Dimensions) - 1 - K;
    const Value *Size = element(By, C.getArgOperand(1), D, 4), *Part = element(By, C.getArgOperand(2), D, 4);
    std::optional<std::uint64_t> SizeNumber = constant(Size), PartNumber = constant(Part);
    if (!Part)
      return std::nullopt;
    bool All = Size && By.M->sameValue(const_cast<Value *>(Size), const_cast<Value *>(Part));
    if (Whole) {
      Run = product(Run, PartNumber);
    } else if (PartNumber != 1u) {
      if (!Apart)
        Pitch = Extent ? std::optional(std::int64_t(*Extent)) : std::nullopt;
      Apart = true;
      Pieces = product(Pieces, PartNumber);
    }
    Whole &= All;
    Extent = product(Extent, SizeNumber);
  }
  L.Size = product(Run, Pieces);
  L.Extent = Extent;
  L.Strided = Apart;
  L.PieceBytes = Run;
  L.Pieces = Pieces;
  L.PitchBytes = Pitch;
  L.Inner = &C;
  return L;
}

// Displacements that a loop fills at a constant step are a vector.
std::optional<TypeLayout> DerivedTypes::madeIndexed(const Maker &By, unsigned Depth) {
  const CallBase &C = *By.Site.Call;
  bool Blocks = By.Site.Sig->Does == MpiDoes::TypeIndexedBlock;
  std::optional<TypeLayout> Old = layout(*By.M, C.getArgOperand(3), Depth);
  if (!Old || !Old->Size || !Old->Extent || Old->Strided)
    return std::nullopt;
  StrideEngine &E = By.M->engine();
  ScalarEvolution &SE = E.scalarEvolution();
  auto StoredTo = [&](Value *Array) -> const StoreInst * {
    const SCEV *Base = SE.getPointerBase(E.rewrite(Array));
    const StoreInst *Only = nullptr;
    for (Instruction &I : counted(instructions(By.M->function())))
      if (auto *St = dyn_cast<StoreInst>(&I); St && SE.getPointerBase(E.rewrite(St->getPointerOperand())) == Base) {
        if (Only)
          return nullptr;
        Only = St;
      }
    return Only;
  };
  std::optional<std::uint64_t> Block = Blocks ? constant(C.getArgOperand(1)) : std::nullopt;
  if (!Blocks)
    if (const StoreInst *St = StoredTo(C.getArgOperand(1)))
      Block = constant(St->getValueOperand());
  const StoreInst *Places = StoredTo(C.getArgOperand(2));
  const Loop *L = Places ? E.loops().getLoopFor(Places->getParent()) : nullptr;
  if (!Block || !L || !Places->getValueOperand()->getType()->isIntegerTy())
    return std::nullopt;
  Stride Step = E.stride(const_cast<Value *>(Places->getValueOperand()), L);
  if (Step.K != Stride::Constant && Step.K != Stride::Symbolic)
    return std::nullopt;
  TypeLayout Out;
  Out.Made = &C;
  Out.Inner = &C;
  Out.Strided = Step.K == Stride::Symbolic || Step.Bytes != std::int64_t(*Block);
  Out.PieceBytes = *Block * *Old->Size;
  Out.Pieces = constant(C.getArgOperand(0));
  Out.Size = product(Out.PieceBytes, Out.Pieces);
  if (Step.K == Stride::Constant)
    Out.PitchBytes = Step.Bytes * std::int64_t(*Old->Extent);
  return Out;
}

// The bytes of a record; what lies between its members does not matter to who asks for its size.
std::optional<TypeLayout> DerivedTypes::madeStruct(const Maker &By, unsigned Depth) {
  const CallBase &C = *By.Site.Call;
  std::optional<std::uint64_t> Count = constant(C.getArgOperand(0));
  if (!Count || *Count > 64)
    return std::nullopt;
  const DataLayout &DL = By.M->function().getParent()->getDataLayout();
  TypeLayout L;
  L.Made = &C;
  std::uint64_t Bytes = 0;
  for (unsigned K = 0; K < *Count; ++K) {
    std::optional<std::uint64_t> Length = constant(element(By, C.getArgOperand(1), K, 4));
    // Handles are pointers or int.
    const Value *Type = nullptr;
    for (unsigned HandleBytes : {DL.getPointerSize(), 4u})
      if (!Type)
        Type = element(By, C.getArgOperand(3), K, HandleBytes);
    std::optional<TypeLayout> Member = layout(*By.M, Type, Depth);
    if (!Length || !Member || !Member->Size)
      return std::nullopt;
    Bytes += *Length * *Member->Size;
  }
  L.Size = L.PieceBytes = Bytes;
  L.Pieces = 1;
  return L;
}

std::optional<TypeLayout> DerivedTypes::made(const Maker &By, unsigned Depth) {
  const CallBase &C = *By.Site.Call;
  auto Old = [&](unsigned Position) { return layout(*By.M, C.getArgOperand(Position), Depth); };
  std::optional<TypeLayout> L;
  switch (By.Site.Sig->Does) {
  case MpiDoes::TypeContiguous:
    if ((L = Old(1)))
      return repeat(*L, C.getArgOperand(0), nullptr, nullptr, false, By);
    return std::nullopt;
  case MpiDoes::TypeVector:
  case MpiDoes::TypeHvector:
    if ((L = Old(3)))
      return repeat(*L, C.getArgOperand(0), C.getArgOperand(1), C.getArgOperand(2),
                    By.Site.Sig->Does == MpiDoes::TypeHvector, By);
    return std::nullopt;
  case MpiDoes::TypeResized:
    if ((L = Old(0)))
      L->Extent = constant(C.getArgOperand(2));
    return L;
  case MpiDoes::TypeDup:
    return Old(0);
  case MpiDoes::TypeSubarray:
    return madeSubarray(By, Depth);
  case MpiDoes::TypeIndexedBlock:
  case MpiDoes::TypeIndexed:
    return madeIndexed(By, Depth);
  case MpiDoes::TypeStruct:
    return madeStruct(By, Depth);
  default:
    return std::nullopt;
  }
}

} // namespace stridewise
