// R04: hot loops that use a few fields of each record of an array.
//
// For each record type, over all hot loops that go through an array of it: the bytes that they use and the bytes of the
// cache lines that they bring in. Where half of what is fetched is never used, the loop with the largest waste is
// reported and the others are named with it; so are loops that take a small slice of records of many lines, each from
// another part of a page: whole lines may be used, but neither prefetchers nor the TLB follow. Loops that use all
// fields together count for the layout, so a record that is used whole in most places is silent; likewise records whose
// used fields already fill their own cache lines, small records, arrays that fit the first-level cache, loops that run
// once. Records that are gathered by numbers from memory count, too, where some hot loop changes such records. A record
// of a header is judged over all units, in the link phase. Known false positives: arrays that are small at run time.
#include "checks/mem-array-of-structs/WalkedRecords.h"
#include "fortran/DerivedTypes.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopInterchange.h"
#include "loops/LoopPlaces.h"
#include "loops/SetUp.h"
#include "omp/TeamSize.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mem-array-of-structs";
// Declarations that hold records, beyond which they are not named: nothing tells which of them the loops go through.
constexpr std::size_t MostArrays = 3;

class ArrayOfStructs : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &Source, Reporter &R) override {
    U = &Source;
    Limit = R.threshold(Slug, "max_used_share");
    if (U->isFortran()) {
      runFortran(R);
      return;
    }
    std::map<const Record *, std::pair<WalkedRecord, std::vector<RecordWalk>>> Found;
    std::vector<RecordWalk> All = recordWalks(Source, static_cast<unsigned>(R.threshold(Slug, "min_record_bytes")));
    CallHeat Calls(Source.ast());
    Edges = Calls.toJson(); // also of a unit without such loops: it may call those of others in loops
    for (RecordWalk &W : All) {
      const clang::Stmt *Loop = Source.loopStatement(W.L);
      // One record per thread is laid out for the threads, not for the loop that merges them.
      if (!Loop || Source.sources().isInSystemHeader(Loop->getBeginLoc()) || countsThreads(Loop, Source))
        continue;
      auto &[Of, Origins] = Found[W.Of];
      // Copies that were inlined elsewhere say nothing new.
      if (Of.hasLoopAt(placeOf(Source.ast(), loopHeader(Loop))))
        continue;
      Of.Name = W.Of->Name;
      Of.Size = static_cast<std::int64_t>(W.Used.size());
      Of.Walks.push_back(describeWalk(W, *loopPlace(W.L, Source), callerOf(Loop, Calls), Source));
      Of.Walks.back().Silenced = R.silences(Slug, Loop->getBeginLoc());
      Origins.push_back(std::move(W));
    }
    for (auto &[Record, Entry] : Found) {
      auto &[Of, Origins] = Entry;
      // Other units may use what a header declares.
      const clang::SourceManager &SM = Source.sources();
      if (!SM.isInMainFile(SM.getExpansionLoc(Record->At)))
        share(Of, *Record);
      else if (std::optional<std::size_t> Worst = Of.worst(Limit))
        report(Of, *Worst, Record, Origins, R);
    }
  }

  json::Value summarize(Unit &Source) override {
    json::Value Types = Source.isFortran() ? fortranTypePlaces(Source) : nullptr;
    json::Value Arrays = Source.isFortran() ? fortranRecordArrays(Source) : nullptr;
    if (Shared.empty() && Edges.getAsNull() && Types.getAsNull() && Arrays.getAsNull())
      return nullptr;
    return json::Object{{"records", std::move(Shared)},
                        {"calls", std::move(Edges)},
                        {"limit", Limit},
                        {"types", std::move(Types)},
                        {"arrays", std::move(Arrays)}};
  }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<const stored::Value *> Calls, Types;
    std::map<std::pair<std::string, unsigned>, WalkedRecord> Found;
    std::map<std::string, std::vector<Place>> Arrays;
    for (const stored::Value &V : Summaries) {
      const stored::Object *O = V.getAsObject();
      if (!O)
        continue;
      if (const stored::Value *C = O->get("calls"))
        Calls.push_back(C);
      Types.push_back(O->get("types"));
      Limit = O->getNumber("limit").value_or(Limit);
      if (const stored::Object *Known = O->getObject("arrays"))
        takeArrays(*Known, Arrays);
      if (const stored::Array *Records = O->getArray("records"))
        for (const stored::Value &Record : *Records)
          if (const stored::Object *Entry = Record.getAsObject())
            if (const stored::Value *Where = Entry->get("record"))
              if (std::optional<Place> At = placeFromJson(*Where)) {
                WalkedRecord &Of = Found[{At->File, At->Line}];
                Of.Declared = *At;
                Of.merge(*Entry);
              }
    }
    std::set<std::string> Hot = hotFunctions(Calls);
    const std::map<std::string, Place> Declared = fortranTypePlaces(Types);
    for (auto &[Key, Of] : Found) {
      if (const auto It = Declared.find(Key.first); It != Declared.end())
        Of.Declared = It->second;
      // Fortran's, by the name alone: that of one type of the program.
      if (const auto It = Arrays.find(Of.Name);
          It != Arrays.end() && !Key.second &&
          count_if(Found, [&, &Of = Of](const auto &Each) { return Each.second.Name == Of.Name; }) == 1)
        Of.Arrays = It->second;
      for (LoopOverRecords &W : Of.Walks)
        if (Hot.count(W.Caller))
          W.H = Heat::Hot;
      if (std::optional<std::size_t> Worst = Of.worst(Limit); Worst && !Of.Walks[*Worst].Silenced)
        report(Of, *Worst, R);
    }
  }

