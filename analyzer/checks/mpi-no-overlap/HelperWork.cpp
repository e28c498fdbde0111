#include "checks/mpi-no-overlap/HelperWork.h"
#include "checks/mpi-no-overlap/StencilWork.h"
#include "mpi/CallPairs.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-no-overlap";
// Calls of one unit beyond which none is told, places where a wait's messages begin, and records that hold pointers to
// records.
constexpr std::size_t MostCalls = 200, MostStarts = 8;
constexpr unsigned MaxDepth = 4;

// Whether nothing but the function itself knows the variable.
bool isPrivate(const GlobalVariable &G, const Function &F) {
  SmallVector<const User *, 16> Work(G.user_begin(), G.user_end());
  while (!Work.empty()) {
    const User *Each = Work.pop_back_val();
    if (const auto *I = dyn_cast<Instruction>(Each)) {
      if (I->getFunction() != &F)
        return false;
    } else {
      Work.append(Each->user_begin(), Each->user_end());
    }
  }
  return G.hasLocalLinkage();
}

// Whether a function may come to a buffer by what it is handed, or by the name of a variable: by the array itself, or
// by the record that holds its address.
bool mayReach(const CallBase &Called, Value *Buffer, MpiFunction &M) {
  StrideEngine &E = M.engine();
  ScalarEvolution &SE = E.scalarEvolution();
  const SCEV *Base = SE.getPointerBase(E.rewrite(Buffer));
  for (unsigned Depth = 0; Depth < MaxDepth; ++Depth) {
    for (const Use &A : Called.args())
      if (A->getType()->isPointerTy()) {
        const SCEV *At = E.rewrite(A.get());
        if (Depth ? At == Base : SE.getPointerBase(At) == Base)
          return true;
      }
    const auto *Known = dyn_cast<SCEVUnknown>(Base);
    if (const auto *G = Known ? dyn_cast<GlobalVariable>(Known->getValue()) : nullptr)
      return !isPrivate(*G, M.function());
    const SCEV *Table = E.loadedFrom(Base);
    if (!Table)
      return false;
    Base = SE.getPointerBase(Table);
  }
  return true;
}

json::Object placeOfCall(const CallBase &C, const SourceFrame &At, Unit &U) {
  const Function &F = *C.getFunction();
  const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(const_cast<Function &>(F));
  const Place Scope = placeOf(U.ast(), At.scope());
  return json::Object{{"in", linkName(F)},
                      {"loop", LI.getLoopFor(C.getParent()) != nullptr},
                      {"where", toJson(placeOf(U.ast(), At.range()))},
                      {"function", At.function()},
                      {"first", Scope.Line},
                      {"last", Scope.EndLine}};
}

json::Array startsOf(const OverlapChance &C, SourceCalls &Sources, Unit &U) {
  json::Array Out;
  std::set<clang::SourceLocation> Said;
  for (const MpiSite *S : C.Starts)
    if (const std::vector<SourceFrame> Frames = Sources.frames(*S->Call);
        !Frames.empty() && Said.size() < MostStarts && Said.insert(Frames.front().Where).second)
      Out.push_back(toJson(placeOf(U.ast(), Frames.front().range())));
  return Out;
}

json::Value waitOf(MpiFunction &M, const OverlapChance &C, SourceCalls &Sources, Unit &U) {
  const std::vector<SourceFrame> Frames = Sources.frames(*C.Wait->Call);
  if (Frames.empty())
    return nullptr;
  // The function that does both: the one that waits alone has callers that work meanwhile.
  const auto StartsIn = [&](const SourceFrame &F) {
    return any_of(C.Starts, [&](const MpiSite *S) {
      return any_of(Sources.frames(*S->Call), [&](const SourceFrame &O) { return O.around() == F.around(); });
    });
  };
  const auto Both = find_if(Frames, StartsIn);
  json::Object Out = placeOfCall(*C.Wait->Call, Both == Frames.end() ? Frames.back() : *Both, U);
  Out["wait"] = C.Wait->Sig->Name;
  Out["started"] = startsOf(C, Sources, U);
  const NextWork Next = nextWork(*C.Wait->Call, M.engine().loops());
  const Function *Called = Next.Call ? programCallee(*Next.Call) : nullptr;
  const std::vector<SourceFrame> Behind = Called ? Sources.frames(*Next.Call) : std::vector<SourceFrame>();
  const auto Reaches = [&](const MpiSite *S) {
    Value *Into = S->arg(S->is(MpiSend) ? S->Sig->RecvBuffer : S->Sig->Buffer);
    return S->is(MpiRecv) && (!Into || mayReach(*Next.Call, Into, M));
  };
  if (!Behind.empty()) {
    Out["next"] = linkName(*Called);
    Out["name"] = calledName(Behind.front(), *Called);
    Out["line"] = placeOf(U.ast(), Behind.front().range()).Line;
    Out["apart"] = none_of(C.Starts, Reaches);
  }
  return Out;
}

