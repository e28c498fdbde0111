#include "checks/mpi-redundant-barrier/BarrierLink.h"
#include "library/LibraryCalls.h"
#include "loops/CallHeat.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
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
  return json::Object{{"does", A.Bits}, {"calls", names(A.Foreign)}, {"alone", names(A.Alone)}};
}

// A function of the program that is called.
static const Function *ownCallee(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  const auto *F = C ? dyn_cast<Function>(C->getCalledOperand()->stripPointerCasts()) : nullptr;
  return F && !F->isIntrinsic() && !findMpiCall(*C) && !findLibraryCall(F) ? F : nullptr;
}

// A function of a library that only computes, or frees what was allocated.
static bool isQuiet(const Function &F) {
  const LibraryCall *Known = findLibraryCall(&F);
  return Known && Known->onlyDoes(LibPure | LibMemory | LibState);
}

// Functions of which other units know.
static bool isTold(const Function &F) { return !F.hasLocalLinkage() && !F.hasLinkOnceODRLinkage(); }

namespace {
struct CallPaths {
  json::Array Loops, Outside, Escaping;
  void add(Function &F, Unit &U, MpiEffects &Effects) {
    const LoopInfo &Around = U.analyses().getResult<LoopAnalysis>(F);
    std::map<const Loop *, MpiEffects::Apart> Each;
    for (BasicBlock &BB : F) {
      const Loop *L = Around.getLoopFor(&BB);
      if (isErrorPath(BB))
        continue;
      for (const Instruction &I : counted(BB)) {
        const Function *Callee = ownCallee(I);
        if (!L && Callee)
          Outside.push_back(json::Array{linkName(*Callee), linkName(F)});
        else if (L && Callee && isTold(*Callee))
          Each[L->getOutermostLoop()].add(linkName(*Callee), isOfOneRank(I, F, U));
        else if (L)
          Effects.add(I, F, Each[L->getOutermostLoop()]);
        if (L && Callee && !isTold(*Callee))
          Escaping.push_back(linkName(*Callee));
      }
    }
    for (const auto &[L, A] : Each)
      if (!A.Foreign.empty())
        Loops.push_back(toJson(A));
  }
};
} // namespace

json::Object callPaths(Unit &U, MpiEffects &Effects) {
  CallPaths Out;
  Module *M = U.ir();
  for (Function &F : M ? M->functions() : make_range(Module::iterator(), Module::iterator())) {
    if (F.hasAddressTaken())
      Out.Escaping.push_back(linkName(F));
    if (!F.isDeclaration())
      Out.add(F, U, Effects);
  }
  return json::Object{
      {"loops", std::move(Out.Loops)}, {"outside", std::move(Out.Outside)}, {"escaping", std::move(Out.Escaping)}};
}

namespace {
// Virtual functions that the unit defines: a table of which the IR need not show the initial values has their
// addresses.
class VirtualFunctions : public clang::RecursiveASTVisitor<VirtualFunctions> {
public:
  explicit VirtualFunctions(Unit &U) : Namer(U.ast()), Sources(U.sources()) {
    TraverseDecl(U.ast().getTranslationUnitDecl());
  }
  bool VisitCXXMethodDecl(clang::CXXMethodDecl *D) {
    if (D->isVirtual() && D->isThisDeclarationADefinition() && !D->isDependentContext() &&
        !isa<clang::CXXDestructorDecl>(D) && !Sources.isInSystemHeader(D->getLocation()))
      Names.insert(Namer.getName(D));
    return true;
  }
  std::set<std::string> Names;

private:
  clang::ASTNameGenerator Namer;
  const clang::SourceManager &Sources;
};
} // namespace

