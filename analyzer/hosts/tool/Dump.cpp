#include "hosts/tool/Dump.h"
#include "loops/ArrayNames.h"
#include "loops/LoopLegality.h"
#include "loops/LoopNest.h"
#include "mpi/DerivedTypes.h"
#include "mpi/RankLoops.h"
#include "omp/FortranRegions.h"
#include "touch/FirstTouch.h"
#include "touch/FortranTouches.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

std::string lineAt(clang::SourceLocation Where, Unit &U) {
  if (Where.isInvalid())
    return "line ?";
  return "line " + std::to_string(U.sources().getExpansionLineNumber(Where));
}

// "name, line 12", for what begins there.
std::string titled(const clang::FunctionDecl *F, Unit &U) {
  return F ? Unit::functionName(F) + ", " + lineAt(F->getLocation(), U) : "?";
}

std::string bytes(std::optional<std::uint64_t> N) { return N ? std::to_string(*N) + " bytes" : "? bytes"; }

// --- loops -----------------------------------------------------------------------------------------------------------

class LoopDump {
public:
  LoopDump(Unit &U, raw_ostream &OS) : U(U), OS(OS) {}

  void run() {
    for (Function &F : *U.ir())
      if (!F.isDeclaration()) {
        StrideEngine &E = StrideEngine::get(F, U.analyses());
        for (const LoopNest &N : loopNests(F, U.analyses()))
          nest(N, E);
      }
  }

private:
  void nest(const LoopNest &N, StrideEngine &E) {
    clang::SourceLocation Place = U.loopLocation(N.inner());
    const clang::FunctionDecl *In = Place.isValid() ? U.functionAt(Place) : nullptr;
    OS << "nest in " << titled(In, U) << '\n';
    const auto verdict = [&](unsigned Level) {
      if (!Level)
        return std::string();
      Function &F = *N.inner()->getHeader()->getParent();
      const ExchangeVerdict V = judgeExchange(N, Level, F, U.analyses());
      static const char *const Words[] = {"moves inwards", "moves inwards as far as is assumed", "cannot be judged",
                                          "must stay"};
      return std::string(", ") + Words[V.K] + (*V.Why ? std::string(": ") + V.Why : "");
    };
    for (unsigned Level = 0; Level < N.Loops.size(); ++Level)
      OS << "  " << (Level ? "around it " : "innermost ") << named(N.Loops[Level]) << ", "
         << lineAt(U.loopLocation(N.Loops[Level]), U) << ", " << iterations(N.Loops[Level], E)
         << formatv(", cost of an iteration if innermost: {0:f2}", nestCost(N, Level)) << verdict(Level) << '\n';
    if (N.OpaqueCall)
      OS << "  calls what nothing is known of\n";
    for (const Reference &R : N.References)
      reference(R, N, In, E);
  }

  void reference(const Reference &R, const LoopNest &N, const clang::FunctionDecl *In, StrideEngine &E) {
    std::string Name = arrayName(*R.At, In, U);
    OS << "  "
       << (R.Reads && R.Writes ? "passes"
           : R.Writes          ? "writes"
                               : "reads")
       << " " << (Name.empty() ? "?" : "'" + Name + "'") << ", " << lineAt(U.locate(R.At->getDebugLoc()), U) << ", "
       << R.Bytes << " bytes";
    for (const Loop *L : N.Loops)
      OS << ", " << named(L) << ": " << step(R.Address, L, E);
    OS << (R.Guarded ? ", guarded" : "") << (R.Local ? ", local" : "") << '\n';
  }

  std::string named(const Loop *L) { return counterName(U.loopStatement(L)); }

  std::string words(const SCEV *S, const Loop *L, StrideEngine &E) {
    return E.describe(S, L, [&](const Value *V) { return loadedName(V, U); });
  }

  std::string step(const SCEV *Address, const Loop *L, StrideEngine &E) {
    Stride S = E.stride(Address, L);
    switch (S.K) {
    case Stride::Zero:
      return "stays";
    case Stride::Constant:
      return std::to_string(S.Bytes) + " bytes";
    case Stride::Symbolic: {
      std::string Text = words(Address, L, E);
      return (Text.empty() ? "a constant number of" : Text) + " bytes";
    }
    case Stride::Unknown:
      return "by data";
    }
    llvm_unreachable("all kinds handled");
  }

