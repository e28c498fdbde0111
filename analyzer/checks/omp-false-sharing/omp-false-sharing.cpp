// R09: threads that write different elements of one cache line, again and again.
//
// SlotWrites finds elements chosen by the thread's number or by the counter of a shared loop that is handed out in
// small pieces, and parts of one object that threads of several functions write, and tells which writes stay in their
// loop after optimisation. Padded slots, slots of memory that each thread allocates, blocks of the default schedule and
// single writes are silent.
// Known false positives: functions that the program calls with a team of one thread.
#include "checks/omp-false-sharing/FortranSlots.h"
#include "checks/omp-false-sharing/SlotFix.h"
#include "checks/omp-false-sharing/SlotWrites.h"
#include "fortran/FortranLoops.h"
#include "loops/CallHeat.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "omp-false-sharing";

class FalseSharing : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran())
      return runFortran(U, R);
    const SourceManager &SM = U.sources();
    SlotLimits Limits{R.threshold(Slug, "min_writes"), R.threshold(Slug, "line_bytes")};
    Line = static_cast<std::int64_t>(Limits.LineBytes);
    Ctx = &U.ast();
    Numbers.clear();
    Asking.clear();
    SlotFixes Fixes(U.ast());
    for (SlotWrite &W : slotWrites(U.ast(), Limits, Numbers)) {
      if (W.Asked) {
        if (!R.silences(Slug, W.Write->getExprLoc()))
          Asking.push_back(std::move(W));
        continue;
      }
      if (W.Called && CallHeat(U.ast()).of(W.Function) == Heat::Cold)
        continue;
      Finding F;
      F.Rule = Slug;
      F.Conf = W.Sure ? Confidence::High : Confidence::Medium;
      F.Range = W.Write->getSourceRange();
      F.Function = Unit::functionName(W.Function);
      F.Scope = W.Loop->getSourceRange();
      F.Args = argsOf(W, SM);
      if (!W.Called)
        F.Relateds.push_back({W.Loop->getBeginLoc(), Repeats});
      if (W.Team)
        F.Relateds.push_back({W.Team->getBeginLoc(), Region});
      if (W.Other)
        F.Relateds.push_back({W.Other->getExprLoc(), "another thread writes beside it here"});
      if (std::optional<Fix> X = Fixes.apart(W, Line))
        F.Fixes.push_back(std::move(*X));
      R.report(std::move(F));
    }
  }

  // Which functions return the thread's number, and what is written by such a number of another unit's.
  llvm::json::Value summarize(Unit &U) override {
    if (Numbers.empty() && Asking.empty())
      return nullptr;
    llvm::json::Array Functions, Writes;
    for (const FunctionDecl *F : Numbers)
      Functions.push_back(Unit::functionName(F));
    for (const SlotWrite &W : Asking) {
      llvm::json::Object Args;
      for (const auto &[Name, Value] : argsOf(W, U.sources()))
        if (const auto *Text = std::get_if<std::string>(&Value))
          Args[Name] = *Text;
        else if (const auto *Number = std::get_if<std::int64_t>(&Value))
          Args[Name] = *Number;
      Writes.push_back(llvm::json::Object{{"asked", Unit::functionName(W.Asked)},
                                          {"place", toJson(placeOf(*Ctx, W.Write->getSourceRange()))},
                                          {"loop", toJson(placeOf(*Ctx, W.Loop->getSourceRange()))},
                                          {"function", Unit::functionName(W.Function)},
                                          {"sure", W.Sure},
                                          {"args", std::move(Args)}});
    }
    return llvm::json::Object{{"numbers", std::move(Functions)}, {"writes", std::move(Writes)}};
  }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::set<std::string> Known;
    for (const stored::Value &V : Summaries)
      for (const stored::Value &Name : *V.getAsObject()->getArray("numbers"))
        Known.insert(Name.getAsString().value_or("").str());
    for (const stored::Value &V : Summaries)
      for (const stored::Value &Each : *V.getAsObject()->getArray("writes")) {
        const stored::Object &W = *Each.getAsObject();
        const std::optional<Place> Where = placeFromJson(*W.get("place")), Loop = placeFromJson(*W.get("loop"));
        if (!Where || !Loop || !Known.contains(W.getString("asked").value_or("").str()))
          continue;
        LinkFinding F;
        F.Rule = Slug;
        F.Conf = W.getBoolean("sure").value_or(false) ? Confidence::High : Confidence::Medium;
        F.Where = *Where;
        F.Function = W.getString("function").value_or("").str();
        F.ScopeBegin = Loop->Line;
        F.ScopeEnd = Loop->EndLine;
        for (const auto &[Name, Value] : *W.getObject("args"))
          if (const std::optional<std::int64_t> Number = Value.getAsInteger())
            F.Args[Name.str()] = *Number;
          else
            F.Args[Name.str()] = Value.getAsString().value_or("").str();
        F.Relateds.emplace_back(*Loop, Repeats);
        R.report(std::move(F));
      }
  }

