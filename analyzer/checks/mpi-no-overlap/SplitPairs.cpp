#include "checks/mpi-no-overlap/SplitPairs.h"
#include "library/LibraryCalls.h"
#include "mpi/MpiEffects.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-no-overlap";
// Pairs of one unit beyond which none is told, and blocks that are followed from one call to the next.
constexpr std::size_t MostPairs = 200;
constexpr unsigned MostBlocks = 8;

// A function that the program defines somewhere, for all that is known.
const Function *callee(const CallBase &C) {
  const auto *F = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return F && !F->isIntrinsic() && !findMpiCall(C) && !findLibraryCall(F) && !isStandardCxx(*F) ? F : nullptr;
}

// The next call that counts on the only way from one, in no loop of its own; null also where a loop begins: then
// `Computes` says so.
const CallBase *nextCall(const CallBase &From, const LoopInfo &LI, bool &Computes) {
  const Loop *Around = LI.getLoopFor(From.getParent());
  const Instruction *At = &From;
  for (unsigned Blocks = 0; Blocks < MostBlocks;) {
    if (At->isTerminator()) {
      const auto *Invoke = dyn_cast<InvokeInst>(At);
      const BasicBlock *Next = Invoke ? Invoke->getNormalDest() : At->getParent()->getSingleSuccessor();
      // What guards a loop.
      for (const BasicBlock *Behind : successors(At->getParent()))
        if (const Loop *L = LI.getLoopFor(Behind); L && L != Around && L->getHeader() == Behind) {
          Computes = true;
          return nullptr;
        } else if (!Next && L == Around && Behind->getSingleSuccessor()) {
          const Loop *Inner = LI.getLoopFor(Behind->getSingleSuccessor());
          Computes |= Inner && Inner != Around && Inner->getHeader() == Behind->getSingleSuccessor();
        }
      if (!Next || Computes || LI.getLoopFor(Next) != Around)
        return nullptr;
      At = &Next->front();
      ++Blocks;
    } else {
      At = At->getNextNode();
    }
    const auto *C = dyn_cast<CallBase>(At);
    if (C && !isa<IntrinsicInst>(C) && !C->onlyReadsMemory())
      return C;
  }
  return nullptr;
}

// The second is handed what the first one has returned, or an object that it was handed, too.
bool shareObject(const CallBase &First, const CallBase &Second, MpiFunction &M) {
  return any_of(Second.args(), [&](const Use &To) {
    if (!To->getType()->isPointerTy() || isa<Constant>(To))
      return To.get() == &First;
    return To.get() == &First ||
           any_of(First.args(), [&](const Use &From) { return M.sameValue(From.get(), To.get()); });
  });
}

struct Phase {
  bool Starts = false, Waits = false, Talks = false;
  std::set<std::string> Calls;
};

Phase phaseOf(Function &F, MpiFunction &M) {
  Phase P;
  for (const MpiSite &S : M.sites()) {
    const bool Starts = S.is(MpiNonblocking) && S.is(MpiRecv) && !S.is(MpiPersistent | MpiWait | MpiProbe);
    P.Starts |= Starts;
    P.Waits |= S.Sig->waitsForAll();
    P.Talks |= S.is(MpiSend | MpiRecv | MpiCollective);
  }
  for (const BasicBlock &BB : F)
    for (const Instruction &I : counted(BB))
      if (const auto *C = dyn_cast<CallBase>(&I))
        if (const Function *Called = callee(*C))
          P.Calls.insert(linkName(*Called));
  return P;
}

// What the source calls it. Names of Fortran are small letters, with those of modules in front: "_QMhaloPbegin".
std::string nameOf(const SourceFrame &At, const Function &Called) {
  if (const clang::FunctionDecl *F = At.Call ? At.Call->getDirectCallee() : nullptr)
    return F->getNameAsString();
  const StringRef Name = Called.getName().rsplit('P').second;
  return (Name.empty() ? Called.getName().rtrim('_') : Name).str();
}

