#include "loops/SetUp.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Reporter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace stridewise {

using limits::loops::SetUpLevels;
using limits::loops::SetUpLevelsOfSeveral;
using limits::loops::WorkDepth;

static bool isInMain(const Loop *Inner, Unit &U) {
  if (U.isFortran())
    return isInMainProgram(Inner);
  const clang::Stmt *Statement = U.loopStatement(Inner);
  const clang::FunctionDecl *In = Statement ? U.functionAt(Statement->getBeginLoc()) : nullptr;
  return In && In->isMain();
}

bool isSetUp(const Loop *Inner, Unit &U) {
  if (!isInMain(Inner, U) || Inner->getLoopDepth() >= WorkDepth)
    return false;
  return any_of(*U.ir(), [&](Function &F) {
    return !F.isDeclaration() &&
           any_of(loopNests(F, U.analyses()), [](const LoopNest &N) { return N.inner()->getLoopDepth() >= WorkDepth; });
  });
}

// Whether the nest makes its arrays of less than it fills: each loop moves on to other elements of all of them, and
// what it reads stays where it is in one of the loops. What goes through whole arrays, again and again, or adds up is
// work, however often its function runs.
static bool onlyFills(const LoopNest &N, StrideEngine &Engine, const DominatorTree &DT) {
  const auto Stays = [&](const Reference &R, const Loop *L) { return Engine.stride(R.Address, L).K == Stride::Zero; };
  // What the iteration itself has put there.
  const auto IsOwn = [&](const Reference &R) {
    return any_of(N.References, [&](const Reference &W) {
      return W.Writes && !W.Reads && W.Address == R.Address && DT.dominates(W.At, R.At);
    });
  };
  if (none_of(N.References, [](const Reference &R) { return R.Writes && !R.Local; }))
    return false;
  return all_of(N.References, [&](const Reference &R) {
    return R.Local || (R.Reads && !R.Writes && IsOwn(R)) ||
           (R.Writes && !R.Reads ? none_of(N.Loops, [&](const Loop *L) { return Stays(R, L); })
                                 : R.Reads && !R.Writes && any_of(N.Loops, [&](const Loop *L) { return Stays(R, L); }));
  });
}

// Whether the nest leaves nothing behind but numbers and what the function has allocated for itself: it looks at the
// data and does not work on them.
static bool onlyLooks(const LoopNest &N, StrideEngine &Engine) {
  return all_of(N.References, [&](const Reference &R) {
    return !R.Writes || R.Local || isIdentifiedFunctionLocal(getUnderlyingObject(R.Pointer)) ||
           none_of(N.Loops, [&](const Loop *L) { return Engine.varies(R.Address, L); });
  });
}

// Whether the address comes by other elements in each iteration of a loop, those inside of it being where they are: the
// rows of a triangle end where they ended before, however much later they begin.
static bool movesOn(const SCEV *Address, const Loop *L, ArrayRef<const Loop *> Inside, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Step = Engine.step(Address, L);
  for (const Loop *Each : Inside)
    if (const std::int64_t Shift = Step ? counterShift(Each, L, Engine) : 0) {
      const SCEV *Own = Engine.step(Address, Each);
      if (Own && Own->getType() == Step->getType())
        Step = SE.getMinusSCEV(Step, SE.getMulExpr(SE.getConstant(Own->getType(), Shift, /*isSigned=*/true), Own));
    }
  return !Step || !Step->isZero();
}

// Whether two loops move the address alike, so that one comes by where the other has been: frames and the lag between
// them. Where a table says where to go, what counts is how they move through the table.
static bool moveAlike(const SCEV *Address, const Loop *A, const Loop *B, StrideEngine &Engine) {
  while (Address) {
    const SCEV *X = Engine.step(Address, A), *Y = Engine.step(Address, B);
    if (X || Y)
      return X == Y;
    Address = Address->getType()->isPointerTy() ? Engine.loadedFrom(Engine.scalarEvolution().getPointerBase(Address))
                                                : nullptr;
  }
  return false;
}

