#include "checks/mpi-strided-halo/HaloFaces.h"
#include "loops/LoopNest.h"
#include "unit/Counted.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

// A value computed by more operations than this is no copy of an element.
constexpr unsigned MaxCopyDepth = 4;

class FaceFinder {
public:
  FaceFinder(MpiFunction &M, DerivedTypes &Types, std::uint64_t MaxPieceBytes)
      : M(M), E(M.engine()), SE(E.scalarEvolution()), Types(Types), MaxPieceBytes(MaxPieceBytes) {}

  std::vector<HaloFace> find() {
    std::vector<HaloFace> Out;
    for (const MpiSite &S : counted(M.sites())) {
      if (!S.is(MpiSend) || S.is(MpiCollective) || !hasNeighbour(S))
        continue;
      collectCopies();
      addFaces(S, Out);
    }
    for (HaloFace &F : Out)
      if (F.K == HaloFace::Strided)
        F.Returns = returns(F);
    return Out;
  }

private:
  // A loop that copies: what it writes, what it reads, and the shape of what it reads.
  struct Copy {
    const Instruction *At, *Read;
    const SCEV *To, *From; // keys of the arrays
    bool Packs = false;    // writes a dense buffer
    bool Spreads = false;  // writes places that lie apart
    std::optional<HaloFace> Face;
  };

  bool hasNeighbour(const MpiSite &S) {
    Value *Peer = S.arg(S.Sig->Peer);
    if (!Peer || isa<Constant>(Peer) || M.isWildcard(Peer))
      return false;
    // Loops over all ranks distribute or collect.
    for (const Loop *L = E.loops().getLoopFor(S.Call->getParent()); L; L = L->getParentLoop())
      if (E.stride(Peer, L).K == Stride::Constant)
        return false;
    return true;
  }

  // One name for an array however often its address is loaded.
  const SCEV *key(const SCEV *Base) {
    if (const SCEV *Address = E.loadedFrom(Base))
      return Address;
    if (const auto *Unknown = dyn_cast<SCEVUnknown>(Base))
      if (const auto *Load = dyn_cast<LoadInst>(Unknown->getValue()))
        return E.rewrite(const_cast<Value *>(Load->getPointerOperand()));
    return Base;
  }

  // Tables of rows stand for the array that they make up.
  const SCEV *arrayOf(const SCEV *Address, const Loop *Inner) {
    const SCEV *Base = SE.getPointerBase(Address);
    for (unsigned Depth = 0; Depth < 4; ++Depth) {
      bool Moves = false;
      for (const Loop *L = Inner; L; L = L->getParentLoop())
        Moves |= E.varies(Base, L);
      const SCEV *Table = Moves ? E.loadedFrom(Base) : nullptr;
      if (!Table)
        break;
      Base = SE.getPointerBase(Table);
    }
    return key(Base);
  }

  void collectCopies() {
    if (Collected)
      return;
    Collected = true;
    const DataLayout &DL = M.function().getParent()->getDataLayout();
    for (Instruction &I : counted(instructions(M.function()))) {
      if (isErrorPath(*I.getParent()))
        continue;
      const Loop *L = E.loops().getLoopFor(I.getParent());
      if (auto *St = dyn_cast<StoreInst>(&I)) {
        LoadInst *Read = L ? source(St->getValueOperand(), L, MaxCopyDepth) : nullptr;
        if (Read)
          addCopy(I, *Read, St->getPointerOperand(), Read->getPointerOperand(),
                  DL.getTypeStoreSize(St->getValueOperand()->getType()), L);
      } else if (auto *Move = dyn_cast<MemTransferInst>(&I)) {
        const auto *Length = dyn_cast<ConstantInt>(Move->getLength());
        addCopy(I, I, Move->getDest(), Move->getSource(), Length ? Length->getZExtValue() : 0, L);
      }
    }
  }

