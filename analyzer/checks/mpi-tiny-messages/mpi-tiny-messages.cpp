// R18: a loop that sends one small message per iteration to one rank.
//
// On the inlined IR: peer, communicator and size do not vary in the loop, the payload does, and all of it exists before
// the loop starts: nothing in the loop writes it, no message from that rank arrives, nothing synchronises. A variable
// or buffer into which each element is copied first counts as the element. The finding names all the loops around the
// call for which this holds, and stands where the call is written, in whatever helper that is, or where a thin wrapper
// of many callers is called.
// Broadcasts and reductions of one element per iteration are the same waste, paid by all ranks; at most medium, because
// only a run of point-to-point messages is watched for bursts. What an iteration computes and passes on counts, too,
// where the loop can be cut at the call (SplitLoop).
// A message of a length that only the run knows counts when each begins in memory where the one before ends, or when it
// is one size of the data long; medium.
// A few fields that are packed into a message each, one after the other, to the same rank, could be packed into one
// (PackedPieces.h): medium.
// Silent: loops over ranks, answers (ping-pong, workers), data that the loop itself computes or receives, planes of
// unknown size that lie apart, fewer than min_burst_messages iterations. Known false positives: early elements
// that the receiver works on while the rest is sent.
#include "checks/mpi-tiny-messages/MessageBursts.h"
#include "loops/CallHeat.h"
#include "mpi/CallPlaces.h"
#include "mpi/ProcedureHeat.h"
#include "thresholds.h"
#include "unit/Check.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-tiny-messages";
class TinyMessages : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (Functions.empty())
      return;
    SourceCalls Sources(U);
    CallPlaces Places(U, Functions, Sources);
    DerivedTypes Types(U, Functions);
    // One finding per place; copies of a helper that were inlined know more than the helper by itself.
    FoundMap Sends, Receives, Collectives;
    std::vector<std::uint64_t> SentSizes;
    bool UnknownSizes = false;
    const double MaxBytes = R.threshold(Slug, "max_element_bytes");
    const BurstLength Least{R.threshold(Slug, "min_burst_messages"), R.threshold(Slug, "min_collective_calls")};
    CallHeat Heats(U.ast());
    for (MpiFunction *M : Functions) {
      for (const MpiSite &S : counted(M->sites())) {
        if (S.is(MpiPersistent) || (S.is(MpiCollective) ? !isElementwise(S) : !S.is(MpiSend | MpiRecv)))
          continue;
        if (S.is(MpiSend)) {
          std::optional<DerivedTypes::Bytes> Bytes = Types.messageBytes(*M, S);
          UnknownSizes |= !Bytes;
          SentSizes.push_back(Bytes ? Bytes->Most : 0);
        }
        std::optional<Burst> B = findBurst(*M, S, Types, U.analyses(), MaxBytes, Least);
        if (!B)
          continue;
        std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
        if (Frames.empty())
          continue;
        std::size_t Level = levelOf(*B, *M, Frames, Places.level(Frames), Sources, U);
        Found New{M, std::move(*B), std::move(Frames), Level};
        auto [It, Added] = (New.B.Collective ? Collectives
                            : New.B.Sends    ? Sends
                                             : Receives)
                               .try_emplace(Places.key(New.at()), New);
        if (!Added && better(New, It->second))
          It->second = std::move(New);
      }
    }
    for (auto &[Key, F] : Sends)
      report(F, Receives, Heats, Sources, U, R);
    for (auto &[Key, F] : Collectives)
      report(F, {}, Heats, Sources, U, R);
    // The other side of a send loop needs no finding of its own; alone it stands for the one in another file.
    for (auto &[Key, F] : Receives)
      if (Sends.empty() && !UnknownSizes && !is_contained(SentSizes, F.B.Bytes))
        report(F, {}, Heats, Sources, U, R);
  }

