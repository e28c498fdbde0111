#include "checks/mem-power-of-two-stride/CacheSets.h"
#include "fortran/DeclaredArrays.h"
#include "prices.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr std::uint64_t MaxPlaces = 1 << 16;
constexpr unsigned MaxAccesses = 2000;
// Inner loops up to this length count as so many streams of the loop around them.
constexpr unsigned MaxStreams = 64;

using namespace limits::mem_power_of_two_stride;

struct MemoryAccess {
  Instruction *At;
  const SCEV *Address;
  unsigned Bytes;
  const Loop *In;
  bool IsSource; // of a copy, whose place in the source is that of the target
};

class Accesses {
public:
  Accesses(Function &F, FunctionAnalysisManager &FAM)
      : Engine(StrideEngine::get(F, FAM)), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        DL(F.getParent()->getDataLayout()) {
    LoopInfo &LI = Engine.loops();
    for (BasicBlock &BB : F) {
      const Loop *L = LI.getLoopFor(&BB);
      // What a condition may skip is no part of every sweep.
      if (!L || !L->getLoopLatch() || !DT.dominates(&BB, L->getLoopLatch()))
        continue;
      for (Instruction &I : counted(BB)) {
        if (Value *Pointer = getLoadStorePointerOperand(&I)) {
          add(I, Pointer, DL.getTypeStoreSize(getLoadStoreType(&I)), L);
        } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
          // A record that is assigned whole: two accesses.
          const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
          if (Length && Length->getValue().ult(LeastPitchBytes))
            for (Value *Pointer : {Copy->getRawSource(), Copy->getRawDest()})
              add(I, Pointer, Length->getZExtValue(), L, Pointer == Copy->getRawSource());
        }
      }
    }
  }

  StrideEngine &Engine;
  std::vector<MemoryAccess> All;

private:
  void add(Instruction &I, Value *Pointer, std::uint64_t Bytes, const Loop *L, bool IsSource = false) {
    if (isLocal(Pointer) || All.size() >= MaxAccesses)
      return;
    const SCEV *Address = Engine.rewrite(Pointer);
    if (Address->getType()->isPointerTy())
      All.push_back({&I, Address, static_cast<unsigned>(Bytes), L, IsSource});
  }
  bool isLocal(const Value *Pointer) const {
    const auto *A = dyn_cast<AllocaInst>(getUnderlyingObject(Pointer));
    auto Size = A ? A->getAllocationSize(DL) : std::nullopt;
    return Size && !Size->isScalable() && static_cast<std::int64_t>(Size->getFixedValue()) <= LocalBytes;
  }
  DominatorTree &DT;
  const DataLayout &DL;
};

class SweepFinder {
public:
  SweepFinder(Accesses &A, ScalarEvolution &SE, ArrayRef<CacheShape> Caches)
      : A(A), Engine(A.Engine), SE(SE), Caches(Caches) {}

  std::vector<SetConflict> find() {
    std::vector<SetConflict> Found;
    DenseSet<std::pair<const Loop *, const SCEV *>> Said;
    for (const MemoryAccess &M : A.All) {
      std::optional<SetConflict> C = judge(M);
      if (C && Said.insert({C->Walked, SE.getPointerBase(M.Address)}).second)
        Found.push_back(std::move(*C));
    }
    return Found;
  }

private:
  std::optional<SetConflict> judge(const MemoryAccess &M) {
    SmallVector<Walk, 4> Walks;
    std::uint64_t Places = 1;
    const Loop *Walked = nullptr;
    std::int64_t Largest = 0;
    bool Exact = true, Crowds = false, WholeArray = false;
    for (const Loop *L = M.In; const Loop *Again = L->getParentLoop(); L = Again) {
      Stride S = Engine.stride(M.Address, L);
      unsigned Trips = Engine.tripCount(L);
      if (S.K == Stride::Constant && !Trips) {
        Trips = rowsOf(M, std::abs(S.Bytes));
        WholeArray = true;
      }
      if ((S.K != Stride::Zero && S.K != Stride::Constant) || (S.K == Stride::Constant && !Trips))
        return std::nullopt;
      if (S.K == Stride::Constant) {
        Walks.push_back({S.Bytes, Trips});
        Exact &= SE.getSmallConstantTripCount(L) != 0;
        Crowds |= std::abs(S.Bytes) >= LeastPitchBytes && mayCrowd(S.Bytes);
        if (std::abs(S.Bytes) >= LeastPitchBytes && std::abs(S.Bytes) * std::int64_t(Trips) > Largest) {
          Largest = std::abs(S.Bytes) * std::int64_t(Trips);
          Walked = L;
        }
      }
      Places *= std::max(1u, Trips);
      if (Places > MaxPlaces)
        return std::nullopt;
      Stride Return = Engine.stride(M.Address, Again);
      unsigned Returns = Engine.tripCount(Again);
      bool Reuses =
          Return.K == Stride::Zero || (Return.K == Stride::Constant && std::abs(Return.Bytes) < Caches[0].LineBytes);
      if (!Walked || !Crowds || !Reuses || (Returns && Returns < LeastReturns))
        continue;
      if (std::optional<SetConflict> C = conflict(M, Walks, *Walked, *Again)) {
        C->Walked = Walked;
        C->StepBytes = std::abs(Engine.stride(M.Address, Walked).Bytes);
        C->ArrayBytes = static_cast<double>(Largest);
        C->Exact = Exact && C->Arrays.size() == 1;
        C->WholeArray = WholeArray;
        return C;
      }
    }
    return std::nullopt;
  }

