#include "checks/mem-array-of-structs/WalkedRecords.h"
#include "thresholds.h"
#include "unit/Reporter.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

using namespace limits::mem_array_of_structs;

std::int64_t smallestRun(const BitVector &Used) {
  unsigned Smallest = 0;
  for (int Begin = Used.find_first(); Begin >= 0;) {
    const int End = Used.find_next_unset(unsigned(Begin));
    const unsigned Run = (End < 0 ? Used.size() : unsigned(End)) - unsigned(Begin);
    Smallest = Smallest ? std::min(Smallest, Run) : Run;
    Begin = End < 0 ? -1 : Used.find_next(unsigned(End));
  }
  return Smallest;
}

} // namespace

std::string LoopOverRecords::label() const {
  return "uses " + std::to_string(Used) + " bytes of each record: " + Fields;
}

Confidence LoopOverRecords::confidence() const {
  // Nothing says that it runs more than once: it may be what fills the array.
  if (H != Heat::Hot)
    return isForOthers() ? Confidence::Medium : Confidence::Low;
  // Flags, keys and links are walked by bookkeeping, too: a search that ends at what it looks for, a look at some small
  // table in each step. Only where a loop around goes through all of the same records again is it the computation.
  if (!Numeric)
    return Repeated && !Guarded ? Confidence::Medium : Confidence::Low;
  // How far apart the gathered ones lie, the run knows.
  return share() <= SureShare && !Guarded && !Gathered ? Confidence::High : Confidence::Medium;
}

bool LoopOverRecords::isForOthers() const { return H == Heat::Unknown && Offered && Numeric && !Guarded && !Written; }

LoopOverRecords describeWalk(const RecordWalk &W, const LoopPlace &Loop, const WalkCaller &In, Unit &U) {
  Place Whole = placeOf(U.ast(), Loop.Range);
  LoopOverRecords Out;
  Out.Where = placeOf(U.ast(), Loop.Header);
  Out.Begin = Whole.Line;
  Out.End = Whole.EndLine;
  Out.Caller = In.Name;
  Out.Function = Loop.Function;
  Out.Loop = In.Counter;
  for (const RecordField *F : usedFields(*W.Of, W.Used)) {
    Out.Fields += (Out.Fields.empty() ? "" : ", ") + F->Name;
    Out.Numeric |= F->Numbers;
  }
  Out.Used = W.Used.count();
  Out.Fetched = fetchedBytes(W.Used);
  Out.Smallest = smallestRun(W.Used);
  if (W.Chosen) {
    Out.Fields += Out.Fields.empty() ? "what it uses" : ", what else it uses";
    Out.Numeric = true;
    if (W.Used.none())
      Out.Smallest = W.Chosen;
    Out.Used += W.Chosen;
    Out.Fetched += double(alignTo(W.Chosen, std::uint64_t(CacheLineBytes)));
  }
  Out.Guarded = W.Guarded;
  Out.Repeated = W.Repeated && W.L->getExitingBlock();
  Out.H = W.Repeated ? Heat::Hot : In.H;
  Out.Offered = In.Offered;
  Out.Written = W.Written;
  Out.Gathered = W.Gathered;
  Out.Moves = W.Moves;
  return Out;
}

std::optional<std::size_t> WalkedRecord::worst(double MaxShare) const {
  if (Size < SmallRecordBytes)
    MaxShare /= 2;
  double Used = 0, Fetched = 0, All = 0, Slices = 0;
  std::pair<Confidence, double> Most{}; // that the surest of all loops wastes
  unsigned Apart = 0;
  std::optional<std::size_t> Worst;
  const bool State = isState(), OneUses = countUses() < 2;
  for (std::size_t K = 0; K < Walks.size(); ++K) {
    const LoopOverRecords &W = Walks[K];
    if (W.H == Heat::Cold || (W.Moves && !OneUses) || (W.Gathered && !State))
      continue;
    // What runs again and again decides over what may.
    double Weight = W.H == Heat::Hot ? HotWeight : 1, Waste = Weight * (W.Fetched - double(W.Used));
    Used += Weight * double(W.Used);
    Fetched += Weight * W.Fetched;
    All += Weight;
    const bool Slice = isSlice(W);
    Slices += Slice ? Weight : 0;
    Apart += isApart(W);
    const std::pair<Confidence, double> Claim{W.Numeric ? W.confidence() : Confidence::Low, Waste};
    if ((W.share() <= MaxShare || Slice) && Waste > 0 && (!Worst || Claim > Most)) {
      Most = Claim;
      Worst = K;
    }
  }
  return Worst && (Used <= MaxShare * Fetched || 2 * Slices > All || Apart >= MinLoopsApart) ? Worst : std::nullopt;
}

std::size_t WalkedRecord::countUses() const {
  return static_cast<std::size_t>(
      count_if(Walks, [](const LoopOverRecords &W) { return W.H != Heat::Cold && !W.Moves; }));
}

bool WalkedRecord::isState() const {
  return any_of(Walks, [](const LoopOverRecords &W) { return W.Written && W.H == Heat::Hot; });
}

