#include "checks/mem-unblocked-stencil/StencilReuse.h"
#include "loops/AddressDistance.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxReferences = 200;
using limits::mem_unblocked_stencil::LargestReach;

// References to one array at known distances from each other.
struct Cluster {
  const Reference *Head;
  std::vector<SmallVector<std::int64_t, 4>> Offsets; // iterations by level, from Head
  bool Reads = false, Writes = false;
};

bool isContiguous(const Stride &S) {
  return S.K == Stride::Constant && std::abs(static_cast<double>(S.Bytes)) < CacheLineBytes;
}

// A loop that begins where the counter of one around it stands: a block of that one.
bool isBlock(const Loop *L, StrideEngine &Engine) {
  for (PHINode &Phi : L->getHeader()->phis())
    if (Phi.getType()->isIntegerTy())
      if (const auto *R = dyn_cast<SCEVAddRecExpr>(Engine.rewrite(&Phi)))
        if (R->getLoop() == L && Engine.varies(R->getStart()))
          return true;
  return false;
}

// Bytes that a reference touches in levels 0 to Level - 1; 0 when unknown.
double sweptBytes(const Reference &R, const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  double Bytes = R.Bytes;
  for (unsigned K = 0; K < Level; ++K) {
    Stride S = Engine.stride(R.Address, N.Loops[K]);
    unsigned Trips = Engine.tripCount(N.Loops[K]);
    if (S.K == Stride::Zero)
      continue;
    if (!Trips)
      return 0;
    if (isContiguous(S))
      Bytes += std::abs(static_cast<double>(S.Bytes)) * (Trips - 1);
    else
      Bytes = std::max(Bytes, CacheLineBytes) * Trips;
  }
  return Bytes;
}

// Distance in iterations, where the fields of one record count as one place.
AddressDistance distance(Reference X, Reference Y, const LoopNest &N, StrideEngine &Engine) {
  auto Record = static_cast<unsigned>(std::abs(Engine.stride(X.Address, N.inner()).Bytes));
  X.Bytes = std::max(X.Bytes, Record);
  return addressDistance(X, Y, N.Loops, Engine);
}

std::optional<std::vector<Cluster>> cluster(const LoopNest &N, StrideEngine &Engine) {
  std::vector<Cluster> Clusters;
  for (const Reference &R : N.References) {
    if (R.Local || R.Guarded || R.In != N.inner() || Engine.stride(R.Address, N.inner()).K == Stride::Zero)
      continue;
    if (!isContiguous(Engine.stride(R.Address, N.inner())))
      return std::nullopt;
    bool Joined = false;
    for (Cluster &C : Clusters) {
      AddressDistance D = distance(*C.Head, R, N, Engine);
      if (D.K != AddressDistance::Known)
        continue;
      SmallVector<std::int64_t, 4> Offset;
      for (const std::optional<std::int64_t> &Steps : D.PerLevel)
        Offset.push_back(Steps.value_or(0));
      if (any_of(Offset, [](std::int64_t Steps) { return std::abs(Steps) > LargestReach; }))
        continue;
      C.Offsets.push_back(std::move(Offset));
      C.Reads |= R.Reads;
      C.Writes |= R.Writes;
      Joined = true;
      break;
    }
    if (!Joined)
      Clusters.push_back({&R, {SmallVector<std::int64_t, 4>(N.Loops.size(), 0)}, R.Reads, R.Writes});
  }
  return Clusters;
}

} // namespace

std::vector<StencilReuse> stencilReuse(const LoopNest &N, StrideEngine &Engine) {
  std::vector<StencilReuse> Found;
  if (N.OpaqueCall || N.References.size() > MaxReferences)
    return Found;
  auto Clusters = cluster(N, Engine);
  if (!Clusters)
    return Found;
  for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
    if (isBlock(N.Loops[Level - 1], Engine))
      break;
    StencilReuse R;
    R.Level = Level;
    R.Exact = true;
    bool Known = true;
    for (const Cluster &C : *Clusters) {
      Stride Outer = Engine.stride(C.Head->Address, N.Loops[Level]);
      std::set<std::int64_t> Planes;
      for (const auto &O : C.Offsets)
        Planes.insert(O[Level]);
      if (Planes.size() > 1 && C.Writes)
        return {};
      double Bytes = sweptBytes(*C.Head, N, Level, Engine);
      if (Bytes == 0) {
        R.Exact = false;
        if (Outer.K == Stride::Constant && Outer.Bytes != 0)
          Bytes = std::abs(static_cast<double>(Outer.Bytes));
        else
          Known = false;
      }
      // Tables that stand still cost nothing new.
      if (Outer.K == Stride::Zero)
        continue;
      R.BytesBetween += Bytes * Planes.size();
      double Inner = sweptBytes(*C.Head, N, Level - 1, Engine);
      Stride Within = Engine.stride(C.Head->Address, N.Loops[Level - 1]);
      if (Inner == 0 && Within.K == Stride::Constant)
        Inner = std::abs(static_cast<double>(Within.Bytes));
      R.BytesPerStep += Inner * Planes.size();
      R.AllPlanes += Planes.size();
      ++R.Arrays;
      if (Planes.size() > R.Planes) {
        R.Planes = Planes.size();
        R.Widest = C.Head;
      }
    }
    if (!Known)
      R.BytesBetween = R.BytesPerStep = 0;
    if (R.Planes > 1)
      Found.push_back(R);
  }
  return Found;
}

} // namespace stridewise
