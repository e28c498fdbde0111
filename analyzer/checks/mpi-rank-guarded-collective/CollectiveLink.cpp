#include "checks/mpi-rank-guarded-collective/CollectiveLink.h"
#include "checks/mpi-rank-guarded-collective/CollectiveOrder.h"
#include "checks/mpi-rank-guarded-collective/RankPaths.h"
#include "fortran/FortranLoops.h"
#include "mpi/MpiEffects.h"
#include "unit/Reporter.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

// Steps of a function beyond which nothing is said of it: generated code.
constexpr unsigned MostSteps = 200;
constexpr unsigned DeepestChain = 8;

class CollectiveSummary {
public:
  CollectiveSummary(Unit &U, const RankFacts &Ranks, function_ref<bool(clang::SourceLocation)> Silenced)
      : U(U), Ranks(Ranks), Silenced(Silenced) {}

  json::Value make() {
    Module *M = U.ir();
    if (!M)
      return nullptr;
    for (Function &F : *M)
      if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage())
        visit(F);
    json::Object Known;
    for (const auto &[Name, Comm] : Ranks.exported())
      if (Comm == "self" || RankFacts::isGlobalName(Comm))
        Known[Name] = Comm;
    if (Functions.empty() && Branches.empty() && Known.empty())
      return nullptr;
    return json::Object{
        {"functions", std::move(Functions)}, {"branches", std::move(Branches)}, {"ranks", std::move(Known)}};
  }