private:
  void runFortran(Unit &U, Reporter &R) {
    const double LineBytes = R.threshold(Slug, "line_bytes");
    Line = static_cast<std::int64_t>(LineBytes);
    for (const FortranSlot &S : fortranSlots(U, R.threshold(Slug, "min_writes"), LineBytes)) {
      const FortranStatement &Write = fortranText(U).statements()[S.Write], &Loop = fortranText(U).statements()[S.Loop];
      Finding F;
      F.Rule = Slug;
      F.Conf = S.Sure ? Confidence::High : Confidence::Medium;
      F.Range = headerOf(Write, U);
      F.Function = S.Procedure;
      F.Scope = rangeOf(Loop, U);
      F.Args = {{"array", S.Array},
                {"distance", S.DistanceBytes},
                {"assumption", std::string()},
                {"often", variant(Slug, "each_iteration", {{"line", static_cast<std::int64_t>(Loop.Line)}})},
                {"who", std::string(S.ByThread ? "neighbouring threads" : "threads with neighbouring iterations")},
                {"remedy", remedy(S)}};
      F.Relateds.push_back({headerOf(Loop, U).getBegin(), Repeats});
      if (S.ByThread)
        F.Relateds.push_back(
            {U.sources().translateLineCol(U.sources().getMainFileID(), S.RegionLine, S.RegionColumn), Region});
      R.report(std::move(F));
    }
  }

  std::string remedy(const FortranSlot &S) const {
    ArgMap Said{{"array", S.Array}, {"line", Line}, {"elements", (Line + S.ElementBytes - 1) / S.ElementBytes}};
    if (S.EveryIteration) {
      Said["iterations"] = (Line + S.DistanceBytes - 1) / S.DistanceBytes;
      return variant(Slug, S.Chunk ? "no_chunk" : "whole_lines", Said);
    }
    Said["padding"] = variant(Slug, "fortran_padding", Said);
    return variant(Slug, S.Adds ? "fortran_sum" : "fortran_value", Said);
  }

  ArgMap argsOf(const SlotWrite &W, const SourceManager &SM) const {
    const auto LoopLine = static_cast<std::int64_t>(SM.getSpellingLineNumber(SM.getFileLoc(W.Loop->getBeginLoc())));
    return {{"array", W.Array},
            {"distance", W.Row.empty() ? Arg(W.DistanceBytes) : Arg(W.Row)},
            {"assumption", std::string(W.Row.empty() ? "" : ", taken for less than a few lines")},
            {"often", variant(Slug, W.Called ? "each_call" : "each_iteration",
                              {{"line", LoopLine}, {"function", W.Called ? Unit::functionName(W.Function) : ""}})},
            {"who", std::string(W.By == SlotWrite::Thread ? "neighbouring threads"
                                : W.By == SlotWrite::Part ? "threads that run at the same time"
                                                          : "threads with neighbouring iterations")},
            {"remedy", remedy(W)}};
  }

  // What else keeps the elements apart: bytes up to a line.
  std::string padding(const SlotWrite &W) const {
    ArgMap Said{{"line", Line}, {"more", Line - W.DistanceBytes}};
    if (!W.Record || W.Record->getDeclContext()->isStdNamespace())
      return variant(Slug, "leave_bytes", Said);
    Said["record"] = W.Record->getNameAsString();
    return variant(Slug, "align_record", Said);
  }

  std::string remedy(const SlotWrite &W) const {
    ArgMap Said{{"array", W.Array}, {"line", Line}, {"where", variant(Slug, W.Started ? "in_thread" : "in_region")}};
    if (!W.Row.empty())
      return variant(Slug, "short_rows", Said);
    if (W.Called)
      return variant(Slug, "own_state", {{"padding", padding(W)}, {"array", W.Array}});
    if (W.By == SlotWrite::Part)
      return variant(Slug, W.Adds ? "part_sum" : "part_value", Said);
    if (W.EveryIteration) {
      Said["iterations"] = (Line + W.DistanceBytes - 1) / W.DistanceBytes;
      // Without a chunk size there is nothing to leave out.
      return variant(Slug, W.Chunk ? "no_chunk" : "whole_lines", Said);
    }
    Said["padding"] = padding(W);
    return variant(Slug,
                   W.Record    ? "own_record"
                   : !W.Adds   ? "own_value"
                   : W.Started ? "own_sum"
                               : "own_sum_or_reduction",
                   Said);
  }

  static constexpr const char *Repeats = "the loop that repeats the write";
  static constexpr const char *Region = "the region whose threads write side by side";
  std::int64_t Line = 0;
  const ASTContext *Ctx = nullptr;
  std::vector<const FunctionDecl *> Numbers;
  std::vector<SlotWrite> Asking;
};

STRIDEWISE_CHECK("omp-false-sharing", FalseSharing)

} // namespace
} // namespace stridewise
