#include "checks/mpi-no-overlap/ExchangeSteps.h"
#include "checks/mpi-no-overlap/StencilWork.h"
#include "fortran/FortranCalls.h"
#include "loops/CallHeat.h"
#include "loops/LoopNest.h"
#include "loops/LoopPlaces.h"
#include "mpi/SourceCalls.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Reporter.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-no-overlap";
// Calls that are followed in either direction.
constexpr unsigned MaxDepth = 5;

double iterations(const LoopNest &N) {
  double Out = 1;
  for (unsigned Trips : N.Trips)
    Out *= Trips ? Trips : HUGE_VAL;
  return Out;
}

json::Object stencils(Unit &U, double MinIterations) {
  json::Object Out;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    for (const LoopNest &N : loopNests(F, U.analyses())) {
      if (iterations(N) < MinIterations || !isStencil(N, StrideEngine::get(F, U.analyses())))
        continue;
      if (const std::optional<LoopPlace> At = loopPlace(N.Loops.back(), U)) {
        Out[callName(F)] = json::Object{
            {"where", toJson(placeOf(U.ast(), At->Header))}, {"loop", At->Counter}, {"function", At->Function}};
        break;
      }
    }
  }
  return Out;
}

// Calls by caller, in the order of the text, each with what is called behind it: those of procedures that some unit may
// follow.
json::Object orderOf(const FortranCalls &Calls) {
  using Each = std::pair<const std::string *, const FortranSequel *>;
  std::map<std::string, std::vector<Each>> ByCaller;
  for (const auto &[Names, S] : Calls.Sequels)
    ByCaller[Names.first].emplace_back(&Names.second, &S);
  json::Object Out;
  for (auto &[Caller, All] : ByCaller) {
    sort(All, [](const Each &A, const Each &B) { return A.second->Line < B.second->Line; });
    json::Array Said;
    for (const auto &[Callee, S] : All)
      Said.push_back(json::Object{
          {"to", *Callee}, {"line", S->Line}, {"first", json::Array(S->First)}, {"last", json::Array(S->Last)}});
    Out[Caller] = std::move(Said);
  }
  return Out;
}

} // namespace

// Whether one call of the procedure stands for messages and wait: then it is the called procedure's exchange.
static bool isOfHelper(const OverlapChance &C, ArrayRef<SourceFrame> Wait, SourceCalls &Sources) {
  return Wait.size() > 1 && all_of(C.Starts, [&](const MpiSite *S) {
           const std::vector<SourceFrame> Start = Sources.frames(*S->Call);
           return Start.size() > 1 && Start.back().Where == Wait.back().Where;
         });
}

json::Value stepFacts(Unit &U, json::Array Exchanges, double MinIterations) {
  if (!U.ir())
    return nullptr;
  json::Array Talks;
  for (MpiFunction *M : mpiFunctions(U))
    if (any_of(M->sites(), [](const MpiSite &S) { return S.is(MpiSend | MpiRecv | MpiCollective); }))
      Talks.push_back(callName(M->function()));
  const clang::SourceManager &SM = U.sources();
  const clang::OptionalFileEntryRef File = SM.getFileEntryRefForID(SM.getMainFileID());
  return json::Object{{"file", File ? File->getName().str() : std::string()},
                      {"calls", fortranCallEdges(U)},
                      {"order", orderOf(fortranCalls(U))},
                      {"talks", std::move(Talks)},
                      {"stencils", stencils(U, MinIterations)},
                      {"exchanges", std::move(Exchanges)}};
}

static std::string calledAs(const DISubprogram *P, Unit &U) {
  const auto Known = fortranCalls(U).Names.find(P);
  return Known == fortranCalls(U).Names.end() ? std::string() : Known->second;
}

