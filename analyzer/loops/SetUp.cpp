#include "loops/SetUp.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Reporter.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace stridewise {

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
static bool onlyFills(const LoopNest &N, StrideEngine &Engine) {
  const auto Stays = [&](const Reference &R, const Loop *L) { return Engine.stride(R.Address, L).K == Stride::Zero; };
  return all_of(N.References, [&](const Reference &R) {
    return R.Local ||
           (R.Writes && !R.Reads ? none_of(N.Loops, [&](const Loop *L) { return Stays(R, L); })
                                 : R.Reads && !R.Writes && any_of(N.Loops, [&](const Loop *L) { return Stays(R, L); }));
  });
}

llvm::json::Value nestDepths(Unit &U, const CallHeat &Calls) {
  struct Depth {
    unsigned Own = 0, All = 0; // loops of the function around an innermost one; with those of what it calls
    bool Fills = true;
  };
  MapVector<const clang::FunctionDecl *, Depth> Functions;
  if (!U.ir() || U.isFortran())
    return nullptr;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    StrideEngine *Engine = nullptr;
    for (const LoopNest &N : loopNests(F, U.analyses())) {
      Engine = Engine ? Engine : &StrideEngine::get(F, U.analyses());
      MapVector<const clang::FunctionDecl *, unsigned> In;
      unsigned All = 0;
      const clang::FunctionDecl *Outermost = nullptr;
      for (const Loop *L : N.Loops) {
        const clang::Stmt *Statement = U.loopStatement(L);
        const clang::FunctionDecl *At = Statement ? U.functionAt(Statement->getBeginLoc()) : nullptr;
        const unsigned Trips = Engine->tripCount(L);
        if (!At || (Trips && Trips <= limits::loops::MaxAbsorbedTrips))
          continue;
        ++In[At];
        ++All;
        Outermost = At;
      }
      for (auto [At, Own] : In) {
        Functions[At].Own = std::max(Functions[At].Own, Own);
        Functions[At].Fills &= Own < 2 || onlyFills(N, *Engine);
      }
      if (Outermost)
        Functions[Outermost].All = std::max(Functions[Outermost].All, All);
    }
  }
  json::Array Out;
  for (const auto &[F, D] : Functions)
    Out.push_back(json::Object{{"name", Calls.name(F)},
                               {"place", toJson(placeOf(U.ast(), F->getSourceRange()))},
                               {"own", D.Own},
                               {"fills", D.Fills},
                               {"all", D.All}});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::vector<Place> setUpFunctions(ArrayRef<const stored::Value *> Depths, ArrayRef<const stored::Value *> Calls) {
  // Of several programs nothing tells which work belongs to which.
  const auto HasMain = [](const stored::Value *V) {
    const stored::Array *Edges = V->getAsArray();
    return Edges && any_of(*Edges, [](const stored::Value &Edge) {
             const stored::Array *Parts = Edge.getAsArray();
             return Parts && Parts->size() == 3 && (*Parts)[1].getAsString() == "main";
           });
  };
  if (count_if(Calls, HasMain) != 1)
    return {};
  const std::set<std::string> Once = functionsRunOnce(Calls);
  const std::map<std::string, unsigned> Around = callDepths(Calls);
  const auto ForEach = [&](function_ref<void(const std::string &, const stored::Object &)> Take) {
    for (const stored::Value *V : Depths)
      if (const stored::Array *Functions = V->getAsArray())
        for (const stored::Value &F : *Functions)
          if (const stored::Object *O = F.getAsObject())
            Take(O->getString("name").value_or("").str(), *O);
  };
  std::int64_t Deepest = 0;
  ForEach([&](const std::string &Name, const stored::Object &F) {
    const auto It = Around.find(Name);
    Deepest = std::max(Deepest, F.getInteger("all").value_or(0) + (It == Around.end() ? 0 : It->second));
  });
  std::vector<Place> Out;
  ForEach([&](const std::string &Name, const stored::Object &F) {
    const stored::Value *Where = F.get("place");
    const std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    if (P && Once.contains(Name) && F.getBoolean("fills").value_or(false) &&
        F.getInteger("own").value_or(0) + SetUpLevels <= Deepest)
      Out.push_back(*P);
  });
  return Out;
}

} // namespace stridewise