  // As many steps as the declared array has room for; 0 where its size is not known.
  static unsigned rowsOf(const MemoryAccess &M, std::uint64_t Step) {
    const Value *Pointer = getLoadStorePointerOperand(M.At);
    const auto *Array = dyn_cast_or_null<GlobalVariable>(Pointer ? getUnderlyingObject(Pointer) : nullptr);
    // Common blocks and the arrays of Fortran's modules have their dimensions in what describes them.
    if (Array && Step >= LeastPitchBytes)
      if (const std::optional<DeclaredArray> Declared = declaredArray(*M.At))
        if (const std::uint64_t Rows = Declared->extentOf(Step))
          return static_cast<unsigned>(std::min(Rows, MaxPlaces));
    if (!Array || !Array->getValueType()->isSized() || Step < LeastPitchBytes)
      return 0;
    const DataLayout &DL = Array->getDataLayout();
    for (const auto *T = dyn_cast<ArrayType>(Array->getValueType()); T; T = dyn_cast<ArrayType>(T->getElementType()))
      if (DL.getTypeAllocSize(T->getElementType()) == Step)
        return static_cast<unsigned>(std::min<std::uint64_t>(T->getNumElements(), MaxPlaces));
    return 0;
  }

  // Steps near a multiple of some lines; others reach most sets of any cache.
  bool mayCrowd(std::int64_t Step) const {
    std::int64_t Line = Caches[0].LineBytes, Rest = std::abs(Step) % (CrowdingLines * Line);
    return std::min(Rest, CrowdingLines * Line - Rest) <= Line;
  }

  // The array by itself, or with others that the loop walks in the same way.
  std::optional<SetConflict> conflict(const MemoryAccess &M, ArrayRef<Walk> Walks, const Loop &Walked,
                                      const Loop &Again) {
    const SmallVector<Instruction *, 4> Alone{M.At}, Together = walkedWith(M, Walked);
    std::optional<SetConflict> C = conflict(M, Walks, &Again, Alone);
    return C || Together.size() == 1 ? C : conflict(M, Walks, &Again, Together);
  }

  // One access of each array that this loop walks in step with this one, in the same sets: large arrays begin at the
  // same place of a page. Static ones do where they are whole pages long.
  SmallVector<Instruction *, 4> walkedWith(const MemoryAccess &M, const Loop &Walked) {
    SmallVector<Instruction *, 4> Together{M.At};
    const SCEV *Own = SE.getPointerBase(M.Address), *Start = SE.removePointerBase(Engine.atStart(M.Address, &Walked));
    if (!beginsAtPage(Own))
      return Together;
    SmallPtrSet<const SCEV *, 4> Bases{Own};
    for (const MemoryAccess &Other : A.All) {
      const SCEV *Base = SE.getPointerBase(Other.Address);
      if (!staticArray(Base) != !staticArray(Own) || !beginsAtPage(Base) ||
          Engine.stride(Other.Address, &Walked) != Engine.stride(M.Address, &Walked))
        continue;
      const auto *Apart =
          dyn_cast<SCEVConstant>(SE.getMinusSCEV(SE.removePointerBase(Engine.atStart(Other.Address, &Walked)), Start));
      if (Apart && Apart->getAPInt().abs().ult(Caches[0].LineBytes) && Bases.insert(Base).second)
        Together.push_back(Other.At);
    }
    return Together;
  }
  static const GlobalVariable *staticArray(const SCEV *Base) {
    const auto *U = dyn_cast<SCEVUnknown>(Base);
    return U ? dyn_cast<GlobalVariable>(U->getValue()) : nullptr;
  }
  static bool beginsAtPage(const SCEV *Base) {
    const GlobalVariable *G = staticArray(Base);
    const auto *U = dyn_cast<SCEVUnknown>(Base);
    return G ? G->getValueType()->isSized() &&
                   G->getDataLayout().getTypeAllocSize(G->getValueType()) % std::uint64_t(prices::PageBytes) == 0
             : U && !isa<AllocaInst>(U->getValue());
  }