json::Value exchangeOf(ArrayRef<OverlapChance> Waits, MpiFunction &M, SourceCalls &Sources, Unit &U) {
  const std::vector<SourceFrame> First = Sources.frames(*Waits.front().Wait->Call),
                                 Last = Sources.frames(*Waits.back().Wait->Call);
  if (First.empty() || Last.empty() || any_of(First, [](const SourceFrame &F) { return F.Statement->InTeam; }) ||
      isOfHelper(Waits.front(), First, Sources))
    return nullptr;
  json::Array Started;
  std::set<clang::SourceLocation> Said;
  for (const MpiSite *S : Waits.front().Starts) {
    const std::vector<SourceFrame> Frames = Sources.frames(*S->Call);
    if (!Frames.empty() && Said.size() < 8 && Said.insert(Frames.back().Where).second)
      Started.push_back(toJson(placeOf(U.ast(), Frames.back().range())));
  }
  const Place Scope = placeOf(U.ast(), First.back().scope());
  return json::Object{{"where", toJson(placeOf(U.ast(), First.back().range()))},
                      {"wait", Waits.front().Wait->Sig->Name},
                      {"procedure", callName(M.function())},
                      {"function", First.back().function()},
                      {"begin", Scope.Line},
                      {"end", Scope.EndLine},
                      {"behind", Last.size() > 1 ? calledAs(Last[Last.size() - 2].Procedure, U)
                                                 : std::string(Waits.back().Wait->Sig->Name)},
                      {"started", std::move(Started)}};
}

namespace {

class StepLinker {
public:
  explicit StepLinker(ArrayRef<const stored::Object *> Summaries) {
    std::vector<const stored::Value *> Edges;
    for (const stored::Object *O : Summaries) {
      if (const stored::Value *Calls = O->get("calls"))
        Edges.push_back(Calls);
      const std::string File = O->getString("file").value_or("").str();
      if (const stored::Array *All = O->getArray("talks"))
        for (const stored::Value &Name : *All)
          procedure(Name.getAsString().value_or(""), File).Talks = true;
      if (const stored::Object *All = O->getObject("stencils"))
        for (const auto &[Name, S] : *All)
          procedure(Name, File).Stencil = S.getAsObject();
      if (const stored::Object *All = O->getObject("order"))
        for (const auto &[Caller, Calls] : *All)
          addOrder(Caller, File, *Calls.getAsArray());
    }
    Steps = hotFunctions(Edges);
  }

  std::optional<LinkFinding> judge(const stored::Object &Exchange) {
    const std::string In = Exchange.getString("procedure").value_or("").str();
    const std::optional<Place> Where = placeFromJson(*Exchange.get("where"));
    if (!Where || !Steps.contains(In))
      return std::nullopt;
    Near = Where->File;
    Quiet.clear();
    Asked.clear();
    Through = {};
    const stored::Object *Stencil = nullptr;
    const StringRef Wait = Exchange.getString("behind").value_or("");
    const Procedure *Own = find(In);
    const auto *Sequel = Own ? find_if(Own->Calls, [&](const Call &C) { return C.To == Wait; }) : nullptr;
    if (!Own || Sequel == Own->Calls.end())
      return std::nullopt;
    if (look(Sequel->Last, 0, Stencil) == Next::Nothing)
      lookInCallers(In, 0, Stencil);
    const std::optional<Place> Work = Stencil ? placeFromJson(*Stencil->get("where")) : std::nullopt;
    if (!Work)
      return std::nullopt;
    LinkFinding F = finding(Exchange, *Where, *Stencil, *Work);
    if (Through.Line)
      F.Relateds.emplace_back(Through, "exchanged here, before that work");
    return F;
  }

private:
  struct Call {
    std::string To;
    unsigned Line = 0;
    std::vector<std::string> First, Last; // what is called behind
  };
  // As one unit defines it.
  struct Procedure {
    std::string File;
    bool Talks = false;
    const stored::Object *Stencil = nullptr;
    SmallVector<Call, 0> Calls{};
  };
  enum class Next { Nothing, Stencil, Message };

  Procedure &procedure(StringRef Name, const std::string &File) {
    std::vector<Procedure> &All = Procedures[Name.str()];
    if (All.empty() || All.back().File != File)
      All.push_back({File});
    return All.back();
  }
  // Where several programs are read together, and each has one of the name: the one whose file lies nearest to that of
  // the exchange.
  const Procedure *find(const std::string &Name) const {
    const auto Known = Procedures.find(Name);
    if (Known == Procedures.end())
      return nullptr;
    const auto Shared = [&](const Procedure &P) {
      return std::mismatch(P.File.begin(), P.File.end(), Near.begin(), Near.end()).first - P.File.begin();
    };
    return &*std::max_element(Known->second.begin(), Known->second.end(),
                              [&](const Procedure &A, const Procedure &B) { return Shared(A) < Shared(B); });
  }

