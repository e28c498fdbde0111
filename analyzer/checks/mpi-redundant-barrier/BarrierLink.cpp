#include "checks/mpi-redundant-barrier/BarrierLink.h"
#include "loops/CallHeat.h"
#include "unit/Catalogue.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {

using namespace effects;

static constexpr StringLiteral Slug = "mpi-redundant-barrier";

static json::Array names(const std::set<std::string> &Names) {
  json::Array Out;
  for (const std::string &N : Names)
    Out.push_back(N);
  return Out;
}

static json::Object toJson(const MpiEffects::Apart &A) {
  return json::Object{{"does", A.Bits}, {"calls", names(A.Foreign)}};
}

json::Object functionEffects(Unit &U, MpiEffects &Effects, bool Shares) {
  json::Object Out;
  Module *M = U.ir();
  if (!M)
    return Out;
  for (Function &F : *M) {
    // What the C++ library and other headers define says nothing that their callers do not.
    if (F.isDeclaration() || F.hasLocalLinkage() || F.hasLinkOnceODRLinkage() || F.hasAvailableExternallyLinkage())
      continue;
    const MpiEffects::Apart &A = Effects.of(F);
    Out[linkName(F)] = toJson({A.Bits | (Shares ? unsigned(Shared) : 0u), A.Foreign});
  }
  return Out;
}

void addRemedy(ArgMap &Args, BarrierVerdict V, const BarrierSide &Before, const BarrierSide &After) {
  const bool Timed = V == BarrierVerdict::Timed;
  const bool Files = (Before.Here | After.Here) & (Output | Unknown);
  Args["purpose"] = Timed ? variant(Slug, "clock") : std::string();
  Args["remedy"] = variant(Slug, !Timed ? "remove" : Files ? "time_files" : "time", Args);
}

static json::Object toJson(const BarrierSide &S) {
  json::Object Behind;
  for (const auto &[First, Next] : S.NearBehind)
    Behind[First] = toJson(Next);
  return json::Object{{"here", S.Here},
                      {"elsewhere", S.Elsewhere},
                      {"beside", S.OutputBeside},
                      {"clock", S.ClockBeside},
                      {"next", names(S.ForeignBeside)},
                      {"near", toJson(S.Near)},
                      {"behind", std::move(Behind)},
                      {"calls", names(S.ForeignHere)},
                      {"others", names(S.ForeignElsewhere)}};
}

json::Value toJson(const JudgedBarrier &J, const LinkFinding &F, StringRef Called) {
  json::Object Args;
  for (const auto &[Name, V] : F.Args)
    if (const auto *Text = std::get_if<std::string>(&V))
      Args[Name] = *Text;
  json::Array Relateds;
  for (const auto &[Where, Label] : F.Relateds)
    Relateds.push_back(json::Object{{"where", toJson(Where)}, {"label", Label}});
  return json::Object{{"where", toJson(F.Where)},       {"function", F.Function},
                      {"begin", F.ScopeBegin},          {"end", F.ScopeEnd},
                      {"confidence", int(F.Conf)},      {"args", std::move(Args)},
                      {"related", std::move(Relateds)}, {"loop", J.Around != nullptr},
                      {"works", J.Untimed.Works},       {"untimed", names(J.Untimed.Foreign)},
                      {"called", Called.str()},         {"before", toJson(J.Before)},
                      {"after", toJson(J.After)}};
}

namespace {

class BarrierLinker {
public:
  explicit BarrierLinker(ArrayRef<stored::Value> Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Object *Functions = O->getObject("functions"))
          for (const auto &[Name, F] : *Functions)
            ByName.try_emplace(Name.str(), F.getAsObject());
    std::vector<const stored::Value *> Calls;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Value *Each = O->get("heat"))
          Calls.push_back(Each);
    Hot = hotFunctions(Calls);
  }

  std::optional<LinkFinding> judge(const stored::Object &B) {
    std::optional<Place> Where = placeFromJson(*B.get("where"));
    if (!Where)
      return std::nullopt;
    BarrierSide Before = side(*B.getObject("before")), After = side(*B.getObject("after"));
    const BarrierVerdict V = decide(Before, After, use(B), /*Whole=*/true);
    if (V < BarrierVerdict::Doubtful)
      return std::nullopt;
    LinkFinding F;
    F.Where = *Where;
    F.Accesses = {*Where}; // the loop around it may hold other barriers
    F.Function = B.getString("function").value_or("").str();
    F.ScopeBegin = unsigned(B.getInteger("begin").value_or(0));
    F.ScopeEnd = unsigned(B.getInteger("end").value_or(0));
    F.Conf = V == BarrierVerdict::Doubtful ? Confidence::Low
             : V == BarrierVerdict::Timed  ? Confidence::Medium
                                           : Confidence(B.getInteger("confidence").value_or(0));
    for (const auto &[Name, Text] : *B.getObject("args"))
      F.Args[Name.str()] = Text.getAsString().value_or("").str();
    addRemedy(F.Args, V, Before, After);
    for (const stored::Value &R : *B.getArray("related"))
      if (std::optional<Place> P = placeFromJson(*R.getAsObject()->get("where")))
        F.Relateds.emplace_back(*P, R.getAsObject()->getString("label").value_or("").str());
    return F;
  }

