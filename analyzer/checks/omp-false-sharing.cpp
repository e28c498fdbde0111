// R09: threads of a team that write different elements of one cache line, again and again.
//
// Core/SlotWrites finds elements chosen by the thread's number or by the counter of a shared loop that is handed out in
// small pieces, and tells which writes stay in their loop after optimisation. Padded slots, slots of memory that each
// thread allocates, blocks of the default schedule and single writes are silent.
// Known false positives: functions that the program calls with a team of one thread.
#include "core/Check.h"
#include "core/Reporter.h"
#include "core/SlotWrites.h"
#include "core/Unit.h"
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
                                                              : "threads with neighbouring iterations")},
                {"remedy", remedy(W)}};
      F.Relateds.push_back({W.Loop->getBeginLoc(), "the loop that repeats the write"});
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
    if (W.EveryIteration) {
      std::int64_t Whole = (Line + W.DistanceBytes - 1) / W.DistanceBytes;
      // Without a chunk size there is nothing to leave out.
      return std::string("give each thread whole lines: ") +
             (W.Chunk ? "schedule(static) without a chunk size, or " : "") + "chunks of a multiple of " +
             std::to_string(Whole) + " iterations";
    }
    std::string Own = W.Record ? "collect in a variable declared inside the parallel region and copy it to " + Array +
                                     " once, after the loop"
                      : W.Adds ? "add up in a variable declared inside the parallel region and store it to " + Array +
                                     " once, after the loop, or use a reduction"
                               : "keep the value in a variable declared inside the parallel region and store it to " +
                                     Array + " once, after the loop";
    return Own + "; or " + padding(W);
  }

  std::int64_t Line = 64;
};

STRIDEWISE_CHECK("omp-false-sharing", FalseSharing)

} // namespace
} // namespace stridewise
