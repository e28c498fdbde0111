#include "checks/mem-array-of-structs/RecordWalks.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Metadata.h"
#include <map>
#include <numeric>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxComponents = 64;
constexpr unsigned MaxDepth = 12;
using limits::mem_array_of_structs::MinRepeats;

// The record's field, as type information says it.
std::optional<FieldTag> fieldTag(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3)
    return std::nullopt;
  const auto *Base = dyn_cast<MDNode>(Tag->getOperand(0)), *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  const auto *Offset = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  const auto *Name = Base && Base->getNumOperands() ? dyn_cast<MDString>(Base->getOperand(0)) : nullptr;
  if (!Name || !Access || Base == Access || !Offset)
    return std::nullopt;
  FieldTag T;
  T.Name = Name->getString().str();
  T.Offset = Offset->getZExtValue();
  for (unsigned K = 2; K < Base->getNumOperands(); K += 2)
    if (const auto *At = mdconst::dyn_extract<ConstantInt>(Base->getOperand(K)))
      T.Layout.push_back(At->getZExtValue());
  return T;
}

// The same from the address's own computation, for fields that are reached through a plain reference and for elements
// of arrays that are fields: an index into an array of structures of this size, and offsets from there. Those that vary
// count from the field's begin.
std::optional<FieldTag> elementTag(const Value *Pointer, uint64_t Size, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  while (const auto *G = dyn_cast<GEPOperator>(Pointer)) {
    auto *Type = dyn_cast<StructType>(G->getSourceElementType());
    if (Type && Type->hasName() && Type->isSized() && DL.getTypeAllocSize(Type) == Size) {
      SmallVector<Value *, 4> Indices(G->idx_begin(), G->idx_end());
      Indices[0] = ConstantInt::get(Indices[0]->getType(), 0);
      for (Value *&I : Indices)
        if (!isa<ConstantInt>(I))
          I = ConstantInt::get(I->getType(), 0);
      FieldTag T;
      T.Name = Type->getName().str();
      std::int64_t At = Offset.getSExtValue() + DL.getIndexedOffsetInType(Type, Indices);
      T.Offset = uint64_t(At % std::int64_t(Size) + std::int64_t(Size)) % Size;
      for (TypeSize Begin : DL.getStructLayout(Type)->getMemberOffsets())
        T.Layout.push_back(Begin.getFixedValue());
      return T;
    }
    if (APInt Own(Offset.getBitWidth(), 0); G->accumulateConstantOffset(DL, Own))
      Offset += Own;
    Pointer = G->getPointerOperand();
  }
  return std::nullopt;
}

class Finder {
public:
  Finder(Unit &U, unsigned MinRecordBytes) : U(U), MinRecordBytes(MinRecordBytes), Known(recordsOf(U)) {}

  std::vector<RecordWalk> find() {
    for (Function &F : *U.ir()) {
      if (F.isDeclaration())
        continue;
      FunctionAnalysisManager &FAM = U.analyses();
      LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
      if (LI.empty() || !mayWalkRecords(F, LI))
        continue;
      DenseSet<const Loop *> Inspected;
      for (const LoopNest &N : loopNests(F, FAM)) {
        Inspected.insert(N.inner());
        inspect(N, F);
      }
      // Nests have at least two loops, and count a loop that steps as another around it as a part of that one. What
      // such a loop goes through it goes through itself.
      StrideEngine &Engine = StrideEngine::get(F, FAM);
      for (const Loop *L : LI.getLoopsInPreorder()) {
        if (Inspected.contains(L) || (L->getParentLoop() && isShort(L, Engine)) || L->getLoopDepth() > MaxDepth ||
            !all_of(L->getLoopsInPreorder(), [&](const Loop *Sub) { return Sub == L || isShort(Sub, Engine); }))
          continue;
        LoopNest N;
        for (const Loop *Around = L; Around; Around = Around->getParentLoop())
          N.Loops.push_back(Around);
        if (collectReferences(N, F, FAM, Engine))
          inspect(N, F);
      }
    }
    return std::move(Walks);
  }

private:
  // A loop over the components of a record.
  static bool isShort(const Loop *L, StrideEngine &Engine) {
    unsigned Trips = Engine.tripCount(L);
    return Trips && Trips <= MaxComponents;
  }

  // The innermost loop around the access that is no loop over components is another than that of the nest.
  static bool isOfInnerLoop(const Reference &R, const LoopNest &N, StrideEngine &Engine) {
    for (const Loop *L = R.In; L && L != N.inner(); L = L->getParentLoop())
      if (!isShort(L, Engine))
        return true;
    return false;
  }