json::Value pairOf(const CallBase &First, const CallBase &Second, const std::string &Next, SourceCalls &Sources,
                   Unit &U) {
  const std::vector<SourceFrame> Begin = Sources.frames(First), End = Sources.frames(Second);
  if (Begin.empty() || End.empty() || Begin.front().around() != End.front().around())
    return nullptr;
  const SourceFrame &At = End.front();
  const Place Scope = placeOf(U.ast(), At.scope());
  return json::Object{{"begin", linkName(*callee(First))},
                      {"end", linkName(*callee(Second))},
                      {"next", Next},
                      {"started", toJson(placeOf(U.ast(), Begin.front().range()))},
                      {"where", toJson(placeOf(U.ast(), At.range()))},
                      {"function", At.function()},
                      {"first", Scope.Line},
                      {"last", Scope.EndLine},
                      {"names", json::Array{nameOf(Begin.front(), *callee(First)), nameOf(At, *callee(Second))}}};
}

} // namespace

json::Value pairFacts(Unit &U, SourceCalls &Sources) {
  json::Object Phases;
  json::Array Pairs;
  for (Function &F : *U.ir()) {
    if (F.isDeclaration())
      continue;
    MpiFunction &M = MpiFunction::get(F, U.analyses());
    const Phase P = phaseOf(F, M);
    if (P.Talks || P.Waits || !P.Calls.empty())
      Phases[linkName(F)] =
          json::Object{{"starts", P.Starts}, {"waits", P.Waits}, {"talks", P.Talks}, {"calls", json::Array(P.Calls)}};
    const LoopInfo &LI = M.engine().loops();
    for (const Loop *L : LI.getLoopsInPreorder())
      for (const BasicBlock *BB : L->blocks())
        for (const Instruction &I : counted(*BB)) {
          const auto *First = dyn_cast<CallBase>(&I);
          if (!First || LI.getLoopFor(BB) != L || !callee(*First) || Pairs.size() >= MostPairs)
            continue;
          bool Computes = false;
          const CallBase *Second = nextCall(*First, LI, Computes);
          if (!Second || !callee(*Second) || callee(*Second) == callee(*First) || !shareObject(*First, *Second, M))
            continue;
          const CallBase *Third = nextCall(*Second, LI, Computes);
          if (!Computes && (!Third || !callee(*Third)))
            continue;
          if (json::Value Pair =
                  pairOf(*First, *Second, Computes ? std::string() : linkName(*callee(*Third)), Sources, U);
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
  explicit PairLinker(ArrayRef<const stored::Object *> Facts) {
    for (const stored::Object *O : Facts)
      if (const stored::Object *All = O->getObject("phases"))
        for (const auto &[Name, P] : *All)
          Phases.try_emplace(Name.str(), P.getAsObject());
  }

  std::optional<LinkFinding> judge(const stored::Object &Pair) {
    const Phase &Begin = phase(text(Pair, "begin")), &End = phase(text(Pair, "end"));
    const std::string Next = text(Pair, "next");
    const std::optional<Place> Where = placeFromJson(*Pair.get("where"));
    if (!Where || !Begin.Starts || Begin.Waits || !End.Waits || End.Starts || (!Next.empty() && phase(Next).Talks))
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
              {"effect", variant(Slug, "pair_effect", Called)},
              {"remedy", variant(Slug, "part_pair", Called)}};
    if (const std::optional<Place> P = placeFromJson(*Pair.get("started")))
      F.Relateds.emplace_back(*P, "started here");
    return F;
  }

private:
  static std::string text(const stored::Object &O, StringRef Key) { return O.getString(Key).value_or("").str(); }

  // Through all calls.
  const Phase &phase(const std::string &Name) {
    auto [It, New] = Known.try_emplace(Name);
    if (!New)
      return It->second;
    Phase Out;
    std::set<std::string> Seen{Name};
    std::vector<std::string> Work{Name};
    while (!Work.empty()) {
      const auto P = Phases.find(Work.back());
      Work.pop_back();
      if (P == Phases.end())
        continue;
      Out.Starts |= P->second->getBoolean("starts").value_or(false);
      Out.Waits |= P->second->getBoolean("waits").value_or(false);
      Out.Talks |= P->second->getBoolean("talks").value_or(false);
      for (const stored::Value &Callee : *P->second->getArray("calls"))
        if (std::string Next = Callee.getAsString().value_or("").str(); Seen.insert(Next).second)
          Work.push_back(std::move(Next));
    }
    return Known[Name] = Out;
  }

  std::map<std::string, const stored::Object *> Phases;
  std::map<std::string, Phase> Known;
};

} // namespace

std::vector<LinkFinding> linkPairs(ArrayRef<const stored::Object *> Facts) {
  PairLinker Linker(Facts);
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
