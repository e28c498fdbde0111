// R27: threads call MPI beyond the level that the program asked for.
//
// checks/mpi-thread-level/ThreadedCalls lists the MPI calls in OpenMP regions and thread bodies, also through functions
// of the unit, with what each needs: FUNNELED in `master` and `masked`, SERIALIZED in `single`, `critical` and one
// section, MULTIPLE in several sections and elsewhere. The request may stand in another unit: then the link phase joins
// them. Silent: levels that are not constant, clocks and queries, regions of one thread. A call on the main thread
// under MPI_Init is medium: libraries tolerate it. A level of which nobody reads whether it was provided is low. Known
// false positives: locks of the program's own that make the calls take turns.
#include "checks/mpi-thread-level/FortranThreads.h"
#include "checks/mpi-thread-level/ThreadedCalls.h"
#include "fortran/FortranLoops.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "mpi-thread-level";

Confidence confidenceOf(ThreadLevel Need, ThreadLevel Level) {
  return Need == ThreadLevel::Funneled && Level == ThreadLevel::Single ? Confidence::Medium : Confidence::High;
}

ArgMap argsOf(const std::string &Call, ThreadLevel Need, ThreadLevel Level, bool Threads, bool Fortran = false) {
  const char *Who = Need == ThreadLevel::Multiple     ? "any thread of the team"
                    : Need == ThreadLevel::Serialized ? "threads in turn"
                                                      : "the main thread of a team";
  return {{"problem", std::string(Who) + " may call " + Call + ", which needs " + name(Need) +
                          ", but the program asks for " + (Threads ? name(Level) : "no threads (MPI_Init)") +
                          ": messages may be lost or the run crash"},
          {"remedy", variant(Slug, Fortran ? "fortran_ask" : "ask", {{"level", std::string(name(Need))}})}};
}

class ThreadLevelCheck : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran()) {
      runFortran(U, R);
      return;
    }
    const LangOptions &Lang = U.ast().getLangOpts();
    if (!Lang.OpenMP && !Lang.CPlusPlus && !U.mpiCalls())
      return;
    if (!Lang.OpenMP && !U.mpiCalls())
      return;
    Facts = collectThreadFacts(U.ast());
    Ctx = &U.ast();
    for (const ThreadedCall &C : Facts.Calls)
      Silenced.push_back(R.silences(Slug, C.Where->getBeginLoc()));
    for (const LevelRequest &Q : Facts.Requests)
      if (Q.Threads && !Q.Checked && Q.Level > ThreadLevel::Single) {
        Finding F = at(Q.Where, Q.In);
        F.Conf = Confidence::Low;
        F.Args = {{"problem", std::string("nothing reads which thread level the library provides: with less than ") +
                                  name(Q.Level) + " the calls of threads may fail"},
                  {"remedy", variant(Slug, "compare")}};
        R.report(std::move(F));
      }
    const LevelRequest *Q = request();
    if (!Q)
      return;
    for (const ThreadedCall &C : Facts.Calls) {
      if (C.Mpi.empty() || C.Need <= Q->Level)
        continue;
      Finding F = at(C.Where, C.In);
      F.Conf = confidenceOf(C.Need, Q->Level);
      F.Args = argsOf(C.Mpi, C.Need, Q->Level, Q->Threads);
      F.Relateds.push_back({Q->Where->getBeginLoc(), "the level is asked for here"});
      if (C.Inner)
        F.Relateds.push_back({C.Inner->getBeginLoc(), C.Mpi + " is called here"});
      R.report(std::move(F));
    }
  }

  json::Value summarize(Unit &U) override {
    if (U.isFortran())
      return std::move(OfFortran);
    if (Facts.Calls.empty() && Facts.Requests.empty() && Facts.Functions.empty())
      return nullptr;
    json::Array Calls, Requests;
    json::Object Functions;
    for (std::size_t K = 0; K < Facts.Calls.size(); ++K) {
      const ThreadedCall &C = Facts.Calls[K];
      if (!Silenced[K])
        Calls.push_back(json::Object{{"place", toJson(placeOf(*Ctx, C.Where->getSourceRange()))},
                                     {"function", Unit::functionName(C.In)},
                                     {"need", int(C.Need)},
                                     {"mpi", C.Mpi},
                                     {"callee", C.Callee}});
    }
    for (const LevelRequest &Q : Facts.Requests)
      Requests.push_back(json::Object{{"place", toJson(placeOf(*Ctx, Q.Where->getSourceRange()))},
                                      {"level", int(Q.Level)},
                                      {"known", Q.Known},
                                      {"threads", Q.Threads}});
    for (const auto &[Name, Need] : Facts.Functions)
      Functions[Name] = json::Object{{"need", int(Need.first)}, {"mpi", Need.second}};
    return json::Object{
        {"calls", std::move(Calls)}, {"requests", std::move(Requests)}, {"functions", std::move(Functions)}};
  }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    int Level = -1;
    bool Threads = false;
    std::optional<Place> Asked;
    std::map<std::string, std::pair<int, std::string>> Functions;
    for (const stored::Value &V : Summaries) {
      const stored::Object &O = *V.getAsObject();
      for (const stored::Value &Q : *O.getArray("requests")) {
        const stored::Object &Request = *Q.getAsObject();
        int Mine = Request.getBoolean("known").value_or(false) ? int(Request.getInteger("level").value_or(3)) : 3;
        if (Mine > Level) {
          Level = Mine;
          Threads = Request.getBoolean("threads").value_or(false);
          Asked = placeFromJson(*Request.get("place"));
        }
      }
      for (const auto &[Name, Need] : *O.getObject("functions"))
        Functions[Name.str()] = {int(Need.getAsObject()->getInteger("need").value_or(0)),
                                 Need.getAsObject()->getString("mpi").value_or("").str()};
    }
    if (Level < 0)
      return;
    std::vector<LinkFinding> Out;
    std::map<std::tuple<std::string, std::string, int>, std::size_t> Places; // of each file, function and level
    for (const stored::Value &V : Summaries) {
      bool Own = !V.getAsObject()->getArray("requests")->empty();
      for (const stored::Value &Each : *V.getAsObject()->getArray("calls")) {
        const stored::Object &C = *Each.getAsObject();
        std::string Mpi = C.getString("mpi").value_or("").str();
        int Need = int(C.getInteger("need").value_or(0));
        const bool Fortran = C.getBoolean("fortran").value_or(false);
        if (Own && !Mpi.empty() && !Fortran)
          continue; // said with the unit
        if (Mpi.empty()) {
          auto It = Functions.find(C.getString("callee").value_or("").str());
          if (It == Functions.end())
            continue;
          Mpi = It->second.second;
          Need = std::min(Need, It->second.first);
        }
        std::optional<Place> Where = placeFromJson(*C.get("place"));
        if (Need <= Level || !Where)
          continue;
        LinkFinding F;
        F.Rule = Slug;
        F.Conf = confidenceOf(ThreadLevel(Need), ThreadLevel(Level));
        F.Where = *Where;
        F.Function = C.getString("function").value_or("").str();
        F.ScopeBegin = Where->Line;
        F.ScopeEnd = Where->EndLine;
        F.Args = argsOf(Mpi, ThreadLevel(Need), ThreadLevel(Level), Threads, Fortran);
        if (Asked)
          F.Relateds.emplace_back(*Asked, "the level is asked for here");
        // One fact, wherever else in the function it holds.
        const auto [Said, New] = Places.try_emplace({Where->File, F.Function, Need}, Out.size());
        if (New)
          Out.push_back(std::move(F));
        else
          Out[Said->second].Relateds.emplace_back(*Where, "so does " + Mpi);
      }
    }
    for (LinkFinding &F : Out)
      R.report(std::move(F));
  }

