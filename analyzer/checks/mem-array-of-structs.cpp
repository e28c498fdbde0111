// R04: hot loops that use a few fields of each record of an array.
//
// For each record type, over all hot loops that go through an array of it: the bytes that they use and the bytes of the
// cache lines that they bring in. Where half of what is fetched is never used, the loop with the largest waste is
// reported and the others are named with it. Loops that use all fields together count for the layout, so a record that
// is used whole in most places is silent; likewise records whose used fields already fill their own cache lines, small
// records, arrays that fit the first-level cache, loops that run once. A record of a header is judged over all units,
// in the link phase. Known false positives: arrays that are small at run time.
#include "core/CallHeat.h"
#include "core/Check.h"
#include "core/LoopInterchange.h"
#include "core/RecordWalks.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mem-array-of-structs";
// Up to this share of used bytes the other layout is worth at least three times the bandwidth.
constexpr double SureShare = 0.34;

// A loop over records, without its unit.
struct Walk {
  Place Where;
  unsigned Begin = 0, End = 0; // lines of the loop
  std::string Caller, Function, Loop, Fields;
  std::int64_t Used = 0;
  double Fetched = 0;
  bool Guarded = false;
  bool Numeric = false; // uses a field of floating-point numbers
  Heat H = Heat::Unknown;

  double share() const { return double(Used) / Fetched; }
};

// All walks over one record.
struct Walked {
  std::string Name;
  std::int64_t Size = 0;
  std::vector<Walk> Walks;
};

class ArrayOfStructs : public Check {
public:
  void run(Unit &Source, Reporter &R) override {
    U = &Source;
    const double MaxShare = R.threshold(Slug, "max_used_share");
    std::map<const clang::RecordDecl *, std::pair<Walked, std::vector<RecordWalk>>> Found;
    std::vector<RecordWalk> All = recordWalks(Source, static_cast<unsigned>(R.threshold(Slug, "min_record_bytes")));
    if (All.empty())
      return;
    CallHeat Calls(Source.ast());
    for (RecordWalk &W : All) {
      const clang::Stmt *Loop = Source.loopStatement(W.L);
      if (!Loop || Source.sources().isInSystemHeader(Loop->getBeginLoc()))
        continue;
      auto &[Of, Origins] = Found[W.Record];
      // Copies that were inlined elsewhere say nothing new.
      Place Where = placeOf(Source.ast(), loopHeader(Loop));
      if (any_of(Of.Walks, [&](const Walk &O) {
            return O.Where.File == Where.File && O.Where.Line == Where.Line && O.Where.Column == Where.Column;
          }))
        continue;
      Of.Name = recordName(W.Record);
      Of.Size = static_cast<std::int64_t>(W.Used.size());
      Of.Walks.push_back(walk(W, Loop, Where, Calls));
      Origins.push_back(std::move(W));
    }
    for (auto &[Record, Entry] : Found) {
      auto &[Of, Origins] = Entry;
      // Other units may use what a header declares.
      const clang::SourceManager &SM = Source.sources();
      if (!SM.isInMainFile(SM.getExpansionLoc(Record->getLocation()))) {
        Shared.push_back({placeOf(Source.ast(), Record->getLocation()), Of});
        continue;
      }
      if (std::optional<std::size_t> Worst = judge(Of, MaxShare))
        report(Of, *Worst, Record, Origins, R);
    }
    Limit = MaxShare;
    if (!Shared.empty())
      Edges = Calls.toJson();
  }

  json::Value summarize(Unit &) override {
    if (Shared.empty())
      return nullptr;
    json::Array Records;
    for (const auto &[Where, Of] : Shared) {
      json::Array Walks;
      for (const Walk &W : Of.Walks)
        Walks.push_back(json::Object{{"where", toJson(W.Where)},
                                     {"begin", W.Begin},
                                     {"end", W.End},
                                     {"in", W.Caller},
                                     {"function", W.Function},
                                     {"loop", W.Loop},
                                     {"fields", W.Fields},
                                     {"used", W.Used},
                                     {"fetched", W.Fetched},
                                     {"guarded", W.Guarded},
                                     {"numeric", W.Numeric},
                                     {"heat", static_cast<int>(W.H)}});
      Records.push_back(
          json::Object{{"record", toJson(Where)}, {"name", Of.Name}, {"size", Of.Size}, {"walks", std::move(Walks)}});
    }
    return json::Object{{"records", std::move(Records)}, {"calls", std::move(Edges)}, {"limit", Limit}};
  }