bool WalkedRecord::isSlice(const LoopOverRecords &W) const {
  return Size >= SliceRecordBytes && double(W.Used) <= MaxSliceShare * double(Size) && W.H == Heat::Hot && W.Numeric;
}

bool WalkedRecord::isApart(const LoopOverRecords &W) const { return isSlice(W) && W.Smallest >= MinBytesApart; }

std::string WalkedRecord::fieldsApart() const {
  SetVector<StringRef> Names;
  for (const LoopOverRecords &W : Walks)
    if (isApart(W)) {
      SmallVector<StringRef, 8> Each;
      StringRef(W.Fields).split(Each, ", ");
      Names.insert(Each.begin(), Each.end());
    }
  return join(Names, ", ");
}

ArgMap WalkedRecord::arguments(const LoopOverRecords &W) const {
  return {{"loop", W.Loop},
          {"record", Name},
          {"size", Size},
          {"fields", isApart(W) ? fieldsApart() : W.Fields},
          {"used", W.Used},
          {"fetched", static_cast<std::int64_t>(std::lround(W.Fetched))},
          {"assumption", (isSlice(W) ? variant("mem-array-of-structs", "slice", {{"size", Size}}) : std::string()) +
                             (W.Gathered ? variant("mem-array-of-structs", "gathered") : std::string()) +
                             (W.isForOthers() ? ", provided that callers run the loop often, over many records" : "")}};
}

bool WalkedRecord::hasLoopAt(const Place &P) const {
  return any_of(Walks, [&](const LoopOverRecords &W) {
    return W.Where.File == P.File && W.Where.Line == P.Line && W.Where.Column == P.Column;
  });
}

json::Value WalkedRecord::toJson(const Place &Declared) const {
  json::Array Loops;
  for (const LoopOverRecords &W : Walks)
    Loops.push_back(json::Object{{"where", stridewise::toJson(W.Where)},
                                 {"begin", W.Begin},
                                 {"end", W.End},
                                 {"in", W.Caller},
                                 {"function", W.Function},
                                 {"loop", W.Loop},
                                 {"fields", W.Fields},
                                 {"used", W.Used},
                                 {"fetched", W.Fetched},
                                 {"smallest", W.Smallest},
                                 {"guarded", W.Guarded},
                                 {"numeric", W.Numeric},
                                 {"repeated", W.Repeated},
                                 {"silenced", W.Silenced},
                                 {"written", W.Written},
                                 {"gathered", W.Gathered},
                                 {"moves", W.Moves},
                                 {"heat", static_cast<int>(W.H)}});
  json::Array Holders;
  for (const Place &P : Arrays)
    Holders.push_back(stridewise::toJson(P));
  return json::Object{{"record", stridewise::toJson(Declared)},
                      {"name", Name},
                      {"size", Size},
                      {"arrays", std::move(Holders)},
                      {"walks", std::move(Loops)}};
}

void WalkedRecord::merge(const stored::Object &Entry) {
  const stored::Array *Loops = Entry.getArray("walks");
  if (!Loops)
    return;
  Name = Entry.getString("name").value_or("").str();
  Size = Entry.getInteger("size").value_or(0);
  if (const stored::Array *Holders = Entry.getArray("arrays"))
    for (const stored::Value &V : *Holders)
      if (std::optional<Place> P = placeFromJson(V);
          P && none_of(Arrays, [&](const Place &Q) { return Q.File == P->File && Q.Line == P->Line; }))
        Arrays.push_back(*P);
  for (const stored::Value &V : *Loops) {
    const stored::Object *O = V.getAsObject();
    const stored::Value *Where = O ? O->get("where") : nullptr;
    std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    if (!P || hasLoopAt(*P))
      continue;
    auto Text = [&](StringRef Key) { return O->getString(Key).value_or("").str(); };
    LoopOverRecords W;
    W.Where = *P;
    W.Begin = static_cast<unsigned>(O->getInteger("begin").value_or(0));
    W.End = static_cast<unsigned>(O->getInteger("end").value_or(0));
    W.Caller = Text("in");
    W.Function = Text("function");
    W.Loop = Text("loop");
    W.Fields = Text("fields");
    W.Used = O->getInteger("used").value_or(0);
    W.Fetched = O->getNumber("fetched").value_or(1);
    W.Smallest = O->getInteger("smallest").value_or(0);
    W.Guarded = O->getBoolean("guarded").value_or(false);
    W.Numeric = O->getBoolean("numeric").value_or(false);
    W.Repeated = O->getBoolean("repeated").value_or(false);
    W.Silenced = O->getBoolean("silenced").value_or(false);
    W.Written = O->getBoolean("written").value_or(false);
    W.Gathered = O->getBoolean("gathered").value_or(false);
    W.Moves = O->getBoolean("moves").value_or(false);
    W.H = static_cast<Heat>(O->getInteger("heat").value_or(1));
    Walks.push_back(std::move(W));
  }
}

} // namespace stridewise