json::Object pointerTargets(Unit &U) {
  std::map<std::string, json::Array> ByType;
  Module *M = U.ir();
  const std::set<std::string> Virtual =
      M && !U.isFortran() && U.ast().getLangOpts().CPlusPlus ? VirtualFunctions(U).Names : std::set<std::string>();
  for (Function &F : M ? M->functions() : make_range(Module::iterator(), Module::iterator()))
    if ((F.hasAddressTaken() || Virtual.contains(F.getName().str())) && !F.isIntrinsic() && !isQuiet(F))
      ByType[pointerName(*F.getFunctionType())].push_back(linkName(F));
  json::Object Out;
  for (auto &[Type, Names] : ByType)
    Out[Type] = std::move(Names);
  return Out;
}

json::Object functionEffects(Unit &U, MpiEffects &Effects, bool Shares) {
  json::Object Out;
  Module *M = U.ir();
  if (!M)
    return Out;
  for (Function &F : *M) {
    // What the C++ library and other headers define says nothing that their callers do not, unless they come to it
    // through a pointer.
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || (!isTold(F) && !F.hasAddressTaken()))
      continue;
    const MpiEffects::Apart &A = Effects.of(F);
    Out[linkName(F)] = toJson({A.Bits | (Shares ? unsigned(Shared) : 0u), A.Foreign, A.Alone});
  }
  return Out;
}

void addRemedy(ArgMap &Args, BarrierVerdict V, const BarrierSide &Before, const BarrierSide &After) {
  const bool Timed = V == BarrierVerdict::Timed;
  const bool OfFiles = (Before.Here | After.Here) & (Output | Unknown | Files);
  Args["purpose"] = Timed ? variant(Slug, "clock") : std::string();
  Args["remedy"] = variant(Slug, !Timed ? "remove" : OfFiles ? "time_files" : "time", Args);
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
                      {"calls", toJson(S.CallsHere)},
                      {"others", toJson(S.CallsElsewhere)}};
}

json::Value toJson(const JudgedBarrier &J, const LinkFinding &F, StringRef Called) {
  json::Object Args;
  for (const auto &[Name, V] : F.Args)
    if (const auto *Text = std::get_if<std::string>(&V))
      Args[Name] = *Text;
  json::Array Relateds;
  for (const auto &[Where, Label] : F.Relateds)
    Relateds.push_back(json::Object{{"where", toJson(Where)}, {"label", Label}});
  return json::Object{{"where", toJson(F.Where)},
                      {"function", F.Function},
                      {"begin", F.ScopeBegin},
                      {"end", F.ScopeEnd},
                      {"confidence", int(F.Conf)},
                      {"args", std::move(Args)},
                      {"related", std::move(Relateds)},
                      {"loop", J.Around != nullptr},
                      {"works", J.Untimed.Works},
                      {"untimed", names(J.Untimed.Foreign)},
                      {"called", Called.str()},
                      {"before", toJson(J.Before)},
                      {"after", toJson(J.After)},
                      {"inside", linkName(*J.Barrier->Call->getFunction())},
                      {"told", J.Verdict == BarrierVerdict::Doubtful && !J.Before.isForeign() && !J.After.isForeign()}};
}