  // A pointer may go from record to record by a number of bytes.
  bool isStep(const GetElementPtrInst &G, const DataLayout &DL) const {
    APInt Offset(DL.getIndexTypeSizeInBits(G.getType()), 0);
    return isa<PHINode>(G.getPointerOperand()) && G.accumulateConstantOffset(DL, Offset) &&
           Offset.abs().uge(std::uint64_t(MinRecordBytes));
  }

  // Most functions touch no fields in loops: ask before any address is computed.
  bool mayWalkRecords(Function &F, const LoopInfo &LI) const {
    if (U.isFortran())
      return !Known.empty();
    const DataLayout &DL = F.getParent()->getDataLayout();
    for (const BasicBlock &BB : F)
      if (LI.getLoopFor(&BB))
        for (const Instruction &I : counted(BB)) {
          const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
          const auto *G = dyn_cast<GetElementPtrInst>(&I);
          if ((Tag && Tag->getNumOperands() >= 3 && Tag->getOperand(0) != Tag->getOperand(1)) ||
              (G && (G->getSourceElementType()->isStructTy() || isStep(*G, DL))))
            return true;
        }
    return false;
  }

  void inspect(const LoopNest &N, Function &F) {
    StrideEngine &Engine = StrideEngine::get(F, U.analyses());
    ScalarEvolution &SE = Engine.scalarEvolution();
    unsigned Trips = Engine.tripCount(N.inner());
    // In the order of the program: of several arrays of one type in a loop the first one stands for all.
    MapVector<std::pair<const SCEV *, int64_t>, std::vector<const Reference *>> Groups;
    std::set<const SCEV *> Beyond; // arrays with accesses that may be anywhere
    for (const Reference &R : N.References) {
      Stride S = Engine.stride(R.Address, N.inner());
      int64_t Step = std::abs(S.Bytes);
      if (S.K == Stride::Unknown) {
        if (const Gather G = gathered(R, F, Engine); G.Size && !R.Local && !isOfInnerLoop(R, N, Engine))
          Groups[{SE.getPointerBase(R.Address), G.Size}].push_back(&R);
        else
          Beyond.insert(SE.getPointerBase(R.Address));
      }
      if (isOfInnerLoop(R, N, Engine))
        continue;
      if (S.K != Stride::Constant || Step < MinRecordBytes || Step > int64_t(PageBytes) || R.Local ||
          (Trips && double(Trips) * Step <= FirstLevelBytes))
        continue;
      Groups[{SE.getPointerBase(R.Address), Step}].push_back(&R);
    }
    for (const auto &[Key, Members] : Groups)
      if (!isSmallObject(Key.first, F))
        group(N, F, Engine, static_cast<uint64_t>(Key.second), Members, Beyond.count(Key.first) > 0);
  }

  // A record that is reached by a number which the loop reads, as of a list of neighbours.
  struct Gather {
    int64_t Size = 0;           // bytes from one record to the next; 0 for everything else
    const SCEV *Rest = nullptr; // of the address, without that number
  };