private:
  struct Found {
    MpiFunction *M;
    Burst B;
    std::vector<SourceFrame> Frames;
    std::size_t Level; // of the frame to report
    const SourceFrame &at() const { return Frames[Level]; }
  };
  using FoundMap = std::map<std::pair<clang::FileID, unsigned>, Found>;

  // A loop that calls a helper of several messages, such as an exchange with all neighbours, is where they are many.
  static std::size_t levelOf(const Burst &B, MpiFunction &M, ArrayRef<SourceFrame> Frames, std::size_t Least,
                             SourceCalls &Sources, Unit &U) {
    const DebugLoc At = B.Loops.front()->getStartLoc();
    const void *Around = U.isFortran() ? At ? static_cast<const void *>(At->getScope()->getSubprogram()) : nullptr
                                       : U.functionAt(U.loopLocation(B.Loops.front()));
    const auto IsOfHelper = [&](const MpiSite &O) {
      const std::vector<SourceFrame> Other =
          O.Call != B.Site.Call && O.is(MpiSend | MpiRecv) ? Sources.frames(*O.Call) : std::vector<SourceFrame>();
      return Other.size() > Least && Other[Least].around() == Frames[Least].around() &&
             Other[Least].Where != Frames[Least].Where;
    };
    for (std::size_t Level = Least; Around && Level < Frames.size(); ++Level)
      if (Frames[Level].around() == Around)
        return Level == Least || any_of(M.sites(), IsOfHelper) ? Level : Least;
    return Least;
  }

  static bool better(const Found &A, const Found &B) {
    return std::tuple(A.B.Loops.size(), A.B.Sure) > std::tuple(B.B.Loops.size(), B.B.Sure);
  }

  static std::string remedy(const Burst &B, StrideEngine &E) {
    const ArgMap Verb = {{"verb", std::string(B.Sends ? "send" : "receive")}};
    if (B.Pieces)
      return variant(Slug, "pieces");
    if (B.Split)
      return variant(Slug, "collect", {{"call", std::string(B.Site.Sig->Name)}});
    const bool Contiguous = isContiguous(B, E);
    if (B.Collective)
      return variant(Slug, Contiguous ? "one_call" : "one_call_packed");
    if (B.Chosen || (B.Row && B.Copied))
      return variant(Slug, "pack");
    if (Contiguous)
      return variant(Slug, "contiguous", Verb);
    if (B.Row)
      return variant(Slug, "rows", Verb);
    Stride First = E.stride(B.Payload, B.Loops.front());
    bool Regular = all_of(B.Loops, [&](const Loop *L) { return E.stride(B.Payload, L).K != Stride::Unknown; });
    bool Overlap = false;
    if (bool Apart = areApart(B, E, Overlap); Overlap)
      return variant(Slug, "overlapping", Verb);
    else if (!Apart || !Regular)
      return variant(Slug, B.Sends ? "pack" : "unpack");
    if (First.K == Stride::Constant && First.Bytes == std::int64_t(B.Bytes) && B.Loops.size() > 1)
      return variant(Slug, "runs", Verb);
    return variant(Slug, "steps", Verb);
  }

  // Whether the calls are known to be made again and again.
  static Heat heatOf(const Found &X, CallHeat &Heats, Unit &U) {
    const SourceFrame &At = X.at();
    const Heat H = At.Procedure  ? stridewise::heatOf(At.Procedure, U)
                   : At.Function ? Heats.of(At.Function)
                                 : Heat::Unknown;
    const Loop *Around = X.B.Loops.back()->getParentLoop();
    const bool Own = Around && (At.Procedure || U.functionAt(U.loopLocation(Around)) == At.Function);
    return Own && !isRare(X, Heats) ? Heat::Hot : H;
  }
  static bool isRare(const Found &X, const CallHeat &Heats) {
    return X.at().Function && Heats.runsNowAndThen(X.at().Function);
  }

  // A few collective calls, or the lines of a report, matter where they are made again and again: what all agree on,
  // unless it is known to be told once; what goes to one rank or comes from it, or is only printed, where a loop around
  // them is known.
  static bool countsLittle(const Found &X, CallHeat &Heats, Unit &U) {
    const Heat H = X.B.Few || X.B.Prints || X.B.Pieces ? heatOf(X, Heats, U) : Heat::Hot;
    if (X.B.Pieces)
      return H == Heat::Cold;
    if (!X.B.Few && !X.B.Prints)
      return false;
    const bool Shown = X.B.Site.Sig->Does != MpiDoes::Allreduce || (X.B.Prints && !X.B.Split);
    const bool Once = H == Heat::Cold || (H == Heat::Unknown && Shown);
    return X.B.Few ? Once || isOutnumbered(*X.M, X.B.Loops.back()->getParentLoop()) : Once && !isRare(X, Heats);
  }

  static Arg sizeOf(const Found &X, SourceCalls &Sources) {
    if (!X.B.Row)
      return std::int64_t(X.B.Bytes);
    std::string Count = Sources.argumentText(X.Frames, X.B.Site.Sig->Count, X.Level);
    if (StringRef(Count).find_first_of("+-/%?,") != StringRef::npos)
      Count = "(" + Count + ")";
    return (Twine(X.B.Element) + " * " + (Count.empty() ? "count" : Count)).str();
  }

  // The loops that send, by their counters; the outermost one is the finding's scope.
  static std::string addLoops(Finding &F, const Found &X, Unit &U) {
    const clang::SourceManager &SM = U.sources();
    std::string Names;
    for (const Loop *L : reverse(X.B.Loops)) {
      const clang::SourceRange Range = loopRange(L, U);
      std::string Name = loopVariable(L, U);
      clang::SourceLocation Where = U.loopLocation(L);
      if (Name.empty() && Where.isValid())
        Name = "line " + std::to_string(SM.getExpansionLineNumber(Where));
      Names += (Names.empty() ? "" : "' and '") + Name;
      if (Where.isValid())
        F.Relateds.push_back({Where, X.B.Collective ? "one call per iteration of this loop"
                                     : X.B.Chosen   ? "goes over the elements"
                                                    : "one message per iteration of this loop"});
      if (L == X.B.Loops.back() && Range.isValid() && SM.isWrittenInSameFile(Range.getBegin(), F.Range.getBegin()))
        F.Scope = Range;
    }
    return Names;
  }

  void report(const Found &X, const FoundMap &Others, CallHeat &Heats, SourceCalls &Sources, Unit &U, Reporter &R) {
    StrideEngine &E = X.M->engine();
    Finding F;
    F.Rule = Slug;
    const bool Short = !X.B.Row && X.B.Bytes <= limits::mpi_tiny_messages::SureElementBytes;
    F.Conf = X.B.Sure && !X.B.Collective && Short ? Confidence::High
             : countsLittle(X, Heats, U)          ? Confidence::Low
                                                  : Confidence::Medium;
    F.Range = X.at().range();
    F.Function = X.at().function();
    std::string Names = addLoops(F, X, U);
    if (F.Scope.isInvalid())
      F.Scope = X.at().scope();
    for (std::size_t Level = 0; Level < X.Frames.size(); ++Level)
      if (Level != X.Level)
        F.Relateds.push_back({X.Frames[Level].Where, Level < X.Level ? "in this helper" : "called from here"});
    for (const auto &[Key, O] : Others)
      if (O.B.Bytes == X.B.Bytes)
        F.Relateds.push_back({O.at().Where, X.B.Row ? "received row by row here" : "received element by element here"});
    F.Args = {{"loop", Names},
              {"verb", std::string(X.B.Collective ? "passes"
                                   : X.B.Sends    ? "sends"
                                                  : "receives")},
              {"bound", std::string(X.B.Exact ? "" : "at most ")},
              {"element_bytes", sizeOf(X, Sources)},
              {"unit", std::string(X.B.Collective ? "call" : "message")},
              {"each", std::string(X.B.Chosen ? "element that it chooses" : "iteration")},
              {"direction", X.B.Collective ? std::string("to ") + X.B.Site.Sig->Name + ", on all ranks"
                                           : std::string(X.B.Sends ? "to" : "from") + " the same rank"},
              {"remedy", remedy(X.B, E)}};
    Place At = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({At.File, At.Line, F.Function, -1});
    R.report(std::move(F));
  }
};

STRIDEWISE_CHECK("mpi-tiny-messages", TinyMessages)

} // namespace
} // namespace stridewise