namespace {

class BarrierLinker {
public:
  explicit BarrierLinker(ArrayRef<stored::Value> Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        addFunctions(*O);
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        if (const stored::Object *P = O->getObject("paths"))
          addPaths(*P);
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
    BarrierVerdict V = decide(Before, After, use(B), /*Whole=*/true);
    const bool Open =
        V == BarrierVerdict::Doubtful && !B.getBoolean("loop").value_or(false) && (Before.Here & After.Here & Boundary);
    const std::string Inside = B.getString("inside").value_or("").str();
    const bool Calm = Open && areSteps(Inside, [&](const stored::Object &L, StringRef Callee) {
                        return isCalm(L, Callee, Callee == Inside);
                      });
    const bool Ends =
        Open && !Calm && endsExchange(Before, After) &&
        areSteps(
            Inside, [&](const stored::Object &L, StringRef) { return !(effectsOf(L) & (Shared | Wildcard)); },
            /*Mostly=*/true);
    if (V < BarrierVerdict::Doubtful || (B.getBoolean("told").value_or(false) && !Calm && !Ends))
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
    if (Calm || Ends)
      F.Conf = Confidence::Medium;
    if (Calm)
      F.Args["condition"] = std::string();
    addRemedy(F.Args, V, Before, After);
    for (const stored::Value &R : *B.getArray("related"))
      if (std::optional<Place> P = placeFromJson(*R.getAsObject()->get("where")))
        F.Relateds.emplace_back(*P, R.getAsObject()->getString("label").value_or("").str());
    return F;
  }

private:
  void addFunctions(const stored::Object &Summary) {
    Shares |= Summary.getBoolean("shares").value_or(false);
    if (const stored::Object *Functions = Summary.getObject("functions"))
      for (const auto &[Name, F] : *Functions)
        ByName.try_emplace(Name.str(), F.getAsObject());
    if (const stored::Object *Types = Summary.getObject("pointers"))
      for (const auto &[Type, Names] : *Types)
        for (StringRef Name : strings(*Names.getAsArray()))
          Targets[Type.str()].insert(Name.str());
  }

  // What the program does atomically is a matter of threads, where no unit shares memory between ranks.
  unsigned known(unsigned Bits) const {
    return (Bits & ~unsigned(Atomic)) | (!(Bits & Atomic) ? 0u : unsigned(Shares ? Shared : Work));
  }

  // Through all calls.
  unsigned effectsOf(StringRef Name) {
    auto [It, New] = Effects.try_emplace(Name.str(), 0);
    if (!New)
      return It->second;
    unsigned E = 0;
    std::set<std::pair<std::string, bool>> Seen{{Name.str(), false}}; // with whether rank 0 alone comes there
    std::vector<std::pair<std::string, bool>> Work{{Name.str(), false}};
    const auto Enter = [&](StringRef Callee, bool One) {
      if (Meter::spend() && Seen.emplace(Callee.str(), One).second)
        Work.emplace_back(Callee.str(), One);
    };
    while (!Work.empty()) {
      const auto [Each, One] = std::move(Work.back());
      Work.pop_back();
      if (const auto Pointed = Targets.find(Each); Pointed != Targets.end()) {
        for (const std::string &Target : Pointed->second)
          Enter(Target, One);
        continue;
      }
      const auto F = ByName.find(Each);
      const unsigned Own = F == ByName.end() ? unsigned(Unknown) : known(does(*F->second));
      E |= One ? ofOneRank(Own) : Own;
      if (F == ByName.end())
        continue;
      const std::set<StringRef> Alone = strings(*F->second->getArray("alone"));
      for (StringRef Callee : strings(*F->second->getArray("calls")))
        Enter(Callee, One || Alone.contains(Callee));
    }
    return Effects[Name.str()] = E;
  }
  static unsigned does(const stored::Object &Apart) { return unsigned(Apart.getInteger("does").value_or(Unknown)); }
  unsigned effectsOf(const stored::Object &Apart) { return known(does(Apart)) | effectsOfCalls(Apart); }
  unsigned effectsOfCalls(const stored::Object &Apart, StringRef Without = "") {
    const std::set<StringRef> Alone = strings(*Apart.getArray("alone"));
    unsigned E = 0;
    for (StringRef Callee : strings(*Apart.getArray("calls")))
      if (Without.empty() || Callee != Without)
        E |= Alone.contains(Callee) ? ofOneRank(effectsOf(Callee)) : effectsOf(Callee);
    return E;
  }
  static std::set<StringRef> strings(const stored::Array &A) {
    std::set<StringRef> Out;
    for (const stored::Value &V : A)
      Out.insert(V.getAsString().value_or(""));
    return Out;
  }

