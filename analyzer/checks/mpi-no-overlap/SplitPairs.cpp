#include "checks/mpi-no-overlap/SplitPairs.h"
#include "mpi/CallPairs.h"
#include "mpi/MpiEffects.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-no-overlap";
// Pairs of one unit beyond which none is told.
constexpr std::size_t MostPairs = 200;

// The second is handed what the first one has returned, or an object that it was handed, too.
bool shareObject(const CallBase &First, const CallBase &Second, Unit &U) {
  MpiFunction &M = MpiFunction::get(const_cast<Function &>(*First.getFunction()), U.analyses());
  return any_of(Second.args(), [&](const Use &To) {
    if (!To->getType()->isPointerTy() || isa<Constant>(To))
      return To.get() == &First;
    return To.get() == &First ||
           any_of(First.args(), [&](const Use &From) { return M.sameValue(From.get(), To.get()); });
  });
}

json::Value pairOf(const CallBase &First, const CallBase &Second, const std::string &Next, SourceCalls &Sources,
                   Unit &U) {
  const std::vector<SourceFrame> Begin = Sources.frames(First), End = Sources.frames(Second);
  if (Begin.empty() || End.empty() || Begin.front().around() != End.front().around())
    return nullptr;
  const SourceFrame &At = End.front();
  const Function *Ends = programCallee(Second);
  const Place Scope = placeOf(U.ast(), At.scope());
  return json::Object{{"begin", linkName(*programCallee(First))},
                      {"end", Ends ? linkName(*Ends) : std::string()},
                      {"next", Next},
                      {"started", toJson(placeOf(U.ast(), Begin.front().range()))},
                      {"where", toJson(placeOf(U.ast(), At.range()))},
                      {"function", At.function()},
                      {"first", Scope.Line},
                      {"last", Scope.EndLine},
                      {"names", json::Array{calledName(Begin.front(), *programCallee(First)),
                                            Ends ? calledName(At, *Ends) : findMpiCall(Second)->Name}}};
}

} // namespace

json::Value pairFacts(Unit &U, SourceCalls &Sources) {
  json::Object Phases = callPhases(U);
  json::Array Pairs;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
    for (const Loop *L : LI.getLoopsInPreorder())
      for (const BasicBlock *BB : L->blocks())
        for (const Instruction &I : counted(*BB)) {
          const auto *First = dyn_cast<CallBase>(&I);
          if (!First || LI.getLoopFor(BB) != L || !programCallee(*First) || First->onlyReadsMemory() ||
              Pairs.size() >= MostPairs)
            continue;
          bool Computes = false;
          const CallBase *Second = nextProgramCall(*First, LI, Computes);
          const MpiSignature *Wait = Second ? findMpiCall(*Second) : nullptr;
          if (!Second || (Wait ? !Wait->waitsForAll() : !programCallee(*Second)) ||
              programCallee(*Second) == programCallee(*First) || !shareObject(*First, *Second, U))
            continue;
          const CallBase *Third = nextProgramCall(*Second, LI, Computes);
          if (!Computes && (!Third || !programCallee(*Third)))
            continue;
          if (json::Value Pair =
                  pairOf(*First, *Second, Computes ? std::string() : linkName(*programCallee(*Third)), Sources, U);
              Pair.getAsObject())
            Pairs.push_back(std::move(Pair));
        }
  }
  if (Phases.empty() && Pairs.empty())
    return nullptr;
  return json::Object{{"phases", std::move(Phases)}, {"pairs", std::move(Pairs)}};
}

namespace {

class PairLinker {
public:
  explicit PairLinker(ArrayRef<const stored::Object *> Phases) : Phases(Phases) {}

  std::optional<LinkFinding> judge(const stored::Object &Pair) {
    // A wait of MPI has no name of the program's.
    static const CallPhase Wait{.Waits = true};
    const CallPhase &Begin = Phases.of(text(Pair, "begin")),
                    &End = text(Pair, "end").empty() ? Wait : Phases.of(text(Pair, "end"));
    const std::string Next = text(Pair, "next");
    const std::optional<Place> Where = placeFromJson(*Pair.get("where"));
    if (!Where || !Begin.Starts || Begin.Waits || !End.Waits || End.Starts ||
        (!Next.empty() && (Phases.of(Next).talks() || !Phases.compute(Next))))
      return std::nullopt;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Where = *Where;
    F.Accesses = {*Where};
    F.Function = text(Pair, "function");
    F.ScopeBegin = unsigned(Pair.getInteger("first").value_or(Where->Line));
    F.ScopeEnd = unsigned(Pair.getInteger("last").value_or(Where->Line));
    const stored::Array &Names = *Pair.getArray("names");
    const ArgMap Called = {{"begin", Names[0].getAsString().value_or("").str()},
                           {"end", Names[1].getAsString().value_or("").str()}};
    F.Args = {{"wait", Called.at("end")},
              {"effect", variant(Slug, text(Pair, "end").empty() ? "begin_effect" : "pair_effect", Called)},
              {"remedy", variant(Slug, "part_pair", Called)}};
    if (const std::optional<Place> P = placeFromJson(*Pair.get("started")))
      F.Relateds.emplace_back(*P, "started here");
    return F;
  }

private:
  static std::string text(const stored::Object &O, StringRef Key) { return O.getString(Key).value_or("").str(); }

  CallPhases Phases;
};

} // namespace

std::vector<LinkFinding> linkPairs(ArrayRef<const stored::Object *> Facts) {
  std::vector<const stored::Object *> Phases;
  for (const stored::Object *O : Facts)
    if (const stored::Object *Each = O->getObject("phases"))
      Phases.push_back(Each);
  PairLinker Linker(Phases);
  std::vector<LinkFinding> Out;
  for (const stored::Object *O : Facts)
    if (const stored::Array *All = O->getArray("pairs"))
      for (const stored::Value &P : *All)
        if (const stored::Object *Pair = P.getAsObject())
          if (std::optional<LinkFinding> F = Linker.judge(*Pair))
            Out.push_back(std::move(*F));
  return Out;
}

} // namespace stridewise