private:
  unsigned effectsOf(StringRef Name) {
    auto [It, New] = Effects.try_emplace(Name.str(), 0);
    if (!New)
      return It->second;
    auto F = ByName.find(Name.str());
    if (F == ByName.end())
      return It->second = Unknown;
    const unsigned E = effectsOf(*F->second);
    return Effects[Name.str()] = E;
  }
  unsigned effectsOf(const stored::Object &Apart) {
    unsigned E = unsigned(Apart.getInteger("does").value_or(Unknown));
    for (const stored::Value &Callee : *Apart.getArray("calls"))
      E |= effectsOf(Callee.getAsString().value_or(""));
    return E;
  }

  BarrierUse use(const stored::Object &B) {
    BarrierUse Use{B.getBoolean("loop").value_or(false), B.getBoolean("works").value_or(false)};
    if (!Use.InLoop)
      Use.Steps = Hot.contains(B.getString("called").value_or("").str());
    for (const stored::Value &F : *B.getArray("untimed")) {
      const unsigned E = effectsOf(F.getAsString().value_or(""));
      Use.Steps |= !isTimer(E) && (E & (Work | Message));
    }
    return Use;
  }

  BarrierSide side(const stored::Object &O) {
    BarrierSide S;
    S.Here = unsigned(O.getInteger("here").value_or(0));
    S.Elsewhere = unsigned(O.getInteger("elsewhere").value_or(0));
    S.OutputBeside = O.getBoolean("beside").value_or(false);
    S.ClockBeside = O.getBoolean("clock").value_or(false);
    for (const stored::Value &F : *O.getArray("next"))
      S.ClockBeside |= isTimer(effectsOf(F.getAsString().value_or("")));
    S.Near.Bits = effectsOf(*O.getObject("near"));
    for (const auto &[First, Next] : *O.getObject("behind"))
      if (isTimer(effectsOf(First)))
        S.Near.Bits |= effectsOf(*Next.getAsObject());
    for (const stored::Value &F : *O.getArray("calls")) {
      unsigned E = effectsOf(F.getAsString().value_or(""));
      S.Here |= E;
      S.OutputBeside |= (E & Output) != 0; // on which side of its messages is not told
    }
    for (const stored::Value &F : *O.getArray("others"))
      S.Elsewhere |= effectsOf(F.getAsString().value_or(""));
    return S;
  }

  std::map<std::string, const stored::Object *> ByName;
  std::map<std::string, unsigned> Effects;
  std::set<std::string> Hot;
};

} // namespace

std::vector<LinkFinding> linkBarriers(ArrayRef<stored::Value> Summaries) {
  BarrierLinker Linker(Summaries);
  // A barrier of a helper is judged at each place where the helper is called: all of them must do without it.
  std::map<std::tuple<std::string, unsigned, unsigned>, std::optional<LinkFinding>> Found;
  for (const stored::Value &V : Summaries)
    if (const stored::Object *O = V.getAsObject())
      if (const stored::Array *Barriers = O->getArray("barriers"))
        for (const stored::Value &B : *Barriers)
          if (std::optional<Place> Where = placeFromJson(*B.getAsObject()->get("where"))) {
            std::optional<LinkFinding> F = Linker.judge(*B.getAsObject());
            auto [It, New] = Found.try_emplace({Where->File, Where->Line, Where->Column}, F);
            if (!New && !F)
              It->second.reset();
          }
  std::vector<LinkFinding> Out;
  for (auto &[Where, F] : Found)
    if (F)
      Out.push_back(std::move(*F));
  return Out;
}

} // namespace stridewise