private:
  static void takeArrays(const stored::Object &Known, std::map<std::string, std::vector<Place>> &Into) {
    for (const auto &[Type, Places] : Known)
      if (const stored::Array *Each = Places.getAsArray())
        for (const stored::Value &V : *Each)
          if (std::optional<Place> P = placeFromJson(V))
            Into[StringRef(Type).str()].push_back(*P);
  }

  void share(WalkedRecord &Of, const Record &Declared) {
    for (const clang::SourceLocation At : Declared.Arrays)
      Of.Arrays.push_back(placeOf(U->ast(), At));
    Shared.push_back(Of.toJson(placeOf(U->ast(), Declared.At)));
  }

  WalkCaller callerOf(const clang::Stmt *Loop, CallHeat &Calls) const {
    const clang::FunctionDecl *Around = U->functionAt(Loop->getBeginLoc());
    const clang::VarDecl *Counter = loopVariable(Loop);
    return {Around ? Calls.name(Around) : std::string(),
            Counter && Counter->getDeclName() && !Counter->isImplicit() ? Counter->getNameAsString() : "elements",
            Calls.of(Around), Around && Around->isExternallyVisible() && !Calls.isCalled(Around)};
  }

  // An array inside of something else begins elsewhere than its address says: the loop names what it uses.
  bool isOwnWalk(const RecordWalk &W) const {
    const std::optional<FortranLoop> Known = fortranLoop(W.L, *U);
    return Known && all_of(usedFields(*W.Of, W.Used), [&](const RecordField *F) {
             return fortranText(*U).namesComponent(*Known->Statement, F->Name);
           });
  }

  // Which procedures are called in loops, and who else goes through the records, other units know as well.
  void runFortran(Reporter &R) {
    Edges = fortranCallEdges(*U);
    std::map<const Record *, WalkedRecord> Found;
    for (const RecordWalk &W : recordWalks(*U, static_cast<unsigned>(R.threshold(Slug, "min_record_bytes")))) {
      const std::optional<LoopPlace> Loop = loopPlace(W.L, *U);
      if (!Loop || !isOwnWalk(W) || Found[W.Of].hasLoopAt(placeOf(U->ast(), Loop->Header)))
        continue;
      WalkedRecord &Of = Found[W.Of];
      Of.Name = W.Of->Name;
      Of.Size = static_cast<std::int64_t>(W.Used.size());
      const DISubprogram *P = W.L->getStartLoc()->getScope()->getSubprogram();
      const WalkCaller In{fortranCalls(*U).Names.lookup(P), Loop->Counter,
                          isSetUp(W.L, *U) ? Heat::Cold : Heat::Unknown};
      Of.Walks.push_back(describeWalk(W, *Loop, In, *U));
      Of.Walks.back().Silenced = R.silences(Slug, Loop->Header.getBegin());
    }
    for (const auto &[Type, Of] : Found)
      if (!Of.Walks.empty())
        Shared.push_back(Of.toJson({Type->Symbol, 0, 0, 0}));
  }

  void report(const WalkedRecord &Of, std::size_t Worst, const Record *Declared, const std::vector<RecordWalk> &Origins,
              Reporter &R) const {
    const LoopOverRecords &W = Of.Walks[Worst];
    const clang::Stmt *Loop = U->loopStatement(Origins[Worst].L);
    Finding F;
    F.Rule = Slug;
    F.Conf = W.confidence();
    F.Range = loopHeader(Loop);
    F.Scope = Loop->getSourceRange();
    F.Function = W.Function;
    F.Args = Of.arguments(W);
    F.Relateds.push_back({Declared->At, "the record is declared here"});
    if (Declared->Arrays.size() <= MostArrays)
      for (const clang::SourceLocation At : Declared->Arrays)
        F.Relateds.push_back({At, "holds such records"});
    for (std::size_t K = 0; K < Of.Walks.size(); ++K)
      if (K != Worst)
        F.Relateds.push_back({U->loopStatement(Origins[K].L)->getBeginLoc(), Of.Walks[K].label()});
    F.Accesses = Origins[Worst].Accesses;
    R.report(std::move(F));
  }

  static void report(const WalkedRecord &Of, std::size_t Worst, LinkReporter &R) {
    const LoopOverRecords &W = Of.Walks[Worst];
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = W.confidence();
    F.Where = W.Where;
    F.Function = W.Function;
    F.ScopeBegin = W.Begin;
    F.ScopeEnd = W.End;
    F.Args = Of.arguments(W);
    if (Of.Declared && Of.Declared->Line)
      F.Relateds.push_back({*Of.Declared, "the record is declared here"});
    if (Of.Arrays.size() <= MostArrays)
      for (const Place &At : Of.Arrays)
        F.Relateds.push_back({At, "holds such records"});
    for (std::size_t K = 0; K < Of.Walks.size(); ++K)
      if (K != Worst)
        F.Relateds.push_back({Of.Walks[K].Where, Of.Walks[K].label()});
    R.report(std::move(F));
  }

  Unit *U = nullptr;
  json::Array Shared;
  json::Value Edges = nullptr;
  double Limit = 0;
};

STRIDEWISE_CHECK("mem-array-of-structs", ArrayOfStructs)

} // namespace
} // namespace stridewise
