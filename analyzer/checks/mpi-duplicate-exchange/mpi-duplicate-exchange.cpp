// R21: the same data are sent twice.
//
// Two messages of the inlined IR are the same when address, count, type, peer and communicator are equal (the loops
// around them may be different loops that walk alike), both run or neither does, and nothing writes to the data in
// between: no store, no receive, no call of unknown effect. A buffer that is filled a second time from data that did
// not change counts as unchanged, as does another one that a call has allocated. A message in a loop is the same in
// each iteration when nothing in the loop changes it. Functions that exchange data are followed through the calls of
// all units (ExchangeFlow.h, FlowLink.h): what they read and fill, and whether a second run leaves the same behind
// (FlowMoves.h, FlowRepeat.h). Silent: functions that measure (a clock between the two and no function that computes
// behind it, or anywhere for a loop), loops
// that compute nothing, signals of a few bytes, in-place collective calls, data that any other call may write. Known
// false positives: a message that is sent twice because the receiver asks for it twice.
#include "checks/mpi-duplicate-exchange/DuplicateExchange.h"
#include "checks/mpi-duplicate-exchange/ExchangeFlow.h"
#include "checks/mpi-duplicate-exchange/FlowLink.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-duplicate-exchange";

class DuplicateExchangeCheck : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    if (!U.ir())
      return;
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    SourceCalls Sources(U);
    MpiEffects Effects(U);
    if (json::Value Flow = exchangeFlow(U, Sources); Flow.kind() != json::Value::Null)
      Summary = json::Object{{"flow", std::move(Flow)}};
    const double MinBytes = R.threshold(Slug, "min_message_bytes");
    std::set<std::pair<clang::FileID, unsigned>> Said;
    for (MpiFunction *M : Functions)
      for (const DuplicateExchange &D : findDuplicateExchanges(*M, U, Effects, MinBytes))
        report(D, Said, Sources, U, R);
  }

  json::Value summarize(Unit &) override { return std::move(Summary); }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    for (LinkFinding &F : linkFlow(Summaries)) {
      F.Rule = Slug;
      const std::string Remedy = variant(Slug, std::get<std::string>(F.Args["remedy"]));
      F.Args["remedy"] = variant(Slug, "provided", {{"remedy", Remedy}});
      R.report(std::move(F));
    }
  }

private:
  json::Value Summary = nullptr;

  static std::string again(const DuplicateExchange &D, unsigned Line) {
    return std::string(" a second time") + (D.SameTag ? "" : ", with another tag,") + " after line " +
           std::to_string(Line) + (D.Carried ? " of the iteration before" : "") + "; nothing changes it in between";
  }

  void report(const DuplicateExchange &D, std::set<std::pair<clang::FileID, unsigned>> &Said, SourceCalls &Sources,
              Unit &U, Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    std::vector<SourceFrame> First = Sources.frames(*D.First->Call), Again = Sources.frames(*D.Again->Call);
    if (First.empty() || Again.empty())
      return;
    // Where the two part: two calls of one helper are the duplicate, not the call of MPI in it.
    std::size_t Level = 0, Earlier = 0;
    if (!D.Repeats) {
      while (Level + 1 < Again.size() && Level + 1 < First.size() && Again[Level].Where == First[Level].Where)
        ++Level;
      Earlier = Level;
    }
    if (!Said.insert(SM.getDecomposedLoc(Again[Level].Where)).second)
      return;
    const SourceFrame &At = Again[Level];
    Finding F;
    F.Rule = Slug;
    F.Conf = D.SameTag && !D.Assumed && !D.AssumedSizes ? Confidence::High : Confidence::Medium;
    F.Range = At.range();
    F.Function = At.function();
    F.Scope = At.scope();
    std::string Buffer = Sources.argumentText(Again, D.Again->Sig->Buffer, Level);
    std::string What = Buffer.empty() ? "the same data" : "'" + Buffer + "'";
    std::string Effect, Remedy;
    if (D.Repeats) {
      clang::SourceLocation Loop = U.loopLocation(D.Repeats);
      std::string Name = loopVariable(D.Repeats, U);
      Effect = What + " in each iteration of the loop" + (Name.empty() ? "" : " over '" + Name + "'") +
               ", although nothing in the loop changes it";
      Remedy = variant(Slug, "hoist");
      if (Loop.isValid())
        F.Relateds.push_back({Loop, "repeated by this loop"});
    } else {
      const clang::SourceLocation Before = First[Earlier].Where;
      Effect = What + again(D, SM.getExpansionLineNumber(Before));
      if (D.AssumedSizes)
        Effect += ", as long as what is received meanwhile goes to other cells";
      Remedy = variant(Slug, D.Carried ? "remove_carried" : "remove");
      F.Relateds.push_back({Before, "sent here already"});
    }
    for (std::size_t Out = Level + 1; Out < Again.size(); ++Out)
      F.Relateds.push_back({Again[Out].Where, "called from here"});
    F.Args = {{"effect", Effect},
              {"verb", std::string(D.Again->is(MpiCollective) ? "communicates" : "sends")},
              {"call", std::string(D.Again->Sig->Name)},
              {"remedy", Remedy}};
    for (const SourceFrame *Frame : {&std::as_const(Again).front(), &At}) {
      Place Line = placeOf(U.ast(), Frame->Where);
      if (F.Accesses.empty() || F.Accesses.back().Line != Line.Line || F.Accesses.back().File != Line.File)
        F.Accesses.push_back({Line.File, Line.Line, Frame->function(), -1});
    }
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-duplicate-exchange", DuplicateExchangeCheck)

} // namespace
} // namespace stridewise