  std::string iterations(const Loop *L, StrideEngine &E) {
    if (unsigned Trips = E.tripCount(L))
      return std::to_string(Trips) + " iterations at most";
    const SCEV *Back = E.backedges(L);
    std::string Text =
        Back && !isa<SCEVCouldNotCompute>(Back)
            ? words(E.simplify(E.scalarEvolution().getAddExpr(unclamped(Back, E.scalarEvolution()),
                                                              E.scalarEvolution().getOne(Back->getType()))),
                    nullptr, E)
            : "";
    return (Text.empty() ? "?" : Text) + " iterations";
  }

  Unit &U;
  raw_ostream &OS;
};

// --- regions ---------------------------------------------------------------------------------------------------------

// What a construct is, in words.
std::string traits(const OmpConstruct &C) {
  std::string Text;
  for (auto [Is, Word] : {std::pair(C.StartsTeam, "starts a team"), std::pair(C.SharesLoop, "shares a loop"),
                          std::pair(C.OneThread, C.SameThread ? "one thread, always the same" : "one thread"),
                          std::pair(C.Exclusive, "one thread after another"), std::pair(C.Tasks, "tasks"),
                          std::pair(C.Device, "device"), std::pair(C.EndsWithBarrier, "ends with a barrier"),
                          std::pair(C.CanTakeNowait, "can take nowait"), std::pair(C.Other, "synchronises otherwise")})
    if (Is)
      Text += (Text.empty() ? "" : ", ") + std::string(Word);
  return Text.empty() ? "nothing of interest" : Text;
}

void dumpWork(const LoopWork &W, raw_ostream &OS) {
  OS << formatv("  {0} iterations of {1:f0} cycles{2}{3}{4}{5}\n",
                W.Trips > 0 ? std::to_string(std::uint64_t(W.Trips)) : "?", W.Cycles,
                W.UnknownDepth ? ", inner loops of unknown length" : "", W.UnknownCalls ? ", unknown calls" : "",
                W.Uneven ? ", uneven" : "", W.Gathers ? ", addresses by data" : "");
}

void dumpFortranRegions(Unit &U, raw_ostream &OS) {
  const FortranConstructs &Constructs = fortranConstructs(U);
  FortranRegions Regions(U);
  for (const FortranConstruct &C : Constructs.all()) {
    OS << C.Name << ", line " << C.Line;
    if (C.First < C.Last)
      OS << " to " << C.EndLine;
    if (const FortranConstruct *Around = Constructs.parent(C))
      OS << ", in " << Around->Name << " of line " << Around->Line;
    OS << '\n';
    for (const FortranClause &Clause : C.Clauses)
      OS << "  " << Clause.Name << '(' << Clause.Arguments << ")\n";
    if (C.StartsTeam && Regions.isRepeated(C))
      OS << "  runs many times\n";
    if (std::optional<LoopWork> W = C.StartsTeam ? Regions.regionWork(C) : Regions.sharedWork(C))
      dumpWork(*W, OS);
  }
}

void dumpRegions(Unit &U, raw_ostream &OS) {
  if (U.isFortran())
    return dumpFortranRegions(U, OS);
  OmpSites Sites(U.ast());
  RegionWork Work(U);
  for (const OmpSite &Site : Sites.Constructs) {
    const clang::OMPExecutableDirective &D = *Site.directive();
    OS << directiveName(D) << ", " << lineAt(D.getBeginLoc(), U) << ", in " << titled(Site.In, U) << '\n'
       << "  " << traits(classify(D, U.ast())) << '\n';
    if (Sites.isRepeated(Site))
      OS << "  runs many times\n";
    if (Sites.runsInTeam(Site))
      OS << "  a team runs it\n";
    for (const clang::VarDecl *V : privateVariables(D))
      OS << "  private '" << V->getName() << "'\n";
    for (const clang::Expr *E : resultVariables(D))
      OS << "  result '" << textOf(E, U.ast()) << "'\n";
    if (sharedLoops(D).empty())
      continue;
    if (std::optional<LoopWork> W = Work.largest(D))
      dumpWork(*W, OS);
  }
}