  // Whether the number comes from memory; one that is counted up fills records in their order.
  static bool isRead(const SCEV *Number, StrideEngine &Engine) {
    while (const auto *Cast = dyn_cast<SCEVCastExpr>(Number))
      Number = Cast->getOperand();
    const auto *Symbol = dyn_cast<SCEVUnknown>(Number);
    if (!Symbol)
      return false;
    SmallVector<const Value *, 4> Work{Symbol->getValue()};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Work.empty() && Seen.size() < MaxDepth) {
      const Value *V = Work.pop_back_val();
      if (isa<LoadInst>(V))
        return true;
      if (const auto *Choice = dyn_cast<PHINode>(V); Choice && Seen.insert(V).second)
        Work.append(Choice->value_op_begin(), Choice->value_op_end());
      if (const auto *Cast = dyn_cast<CastInst>(V))
        Work.push_back(Cast->getOperand(0));
    }
    return Engine.changingLoad(Symbol) || Engine.loadedFrom(Symbol);
  }

  // Where the access tells which field it is.
  Gather gathered(const Reference &R, const Function &F, StrideEngine &Engine) const {
    const SCEV *S = R.Address;
    while (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S))
      S = Recurrence->getStart();
    const auto *Sum = dyn_cast<SCEVAddExpr>(S);
    Gather G;
    for (const SCEV *Part : Sum ? Sum->operands() : ArrayRef<const SCEV *>()) {
      const auto *Product = dyn_cast<SCEVMulExpr>(Part);
      const auto *Bytes = Product ? dyn_cast<SCEVConstant>(Product->getOperand(0)) : nullptr;
      if (!Bytes || Product->getNumOperands() != 2 || !isRead(Product->getOperand(1), Engine))
        continue;
      if (G.Size || Bytes->getAPInt().slt(MinRecordBytes) || Bytes->getAPInt().sgt(int64_t(PageBytes)))
        return {};
      G = {Bytes->getAPInt().getSExtValue(), Engine.scalarEvolution().getMinusSCEV(S, Part)};
    }
    const DataLayout &DL = F.getParent()->getDataLayout();
    for (const std::optional<FieldTag> &T : {fieldTag(*R.At), elementTag(R.Pointer, uint64_t(G.Size), DL)})
      if (T && G.Size && Known.find(uint64_t(G.Size), *T))
        return G;
    return {};
  }

  static bool isSmallObject(const SCEV *Base, const Function &F) {
    const auto *U = dyn_cast<SCEVUnknown>(Base);
    const DataLayout &DL = F.getParent()->getDataLayout();
    if (!U)
      return false;
    if (const auto *G = dyn_cast<GlobalVariable>(U->getValue()))
      return G->getValueType()->isSized() && double(DL.getTypeAllocSize(G->getValueType())) <= FirstLevelBytes;
    if (const auto *A = dyn_cast<AllocaInst>(U->getValue())) {
      auto Size = A->getAllocationSize(DL);
      return Size && !Size->isScalable() && double(Size->getFixedValue()) <= FirstLevelBytes;
    }
    return false;
  }

  // How often a reference runs for one record.
  static double executions(const Reference &R, const LoopNest &N, StrideEngine &Engine) {
    double Times = 1;
    for (const Loop *In = R.In; In && In != N.inner(); In = In->getParentLoop())
      Times *= std::max(1u, Engine.tripCount(In));
    return Times;
  }
  // Whether a loop around goes over the same records again.
  static bool isRepeated(const Reference &R, const LoopNest &N, StrideEngine &Engine) {
    const bool Gathers = Engine.stride(R.Address, N.inner()).K == Stride::Unknown;
    return any_of(ArrayRef(N.Loops).drop_front(), [&](const Loop *Around) {
      unsigned Times = Engine.tripCount(Around);
      return (!Times || Times >= MinRepeats) && (Gathers || Engine.stride(R.Address, Around).K == Stride::Zero ||
                                                 Engine.step(R.Address, Around) == Engine.step(R.Address, N.inner()));
    });
  }
  // Where in the record a reference reads or writes: by its type, by its distance from one that has a type, or by the
  // constant part of its address.
  uint64_t offsetIn(const Reference &R, const Reference &Anchor, uint64_t AnchorOffset, const Record *Of, uint64_t Size,
                    const DataLayout &DL, StrideEngine &Engine) {
    // Nothing but the address tells it in Fortran, whose arrays begin where their base points to.
    if (U.isFortran())
      return startOf(R.Address, Size, Engine.scalarEvolution()).second;
    auto IsOfRecord = [&](const std::optional<FieldTag> &T) {
      return T && !T->Layout.empty() && Known.find(Size, *T) == Of;
    };
    for (const std::optional<FieldTag> &T : {fieldTag(*R.At), elementTag(R.Pointer, Size, DL)})
      if (IsOfRecord(T))
        return T->Offset;
    const SCEV *Apart = Engine.scalarEvolution().getMinusSCEV(R.Address, Anchor.Address);
    const auto *Distance = dyn_cast<SCEVConstant>(Apart);
    if (!Distance)
      return startOf(R.Address, Size, Engine.scalarEvolution()).second;
    int64_t D = (Distance->getAPInt().getSExtValue() + int64_t(AnchorOffset)) % int64_t(Size);
    return static_cast<uint64_t>(D < 0 ? D + int64_t(Size) : D);
  }
  static void addAccess(RecordWalk &W, const Reference &R) {
    const DILocation *D = R.At->getDebugLoc();
    if (!D)
      return;
    auto [File, Line] = Unit::fileAndLine(D);
    if (Line && none_of(W.Accesses,
                        [&, &File = File, Line = Line](const Access &A) { return A.Line == Line && A.File == File; }))
      W.Accesses.push_back({File, Line, D->getScope()->getSubprogram()->getName().str(), -1});
  }

  void group(const LoopNest &N, Function &F, StrideEngine &Engine, uint64_t Size,
             const std::vector<const Reference *> &Members, bool Whole) {
    const Record *Of = nullptr;
    const Reference *Anchor = nullptr;
    uint64_t AnchorOffset = 0;
    const DataLayout &DL = F.getParent()->getDataLayout();
    for (const Reference *R : Members)
      for (const std::optional<FieldTag> &T : {fieldTag(*R->At), elementTag(R->Pointer, Size, DL)})
        if (const Record *Found = T && !Of ? Known.find(Size, *T) : nullptr) {
          Of = Found;
          Anchor = R;
          AnchorOffset = T->Offset;
        }
    // A pointer that goes from record to record, from which nested members are reached: the IR counts in bytes.
    if (!Of && (Of = Known.namedIn(N.inner(), Size))) {
      Anchor = Members.front();
      AnchorOffset = startOf(Anchor->Address, Size, Engine.scalarEvolution()).second;
    }
    if (!Of)
      return;
    RecordWalk W;
    W.Of = Of;
    W.L = N.inner();
    W.F = &F;
    W.Used.resize(Size, Whole);
    double Executions = 0; // per record
    BitVector Copied{unsigned(Size)};
    std::map<const SCEV *, BitVector> Chosen; // bytes of a member by where it begins
    for (const Reference *R : Members) {
      Executions += executions(*R, N, Engine);
      W.Guarded |= R->Guarded;
      W.Repeated |= isRepeated(*R, N, Engine);
      W.Written |= R->Writes;
      W.Gathered |= Engine.stride(R->Address, N.inner()).K == Stride::Unknown;
      const bool Passed = isa<CallBase>(R->At) && !isa<MemIntrinsic>(R->At);
      if (!U.isFortran() && isChosenAtRunTime(R->Pointer, Size, DL)) {
        const auto [Begin, Offset] = startOf(R->Address, Size, Engine.scalarEvolution());
        BitVector &Member = Chosen.try_emplace(Begin, unsigned(Size)).first->second;
        mark(Member, Offset, Passed ? unsigned(CacheLineBytes) : R->Bytes, *R, gathered(*R, F, Engine), N, Engine);
      } else {
        const uint64_t Offset = offsetIn(*R, *Anchor, AnchorOffset, Of, Size, DL, Engine);
        BitVector Bytes{unsigned(Size)};
        if (Passed)
          markMember(Bytes, Offset, *Of);
        else
          mark(Bytes, Offset, R->Bytes, *R, gathered(*R, F, Engine), N, Engine);
        W.Used |= Bytes;
        if (isCopy(*R->At))
          Copied |= Bytes;
      }
      if (!Passed)
        addAccess(W, *R);
    }
    for (const auto &[Begin, Member] : Chosen)
      W.Chosen += Member.count();
    takePadding(W);
    W.Moves = coversFields(Copied, *Of);
    // In arrays of their own the used bytes would fill whole lines.
    for (Access &A : W.Accesses)
      A.BestLinesPerAccess = static_cast<double>(W.Used.count() + W.Chosen) / CacheLineBytes / Executions;
    Walks.push_back(std::move(W));
  }

  // Goes from one place of memory to another as it is, or into a message or a file, or comes from there.
  static bool isCopy(const Instruction &I) {
    if (const auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call)) {
      const LibraryCall *Known = findLibraryCall(*Call);
      return findMpiCall(*Call) || (Known && Known->does(LibInput | LibOutput));
    }
    const auto *Store = dyn_cast<StoreInst>(&I);
    const auto IsStored = [](const User *U) { return isa<StoreInst>(U); };
    return isa<AnyMemTransferInst>(I) || (Store && isa<LoadInst>(Store->getValueOperand())) ||
           (isa<LoadInst>(I) && !I.use_empty() && all_of(I.users(), IsStored));
  }
  static bool coversFields(const BitVector &Bytes, const Record &Of) {
    return all_of(Of.Fields, [&](const RecordField &F) {
      return F.Begin + F.Bytes <= Bytes.size() &&
             (!F.Bytes || Bytes.find_first_unset_in(unsigned(F.Begin), unsigned(F.Begin + F.Bytes)) < 0);
    });
  }

  // Padding is no other layout's to save: it counts with the field before it.
  static void takePadding(RecordWalk &W) {
    BitVector Own(W.Used.size());
    for (const RecordField &F : W.Of->Fields)
      for (uint64_t B = F.Begin; B < F.Begin + std::max<uint64_t>(1, F.Bytes) && B < Own.size(); ++B)
        Own.set(B);
    for (unsigned B = 1; B < Own.size(); ++B)
      if (!Own.test(B) && W.Used.test(B - 1))
        W.Used.set(B);
  }

  // Components that an absorbed loop walks belong to the access.
  static void mark(BitVector &Used, uint64_t Offset, unsigned Bytes, const Reference &R, const Gather &G,
                   const LoopNest &N, StrideEngine &Engine) {
    std::vector<uint64_t> Starts{Offset};
    for (const Loop *L = R.In; L && L != N.inner(); L = L->getParentLoop()) {
      Stride S = Engine.stride(R.Address, L);
      if (S.K == Stride::Unknown && G.Size) // the same field of other records
        S = Engine.stride(G.Rest, L);
      if (S.K == Stride::Zero)
        continue;
      unsigned Trips = Engine.tripCount(L);
      if (S.K != Stride::Constant || !Trips || Starts.size() * Trips > Used.size()) {
        Used.set();
        return;
      }
      std::vector<uint64_t> All;
      for (uint64_t Start : Starts)
        for (unsigned K = 0; K < Trips; ++K)
          All.push_back((Start + K * static_cast<uint64_t>(S.Bytes)) % Used.size());
      Starts = std::move(All);
    }
    for (uint64_t Start : Starts)
      for (unsigned B = 0; B < Bytes && B < Used.size(); ++B)
        Used.set((Start + B) % Used.size());
  }

  // A function that gets a pointer to a member does with it what it likes, but with nothing beyond. One that gets the
  // first member's address may have the whole record.
  static void markMember(BitVector &Used, uint64_t Offset, const Record &Of) {
    for (const RecordField &F : Of.Fields) {
      const uint64_t End = F.Begin + F.Bytes;
      if (Offset && F.Begin <= Offset && Offset < End) {
        Used.set(unsigned(F.Begin), unsigned(std::min<uint64_t>(End, Used.size())));
        return;
      }
    }
    Used.set();
  }

  // Whether the address has an offset of bytes from the record's begin that is a variable, as of a member that the
  // caller names.
  static bool isChosenAtRunTime(const Value *Pointer, uint64_t Size, const DataLayout &DL) {
    bool Bytewise = false;
    while (const auto *G = dyn_cast<GEPOperator>(Pointer)) {
      Type *Element = G->getSourceElementType();
      if (Element->isStructTy() && Element->isSized() && DL.getTypeAllocSize(Element) == Size)
        return Bytewise;
      Bytewise |= Element->isIntegerTy(8) && !G->hasAllConstantIndices();
      Pointer = G->getPointerOperand();
    }
    return Bytewise;
  }

  // Where an address starts without its constant part, and that part, as an offset in its record.
  static std::pair<const SCEV *, uint64_t> startOf(const SCEV *S, uint64_t Size, ScalarEvolution &SE) {
    while (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S))
      S = Recurrence->getStart();
    const auto *Sum = dyn_cast<SCEVAddExpr>(S);
    const auto *C = Sum ? dyn_cast<SCEVConstant>(Sum->getOperand(0)) : nullptr;
    if (!C)
      return {S, 0};
    const std::int64_t Part = C->getAPInt().getSExtValue() % std::int64_t(Size);
    return {SE.getMinusSCEV(S, C), uint64_t(Part < 0 ? Part + std::int64_t(Size) : Part)};
  }

  Unit &U;
  const int64_t MinRecordBytes;
  const Records &Known;
  std::vector<RecordWalk> Walks;
};

} // namespace

std::vector<RecordWalk> recordWalks(Unit &U, unsigned MinRecordBytes) {
  return U.ir() ? Finder(U, MinRecordBytes).find() : std::vector<RecordWalk>();
}

double fetchedBytes(const BitVector &Used) {
  const unsigned Line = static_cast<unsigned>(CacheLineBytes), Size = Used.size();
  const unsigned Period = Line / std::gcd(Line, Size);
  std::set<unsigned> Lines;
  for (unsigned Record = 0; Record < Period; ++Record)
    for (unsigned B : Used.set_bits())
      Lines.insert((Record * Size + B) / Line);
  return static_cast<double>(Lines.size()) * Line / Period;
}

std::vector<const RecordField *> usedFields(const Record &Of, const BitVector &Used) {
  std::vector<const RecordField *> Fields;
  for (const RecordField &F : Of.Fields) {
    bool Touched = false;
    for (uint64_t B = F.Begin; B < F.Begin + std::max<uint64_t>(1, F.Bytes) && B < Used.size() && !Touched; ++B)
      Touched = Used.test(B);
    if (Touched)
      Fields.push_back(&F);
  }
  return Fields;
}

} // namespace stridewise