private:
  // All is said when the units are joined: programs of Fortran ask for the level in a file of its own.
  void runFortran(Unit &U, Reporter &R) {
    const FortranThreads All = fortranThreads(U);
    if (All.Calls.empty() && All.Requests.empty())
      return;
    json::Array Calls, Requests;
    for (const FortranThreadedCall &C : All.Calls)
      if (const SourceRange Range = headerOf(*C.Where, U); !R.silences(Slug, Range.getBegin()))
        Calls.push_back(json::Object{{"place", toJson(placeOf(U.ast(), Range))},
                                     {"function", C.In},
                                     {"need", int(C.Need)},
                                     {"mpi", C.Mpi},
                                     {"callee", ""},
                                     {"fortran", true}});
    for (const FortranLevelRequest &Q : All.Requests)
      Requests.push_back(json::Object{{"place", toJson(placeOf(U.ast(), headerOf(*Q.Where, U)))},
                                      {"level", int(Q.Level)},
                                      {"known", Q.Known},
                                      {"threads", Q.Threads}});
    OfFortran =
        json::Object{{"calls", std::move(Calls)}, {"requests", std::move(Requests)}, {"functions", json::Object()}};
  }

  static Finding at(const CallExpr *Where, const FunctionDecl *In) {
    Finding F;
    F.Rule = Slug;
    F.Range = Where->getSourceRange();
    F.Function = Unit::functionName(In);
    return F;
  }

  // The highest level that the unit asks for; null when it asks for none, or for one that only a run knows.
  const LevelRequest *request() const {
    const LevelRequest *Best = nullptr;
    for (const LevelRequest &Q : Facts.Requests) {
      if (!Q.Known)
        return nullptr;
      if (!Best || Q.Level > Best->Level)
        Best = &Q;
    }
    return Best;
  }

  ThreadFacts Facts;
  json::Value OfFortran = nullptr;
  std::vector<bool> Silenced;
  ASTContext *Ctx = nullptr;
};

STRIDEWISE_CHECK("mpi-thread-level", ThreadLevelCheck)

} // namespace
} // namespace stridewise