  std::optional<SetConflict> conflict(const MemoryAccess &M, ArrayRef<Walk> Walks, const Loop *Again,
                                      ArrayRef<Instruction *> Arrays) {
    std::int64_t Pitch = pitch(M);
    SmallVector<Walk, 4> Padded;
    for (Walk W : Walks)
      Padded.push_back(
          {std::abs(W.Bytes) >= Pitch ? W.Bytes + W.Bytes / Pitch * Caches[0].LineBytes : W.Bytes, W.Count});
    for (unsigned Level = 0; Level < Caches.size(); ++Level) {
      const CacheShape &Cache = Caches[Level];
      std::optional<SetUse> Now = setUse(Walks, M.Bytes, Cache, Arrays.size());
      if (!Now || Now->Crowded * 2 < Now->Lines)
        continue;
      std::optional<SetUse> Then = setUse(Padded, M.Bytes, Cache, Arrays.size());
      if (!Then || Then->Crowded * RelievedShare > Then->Lines || sweepLines(Again) > KeptShare * Cache.lines())
        continue;
      SetConflict C;
      C.At = M.At;
      C.Arrays.assign(Arrays.begin(), Arrays.end());
      C.Named = !M.IsSource;
      C.Again = Again;
      C.PitchBytes = Pitch;
      C.ElementBytes = M.Bytes;
      C.Level = Level + 1;
      C.Use = *Now;
      return C;
    }
    return std::nullopt;
  }

  // The shortest row: the smallest large step in any loop. Planes are whole numbers of rows.
  std::int64_t pitch(const MemoryAccess &M) {
    std::int64_t Least = 0;
    for (const Loop *L = M.In; L; L = L->getParentLoop())
      if (Stride S = Engine.stride(M.Address, L);
          S.K == Stride::Constant && std::abs(S.Bytes) >= LeastPitchBytes && (!Least || std::abs(S.Bytes) < Least))
        Least = std::abs(S.Bytes);
    return Least;
  }

  // Lines that one iteration of the loop touches, arrays taken once per direction of walking.
  double sweepLines(const Loop *Again) {
    auto [It, New] = Sweeps.try_emplace(Again, 0);
    if (!New)
      return It->second;
    double Total = 0;
    DenseSet<std::pair<const SCEV *, const SCEV *>> Seen;
    for (const MemoryAccess &M : A.All) {
      if (!Again->contains(M.In) || M.In == Again)
        continue;
      if (!Seen.insert({SE.getPointerBase(M.Address), Engine.step(M.Address, M.In)}).second)
        continue;
      double Bytes = M.Bytes, Runs = 1;
      for (const Loop *L = M.In; L != Again; L = L->getParentLoop()) {
        Stride S = Engine.stride(M.Address, L);
        double Trips = std::max(1u, Engine.tripCount(L));
        double Step = S.K == Stride::Constant ? std::abs(static_cast<double>(S.Bytes)) : Caches[0].LineBytes;
        if (S.K == Stride::Zero)
          continue;
        if (Step <= std::max<double>(Bytes, Caches[0].LineBytes))
          Bytes += Step * (Trips - 1);
        else
          Runs *= Trips;
      }
      Total += Runs * std::max(1.0, Bytes / Caches[0].LineBytes);
    }
    return Sweeps[Again] = Total;
  }

  Accesses &A;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  ArrayRef<CacheShape> Caches;
  DenseMap<const Loop *, double> Sweeps;
};

class StreamFinder {
public:
  StreamFinder(Accesses &A, ScalarEvolution &SE, const CacheShape &Cache)
      : A(A), Engine(A.Engine), SE(SE), Cache(Cache) {}