  void link(ArrayRef<json::Value> Summaries, LinkReporter &R) override {
    std::vector<const json::Value *> Calls;
    std::map<std::pair<std::string, unsigned>, Walked> Found;
    for (const json::Value &V : Summaries) {
      const json::Object *O = V.getAsObject();
      if (!O)
        continue;
      if (const json::Value *C = O->get("calls"))
        Calls.push_back(C);
      Limit = O->getNumber("limit").value_or(Limit);
      if (const json::Array *Records = O->getArray("records"))
        for (const json::Value &Record : *Records)
          if (const json::Object *Entry = Record.getAsObject())
            read(*Entry, Found);
    }
    std::set<std::string> Hot = hotFunctions(Calls);
    for (auto &[Key, Of] : Found) {
      for (Walk &W : Of.Walks)
        if (Hot.count(W.Caller))
          W.H = Heat::Hot;
      std::optional<std::size_t> Worst = judge(Of, Limit);
      if (!Worst)
        continue;
      const Walk &W = Of.Walks[*Worst];
      LinkFinding F;
      F.Rule = Slug;
      F.Conf = confidence(W);
      F.Where = W.Where;
      F.Function = W.Function;
      F.ScopeBegin = W.Begin;
      F.ScopeEnd = W.End;
      F.Args = arguments(Of, W);
      for (std::size_t K = 0; K < Of.Walks.size(); ++K)
        if (K != *Worst)
          F.Relateds.push_back({Of.Walks[K].Where, label(Of.Walks[K])});
      R.report(std::move(F));
    }
  }

private:
  static std::string recordName(const clang::RecordDecl *R) {
    if (const clang::TypedefNameDecl *T = R->getTypedefNameForAnonDecl())
      return T->getNameAsString();
    return R->getQualifiedNameAsString();
  }

  Walk walk(const RecordWalk &W, const clang::Stmt *Loop, const Place &Where, CallHeat &Calls) const {
    const clang::FunctionDecl *Around = U->functionAt(Loop->getBeginLoc());
    Place Whole = placeOf(U->ast(), Loop->getSourceRange());
    Walk Out;
    Out.Where = Where;
    Out.Begin = Whole.Line;
    Out.End = Whole.EndLine;
    Out.Caller = Around ? Calls.name(Around) : std::string();
    Out.Function = Unit::functionName(Around);
    const clang::VarDecl *Counter = loopVariable(Loop);
    Out.Loop = Counter && Counter->getDeclName() && !Counter->isImplicit() ? Counter->getNameAsString() : "elements";
    for (const clang::FieldDecl *F : usedFields(W.Record, W.Used, U->ast())) {
      Out.Fields += (Out.Fields.empty() ? "" : ", ") + F->getNameAsString();
      Out.Numeric |= holdsNumbers(F->getType(), U->ast());
    }
    Out.Used = W.Used.count();
    Out.Fetched = fetchedBytes(W.Used);
    Out.Guarded = W.Guarded;
    Out.H = W.Repeated ? Heat::Hot : Calls.of(Around);
    return Out;
  }

  // The walk that wastes most, when all hot walks together waste enough.
  static std::optional<std::size_t> judge(const Walked &Of, double MaxShare) {
    double Used = 0, Fetched = 0, Most = 0;
    std::optional<std::size_t> Worst;
    for (std::size_t K = 0; K < Of.Walks.size(); ++K) {
      const Walk &W = Of.Walks[K];
      if (W.H == Heat::Cold)
        continue;
      // What runs again and again decides over what may.
      double Weight = W.H == Heat::Hot ? 4 : 1, Waste = Weight * (W.Fetched - double(W.Used));
      Used += Weight * double(W.Used);
      Fetched += Weight * W.Fetched;
      if (W.share() <= MaxShare && Waste > Most) {
        Most = Waste;
        Worst = K;
      }
    }
    return Worst && Used <= MaxShare * Fetched ? Worst : std::nullopt;
  }

