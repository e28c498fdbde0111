// R18: a loop that sends one small message per iteration to one rank.
//
// On the inlined IR: peer, communicator and size do not vary in the loop, the payload does, and all of it exists before
// the loop starts: nothing in the loop writes it, no message from that rank arrives, nothing synchronises. A variable
// or buffer into which each element is copied first counts as the element. The finding names all the loops around the
// call for which this holds, and stands where the call is written, in whatever helper that is.
// Silent: loops over ranks, answers (ping-pong, workers), data that the loop itself computes or receives, sizes that
// are unknown, fewer than min_burst_messages iterations. Known false positives: early elements that the receiver works
// on while the rest is sent.
#include "core/Check.h"
#include "core/MessageBursts.h"
#include "core/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-tiny-messages";
class TinyMessages : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (Functions.empty())
      return;
    SourceCalls Sources(U);
    DerivedTypes Types(U, Functions);
    // One finding per place; copies of a helper that were inlined know more than the helper by itself.
    std::map<std::pair<clang::FileID, unsigned>, Found> Sends, Receives;
    std::vector<std::uint64_t> SentSizes;
    bool UnknownSizes = false;
    const double MaxBytes = R.threshold(Slug, "max_element_bytes"),
                 MinMessages = R.threshold(Slug, "min_burst_messages");
    for (MpiFunction *M : Functions) {
      const auto &TLI = U.analyses().getResult<TargetLibraryAnalysis>(M->function());
      for (const MpiSite &S : M->sites()) {
        if (!S.is(MpiSend | MpiRecv) || S.is(MpiPersistent | MpiCollective))
          continue;
        if (S.is(MpiSend)) {
          std::optional<DerivedTypes::Bytes> Bytes = Types.messageBytes(*M, S);
          UnknownSizes |= !Bytes;
          SentSizes.push_back(Bytes ? Bytes->Most : 0);
        }
        std::optional<Burst> B = findBurst(*M, S, Types, TLI, MaxBytes, MinMessages);
        if (!B)
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
        if (Frames.empty())
          continue;
        auto Key = U.sources().getDecomposedLoc(Frames[0].Where);
        Found New{M, std::move(*B), std::move(Frames)};
        auto [It, Added] = (New.B.Sends ? Sends : Receives).try_emplace(Key, New);
        if (!Added && better(New, It->second))
          It->second = std::move(New);
      }
    }
    for (auto &[Key, F] : Sends)
      report(F, Receives, U, R);
    // The other side of a send loop needs no finding of its own; alone it stands for the one in another file.
    for (auto &[Key, F] : Receives)
      if (Sends.empty() && !UnknownSizes && !is_contained(SentSizes, F.B.Bytes))
        report(F, {}, U, R);
  }

private:
  struct Found {
    MpiFunction *M;
    Burst B;
    std::vector<SourceFrame> Frames;
  };
  using FoundMap = std::map<std::pair<clang::FileID, unsigned>, Found>;

  static bool better(const Found &A, const Found &B) {
    return std::tuple(A.B.Loops.size(), A.B.Sure) > std::tuple(B.B.Loops.size(), B.B.Sure);
  }

  static std::string remedy(const Burst &B, StrideEngine &E) {
    StringRef Verb = B.Sends ? "send" : "receive";
    if (isContiguous(B, E))
      return ("the range is contiguous: " + Verb + " it whole, with the count of all elements").str();
    Stride First = E.stride(B.Payload, B.Loops.front());
    bool Regular = all_of(B.Loops, [&](const Loop *L) { return E.stride(B.Payload, L).K != Stride::Unknown; });
    if (!Regular)
      return B.Sends ? "copy the elements to one buffer and send that"
                     : "receive one buffer and copy the elements from it";
    if (First.K == Stride::Constant && First.Bytes == std::int64_t(B.Bytes) && B.Loops.size() > 1)
      return ("each run of the inner loop is contiguous: " + Verb +
              " all runs as one message, with MPI_Type_vector or through a buffer")
          .str();
    return ("the elements lie a constant step apart: " + Verb +
            " them as one message, with MPI_Type_vector or through a buffer")
        .str();
  }

  void report(const Found &X, const FoundMap &Others, Unit &U, Reporter &R) {
    const clang::SourceManager &SM = U.sources();
    StrideEngine &E = X.M->engine();
    Finding F;
    F.Rule = Slug;
    F.Conf = X.B.Sure ? Confidence::High : Confidence::Medium;
    F.Range = X.Frames[0].Call ? X.Frames[0].Call->getSourceRange() : clang::SourceRange(X.Frames[0].Where);
    F.Function = Unit::functionName(X.Frames[0].Function);
    std::string Names;
    for (const Loop *L : reverse(X.B.Loops)) {
      const clang::Stmt *Statement = U.loopStatement(L);
      std::string Name = loopVariable(Statement);
      clang::SourceLocation Where = U.loopLocation(L);
      if (Name.empty() && Where.isValid())
        Name = "line " + std::to_string(SM.getExpansionLineNumber(Where));
      Names += (Names.empty() ? "" : "' and '") + Name;
      if (Where.isValid())
        F.Relateds.push_back({Where, "one message per iteration of this loop"});
      if (L == X.B.Loops.back() && Statement && SM.isWrittenInSameFile(Statement->getBeginLoc(), F.Range.getBegin()))
        F.Scope = Statement->getSourceRange();
    }
    if (F.Scope.isInvalid() && X.Frames[0].Function)
      F.Scope = X.Frames[0].Function->getSourceRange();
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    for (const auto &[Key, O] : Others)
      if (O.B.Bytes == X.B.Bytes)
        F.Relateds.push_back({O.Frames[0].Where, "received element by element here"});
    F.Args = {{"loop", Names},
              {"verb", std::string(X.B.Sends ? "sends" : "receives")},
              {"bound", std::string(X.B.Exact ? "" : "at most ")},
              {"element_bytes", std::int64_t(X.B.Bytes)},
              {"direction", std::string(X.B.Sends ? "to" : "from")},
              {"remedy", remedy(X.B, E)}};
    Place At = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({At.File, At.Line, F.Function, -1});
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-tiny-messages", TinyMessages)

} // namespace
} // namespace stridewise
