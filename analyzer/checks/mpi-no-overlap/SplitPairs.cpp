#include "checks/mpi-no-overlap/SplitPairs.h"
#include "checks/mpi-no-overlap/StencilWork.h"
#include "mpi/CallPairs.h"
#include "mpi/MpiEffects.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <set>

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
    const auto *G = dyn_cast<GlobalVariable>(To.get());
    if (!To->getType()->isPointerTy() || (isa<Constant>(To) && (!G || G->isConstant())))
      return To.get() == &First;
    return To.get() == &First ||
           any_of(First.args(), [&](const Use &From) { return M.sameValue(From.get(), To.get()); });
  });
}

// What comes behind both calls: a call of the program, or a loop.
struct Behind {
  const Function *Called = nullptr;
  bool Stencil = false;
  std::set<unsigned> Touched; // arguments of the first call that point to what it is handed, or reads and writes
};

std::set<unsigned> touched(const CallBase &Begin, const NextWork &Next, Unit &U) {
  MpiFunction &M = MpiFunction::get(const_cast<Function &>(*Begin.getFunction()), U.analyses());
  StrideEngine &E = M.engine();
  // A record is another array than what it points to.
  const auto Base = [&](Value *P) {
    return Next.Loop ? M.baseOf(P, Next.Loop) : E.scalarEvolution().getPointerBase(E.rewrite(P));
  };
  std::set<const SCEV *> Bases;
  const auto Add = [&](Value *P) {
    if (!P || !P->getType()->isPointerTy() || !Bases.insert(Base(P)).second)
      return;
    // One that is there only if there are others to talk to.
    const auto *Known = dyn_cast<SCEVUnknown>(Base(P));
    if (const auto *Phi = Known ? dyn_cast<PHINode>(Known->getValue()) : nullptr)
      for (Value *Each : Phi->incoming_values())
        Bases.insert(Base(Each));
  };
  if (Next.Call)
    for (const Use &A : Next.Call->args())
      Add(A.get());
  else
    for (const BasicBlock *BB : Next.Loop->blocks())
      for (const Instruction &I : counted(*BB))
        Add(const_cast<Value *>(getLoadStorePointerOperand(&I)));
  std::set<unsigned> Out;
  for (unsigned K = 0; K < Begin.arg_size(); ++K)
    if (Value *A = Begin.getArgOperand(K); A->getType()->isPointerTy() && Bases.contains(Base(A)))
      Out.insert(K);
  return Out;
}

std::optional<Behind> behind(const CallBase &First, const CallBase &Second, const LoopInfo &LI, Unit &U) {
  const NextWork Next = nextWork(Second, LI);
  const Function *Called = Next.Call ? programCallee(*Next.Call) : nullptr;
  if (!Called && !Next.Loop)
    return std::nullopt;
  Function &F = const_cast<Function &>(*First.getFunction());
  return Behind{Called, Next.Loop && holdsStencil(*Next.Loop, F, U), touched(First, Next, U)};
}

json::Value pairOf(const CallBase &First, const CallBase &Second, const Behind &Next, SourceCalls &Sources, Unit &U) {
  const std::vector<SourceFrame> Begin = Sources.frames(First), End = Sources.frames(Second);
  if (Begin.empty() || End.empty() || Begin.front().around() != End.front().around())
    return nullptr;
  const SourceFrame &At = End.front();
  const Function *Ends = programCallee(Second);
  const Place Scope = placeOf(U.ast(), At.scope());
  const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(const_cast<Function &>(*First.getFunction()));
  return json::Object{{"begin", linkName(*programCallee(First))},
                      {"end", Ends ? linkName(*Ends) : std::string()},
                      {"next", Next.Called ? linkName(*Next.Called) : std::string()},
                      {"in", linkName(*First.getFunction())},
                      {"loop", LI.getLoopFor(First.getParent()) != nullptr},
                      {"stencil", Next.Stencil},
                      {"touched", json::Array(Next.Touched)},
                      {"started", toJson(placeOf(U.ast(), Begin.front().range()))},
                      {"where", toJson(placeOf(U.ast(), At.range()))},
                      {"function", At.function()},
                      {"first", Scope.Line},
                      {"last", Scope.EndLine},
                      {"names", json::Array{calledName(Begin.front(), *programCallee(First)),
                                            Ends ? calledName(At, *Ends) : findMpiCall(Second)->Name}}};
}

// The wait, or what ends the exchange, right behind the call that may begin it.
const CallBase *endOf(const CallBase &First, const LoopInfo &LI, MpiEffects &Effects, Unit &U) {
  const auto MayTalk = [&](const CallBase &C) {
    const Function *Callee = programCallee(C);
    MpiFunction &M = MpiFunction::get(const_cast<Function &>(*C.getFunction()), U.analyses());
    return Callee && (Callee->isDeclaration() || (Effects.of(C, M) & (effects::Message | effects::Unknown)));
  };
  if (First.onlyReadsMemory() || !MayTalk(First))
    return nullptr;
  const CallBase *Second = nextWork(First, LI).Call;
  const MpiSignature *Wait = Second ? findMpiCall(*Second) : nullptr;
  if (!Second || (Wait ? !Wait->waitsForAll() : !MayTalk(*Second)) || programCallee(*Second) == programCallee(First) ||
      !shareObject(First, *Second, U))
    return nullptr;
  return Second;
}

} // namespace

json::Value pairFacts(Unit &U, SourceCalls &Sources) {
  json::Object Phases = callPhases(U);
  json::Array Pairs;
  MpiEffects Effects(U);
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
    for (const BasicBlock &BB : F)
      for (const Instruction &I : counted(BB)) {
        const auto *First = dyn_cast<CallBase>(&I);
        const CallBase *Second =
            First && Pairs.size() < MostPairs && programCallee(*First) ? endOf(*First, LI, Effects, U) : nullptr;
        const std::optional<Behind> Next = Second ? behind(*First, *Second, LI, U) : std::nullopt;
        if (!Next)
          continue;
        if (json::Value Pair = pairOf(*First, *Second, *Next, Sources, U); Pair.getAsObject())
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
    static const CallPhase Wait = [] {
      CallPhase P;
      P.Waits = true;
      return P;
    }();
    const CallPhase &Begin = Phases.of(text(Pair, "begin")),
                    &End = text(Pair, "end").empty() ? Wait : Phases.of(text(Pair, "end"));
    const std::string Next = text(Pair, "next");
    const std::optional<Place> Where = placeFromJson(*Pair.get("where"));
    if (!Where || !Begin.Starts || Begin.Waits || !End.Waits || End.Starts ||
        (!Next.empty() && (Phases.of(Next).talks() || !Phases.compute(Next))) || !runsAgain(Pair) ||
        needsAll(Pair, Begin))
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
  bool runsAgain(const stored::Object &Pair) {
    return Pair.getBoolean("loop").value_or(false) || Phases.runAgain(text(Pair, "in"));
  }
  // What arrives lies by itself, and all that follows reads it.
  static bool needsAll(const stored::Object &Pair, const CallPhase &Begin) {
    return !Pair.getBoolean("stencil").value_or(false) &&
           any_of(*Pair.getArray("touched"),
                  [&](const stored::Value &K) { return Begin.Into.contains(unsigned(K.getAsInteger().value_or(0))); });
  }
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