// Whether the function's last message is that for which it waits there.
bool endsExchange(MpiFunction &M, const OverlapChance &C) {
  for (const MpiSite &S : reverse(M.sites()))
    if (!S.is(MpiQuery | MpiTimer))
      return S.Call == C.Wait->Call;
  return false;
}

json::Value stencilIn(Function &F, Unit &U, double MinIterations, const Loop *Within = nullptr) {
  for (const LoopNest &N : loopNests(F, U.analyses())) {
    if (Within && !Within->contains(N.inner()))
      continue;
    double Iterations = 1;
    for (const unsigned Trips : N.Trips)
      Iterations *= Trips ? Trips : HUGE_VAL;
    if (Iterations < MinIterations || !isStencil(N, StrideEngine::get(F, U.analyses())))
      continue;
    const clang::SourceLocation At = U.loopLocation(N.Loops.back());
    if (At.isInvalid())
      continue;
    return json::Object{{"where", toJson(placeOf(U.ast(), At))},
                        {"loop", loopVariable(N.Loops.back(), U)},
                        {"function", F.getName().str()}};
  }
  return nullptr;
}

// Calls behind which a stencil comes, or another call of the program.
json::Array callsIn(Function &F, SourceCalls &Sources, MpiEffects &Effects, Unit &U, double MinIterations) {
  json::Array Out;
  const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
  MpiFunction &M = MpiFunction::get(F, U.analyses());
  for (const BasicBlock &BB : F)
    for (const Instruction &I : counted(BB)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const Function *Called = C ? programCallee(*C) : nullptr;
      if (!Called || C->onlyReadsMemory() ||
          !(Called->isDeclaration() || (Effects.of(*C, M) & (effects::Message | effects::Unknown))))
        continue;
      const NextWork Next = nextWork(*C, LI);
      const Function *Then = Next.Call ? programCallee(*Next.Call) : nullptr;
      json::Value Work = Next.Loop ? stencilIn(F, U, MinIterations, Next.Loop) : json::Value(nullptr);
      const std::vector<SourceFrame> Frames =
          Then || Work.getAsObject() ? Sources.frames(*C) : std::vector<SourceFrame>();
      if (Frames.empty())
        continue;
      json::Object Each = placeOfCall(*C, Frames.front(), U);
      Each["of"] = linkName(*Called);
      Each["next"] = Then ? linkName(*Then) : std::string();
      Each["work"] = std::move(Work);
      Out.push_back(std::move(Each));
    }
  return Out;
}

} // namespace

json::Value helperFacts(ArrayRef<std::pair<MpiFunction *, OverlapChance>> Bare, SourceCalls &Sources, Unit &U,
                        double MinIterations) {
  json::Array Waits, Behind;
  json::Object Helpers, Stencils;
  MpiEffects Effects(U);
  for (const auto &[M, C] : Bare)
    if (json::Value Wait = waitOf(*M, C, Sources, U); Wait.getAsObject()) {
      if (endsExchange(*M, C))
        Helpers[linkName(M->function())] = Wait;
      if (Wait.getAsObject()->getString("next"))
        Waits.push_back(std::move(Wait));
    }
  for (Function &F : *U.ir())
    if (!F.isDeclaration()) {
      if (json::Value Stencil = stencilIn(F, U, MinIterations); Stencil.getAsObject())
        Stencils[linkName(F)] = std::move(Stencil);
      for (json::Value &Each : callsIn(F, Sources, Effects, U, MinIterations))
        if (Behind.size() < MostCalls)
          Behind.push_back(std::move(Each));
    }
  if (Waits.empty() && Helpers.empty() && Behind.empty() && Stencils.empty())
    return nullptr;
  return json::Object{{"waits", std::move(Waits)},
                      {"helpers", std::move(Helpers)},
                      {"behind", std::move(Behind)},
                      {"stencils", std::move(Stencils)}};
}

namespace {

std::string text(const stored::Object &O, StringRef Key) { return O.getString(Key).value_or("").str(); }

class HelperLinker {
public:
  HelperLinker(ArrayRef<const stored::Object *> Facts, ArrayRef<const stored::Object *> OfPhases) : Phases(OfPhases) {
    for (const stored::Object *O : Facts) {
      for (const auto &[Name, Wait] : *O->getObject("helpers"))
        Helpers.try_emplace(Name.str(), Wait.getAsObject());
      for (const auto &[Name, Stencil] : *O->getObject("stencils"))
        Stencils.try_emplace(Name.str(), Stencil.getAsObject());
    }
  }