private:
  // A collective call, or a call that may come to one.
  bool isStep(const Instruction &I, const TargetLibraryInfo &TLI) const {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || isa<IntrinsicInst>(C))
      return false;
    if (const MpiSignature *Sig = findMpiCall(*C))
      return Sig->is(MpiCollective) && Sig->Comm >= 0 && !Sig->is(MpiJoinsGroups) && Sig->Does != MpiDoes::Free;
    return isForeignCall(*C, TLI);
  }

  // The communicator by a name that other units understand: its own, or the parameter that brings it.
  std::string commName(Value *V) const {
    if (const auto *A = dyn_cast<Argument>(V)) {
      CommName Name = Ranks.communicator(V);
      return Name == "world" || Name == "self" ? Name : "param " + std::to_string(A->getArgNo());
    }
    CommName Name = Ranks.communicator(V);
    return Name == "self" || RankFacts::isGlobalName(Name) ? Name : std::string();
  }

  json::Object step(const CallBase &C, bool Always) {
    json::Object Out{{"always", Always}};
    clang::SourceLocation Where = U.locate(C.getDebugLoc());
    if (Where.isValid())
      Out["where"] = toJson(placeOf(U.ast(), Where));
    if (const MpiSignature *Sig = findMpiCall(C)) {
      Out["mpi"] = Sig->Name;
      Out["comm"] = commName(C.getArgOperand(Sig->Comm));
      return Out;
    }
    Out["call"] = linkName(*C.getCalledFunction());
    json::Object Comms;
    for (unsigned K = 0; K < C.arg_size(); ++K)
      if (C.getArgOperand(K)->getType()->isPointerTy() || C.getArgOperand(K)->getType()->isIntegerTy(32))
        if (std::string Name = commName(C.getArgOperand(K)); !Name.empty())
          Comms[std::to_string(K)] = Name;
    Out["comms"] = std::move(Comms);
    return Out;
  }

  void visit(Function &F) {
    const auto &TLI = U.analyses().getResult<TargetLibraryAnalysis>(F);
    std::map<const BasicBlock *, SmallVector<const CallBase *, 4>> Steps;
    unsigned Count = 0;
    for (BasicBlock &BB : F)
      if (!isErrorPath(BB))
        for (Instruction &I : BB)
          if (isStep(I, TLI)) {
            Steps[&BB].push_back(cast<CallBase>(&I));
            ++Count;
          }
    if (!Count || Count > MostSteps)
      return;
    auto &PDT = U.analyses().getResult<PostDominatorTreeAnalysis>(F);
    SmallVector<const BasicBlock *, 32> Order;
    for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F))
      Order.push_back(BB);
    json::Array Own;
    for (const BasicBlock *BB : Order)
      if (auto It = Steps.find(BB); It != Steps.end())
        for (const CallBase *C : It->second)
          Own.push_back(step(*C, PDT.dominates(BB, &F.getEntryBlock())));
    Functions[linkName(F)] = std::move(Own);
    SmallVector<Parting, 8> Partings;
    for (const BasicBlock *BB : Order)
      if (const auto *Br = dyn_cast<BranchInst>(BB->getTerminator()); Br && Br->isConditional())
        if (std::optional<RankFacts::Guard> G = Ranks.guardOrAsked(Br->getCondition());
            G && !RankFacts::takesTurns(*G, *Br, U.analyses().getResult<LoopAnalysis>(F)))
          Partings.push_back({Br, *G});
    if (Partings.empty())
      return;
    // What ranks do under one condition belongs together, however often it is asked: one arm of the first branch may
    // make up for what the other arm of a later one does.
    RankPaths Paths(F, Ranks, U.analyses().getResult<LoopAnalysis>(F), TLI);
    SmallPtrSet<const BranchInst *, 8> Joined;
    for (const Parting &P : Partings) {
      if (Joined.contains(P.Br))
        continue;
      SmallVector<Parting, 4> Alike{P};
      for (const Parting &Q : Partings)
        if (Q.Br != P.Br && !Joined.contains(Q.Br) && Paths.partAlike(*P.Br, P.G, *Q.Br, Q.G)) {
          Alike.push_back(Q);
          Joined.insert(Q.Br);
        }
      branch(F, Alike, Order, Steps, PDT);
    }
  }

  struct Parting {
    const BranchInst *Br;
    RankFacts::Guard G;
  };

  void branch(Function &F, ArrayRef<Parting> Alike, ArrayRef<const BasicBlock *> Order,
              const std::map<const BasicBlock *, SmallVector<const CallBase *, 4>> &Steps,
              const PostDominatorTree &PDT) {
    const BranchInst &Br = *Alike.front().Br;
    const RankFacts::Guard &G = Alike.front().G;
    std::string Comm = G.Comm;
    for (Argument &A : F.args())
      if (!Comm.empty() && Ranks.communicator(&A) == Comm && !RankFacts::isGlobalName(Comm))
        Comm = "param " + std::to_string(A.getArgNo());
    if (!G.Whole || (G.Asked.empty() && !RankFacts::isGlobalName(Comm) && !StringRef(Comm).starts_with("param ")))
      return;
    json::Array Arms[2];
    bool Foreign = !G.Asked.empty();
    for (const auto &[Each, Guard] : Alike)
      if (!addArms(*Each, Guard.OneOnTrue == G.OneOnTrue, Order, Steps, PDT, Arms, Foreign) && Each == &Br)
        return;
    if (!Foreign || (Arms[0].empty() && Arms[1].empty()))
      return;
    describe(F, Br, G, Comm, Arms);
  }

  // The steps on both arms of a branch; false for one of which nothing can be said.
  bool addArms(const BranchInst &Br, bool SameSense, ArrayRef<const BasicBlock *> Order,
               const std::map<const BasicBlock *, SmallVector<const CallBase *, 4>> &Steps,
               const PostDominatorTree &PDT, json::Array (&Arms)[2], bool &Foreign) {
    json::Array Own[2];
    bool Calls = false;
    for (unsigned Side : {0u, 1u}) {
      const BasicBlock *Begin = Br.getSuccessor(Side);
      const unsigned Arm = SameSense ? Side : 1 - Side;
      SmallPtrSet<const BasicBlock *, 16> Region{Begin};
      SmallVector<const BasicBlock *, 16> Work{Begin};
      if (PDT.properlyDominates(Begin, Br.getParent())) {
        Region.clear();
        Work.clear();
      }
      while (!Work.empty()) {
        const BasicBlock *BB = Work.pop_back_val();
        // An arm that ends the program need not agree with the other one.
        if (isErrorPath(*BB) || isa<UnreachableInst>(BB->getTerminator()))
          return false;
        for (const BasicBlock *Next : successors(BB))
          if (Next != Br.getParent() && !PDT.properlyDominates(Next, Br.getParent()) && Region.insert(Next).second)
            Work.push_back(Next);
      }
      for (const BasicBlock *BB : Order)
        if (auto It = Steps.find(BB); Region.contains(BB) && It != Steps.end())
          for (const CallBase *C : It->second) {
            clang::SourceLocation Where = U.locate(C->getDebugLoc());
            Calls |= !findMpiCall(*C);
            if (Where.isInvalid() || Silenced(Where))
              return false;
            Own[Arm].push_back(step(*C, PDT.dominates(BB, Begin)));
          }
    }
    Foreign |= Calls;
    for (unsigned Arm : {0u, 1u})
      for (json::Value &Step : Own[Arm])
        Arms[Arm].push_back(std::move(Step));
    return true;
  }

  void describe(Function &F, const BranchInst &Br, const RankFacts::Guard &G, StringRef Comm, json::Array (&Arms)[2]) {
    clang::SourceLocation Where = U.locate(Br.getDebugLoc());
    SourceFrame In;
    if (Where.isValid() && U.isFortran()) {
      In.Procedure = Br.getDebugLoc()->getScope()->getSubprogram();
      In.ProcedureName = procedureName(In.Procedure);
      In.ProcedureRange = procedureRange(In.Procedure, U);
    } else if (Where.isValid()) {
      In.Function = U.functionAt(Where);
    }
    Place Scope = In.scope().isValid() ? placeOf(U.ast(), In.scope()) : Place();
    const auto *Root = dyn_cast_or_null<ConstantInt>(G.Root);
    json::Object Out{{"comm", Comm.str()}, // a value of JSON does not keep what a reference refers to
                     {"asked", G.Asked},
                     {"equality", G.Equality},
                     {"one_on_true", G.OneOnTrue},
                     {"function", In.function()},
                     {"begin", Scope.Line},
                     {"end", Scope.EndLine},
                     {"arms", json::Array{std::move(Arms[0]), std::move(Arms[1])}}};
    const auto *Compare = dyn_cast<ICmpInst>(Br.getCondition());
    if (Root && Compare && Compare->isEquality())
      Out["root"] = Root->getSExtValue();
    else if (G.Equality)
      Out["root"] = 0; // `rank > 0`, `rank < 1`
    if (Where.isValid())
      Out["where"] = toJson(placeOf(U.ast(), Where));
    Branches.push_back(std::move(Out));
  }

  Unit &U;
  const RankFacts &Ranks;
  function_ref<bool(clang::SourceLocation)> Silenced;
  json::Object Functions;
  json::Array Branches;
};

