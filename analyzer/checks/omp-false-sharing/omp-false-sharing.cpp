// R09: threads that write different elements of one cache line, again and again.
//
// SlotWrites finds elements chosen by the thread's number or by the counter of a shared loop that is handed out in
// small pieces, and parts of one object that threads of several functions write, and tells which writes stay in their
// loop after optimisation. Padded slots, slots of memory that each thread allocates, blocks of the default schedule and
// single writes are silent.
// Known false positives: functions that the program calls with a team of one thread.
#include "checks/omp-false-sharing/SlotWrites.h"
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
  void run(Unit &U, Reporter &R) override {
    const SourceManager &SM = U.sources();
    SlotLimits Limits{R.threshold(Slug, "min_writes"), R.threshold(Slug, "line_bytes")};
    Line = static_cast<std::int64_t>(Limits.LineBytes);
    for (const SlotWrite &W : slotWrites(U.ast(), Limits)) {
      Finding F;
      F.Rule = Slug;
      F.Conf = W.Sure ? Confidence::High : Confidence::Medium;
      F.Range = W.Write->getSourceRange();
      F.Function = Unit::functionName(W.Function);
      F.Scope = W.Loop->getSourceRange();
      auto LoopLine = static_cast<std::int64_t>(SM.getSpellingLineNumber(SM.getFileLoc(W.Loop->getBeginLoc())));
      F.Args = {{"array", W.Array},
                {"distance", W.DistanceBytes},
                {"loop_line", LoopLine},
                {"who", std::string(W.By == SlotWrite::Thread ? "neighbouring threads"
                                    : W.By == SlotWrite::Part ? "threads that run at the same time"
                                                              : "threads with neighbouring iterations")},
                {"remedy", remedy(W)}};
      F.Relateds.push_back({W.Loop->getBeginLoc(), "the loop that repeats the write"});
      if (W.Other)
        F.Relateds.push_back({W.Other->getExprLoc(), "another thread writes beside it here"});
      R.report(std::move(F));
    }
  }

private:
  // What else keeps the elements apart: bytes up to a line.
  std::string padding(const SlotWrite &W) const {
    if (W.Record && !W.Record->getDeclContext()->isStdNamespace())
      return "declare '" + W.Record->getNameAsString() + "' alignas(" + std::to_string(Line) + "), which adds " +
             std::to_string(Line - W.DistanceBytes) + " bytes to each element";
    return "leave " + std::to_string(Line) + " bytes from one thread's element to the next (" +
           std::to_string(Line - W.DistanceBytes) + " more)";
  }

  std::string remedy(const SlotWrite &W) const {
    std::string Array = "'" + W.Array + "'";
    const std::string Where = W.Started ? "the thread's function" : "the parallel region";
    if (W.By == SlotWrite::Part)
      return std::string(W.Adds ? "add up" : "keep the value") + " in a variable declared inside " + Where +
             " and store it to " + Array + " once, after the loop; or begin each thread's part with alignas(" +
             std::to_string(Line) + ")";
    if (W.EveryIteration) {
      std::int64_t Whole = (Line + W.DistanceBytes - 1) / W.DistanceBytes;
      // Without a chunk size there is nothing to leave out.
      return std::string("give each thread whole lines: ") +
             (W.Chunk ? "schedule(static) without a chunk size, or " : "") + "chunks of a multiple of " +
             std::to_string(Whole) + " iterations";
    }
    std::string Own = W.Record ? "collect in a variable declared inside " + Where + " and copy it to " + Array +
                                     " once, after the loop"
                      : W.Adds ? "add up in a variable declared inside " + Where + " and store it to " + Array +
                                     " once, after the loop" + (W.Started ? "" : ", or use a reduction")
                               : "keep the value in a variable declared inside " + Where + " and store it to " + Array +
                                     " once, after the loop";
    return Own + "; or " + padding(W);
  }

  std::int64_t Line = 64;
};

STRIDEWISE_CHECK("omp-false-sharing", FalseSharing)

} // namespace
} // namespace stridewise