  void addOrder(StringRef Caller, const std::string &File, const stored::Array &All) {
    Procedure &P = procedure(Caller, File);
    for (const stored::Value &V : All)
      if (const stored::Object *O = V.getAsObject()) {
        const auto Names = [&](StringRef Key) {
          std::vector<std::string> Out;
          for (const stored::Value &Name : *O->getArray(Key))
            Out.push_back(Name.getAsString().value_or("").str());
          return Out;
        };
        Call C{O->getString("to").value_or("").str(), unsigned(O->getInteger("line").value_or(0)), Names("first"),
               Names("last")};
        Callers[C.To].insert(Caller.str());
        P.Calls.push_back(std::move(C));
      }
  }

  // What comes first, of those that are called one after the other: work that has an interior, or the next message.
  Next look(ArrayRef<std::string> Called, unsigned Depth, const stored::Object *&Found) {
    for (const std::string &Name : Called) {
      const MpiSignature *Sig = findMpiCall(Name);
      const Procedure *P = find(Name);
      if ((P && P->Talks) || (Sig && Sig->is(MpiSend | MpiRecv | MpiCollective)))
        return Next::Message;
      if (P && P->Stencil) {
        Found = P->Stencil;
        return Next::Stencil;
      }
      if (Depth >= MaxDepth || !P || !Quiet.insert(Name).second)
        continue;
      std::vector<std::string> Names;
      for (const Call &C : P->Calls)
        Names.push_back(C.To);
      if (const Next Met = look(Names, Depth + 1, Found); Met != Next::Nothing)
        return Met;
    }
    return Next::Nothing;
  }

  void lookInCallers(const std::string &Name, unsigned Depth, const stored::Object *&Found) {
    const auto From = Callers.find(Name);
    if (From == Callers.end() || Depth >= MaxDepth)
      return;
    for (const std::string &Caller : From->second) {
      if (Found || !Asked.insert({Caller, Name}).second || (Caller != "main" && !Steps.contains(Caller)))
        continue;
      Next Met = Next::Nothing;
      const Procedure *P = find(Caller);
      for (const Call &C : P ? ArrayRef<Call>(P->Calls) : ArrayRef<Call>())
        if (C.To == Name)
          for (const auto *Sequel : {&C.First, &C.Last})
            if (Met = look(*Sequel, 0, Found); Found) {
              Through.File = P->File;
              Through.Line = C.Line;
              Through.Column = 1;
              return;
            }
      if (Met == Next::Nothing)
        lookInCallers(Caller, Depth + 1, Found);
    }
  }

  static LinkFinding finding(const stored::Object &Exchange, const Place &Where, const stored::Object &Stencil,
                             const Place &Work) {
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Where = Where;
    F.Accesses = {Where};
    F.Function = Exchange.getString("function").value_or("").str();
    F.ScopeBegin = unsigned(Exchange.getInteger("begin").value_or(Where.Line));
    F.ScopeEnd = unsigned(Exchange.getInteger("end").value_or(Where.Line));
    const std::string Loop = Stencil.getString("loop").value_or("").str(),
                      In = Stencil.getString("function").value_or("").str();
    F.Args = {{"wait", Exchange.getString("wait").value_or("").str()},
              {"effect", variant(Slug, "step_effect",
                                 {{"loop", Loop}, {"procedure", In}, {"line", static_cast<std::int64_t>(Work.Line)}})},
              {"remedy", variant(Slug, "split_step", {{"procedure", In}})}};
    for (const stored::Value &S : *Exchange.getArray("started"))
      if (const std::optional<Place> P = placeFromJson(S))
        F.Relateds.emplace_back(*P, "started here");
    F.Relateds.emplace_back(Work, "its interior could run before the wait");
    return F;
  }

  std::set<std::string> Steps;
  std::map<std::string, std::vector<Procedure>> Procedures;
  Place Through;               // the call from where the work follows
  std::string Near;            // the file of the exchange that is judged
  std::set<std::string> Quiet; // procedures that were looked through for it, with no stencil nor message found
  std::set<std::pair<std::string, std::string>> Asked;
  std::map<std::string, std::set<std::string>> Callers;
};

} // namespace

std::vector<LinkFinding> linkSteps(ArrayRef<const stored::Object *> Summaries) {
  StepLinker Linker(Summaries);
  std::vector<LinkFinding> Out;
  for (const stored::Object *O : Summaries)
    if (const stored::Array *All = O->getArray("exchanges"))
      for (const stored::Value &E : *All)
        if (const stored::Object *Exchange = E.getAsObject())
          if (std::optional<LinkFinding> F = Linker.judge(*Exchange))
            Out.push_back(std::move(*F));
  return Out;
}

} // namespace stridewise