  std::vector<StreamConflict> find() {
    // By the loop that they walk along; short loops within it multiply the streams.
    MapVector<const Loop *, std::vector<const MemoryAccess *>> ByLoop;
    for (const MemoryAccess &M : A.All) {
      const Loop *L = M.In;
      unsigned Streams = 1;
      while (L) {
        Stride S = Engine.stride(M.Address, L);
        if (S.K == Stride::Constant && std::abs(S.Bytes) < Cache.LineBytes) {
          ByLoop[L].push_back(&M);
          break;
        }
        unsigned Trips = Engine.tripCount(L);
        if (S.K == Stride::Unknown || S.K == Stride::Symbolic || !Trips || Trips > MaxStreams / Streams)
          break;
        Streams *= Trips;
        L = L->getParentLoop();
      }
    }
    std::vector<StreamConflict> Found;
    for (const auto &[L, Members] : ByLoop) {
      unsigned Trips = Engine.tripCount(L);
      if (Trips && Trips < LeastSteps)
        continue;
      if (std::optional<StreamConflict> C = judge(L, Members))
        Found.push_back(std::move(*C));
    }
    return Found;
  }

private:
  struct Stream {
    std::int64_t Offset; // from a place that all streams of the family share
    const MemoryAccess *M;
  };

  std::optional<StreamConflict> judge(const Loop *L, ArrayRef<const MemoryAccess *> Members) {
    // Families of accesses whose distances are known: one object, or whole arrays that follow each other.
    MapVector<const SCEV *, std::vector<Stream>> Families;
    std::vector<Stream> Globals;
    DenseMap<const SCEV *, const MemoryAccess *> First;
    for (const MemoryAccess *M : Members) {
      const SCEV *Base = SE.getPointerBase(M->Address);
      const MemoryAccess *&Head = First[Base];
      if (!Head)
        Head = M;
      const SCEV *Apart = SE.getMinusSCEV(Engine.atStart(M->Address, L), Engine.atStart(Head->Address, L));
      const auto *C = dyn_cast<SCEVConstant>(Apart);
      if (!C || C->getAPInt().getSignificantBits() > 62)
        continue;
      expand(*M, L, C->getAPInt().getSExtValue(), Families[Base]);
    }
    for (auto &[Base, Streams] : Families) {
      if (std::optional<StreamConflict> C = crowd(L, Streams)) {
        C->Proven = true;
        return C;
      }
      // Whole numbers of spans after each other begin in the same set.
      const auto *U = dyn_cast<SCEVUnknown>(Base);
      const auto *G = U ? dyn_cast<GlobalVariable>(U->getValue()) : nullptr;
      if (!G || !G->getValueType()->isArrayTy() ||
          G->getDataLayout().getTypeAllocSize(G->getValueType()) % Cache.spanBytes() != 0)
        continue;
      const SCEV *Start = SE.removePointerBase(Engine.atStart(First[Base]->Address, L));
      if (!Common)
        Common = Start;
      const auto *Shift = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Start, Common));
      if (!Shift)
        continue;
      // Other arrays are other lines, wherever they lie: far apart, and in the same set.
      std::int64_t Far = std::int64_t(Globals.size() + 1) * Cache.spanBytes() * 4096;
      for (Stream S : Streams)
        Globals.push_back({Far + Shift->getAPInt().getSExtValue() + S.Offset, S.M});
    }
    Common = nullptr;
    return crowd(L, Globals);
  }

  void expand(const MemoryAccess &M, const Loop *L, std::int64_t Offset, std::vector<Stream> &Into) {
    SmallVector<std::int64_t, 16> Offsets{Offset};
    for (const Loop *Short = M.In; Short != L; Short = Short->getParentLoop()) {
      std::int64_t Step = Engine.stride(M.Address, Short).Bytes;
      unsigned Trips = Engine.tripCount(Short), Known = Offsets.size();
      for (unsigned T = 1; Step && T < Trips; ++T)
        for (unsigned K = 0; K < Known; ++K)
          Offsets.push_back(Offsets[K] + Step * T);
    }
    for (std::int64_t O : Offsets)
      Into.push_back({O, &M});
  }

  // The most streams that share a set while they advance together.
  std::optional<StreamConflict> crowd(const Loop *L, std::vector<Stream> &Streams) {
    std::int64_t Span = Cache.spanBytes(), Line = Cache.LineBytes;
    llvm::sort(Streams, [](const Stream &X, const Stream &Y) { return X.Offset < Y.Offset; });
    // Neighbours within a line are one stream.
    std::vector<Stream> Apart;
    for (const Stream &S : Streams)
      if (Apart.empty() || S.Offset - Apart.back().Offset >= Line)
        Apart.push_back(S);
    auto InSet = [&](const Stream &S, const Stream &Head) {
      return (((S.Offset - Head.Offset) % Span) + Span) % Span < Line / 2;
    };
    StreamConflict Best;
    for (const Stream &Head : Apart) {
      auto Count = static_cast<unsigned>(count_if(Apart, [&](const Stream &S) { return InSet(S, Head); }));
      if (Count <= Best.Streams)
        continue;
      Best.Streams = Count;
      Best.At.clear();
      for (const Stream &S : Apart)
        if (InSet(S, Head) && !is_contained(Best.At, S.M->At))
          Best.At.push_back(S.M->At);
    }
    Best.L = L;
    return Best.Streams > Cache.Ways ? std::optional(std::move(Best)) : std::nullopt;
  }

  Accesses &A;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  const CacheShape &Cache;
  const SCEV *Common = nullptr;
};

} // namespace