  /// Whether a value of this type has floating-point numbers in it.
  static bool holdsNumbers(clang::QualType T, const clang::ASTContext &Ctx) {
    T = Ctx.getBaseElementType(T).getCanonicalType();
    if (const clang::RecordDecl *R = T->getAsRecordDecl(); R && R->isCompleteDefinition())
      return any_of(R->fields(), [&](const clang::FieldDecl *F) { return holdsNumbers(F->getType(), Ctx); });
    return T->hasFloatingRepresentation();
  }

  static Confidence confidence(const Walk &W) {
    // Nothing says that it runs more than once: it may be what fills the array. And a walk over flags, keys and links
    // is bookkeeping more often than the computation that decides how data should lie.
    if (W.H != Heat::Hot || !W.Numeric)
      return Confidence::Low;
    return W.share() <= SureShare && !W.Guarded ? Confidence::High : Confidence::Medium;
  }

  static ArgMap arguments(const Walked &Of, const Walk &W) {
    return {{"loop", W.Loop},     {"record", Of.Name}, {"size", Of.Size},
            {"fields", W.Fields}, {"used", W.Used},    {"fetched", static_cast<std::int64_t>(std::lround(W.Fetched))}};
  }

  static std::string label(const Walk &W) {
    return "uses " + std::to_string(W.Used) + " bytes of each record: " + W.Fields;
  }

  void report(const Walked &Of, std::size_t Worst, const clang::RecordDecl *Record,
              const std::vector<RecordWalk> &Origins, Reporter &R) const {
    const Walk &W = Of.Walks[Worst];
    const clang::Stmt *Loop = U->loopStatement(Origins[Worst].L);
    Finding F;
    F.Rule = Slug;
    F.Conf = confidence(W);
    F.Range = loopHeader(Loop);
    F.Scope = Loop->getSourceRange();
    F.Function = W.Function;
    F.Args = arguments(Of, W);
    F.Relateds.push_back({Record->getLocation(), "the record is declared here"});
    for (std::size_t K = 0; K < Of.Walks.size(); ++K)
      if (K != Worst)
        F.Relateds.push_back({U->loopStatement(Origins[K].L)->getBeginLoc(), label(Of.Walks[K])});
    F.Accesses = Origins[Worst].Accesses;
    R.report(std::move(F));
  }

  static void read(const json::Object &Entry, std::map<std::pair<std::string, unsigned>, Walked> &Found) {
    const json::Value *Record = Entry.get("record");
    std::optional<Place> At = Record ? placeFromJson(*Record) : std::nullopt;
    const json::Array *Walks = Entry.getArray("walks");
    if (!At || !Walks)
      return;
    Walked &Of = Found[{At->File, At->Line}];
    Of.Name = Entry.getString("name").value_or("").str();
    Of.Size = Entry.getInteger("size").value_or(0);
    for (const json::Value &V : *Walks) {
      const json::Object *O = V.getAsObject();
      const json::Value *Where = O ? O->get("where") : nullptr;
      std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
      // A loop of a header is seen by many units.
      if (!P || any_of(Of.Walks, [&](const Walk &W) { return W.Where.File == P->File && W.Where.Line == P->Line; }))
        continue;
      auto Text = [&](StringRef Name) { return O->getString(Name).value_or("").str(); };
      Walk W;
      W.Where = *P;
      W.Begin = static_cast<unsigned>(O->getInteger("begin").value_or(0));
      W.End = static_cast<unsigned>(O->getInteger("end").value_or(0));
      W.Caller = Text("in");
      W.Function = Text("function");
      W.Loop = Text("loop");
      W.Fields = Text("fields");
      W.Used = O->getInteger("used").value_or(0);
      W.Fetched = O->getNumber("fetched").value_or(1);
      W.Guarded = O->getBoolean("guarded").value_or(false);
      W.Numeric = O->getBoolean("numeric").value_or(false);
      W.H = static_cast<Heat>(O->getInteger("heat").value_or(1));
      Of.Walks.push_back(std::move(W));
    }
  }

  Unit *U = nullptr;
  std::vector<std::pair<Place, Walked>> Shared;
  json::Value Edges = nullptr;
  double Limit = 0.5;
};

STRIDEWISE_CHECK("mem-array-of-structs", ArrayOfStructs)

} // namespace
} // namespace stridewise