class CollectiveLinker {
public:
  explicit CollectiveLinker(ArrayRef<stored::Value> Summaries) : Summaries(Summaries) {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject()) {
        for (const auto &[Name, Steps] : *O->getObject("functions"))
          Functions.try_emplace(Name.str(), Steps.getAsArray());
        for (const auto &[Name, Comm] : *O->getObject("ranks"))
          Ranks.try_emplace(Name.str(), Comm.getAsString().value_or("").str());
      }
  }

  std::vector<LinkedMismatch> find() {
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject())
        for (const stored::Value &B : *O->getArray("branches"))
          judge(*B.getAsObject());
    std::vector<LinkedMismatch> Out;
    for (auto &[Where, X] : Found)
      Out.push_back(std::move(X));
    return Out;
  }

private:
  struct Step {
    std::string Name, Comm;
    bool Always = true;
    bool Direct = true;         // the arm itself makes the call
    std::optional<Place> Where; // of the call on the arm
    std::vector<Place> Path;    // behind it
    bool same(const Step &O) const { return Name == O.Name && Comm == O.Comm; }
  };
  using Names = std::map<std::string, std::string>; // communicators by argument

  // Whether the function may come to a collective call, or hand the world to code that nobody has seen.
  bool matters(const std::string &Name) {
    auto [It, New] = Matters.try_emplace(Name, false);
    auto F = Functions.find(Name);
    if (!New || F == Functions.end())
      return It->second;
    bool Any = any_of(*F->second, [&](const stored::Value &V) {
      const stored::Object &S = *V.getAsObject();
      if (S.getString("mpi"))
        return true;
      std::string Callee = S.getString("call").value_or("").str();
      if (Functions.count(Callee))
        return matters(Callee);
      for (const auto &[Name, Comm] : *S.getObject("comms"))
        if (Comm.getAsString() == "world")
          return true;
      return false;
    });
    return Matters[Name] = Any;
  }

  // All collective calls that the steps come to; false when something unknown is handed a communicator.
  bool expand(const stored::Array &Steps, const Names *Arguments, bool Always, const Step *Outer, unsigned Depth,
              std::vector<Step> &Out) {
    bool Known = Out.size() < MostSteps;
    for (const stored::Value &V : Steps) {
      if (Out.size() >= MostSteps)
        return false;
      const stored::Object &S = *V.getAsObject();
      auto Translate = [&](StringRef Comm) {
        if (!Comm.consume_front("param "))
          return Comm.str();
        if (!Arguments)
          return "param " + Comm.str();
        auto It = Arguments->find(Comm.str());
        return It == Arguments->end() ? std::string() : It->second;
      };
      Step Each = Outer ? *Outer : Step();
      Each.Always = Always && S.getBoolean("always").value_or(false);
      if (const stored::Value *Where = S.get("where"))
        if (std::optional<Place> P = placeFromJson(*Where)) {
          if (Outer)
            Each.Path.push_back(*P);
          else
            Each.Where = *P;
        }
      if (auto Name = S.getString("mpi")) {
        Each.Name = Name->str();
        Each.Comm = Translate(S.getString("comm").value_or(""));
        Out.push_back(std::move(Each));
        continue;
      }
      Names Passed;
      for (const auto &[Position, Comm] : *S.getObject("comms"))
        Passed[Position.str()] = Translate(Comm.getAsString().value_or(""));
      std::string Callee = S.getString("call").value_or("").str();
      auto It = Functions.find(Callee);
      Each.Direct = false;
      if (It == Functions.end() || Depth >= DeepestChain)
        Known &= none_of(
            Passed, [&](const auto &P) { return P.second == "world" || (!Guarded.empty() && P.second == Guarded); });
      else if (matters(Callee))
        Known &= expand(*It->second, &Passed, Each.Always, &Each, Depth + 1, Out);
    }
    return Known;
  }

  void judge(const stored::Object &B) {
    std::string Comm = B.getString("comm").value_or("").str(), Asked = B.getString("asked").value_or("").str();
    bool OneOnTrue = B.getBoolean("one_on_true").value_or(false), Equality = B.getBoolean("equality").value_or(false);
    std::optional<std::int64_t> Root = B.getInteger("root");
    if (!Asked.empty()) {
      auto It = Ranks.find(Asked);
      StringRef Callee = Asked;
      if (It == Ranks.end() && Callee.consume_front("call ") && Equality && Root == 0) {
        // A truth value: compared with zero, the others take that arm.
        for (bool IsRoot : {true, false})
          if (auto Truth = Ranks.find((IsRoot ? "root " : "others ") + Callee.str()); Truth != Ranks.end()) {
            It = Truth;
            OneOnTrue = OneOnTrue != IsRoot;
          }
      }
      if (It == Ranks.end())
        return;
      Comm = It->second;
    }
    Guarded = Comm;
    std::vector<Step> Arms[2];
    bool Known[2];
    for (unsigned Arm : {0u, 1u}) {
      std::vector<Step> All;
      Known[Arm] = expand(*(*B.getArray("arms"))[Arm].getAsArray(), nullptr, true, nullptr, 0, All);
      for (Step &S : All)
        if (S.Comm == "world" || (!S.Comm.empty() && S.Comm == Comm))
          Arms[Arm].push_back(std::move(S));
    }
    for (unsigned Arm : {0u, 1u}) {
      if (!Known[1 - Arm])
        continue;
      // What the arm calls itself is said with the unit, where that knows the rank and sees all of the other arm.
      bool SaidInUnit = Asked.empty() &&
                        none_of(*(*B.getArray("arms"))[1 - Arm].getAsArray(),
                                [](const stored::Value &V) { return V.getAsObject()->getString("call").has_value(); });
      for (const Step &S : Arms[Arm])
        if (S.Always && S.Where && !(S.Direct && SaidInUnit) &&
            none_of(Arms[1 - Arm], [&](const Step &O) { return O.same(S); }))
          return report(B, S, Arm, Arms[1 - Arm], Comm, Equality, OneOnTrue, Root);
    }
  }

  void report(const stored::Object &B, const Step &S, unsigned Arm, ArrayRef<Step> Others, StringRef Comm,
              bool Equality, bool OneOnTrue, std::optional<std::int64_t> Root) {
    LinkedMismatch X;
    X.Where = *S.Where;
    X.Function = B.getString("function").value_or("").str();
    X.ScopeBegin = unsigned(B.getInteger("begin").value_or(0));
    X.ScopeEnd = unsigned(B.getInteger("end").value_or(0));
    X.Call = S.Name;
    std::string Name = Root ? std::to_string(*Root) : "one";
    if (!Equality)
      X.Who = "some ranks alone call";
    else if ((Arm == 0) == OneOnTrue)
      X.Who = (Root ? "rank " + Name : "one rank") + " alone calls";
    else
      X.Who = "all ranks but " + Name + " call";
    auto It = find_if(Others, [](const Step &O) { return O.Always; });
    if (It != Others.end())
      X.Instead = It->Name;
    if (const stored::Value *Where = B.get("where"))
      X.Branch = placeFromJson(*Where);
    X.Path = S.Path;
    X.Sure = Equality && S.Comm == Comm;
    Found.try_emplace({X.Where.File, X.Where.Line, X.Where.Column}, std::move(X));
  }

  ArrayRef<stored::Value> Summaries;
  std::map<std::string, const stored::Array *> Functions;
  std::map<std::string, std::string> Ranks;
  std::map<std::string, bool> Matters;
  std::string Guarded; // the communicator of the rank that the branch asks for
  std::map<std::tuple<std::string, unsigned, unsigned>, LinkedMismatch> Found;
};

} // namespace

json::Value collectiveSummary(Unit &U, const RankFacts &Ranks, function_ref<bool(clang::SourceLocation)> Silenced) {
  return CollectiveSummary(U, Ranks, Silenced).make();
}

std::vector<LinkedMismatch> linkCollectives(ArrayRef<stored::Value> Summaries) {
  return CollectiveLinker(Summaries).find();
}

} // namespace stridewise