std::optional<SetUse> setUse(ArrayRef<Walk> Walks, unsigned ElementBytes, const CacheShape &Cache, unsigned Arrays) {
  // Contiguous walks become a run of bytes first, the others repeat it.
  SmallVector<Walk, 4> Jumps;
  std::int64_t Run = ElementBytes;
  SmallVector<Walk, 4> Sorted(Walks);
  llvm::sort(Sorted, [](const Walk &X, const Walk &Y) { return std::abs(X.Bytes) < std::abs(Y.Bytes); });
  std::uint64_t Places = 1;
  for (const Walk &W : Sorted) {
    if (std::abs(W.Bytes) <= std::max<std::int64_t>(Run, Cache.LineBytes))
      Run += std::abs(W.Bytes) * (W.Count - 1);
    else
      Jumps.push_back({std::abs(W.Bytes), W.Count});
  }
  auto RunLines = static_cast<unsigned>((Run + Cache.LineBytes - 1) / Cache.LineBytes);
  Places = RunLines;
  for (const Walk &W : Jumps)
    if ((Places *= W.Count) > MaxPlaces)
      return std::nullopt;
  std::vector<std::int64_t> Lines;
  Lines.reserve(Places);
  SmallVector<unsigned, 4> At(Jumps.size(), 0);
  while (true) {
    std::int64_t Byte = 0;
    for (unsigned K = 0; K < Jumps.size(); ++K)
      Byte += Jumps[K].Bytes * At[K];
    for (unsigned K = 0; K < RunLines; ++K)
      Lines.push_back(Byte / Cache.LineBytes + K);
    unsigned K = 0;
    while (K < Jumps.size() && ++At[K] == Jumps[K].Count)
      At[K++] = 0;
    if (K == Jumps.size())
      break;
  }
  llvm::sort(Lines);
  Lines.erase(std::unique(Lines.begin(), Lines.end()), Lines.end());
  std::vector<unsigned> PerSet(Cache.sets(), 0);
  for (std::int64_t L : Lines)
    ++PerSet[static_cast<std::size_t>(L % Cache.sets())];
  SetUse Use;
  Use.Lines = Lines.size() * Arrays;
  for (unsigned N : PerSet) {
    N *= Arrays;
    Use.Sets += N > 0;
    Use.Crowded += N > Cache.Ways ? N : 0;
  }
  return Use;
}

CacheConflicts cacheConflicts(Function &F, FunctionAnalysisManager &FAM, ArrayRef<CacheShape> Caches) {
  CacheConflicts Found;
  if (FAM.getResult<LoopAnalysis>(F).empty())
    return Found;
  Accesses A(F, FAM);
  ScalarEvolution &SE = A.Engine.scalarEvolution();
  Found.Streams = StreamFinder(A, SE, Caches.front()).find();
  for (SetConflict &C : SweepFinder(A, SE, Caches).find())
    if (none_of(Found.Streams, [&](const StreamConflict &S) { return S.L == C.Again; }))
      Found.Sweeps.push_back(std::move(C));
  return Found;
}

} // namespace stridewise
