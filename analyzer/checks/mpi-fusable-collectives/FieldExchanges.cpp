#include "checks/mpi-fusable-collectives/FieldExchanges.h"
#include "mpi/CallPairs.h"
#include "mpi/MpiEffects.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-fusable-collectives";
// Rows of one unit beyond which none is told.
constexpr std::size_t MostRows = 200;

// Two calls that hand over one array each, and are alike otherwise.
bool differInOneArray(const CallBase &A, const CallBase &B, Unit &U) {
  if (A.arg_size() != B.arg_size() || !A.use_empty() || !B.use_empty())
    return false;
  MpiFunction &M = MpiFunction::get(const_cast<Function &>(*A.getFunction()), U.analyses());
  unsigned Arrays = 0;
  for (unsigned K = 0; K < A.arg_size(); ++K)
    if (Value *X = A.getArgOperand(K), *Y = B.getArgOperand(K); X != Y && !M.sameValue(X, Y)) {
      if (!X->getType()->isPointerTy())
        return false;
      ++Arrays;
    }
  return Arrays == 1;
}

json::Value rowOf(ArrayRef<const CallBase *> Calls, SourceCalls &Sources, Unit &U) {
  json::Array Rest;
  const std::vector<SourceFrame> First = Sources.frames(*Calls.front());
  for (const CallBase *C : Calls) {
    const std::vector<SourceFrame> Frames = Sources.frames(*C);
    if (Frames.empty() || Frames.front().around() != First.front().around())
      return nullptr;
    if (C != Calls.front())
      Rest.push_back(toJson(placeOf(U.ast(), Frames.front().range())));
  }
  const SourceFrame &At = First.front();
  const Function &Called = *programCallee(*Calls.front());
  const Place Scope = placeOf(U.ast(), At.scope());
  return json::Object{
      {"of", linkName(Called)},  {"name", calledName(At, Called)}, {"where", toJson(placeOf(U.ast(), At.range()))},
      {"rest", std::move(Rest)}, {"function", At.function()},      {"first", Scope.Line},
      {"last", Scope.EndLine}};
}

void addRows(Function &F, SourceCalls &Sources, Unit &U, json::Array &Out) {
  const LoopInfo &LI = U.analyses().getResult<LoopAnalysis>(F);
  SmallPtrSet<const CallBase *, 8> Joined;
  for (const BasicBlock &BB : F)
    for (const Instruction &I : counted(BB)) {
      const auto *First = dyn_cast<CallBase>(&I);
      if (!First || !LI.getLoopFor(&BB) || Joined.contains(First) || Out.size() >= MostRows || !programCallee(*First) ||
          First->onlyReadsMemory())
        continue;
      SmallVector<const CallBase *, 4> Calls{First};
      bool Computes = false;
      for (const CallBase *Next = nextProgramCall(*First, LI, Computes);
           Next && programCallee(*Next) == programCallee(*First) && differInOneArray(*Calls.back(), *Next, U);
           Next = nextProgramCall(*Next, LI, Computes)) {
        Calls.push_back(Next);
        Joined.insert(Next);
      }
      if (Calls.size() > 1)
        if (json::Value Row = rowOf(Calls, Sources, U); Row.getAsObject())
          Out.push_back(std::move(Row));
    }
}

LinkFinding finding(const stored::Object &Row, const Place &Where) {
  const auto Text = [&](StringRef Key) { return Row.getString(Key).value_or("").str(); };
  LinkFinding F;
  F.Rule = Slug;
  F.Conf = Confidence::Medium;
  F.Where = Where;
  F.Accesses = {Where};
  F.Function = Text("function");
  F.ScopeBegin = unsigned(Row.getInteger("first").value_or(Where.Line));
  F.ScopeEnd = unsigned(Row.getInteger("last").value_or(Where.Line));
  std::string Lines;
  std::int64_t Count = 1;
  for (const stored::Value &V : *Row.getArray("rest"))
    if (const std::optional<Place> P = placeFromJson(V)) {
      F.Relateds.emplace_back(*P, "could join the call above");
      Lines += (Lines.empty() ? "" : ", ") + std::to_string(P->Line);
      ++Count;
    }
  const std::string Rest = (Count == 2 ? "that of line " : "those of lines ") + Lines;
  F.Args = {{"count", Count},
            {"calls", variant(Slug, "row", {{"count", Count}, {"call", Text("name")}})},
            {"effect", variant(Slug, "exchange", {{"rest", Rest}})},
            {"remedy", variant(Slug, "one_message", {{"call", Text("name")}})}};
  return F;
}

} // namespace

json::Value fieldExchangeFacts(Unit &U, SourceCalls &Sources) {
  json::Object Phases = callPhases(U);
  json::Array Rows;
  for (Function &F : *U.ir())
    if (!F.isDeclaration())
      addRows(F, Sources, U, Rows);
  if (Phases.empty() && Rows.empty())
    return nullptr;
  return json::Object{{"phases", std::move(Phases)}, {"rows", std::move(Rows)}};
}

std::vector<LinkFinding> linkFieldExchanges(ArrayRef<stored::Value> Summaries) {
  std::vector<const stored::Object *> Each;
  for (const stored::Value &V : Summaries)
    if (const stored::Object *O = V.getAsObject())
      if (const stored::Object *P = O->getObject("phases"))
        Each.push_back(P);
  CallPhases Phases(Each);
  std::vector<LinkFinding> Out;
  for (const stored::Value &V : Summaries)
    if (const stored::Object *O = V.getAsObject())
      for (const stored::Value &R : *O->getArray("rows")) {
        const stored::Object *Row = R.getAsObject();
        const std::optional<Place> Where = Row ? placeFromJson(*Row->get("where")) : std::nullopt;
        if (!Where)
          continue;
        const CallPhase &P = Phases.of(Row->getString("of").value_or("").str());
        // What is left under way can be waited for together, as it is; what computes in between has an order of its
        // own.
        if (P.Sends && P.Receives && !P.Meets && !P.Computes && (!P.Starts || P.Waits))
          Out.push_back(finding(*Row, *Where));
      }
  return Out;
}

} // namespace stridewise