// Whether the loops, innermost first, go over their data once: they have as many iterations as something has elements.
// A product of matrices, a factorisation and a loop of steps come back to what they had.
static bool goesOverOnce(const LoopNest &N, ArrayRef<const Loop *> Loops, StrideEngine &Engine) {
  return any_of(N.References, [&](const Reference &R) {
    if (R.Local)
      return false;
    for (std::size_t K = 0; K < Loops.size(); ++K)
      if (!movesOn(R.Address, Loops[K], Loops.take_front(K), Engine) ||
          any_of(Loops.take_front(K), [&](const Loop *In) { return moveAlike(R.Address, Loops[K], In, Engine); }))
        return false;
    return true;
  });
}

// Whether the nest only leaves behind what a later iteration of its loops writes anew: the scratch of one line, say.
// Its data say nothing of how often the loops around it come by theirs.
static bool fillsScratch(const LoopNest &N, ArrayRef<const Loop *> Loops, StrideEngine &Engine,
                         const DominatorTree &DT) {
  bool Writes = false;
  for (const Reference &W : N.References) {
    if (!W.Writes || W.Local)
      continue;
    Writes = true;
    if (W.Reads || none_of(Loops, [&](const Loop *L) { return Engine.stride(W.Address, L).K == Stride::Zero; }))
      return false;
    // Sums and recurrences are work, whatever they leave.
    if (any_of(N.References,
               [&](const Reference &R) { return R.Reads && R.Address == W.Address && !DT.dominates(W.At, R.At); }))
      return false;
  }
  return Writes;
}

namespace {

// A loop of the source, whatever its language is.
struct SourceLoop {
  const void *Key = nullptr, *In = nullptr; // the function
  std::string Name;                         // of the function
  Place Where;
  bool Rare = false, Steps = false; // in few iterations of the loops around; its iterations come back to their data
};

class SourceLoops {
public:
  SourceLoops(Unit &U, const CallHeat &Calls) : U(U), Calls(Calls) {}

  std::optional<SourceLoop> of(const Loop *L) { return U.isFortran() ? ofFortran(L) : ofC(L); }

private:
  std::optional<SourceLoop> ofC(const Loop *L) {
    const clang::Stmt *Statement = U.loopStatement(L);
    const clang::FunctionDecl *At = Statement ? U.functionAt(Statement->getBeginLoc()) : nullptr;
    if (!At)
      return std::nullopt;
    return SourceLoop{Statement,
                      At,
                      Calls.name(At),
                      placeOf(U.ast(), Statement->getSourceRange()),
                      Calls.runsNowAndThen(Statement),
                      Calls.isSteps(Statement)};
  }

  std::optional<SourceLoop> ofFortran(const Loop *L) {
    const std::optional<FortranLoop> Found = fortranLoop(L, U);
    const DILocation *At = L->getStartLoc().get();
    const DISubprogram *In = At ? At->getScope()->getSubprogram() : nullptr;
    if (!Found || !In)
      return std::nullopt;
    const FortranCalls &Known = fortranCalls(U);
    return SourceLoop{reinterpret_cast<const char *>(Found->Statement) + Found->Number,
                      In,
                      Known.Names.lookup(In),
                      placeOf(U.ast(), rangeOf(*Found->Statement, U)),
                      Known.RareLoops.contains(Found->Statement),
                      Known.Steps.contains(Found->Statement)};
  }

  Unit &U;
  const CallHeat &Calls;
};

} // namespace

