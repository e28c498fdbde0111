#include "loops/SetUp.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Reporter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace stridewise {

using limits::loops::NegligibleLevels;
using limits::loops::SetUpLevels;
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

llvm::json::Value nestDepths(Unit &U, const CallHeat &Calls) {
  // Of a loop that no other one of its function is around, or none but those in few of whose iterations it runs.
  struct Work {
    const clang::FunctionDecl *In = nullptr;
    unsigned Own = 0, All = 0; // loops around an innermost one; with those of callers that it was inlined into
    bool Fills = true, Looks = true, Rare = false;
  };
  MapVector<const clang::Stmt *, Work> Outermost;
  if (!U.ir() || U.isFortran())
    return nullptr;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    StrideEngine *Engine = nullptr;
    for (const LoopNest &N : loopNests(F, U.analyses())) {
      Engine = Engine ? Engine : &StrideEngine::get(F, U.analyses());
      unsigned All = 0, Own = 0;
      std::vector<std::pair<const clang::Stmt *, Work>> Found;
      const clang::FunctionDecl *In = nullptr;
      bool IsRare = false; // in few iterations of the loops that follow
      for (const Loop *L : N.Loops) {
        const clang::Stmt *Statement = U.loopStatement(L);
        const clang::FunctionDecl *At = Statement ? U.functionAt(Statement->getBeginLoc()) : nullptr;
        const unsigned Trips = Engine->tripCount(L);
        if (!At || (Trips && Trips <= limits::loops::MaxAbsorbedTrips))
          continue;
        if (IsRare)
          break;
        Own = At == In ? Own + 1 : 1;
        In = At;
        ++All;
        IsRare = Calls.runsNowAndThen(Statement);
        if (Own > 1)
          Found.pop_back();
        Found.push_back({Statement, {At, Own, All, true, true, IsRare}});
      }
      for (auto &[Statement, Is] : Found) {
        Work &W = Outermost[Statement];
        W = {Is.In,
             std::max(W.Own, Is.Own),
             std::max(W.All, Is.All),
             W.Fills && (Is.Own < 2 || onlyFills(N, *Engine, U.analyses().getResult<DominatorTreeAnalysis>(F))),
             W.Looks && onlyLooks(N, *Engine),
             W.Rare || Is.Rare};
      }
    }
  }
  json::Array Out;
  for (const auto &[Statement, W] : Outermost)
    Out.push_back(json::Object{{"name", Calls.name(W.In)},
                               {"place", toJson(placeOf(U.ast(), Statement->getSourceRange()))},
                               {"loop", Calls.ordinal(Statement)},
                               {"own", W.Own},
                               {"fills", W.Fills},
                               {"looks", W.Looks},
                               {"rare", W.Rare},
                               {"all", W.All}});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

// The loops of one program: what each unit knows of its functions, and of the calls between them.
static std::vector<Place> setUpLoopsOfOne(ArrayRef<const stored::Value *> Depths,
                                          ArrayRef<const stored::Value *> Calls) {
  const std::set<std::string> Once = functionsRunOnce(Calls), Reports = functionsThatReport(Calls);
  const std::map<std::string, unsigned> Around = callDepths(Calls);
  const auto ForEach = [&](function_ref<void(const std::string &, const stored::Object &)> Take) {
    for (const stored::Value *V : Depths)
      if (const stored::Array *Functions = V->getAsArray())
        for (const stored::Value &F : *Functions)
          if (const stored::Object *O = F.getAsObject())
            Take(O->getString("name").value_or("").str(), *O);
  };
  std::int64_t Deepest = 0;
  std::map<OuterLoop, unsigned> Nests;
  const auto LoopOf = [](const std::string &Name, const stored::Object &F) {
    return OuterLoop(Name, F.getInteger("loop").value_or(0));
  };
  ForEach([&](const std::string &Name, const stored::Object &F) {
    unsigned &Depth = Nests[LoopOf(Name, F)];
    Depth = std::max(Depth, static_cast<unsigned>(F.getInteger("own").value_or(0)));
    if (F.getBoolean("rare").value_or(false))
      return;
    const auto It = Around.find(Name);
    Deepest = std::max(Deepest, F.getInteger("all").value_or(0) + (It == Around.end() ? 0 : It->second));
  });
  const Phases All(Calls, Nests);
  const unsigned Negligible = std::max<unsigned>(All.deepest(), NegligibleLevels) - NegligibleLevels;
  const std::set<std::string> Beside = All.functionsBesideLoops();
  std::vector<Place> Out;
  ForEach([&](const std::string &Name, const stored::Object &F) {
    const stored::Value *Where = F.get("place");
    const std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    const bool Rare = F.getBoolean("rare").value_or(false) || Reports.contains(Name), Single = Once.contains(Name);
    const std::int64_t Own = F.getInteger("own").value_or(0);
    // Deeper nests are more than a look at the data.
    const bool Looks = F.getBoolean("looks").value_or(false) && Own <= WorkDepth;
    const bool Fills = F.getBoolean("fills").value_or(false);
    const bool IsSetUp = (Rare && Looks) || (Single && (Looks || Fills));
    if (P && ((IsSetUp && Own + SetUpLevels <= Deepest) ||
              (Beside.contains(Name) && Own < WorkDepth && All.depth(LoopOf(Name, F)) <= Negligible)))
      Out.push_back(*P);
  });
  return Out;
}

std::vector<Place> setUpLoops(ArrayRef<SetUpFacts> Units) {
  const auto HasMain = [](const SetUpFacts &Unit) {
    const stored::Array *Edges = Unit.Calls ? Unit.Calls->getAsArray() : nullptr;
    return Edges && any_of(*Edges, [](const stored::Value &Edge) {
             const stored::Array *Parts = Edge.getAsArray();
             return Parts && Parts->size() == 4 && (*Parts)[1].getAsString() == "main";
           });
  };
  std::vector<const stored::Value *> Depths, Calls;
  const auto Add = [&](const SetUpFacts &Unit) {
    if (Unit.Depths)
      Depths.push_back(Unit.Depths);
    if (Unit.Calls)
      Calls.push_back(Unit.Calls);
  };
  const auto Programs = count_if(Units, HasMain);
  if (Programs == 1) {
    for_each(Units, Add);
    return setUpLoopsOfOne(Depths, Calls);
  }
  // Of several programs nothing tells which work of other units belongs to which.
  std::vector<Place> Out;
  for (const SetUpFacts &Unit : Units)
    if (Programs && HasMain(Unit)) {
      Depths.clear();
      Calls.clear();
      Add(Unit);
      append_range(Out, setUpLoopsOfOne(Depths, Calls));
    }
  return Out;
}

} // namespace stridewise