// --- messages --------------------------------------------------------------------------------------------------------

class MessageDump {
public:
  MessageDump(Unit &U, raw_ostream &OS)
      : U(U), OS(OS), Functions(mpiFunctions(U)), Ranks(U), Effects(U), Types(U, Functions), Sources(U) {}

  void run() {
    for (MpiFunction *M : Functions) {
      for (const MpiSite &S : M->sites())
        call(*M, S);
      for (const RankLoop &X : findRankLoops(*M, Ranks, Effects))
        loop(X);
    }
  }

private:
  void call(MpiFunction &M, const MpiSite &S) {
    std::vector<SourceFrame> Frames = Sources.frames(*S.Call);
    if (Frames.empty())
      return;
    const MpiSignature &Sig = *S.Sig;
    OS << Sig.Name << ", " << lineAt(Frames[0].Where, U) << ", in " << titled(Frames[0].Function, U) << '\n';
    for (std::size_t Level = 1; Level < Frames.size(); ++Level)
      OS << "  called at " << lineAt(Frames[Level].Where, U) << ", in " << titled(Frames[Level].Function, U) << '\n';
    if (Sig.Buffer >= 0)
      OS << "  " << messageBytes(M, S) << '\n';
    if (Value *Peer = S.is(MpiSend | MpiRecv) && !S.is(MpiCollective) ? S.arg(Sig.Peer) : nullptr)
      OS << "  " << (S.is(MpiSend) ? "to " : "from ") << text(Frames, Sig.Peer)
         << (M.isWildcard(Peer) ? ", any source" : "") << (isNeighbour(M, S) ? ", the opposite of the source" : "")
         << '\n';
    if (Value *Comm = S.arg(Sig.Comm); Comm && Sig.Comm >= 0)
      OS << "  on " << text(Frames, Sig.Comm) << (MpiFunction::isWorld(Comm) ? ", the world" : "") << '\n';
    for (const RunCondition &C : M.conditions(S.Call->getParent()))
      condition(C);
  }

  static bool isNeighbour(MpiFunction &M, const MpiSite &S) {
    return S.is(MpiSend) && S.is(MpiRecv) && M.relate(S.arg(S.Sig->Peer), S.source()) == PeerRelation::Opposite;
  }

  std::string messageBytes(MpiFunction &M, const MpiSite &S) {
    std::optional<DerivedTypes::Bytes> B = Types.messageBytes(M, S);
    if (!B)
      return bytes(std::nullopt);
    std::optional<TypeLayout> L = Types.layout(M, S.arg(S.Sig->Type));
    return (B->Exact ? "" : "at most ") + bytes(B->Most) +
           (L && L->Strided ? ", pieces of " + bytes(L->PieceBytes) : "");
  }

  std::string text(ArrayRef<SourceFrame> Frames, int Position) {
    std::string T = Sources.argumentText(Frames, Position, 0);
    return T.empty() ? "?" : "'" + T + "'";
  }

  void condition(const RunCondition &C) {
    OS << "  where the branch of " << lineAt(U.locate(C.Branch->getDebugLoc()), U) << " takes arm " << C.Arm;
    for (auto [V, Holds] : C.Facts)
      if (std::optional<RankFacts::Guard> G = Ranks.guard(V))
        OS << ", "
           << (!G->Equality            ? "some ranks"
               : Holds == G->OneOnTrue ? "one rank"
                                       : "all ranks but one")
           << " of " << (RankFacts::isGlobalName(G->Comm) ? G->Comm : "a communicator");
    OS << '\n';
  }