llvm::json::Value nestDepths(Unit &U, const CallHeat &Calls) {
  // Of a loop that no other one of its function is around, or none but those in few of whose iterations it runs.
  struct Work {
    SourceLoop At;
    unsigned Own = 0, All = 0; // loops around an innermost one; with those of callers that it was inlined into
    bool Fills = true, Looks = true, Rare = false, Again = false;
    bool Once = false; // a nest goes over its data once
  };
  MapVector<const void *, Work> Outermost;
  if (!U.ir())
    return nullptr;
  SourceLoops Loops(U, Calls);
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    StrideEngine *Engine = nullptr;
    const DominatorTree &DT = U.analyses().getResult<DominatorTreeAnalysis>(F);
    for (const LoopNest &N : loopNests(F, U.analyses())) {
      Engine = Engine ? Engine : &StrideEngine::get(F, U.analyses());
      unsigned All = 0, Own = 0;
      std::vector<Work> Found;
      const void *In = nullptr;
      SmallVector<const Loop *, 4> Around;
      bool IsRare = false, Steps = false,
           Again = false; // in few iterations of the loops that follow; a loop comes back to its data
      for (const Loop *L : N.Loops) {
        std::optional<SourceLoop> At = Loops.of(L);
        const unsigned Trips = Engine->tripCount(L);
        if (!At || (Trips && Trips <= limits::loops::MaxAbsorbedTrips))
          continue;
        if (IsRare)
          break;
        Own = At->In == In ? Own + 1 : 1;
        In = At->In;
        ++All;
        IsRare = At->Rare;
        Around.push_back(L);
        Steps |= At->Steps;
        const bool Once = goesOverOnce(N, Around, *Engine);
        Again |= Steps || !Once;
        const bool Scratch = !Steps && !Once && fillsScratch(N, Around, *Engine, DT);
        if (Own > 1)
          Found.pop_back();
        Found.push_back({std::move(*At), Own, All, true, true, IsRare, Again && !Scratch, Once});
      }
      for (Work &Is : Found) {
        const auto [It, New] = Outermost.try_emplace(Is.At.Key, Is);
        Work &W = It->second;
        W.Own = std::max(W.Own, Is.Own);
        W.All = std::max(W.All, Is.All);
        W.Fills = W.Fills && (Is.Own < 2 || onlyFills(N, *Engine, DT));
        W.Looks = W.Looks && onlyLooks(N, *Engine);
        W.Rare |= Is.Rare;
        W.Again |= Is.Again;
        W.Once |= Is.Once;
      }
    }
  }
  json::Array Out;
  for (const auto &[Key, W] : Outermost)
    Out.push_back(json::Object{{"name", W.At.Name},
                               {"place", toJson(W.At.Where)},
                               {"own", W.Own},
                               {"fills", W.Fills},
                               {"looks", W.Looks},
                               {"rare", W.Rare},
                               {"again", W.Again || !W.Once},
                               {"all", W.All}});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::vector<Place> setUpLoops(ArrayRef<const stored::Value *> Depths, ArrayRef<const stored::Value *> Calls,
                              bool IsOneOfSeveral) {
  const std::set<std::string> Once = functionsRunOnce(Calls), Reports = functionsThatReport(Calls);
  const std::set<std::string> Again = functionsRunAgain(Calls);
  const std::map<std::string, unsigned> Around = callDepths(Calls);
  const auto ForEach = [&](function_ref<void(const std::string &, const stored::Object &)> Take) {
    for (const stored::Value *V : Depths)
      if (const stored::Array *Functions = V->getAsArray())
        for (const stored::Value &F : *Functions)
          if (const stored::Object *O = F.getAsObject())
            Take(O->getString("name").value_or("").str(), *O);
  };
  std::int64_t Deepest = 0, DeepestAgain = 0; // of all work, and of what goes over the same data again
  ForEach([&](const std::string &Name, const stored::Object &F) {
    if (F.getBoolean("rare").value_or(false))
      return;
    const auto It = Around.find(Name);
    const std::int64_t Loops = It == Around.end() ? 0 : It->second;
    Deepest = std::max(Deepest, F.getInteger("all").value_or(0) + Loops);
    if (Again.contains(Name))
      DeepestAgain = std::max(DeepestAgain, F.getInteger("own").value_or(0) + Loops);
  });
  std::vector<Place> Out;
  ForEach([&](const std::string &Name, const stored::Object &F) {
    const stored::Value *Where = F.get("place");
    const std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    const bool Rare = F.getBoolean("rare").value_or(false) || Reports.contains(Name), Single = Once.contains(Name);
    // Deeper nests are more than a look at the data.
    const bool Looks = F.getBoolean("looks").value_or(false) && F.getInteger("own").value_or(0) <= WorkDepth;
    const bool Fills = F.getBoolean("fills").value_or(false);
    const std::int64_t Own = F.getInteger("own").value_or(0), Least = Own + SetUpLevels;
    const std::int64_t LeastOfLooks = IsOneOfSeveral ? Own + SetUpLevelsOfSeveral : Least;
    if (P && (((Rare || Single) && Looks && LeastOfLooks <= Deepest) || (Single && Fills && Least <= Deepest) ||
              (Single && !Rare && !F.getBoolean("again").value_or(true) && Least <= DeepestAgain)))
      Out.push_back(*P);
  });
  return Out;
}

} // namespace stridewise