  LoadInst *source(Value *V, const Loop *L, unsigned Depth) {
    if (auto *Load = dyn_cast<LoadInst>(V)) {
      const SCEV *Address = E.rewrite(Load->getPointerOperand());
      for (; L; L = L->getParentLoop())
        if (E.varies(Address, L))
          return Load;
      return nullptr;
    }
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth == 0 || !isa<CastInst, BinaryOperator, UnaryOperator>(I))
      return nullptr;
    LoadInst *Found = nullptr;
    for (Value *Op : I->operands())
      if (LoadInst *Read = source(Op, L, Depth - 1)) {
        if (Found)
          return nullptr; // computed from several elements: no copy
        Found = Read;
      }
    return Found;
  }

  // Sizes of the records on the way to an address: a step of one is a walk along the array, whatever is left out.
  static void recordSizes(const Value *Pointer, const DataLayout &DL, SmallDenseSet<std::uint64_t, 4> &Out) {
    for (unsigned Depth = 0; Depth < 8; ++Depth) {
      const auto *Gep = dyn_cast<GEPOperator>(Pointer);
      if (!Gep)
        return;
      for (Type *Ty = Gep->getSourceElementType(); Ty; Ty = Ty->isArrayTy() ? Ty->getArrayElementType() : nullptr)
        if (Ty->isStructTy() && Ty->isSized())
          Out.insert(DL.getTypeAllocSize(Ty));
      Pointer = Gep->getPointerOperand();
    }
  }

  // Rows behind pointers: the base of the address is loaded from a table that the loop walks.
  bool walksTable(const SCEV *Address, const Loop *L) {
    const SCEV *Base = SE.getPointerBase(Address);
    const SCEV *Table = E.varies(Base, L) ? E.loadedFrom(Base) : nullptr;
    Stride::Kind K = Table ? E.stride(Table, L).K : Stride::Zero;
    // The offset in the row must not depend on the data.
    return (K == Stride::Constant || K == Stride::Symbolic) && !E.varies(SE.getMinusSCEV(Address, Base), L);
  }

  // One loop around a copy, as its source moves in it.
  struct Level {
    Stride Step;
    unsigned Trips;
    bool Table;
  };
  static bool isFar(const Stride &Step) {
    return Step.K == Stride::Symbolic || (Step.K == Stride::Constant && std::abs(Step.Bytes) >= CacheLineBytes);
  }

  // The form of what is copied. Levels that lengthen a run without gaps leave the list.
  HaloFace faceOf(SmallVectorImpl<Level> &Levels, std::uint64_t Bytes,
                  const SmallDenseSet<std::uint64_t, 4> &Records) const {
    HaloFace Face;
    Face.M = &M;
    std::uint64_t Run = Bytes;
    bool Long = Bytes == 0;
    auto Lengthens = [&](const Level &X) {
      if (X.Step.K != Stride::Constant)
        return false;
      std::uint64_t Step = std::abs(X.Step.Bytes);
      return Step < std::uint64_t(CacheLineBytes) || Step <= Run || Records.contains(Step);
    };
    while (!Long) {
      auto It = find_if(Levels, Lengthens);
      if (It == Levels.end())
        break;
      Long |= It->Trips == 0;
      Run = std::max<std::uint64_t>(Run, std::abs(It->Step.Bytes) * std::uint64_t(It->Trips));
      Levels.erase(It);
    }
    erase_if(Levels, [](const Level &X) { return X.Step.K == Stride::Zero; });
    Long |= Run > MaxPieceBytes;
    if (any_of(Levels, [](const Level &X) { return X.Step.K == Stride::Unknown && !X.Table; }))
      Face.K = HaloFace::Unclear;
    else if (Levels.empty())
      Face.K = HaloFace::Contiguous;
    else
      Face.K = Long ? HaloFace::Rows : HaloFace::Strided;
    Face.PieceBytes = Run;
    if (Face.K == HaloFace::Strided)
      countPieces(Face, Levels);
    return Face;
  }
  static void countPieces(HaloFace &Face, ArrayRef<Level> Levels) {
    Face.Pieces = 1;
    std::int64_t Pitch = 0;
    bool Known = true;
    for (const Level &X : Levels) {
      Face.Pieces = X.Trips && Face.Pieces ? std::optional(*Face.Pieces * X.Trips) : std::nullopt;
      Known &= X.Step.K == Stride::Constant;
      if (X.Step.K == Stride::Constant && (!Pitch || std::abs(X.Step.Bytes) < Pitch))
        Pitch = std::abs(X.Step.Bytes);
    }
    if (Known)
      Face.PitchBytes = Pitch;
  }

  void addCopy(const Instruction &At, const Instruction &Read, Value *To, Value *From, std::uint64_t Bytes,
               const Loop *L) {
    const SCEV *ToAddress = E.rewrite(To), *FromAddress = E.rewrite(From);
    Copy C;
    C.At = &At;
    C.Read = &Read;
    C.To = arrayOf(ToAddress, L);
    C.From = arrayOf(FromAddress, L);
    if (C.To == C.From)
      return;
    SmallDenseSet<std::uint64_t, 4> Records;
    recordSizes(From, M.function().getParent()->getDataLayout(), Records);
    SmallVector<Level, 4> Levels;
    bool Dense = !L, Moved = false;
    for (; L; L = L->getParentLoop()) {
      Stride ToStep = E.stride(ToAddress, L);
      if (ToStep.K == Stride::Zero) {
        if (Moved || E.varies(FromAddress, L))
          break;
        continue;
      }
      Moved = true;
      Dense |= ToStep.K == Stride::Constant && std::uint64_t(std::abs(ToStep.Bytes)) <= MaxPieceBytes;
      C.Spreads |= isFar(ToStep) || (ToStep.K == Stride::Unknown && walksTable(ToAddress, L));
      Levels.push_back({E.stride(FromAddress, L), E.tripCount(L), walksTable(FromAddress, L)});
    }
    C.Packs = Dense;
    C.Spreads &= !Dense || Levels.size() > 1;
    if (!Moved && Bytes == 0 && Levels.empty())
      C.Packs = true; // one copy of unknown length
    HaloFace Face = faceOf(Levels, Bytes, Records);
    Face.Read = &Read;
    if (Moved || Levels.empty())
      C.Face = Face;
    Copies.push_back(std::move(C));
  }

  void addFaces(const MpiSite &S, std::vector<HaloFace> &Out) {
    HaloFace Face;
    Face.M = &M;
    Face.Site = &S;
    Value *Buffer = S.arg(S.Sig->Buffer);
    const auto *Count = dyn_cast_or_null<ConstantInt>(S.arg(S.Sig->Count));
    std::optional<TypeLayout> Type = Types.layout(M, S.arg(S.Sig->Type));
    if (!Type || !Buffer) {
      Face.K = HaloFace::Unclear;
      Out.push_back(Face);
      return;
    }
    if (Type->Strided) {
      bool Short = Type->PieceBytes && *Type->PieceBytes <= MaxPieceBytes;
      bool Near = Type->PitchBytes && std::abs(*Type->PitchBytes) < CacheLineBytes;
      Face.K = Near ? HaloFace::Contiguous : Short ? HaloFace::Strided : HaloFace::Rows;
      Face.PieceBytes = Type->PieceBytes.value_or(0);
      Face.Pieces = Type->Pieces;
      if (Face.Pieces && Count)
        *Face.Pieces *= Count->getZExtValue();
      Face.PitchBytes = Type->PitchBytes;
      Face.Described = Type->Inner;
      Out.push_back(Face);
      return;
    }
    const SCEV *Array = key(SE.getPointerBase(E.rewrite(Buffer)));
    // What was last copied to the buffer; one buffer may serve all borders in turn.
    SmallVector<const Copy *, 4> Into, Last;
    for (const Copy &C : Copies)
      if (C.Packs && C.Face && C.To == Array) {
        Into.push_back(&C);
        if (M.reaches(C.At, S.Call, [&](const Instruction &I) { return &I != S.Call && sendsFrom(I, Array); }))
          Last.push_back(&C);
      }
    bool Packed = !Into.empty();
    for (const Copy *C : Last.empty() ? Into : Last) {
      HaloFace Copied = *C->Face;
      Copied.Site = &S;
      Out.push_back(Copied);
    }
    bool Small = Count && Type->Size && Count->getZExtValue() * *Type->Size <= MaxPieceBytes;
    if (!Packed && !Small)
      Out.push_back(Face);
  }

  bool sendsFrom(const Instruction &I, const SCEV *Array) {
    const auto *C = dyn_cast<CallBase>(&I);
    const MpiSignature *Sig = C ? findMpiCall(*C) : nullptr;
    if (!Sig || !(Sig->Traits & MpiSend))
      return false;
    MpiSite O{const_cast<CallBase *>(C), Sig};
    Value *Buffer = O.arg(Sig->Buffer);
    return Buffer && key(SE.getPointerBase(E.rewrite(Buffer))) == Array;
  }

  bool returns(const HaloFace &F) {
    const SCEV *Array = nullptr;
    if (F.Described) {
      Array = key(SE.getPointerBase(E.rewrite(F.Site->arg(F.Site->Sig->Buffer))));
      return any_of(M.sites(), [&](const MpiSite &S) {
        if (!S.is(MpiRecv) || S.is(MpiCollective))
          return false;
        bool Both = S.is(MpiSend);
        Value *Into = S.arg(Both ? S.Sig->RecvBuffer : S.Sig->Buffer);
        Value *Type = S.arg(Both ? S.Sig->RecvType : S.Sig->Type);
        // Sendrecv_replace has one buffer.
        if (Both && !Into)
          return true;
        std::optional<TypeLayout> Layout = Types.layout(M, Type);
        return Into && Layout && Layout->Strided && key(SE.getPointerBase(E.rewrite(Into))) == Array;
      });
    }
    for (const Copy &C : Copies)
      if (C.Read == F.Read && C.Packs)
        Array = C.From;
    return any_of(Copies, [&](const Copy &C) { return C.Spreads && C.To == Array; });
  }

  MpiFunction &M;
  StrideEngine &E;
  ScalarEvolution &SE;
  DerivedTypes &Types;
  std::uint64_t MaxPieceBytes;
  bool Collected = false;
  std::vector<Copy> Copies;
};

} // namespace

std::vector<HaloFace> haloFaces(MpiFunction &M, DerivedTypes &Types, std::uint64_t MaxPieceBytes) {
  return FaceFinder(M, Types, MaxPieceBytes).find();
}

} // namespace stridewise