  void addPaths(const stored::Object &Paths) {
    for (const stored::Value &L : *Paths.getArray("loops"))
      for (StringRef Callee : strings(*L.getAsObject()->getArray("calls")))
        LoopsOver[Callee.str()].push_back(L.getAsObject());
    for (const stored::Value &Call : *Paths.getArray("outside"))
      CallersOf[(*Call.getAsArray())[0].getAsString().value_or("").str()].insert(
          (*Call.getAsArray())[1].getAsString().value_or("").str());
    for (StringRef F : strings(*Paths.getArray("escaping")))
      Escaping.insert(F.str());
  }

  // Whether the barrier is the last thing that a function does which exchanges messages: what has come has come.
  static bool endsExchange(const BarrierSide &Before, const BarrierSide &After) {
    return (Before.Here & Message) && (Before.Here & effects::Work) && !(Before.Here & ToOneRank) &&
           After.Here == Boundary;
  }

  // Whether the function is called in loops alone, and all of them are what is asked for. `Mostly`: also by the main
  // program before and behind its loops.
  bool areSteps(const std::string &Barrier, function_ref<bool(const stored::Object &, StringRef Callee)> Fits,
                bool Mostly = false) {
    std::set<std::string> Seen{Barrier};
    bool Steps = false;
    std::vector<std::string> Work{Barrier};
    while (!Work.empty()) {
      const std::string F = std::move(Work.back());
      Work.pop_back();
      auto Loops = LoopsOver.find(F);
      auto Callers = CallersOf.find(F);
      if (Mostly && F == "main")
        continue;
      if (Escaping.contains(F) || (Loops == LoopsOver.end() && Callers == CallersOf.end()))
        return false;
      Steps |= Loops != LoopsOver.end();
      if (Loops != LoopsOver.end() && !all_of(Loops->second, [&](const stored::Object *L) { return Fits(*L, F); }))
        return false;
      if (Callers != CallersOf.end())
        for (const std::string &Caller : Callers->second)
          if (Seen.insert(Caller).second)
            Work.push_back(Caller);
    }
    return Steps;
  }
  // Where ranks send to one of them, another synchronisation than the barrier keeps that one from being flooded.
  bool isCalm(const stored::Object &L, StringRef Callee, bool HoldsBarrier) {
    const unsigned E = effectsOf(L);
    const unsigned Others = known(does(L)) | effectsOfCalls(L, Callee);
    return (E & effects::Work) && (E & Message) && !(E & (Unknown | Files | Output | Shared | Wildcard | Clock)) &&
           (!(E & ToOneRank) || (HoldsBarrier && (Others & Meeting)));
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
    S.Here = known(unsigned(O.getInteger("here").value_or(0)));
    S.Elsewhere = known(unsigned(O.getInteger("elsewhere").value_or(0)));
    S.OutputBeside = O.getBoolean("beside").value_or(false);
    S.ClockBeside = O.getBoolean("clock").value_or(false);
    for (const stored::Value &F : *O.getArray("next"))
      S.ClockBeside |= isTimer(effectsOf(F.getAsString().value_or("")));
    S.Near.Bits = effectsOf(*O.getObject("near"));
    for (const auto &[First, Next] : *O.getObject("behind"))
      if (isTimer(effectsOf(First)))
        S.Near.Bits |= effectsOf(*Next.getAsObject());
    const unsigned Calls = effectsOfCalls(*O.getObject("calls"));
    S.Here |= Calls;
    S.OutputBeside |= (Calls & Output) != 0; // on which side of its messages is not told
    S.Elsewhere |= effectsOfCalls(*O.getObject("others"));
    return S;
  }

  bool Shares = false;
  std::map<std::string, const stored::Object *> ByName;
  std::map<std::string, std::set<std::string>> Targets; // of calls through pointers, by the type of the function
  std::map<std::string, unsigned> Effects;
  std::map<std::string, std::vector<const stored::Object *>> LoopsOver; // that call the function
  std::map<std::string, std::set<std::string>> CallersOf;               // outside of loops
  std::set<std::string> Hot, Escaping;
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
