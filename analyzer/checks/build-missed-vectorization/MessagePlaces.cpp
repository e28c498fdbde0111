#include "checks/build-missed-vectorization/MessagePlaces.h"
#include "fortran/FortranCalls.h"
#include "library/FileOutput.h"
#include "mpi/CallPairs.h"
#include "mpi/RankLoops.h"
#include "unit/Reporter.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace stridewise {

// The function that was emitted, by its name among those of all units.
static std::string nameOf(const SourceFrame &Outermost, const CallHeat &Calls, Unit &U) {
  if (Outermost.Procedure)
    return fortranCalls(U).Names.lookup(Outermost.Procedure);
  return Outermost.Function ? Calls.name(Outermost.Function) : std::string();
}

// What goes to rank after rank is told once, too; a loop around that one, or any other loop, comes back to it.
static DenseSet<const CallBase *> toldToEachRank(MpiFunction &M, MpiEffects &Effects, Unit &U) {
  DenseSet<const CallBase *> Out;
  for (const RankLoop &X : findRankLoops(M, ranksOf(U), Effects))
    if (!X.L->getParentLoop())
      Out.insert(X.Site->Call);
  return Out;
}

// Whether a loop around output computes, or calls what does, as steps do; others write one output in parts.
static bool makesAnew(const Loop *L) {
  return L && any_of(L->getOutermostLoop()->blocks(), [](const BasicBlock *BB) {
           return any_of(*BB, [](const Instruction &I) {
             const auto *Call = dyn_cast<CallBase>(&I);
             return (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy()) || (Call && programCallee(*Call));
           });
         });
}

json::Value messagePlaces(Unit &U, const CallHeat &Calls) {
  struct Line {
    Place Where;
    std::set<std::string> In;
    bool InLoop = false, ToEach = false, Writes = false;
  };
  std::map<std::pair<std::string, unsigned>, Line> Lines;
  if (!U.mpiCalls() || !U.ir())
    return nullptr;
  SourceCalls Sources(U);
  MpiEffects Effects(U);
  const auto Add = [&](const CallBase &Call, bool InLoop, bool ToEach, bool Writes = false) {
    const std::vector<SourceFrame> Frames = Sources.frames(Call);
    const std::string In = Frames.empty() ? std::string() : nameOf(Frames.back(), Calls, U);
    for (const SourceFrame &At : Frames) {
      const Place Where = placeOf(U.ast(), clang::SourceRange(At.Where));
      Line &Known = Lines[{Where.File, Where.Line}];
      Known.Where = Where;
      Known.InLoop |= InLoop || In.empty();
      Known.ToEach |= ToEach;
      Known.Writes |= Writes;
      Known.In.insert(In);
    }
  };
  for (MpiFunction *M : mpiFunctions(U)) {
    const DenseSet<const CallBase *> EachRank = toldToEachRank(*M, Effects, U);
    for (const MpiSite &S : M->sites())
      Add(*S.Call, M->engine().loops().getLoopFor(S.Call->getParent()) && !EachRank.contains(S.Call),
          EachRank.contains(S.Call));
    for (const Instruction &I : instructions(M->function()))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && isFileWrite(*Call))
        Add(*Call, makesAnew(M->engine().loops().getLoopFor(Call->getParent())), false, /*Writes=*/true);
  }
  json::Array Out;
  for (const auto &[Key, Each] : Lines)
    Out.push_back(json::Object{{"place", toJson(Each.Where)},
                               {"in", json::Array(Each.In)},
                               {"repeats", Each.InLoop},
                               {"ranks", Each.ToEach},
                               {"writes", Each.Writes}});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::vector<Place> messagesSentOnce(ArrayRef<const stored::Value *> Places, ArrayRef<const stored::Value *> Calls) {
  std::vector<Place> Out;
  if (Places.empty())
    return Out;
  const std::set<std::string> Once = functionsRunOnce(Calls, /*Strictly=*/true);
  std::vector<Place> Messages;
  bool Repeats = false;
  for (const stored::Value *V : Places) {
    const stored::Array *Lines = V->getAsArray();
    for (std::size_t K = 0; Lines && K < Lines->size(); ++K) {
      const stored::Object *Line = (*Lines)[K].getAsObject();
      const stored::Value *Where = Line ? Line->get("place") : nullptr;
      const stored::Array *In = Line ? Line->getArray("in") : nullptr;
      std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
      if (!P || !In)
        continue;
      const bool Again = Line->getBoolean("repeats").value_or(true) || !all_of(*In, [&](const stored::Value &Name) {
                           return Once.contains(Name.getAsString().value_or("").str());
                         });
      const bool OnlyWrites = Line->getBoolean("writes").value_or(false) && !Line->getBoolean("ranks").value_or(false);
      Repeats |= Again && !OnlyWrites;
      if (!Again)
        (OnlyWrites ? Out : Messages).push_back(*P);
    }
  }
  // Where nothing is sent again and again, what goes from rank to rank once is all that the program communicates.
  if (Repeats)
    Out.insert(Out.end(), Messages.begin(), Messages.end());
  return Out;
}

} // namespace stridewise