  // A wait, and behind it a function that is handed nothing of what arrives.
  std::optional<LinkFinding> judge(const stored::Object &Wait) {
    const std::string Next = text(Wait, "next");
    if (!runsAgain(Wait) || Phases.of(Next).talks() || !Phases.work(Next))
      return std::nullopt;
    const auto Stencil = Stencils.find(Next);
    if (!Wait.getBoolean("apart").value_or(false))
      return Stencil == Stencils.end() ? std::nullopt : ofStencil(Wait, *Stencil->second, nullptr);
    const ArgMap Called = {{"next", text(Wait, "name")}, {"line", Wait.getInteger("line").value_or(0)}};
    return finding(Wait, variant(Slug, "call_effect", Called), variant(Slug, "move_call", Called));
  }

  // A call of a function that ends with a wait, and a stencil behind it.
  std::optional<LinkFinding> judgeCall(const stored::Object &Call) {
    const auto Helper = Helpers.find(text(Call, "of"));
    if (Helper == Helpers.end() || !runsAgain(Call))
      return std::nullopt;
    const std::string Next = text(Call, "next");
    const stored::Object *Work = Call.getObject("work");
    if (const auto Known = Stencils.find(Next); !Work && Known != Stencils.end() && !Phases.of(Next).talks())
      Work = Known->second;
    return Work ? ofStencil(*Helper->second, *Work, &Call) : std::nullopt;
  }

private:
  bool runsAgain(const stored::Object &Call) {
    return Call.getBoolean("loop").value_or(false) || Phases.runAgain(text(Call, "in"));
  }

  std::optional<LinkFinding> ofStencil(const stored::Object &Wait, const stored::Object &Stencil,
                                       const stored::Object *Call) {
    const std::optional<Place> Work = placeFromJson(*Stencil.get("where"));
    if (!Work)
      return std::nullopt;
    const std::string In = text(Stencil, "function");
    std::optional<LinkFinding> F = finding(
        Wait,
        variant(Slug, "step_effect",
                {{"loop", text(Stencil, "loop")}, {"procedure", In}, {"line", static_cast<std::int64_t>(Work->Line)}}),
        variant(Slug, "split_step", {{"procedure", In}}));
    if (!F)
      return std::nullopt;
    if (const std::optional<Place> At = Call ? placeFromJson(*Call->get("where")) : std::nullopt)
      F->Relateds.emplace_back(*At, "exchanged here, before that work");
    F->Relateds.emplace_back(*Work, "its interior could run before the wait");
    return F;
  }

  static std::optional<LinkFinding> finding(const stored::Object &Wait, const std::string &Effect,
                                            const std::string &Remedy) {
    const std::optional<Place> Where = placeFromJson(*Wait.get("where"));
    if (!Where)
      return std::nullopt;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Where = *Where;
    F.Accesses = {*Where};
    F.Function = text(Wait, "function");
    F.ScopeBegin = unsigned(Wait.getInteger("first").value_or(Where->Line));
    F.ScopeEnd = unsigned(Wait.getInteger("last").value_or(Where->Line));
    F.Args = {{"wait", text(Wait, "wait")}, {"effect", Effect}, {"remedy", Remedy}};
    for (const stored::Value &S : *Wait.getArray("started"))
      if (const std::optional<Place> P = placeFromJson(S))
        F.Relateds.emplace_back(*P, "started here");
    return F;
  }

  CallPhases Phases;
  std::map<std::string, const stored::Object *> Helpers, Stencils;
};

} // namespace

std::vector<LinkFinding> linkHelpers(ArrayRef<const stored::Object *> Facts, ArrayRef<const stored::Object *> Phases) {
  HelperLinker Linker(Facts, Phases);
  std::vector<LinkFinding> Out;
  std::set<std::tuple<std::string, unsigned, unsigned>> Said;
  const auto Add = [&](std::optional<LinkFinding> F) {
    if (F && Said.emplace(F->Where.File, F->Where.Line, F->Where.Column).second)
      Out.push_back(std::move(*F));
  };
  for (const stored::Object *O : Facts)
    for (const stored::Value &Wait : *O->getArray("waits"))
      Add(Linker.judge(*Wait.getAsObject()));
  for (const stored::Object *O : Facts)
    for (const stored::Value &Call : *O->getArray("behind"))
      Add(Linker.judgeCall(*Call.getAsObject()));
  return Out;
}

} // namespace stridewise