  void loop(const RankLoop &X) {
    static constexpr StringLiteral Shapes[] = {"rank after rank", "steps of a ring", "doubling distances",
                                               "one message from each rank", "each rank the root in turn"};
    OS << X.Site->Sig->Name << " in a loop over ranks, " << lineAt(U.loopLocation(X.L), U) << '\n'
       << "  " << Shapes[X.S];
    for (auto [Is, Word] :
         {std::pair(X.Sends, "sends"), std::pair(X.Receives, "receives"), std::pair(X.AllRanks, "all ranks"),
          std::pair(X.OneRank, "on one rank"), std::pair(X.SameBuffer, "one buffer"),
          std::pair(X.Packed, "filled anew"), std::pair(X.VariableBlocks, "blocks of several sizes"),
          std::pair(X.Accumulates, "adds up"), std::pair(X.Output, "output"), std::pair(X.BothWays, "both ways")})
      if (Is)
        OS << ", " << Word;
    OS << '\n';
  }

  Unit &U;
  raw_ostream &OS;
  std::vector<MpiFunction *> Functions;
  RankFacts Ranks;
  MpiEffects Effects;
  DerivedTypes Types;
  SourceCalls Sources;
};

// --- touches ---------------------------------------------------------------------------------------------------------

void dumpEvent(const TouchEvent &E, raw_ostream &OS) {
  static constexpr StringLiteral Kinds[] = {"allocates", "sets",          "copies",      "swaps",    "calls",
                                            "fills",     "a team writes", "a team uses", "may write"};
  static constexpr StringLiteral Threads[] = {"", ", by a team", ", by a shared loop", ", by one thread"};
  OS << "  " << Kinds[E.K] << " "
     << (!E.Name.empty()     ? "'" + E.Name + "'"
         : !E.Callee.empty() ? E.Callee
                             : join(E.Object, ""))
     << (E.Where.Line ? ", line " + std::to_string(E.Where.Line) : "") << Threads[int(E.By)];
  if (E.Bytes >= 0)
    OS << ", " << E.Bytes << " bytes";
  for (auto [Is, Word] :
       {std::pair(!E.Sure, "perhaps in part"), std::pair(E.Implicit, "by the allocation"),
        std::pair(E.Perhaps, "perhaps"), std::pair(E.InLoop, "in a loop"), std::pair(E.Dealt, "dealt at run time"),
        std::pair(E.List, "list"), std::pair(E.Message, "to MPI"), std::pair(E.Reserves, "reserves")})
    if (Is)
      OS << ", " << Word;
  OS << '\n';
}

void dumpTouches(Unit &U, raw_ostream &OS) {
  auto None = [](bool, clang::SourceLocation) { return false; };
  const TouchFacts Facts = U.isFortran() ? collectFortranTouches(U, None) : collectTouches(U.ast(), None);
  for (const TouchEvent &E : Facts.Globals) {
    OS << "global\n";
    dumpEvent(E, OS);
  }
  for (const FunctionTouches &F : Facts.Functions) {
    OS << F.Name << '\n';
    for (const TouchEvent &E : F.Events)
      dumpEvent(E, OS);
  }
  for (const SerialTouch &T : serialTouches({&Facts})) {
    OS << "one thread fills";
    for (const std::string &Name : T.Names)
      OS << " '" << Name << "'";
    OS << " at line " << T.Fill->Where.Line << ", a team uses it at line " << T.Use->Where.Line
       << (T.KnownSize ? "" : ", of unknown size") << (T.Sure ? "" : ", perhaps in part")
       << (T.Repeated ? ", again and again" : "") << (T.Minor ? ", small beside other data" : "") << '\n';
  }
}

} // namespace

ArrayRef<StringRef> dumpedEngines() {
  static constexpr StringRef Names[] = {"loops", "regions", "messages", "touches"};
  return Names;
}

void dump(StringRef Engine, Unit &U, raw_ostream &OS) {
  if (Engine == "regions")
    return dumpRegions(U, OS);
  if (Engine == "touches")
    return dumpTouches(U, OS);
  if (!U.ir())
    OS << "no code: " << U.irProblem() << '\n';
  else if (Engine == "loops")
    LoopDump(U, OS).run();
  else
    MessageDump(U, OS).run();
}

} // namespace stridewise
