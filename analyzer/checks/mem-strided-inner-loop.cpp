// Innermost loops that jump through memory where an enclosing loop would walk it.
//
// For each nest whose cost falls when another loop runs innermost, and where that order is legal, reports the inner
// loop's line. Where one source loop was inlined into several functions, each copy is judged with what its caller
// knows, and the loop is reported once.
//
// Known false positives: rows that are shorter than a cache line; data that another part of the program keeps in cache.
#include "core/Check.h"
#include "core/LoopInterchange.h"
#include "core/LoopLegality.h"
#include "core/LoopNest.h"
#include "core/LoopReuse.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-strided-inner-loop";
// Records up to this size still serve eight iterations from one page.
constexpr double LargestRecordBytes = PageBytes / 8;
// An exchange that makes another array the strided one must at least halve the cost.
constexpr double MinMixedRatio = 2;

// Every line that is fetched is used: steps within a line, or from one record to the next when all of it is read.
bool isContiguous(const Stride &S, double Footprint) {
  double Step = std::abs(static_cast<double>(S.Bytes));
  return S.K == Stride::Constant && (Step < CacheLineBytes || Step <= Footprint);
}

bool improves(const ReferenceGroup &G, unsigned Level, double MinRatio) {
  const Stride &Now = G.Strides[0], &Then = G.Strides[Level];
  return Now.K != Stride::Zero && !isContiguous(Now, G.Footprint) && Then.K == Stride::Constant &&
         std::abs(static_cast<double>(Then.Bytes)) <= std::max(G.Footprint, LargestRecordBytes) &&
         iterationCost(Now, G.Footprint) >= MinRatio * iterationCost(Then, G.Footprint);
}

bool worsens(const ReferenceGroup &G, unsigned Level) {
  return !G.Guarded && iterationCost(G.Strides[Level], G.Footprint) > 1 &&
         iterationCost(G.Strides[Level], G.Footprint) > iterationCost(G.Strides[0], G.Footprint);
}

// What one copy of a source loop shows.
struct Candidate {
  const LoopNest *Nest;
  Function *F;
  unsigned Level; // of the loop that should run innermost
  double Ratio;
  ExchangeVerdict Verdict;
  Confidence Conf;
};

std::string functionName(const DISubprogram *SP) {
  std::string Name = SP->getName().str();
  for (const DIScope *S = SP->getScope(); S; S = S->getScope()) {
    if (!isa<DINamespace, DICompositeType>(S))
      break;
    if (!S->getName().empty())
      Name = S->getName().str() + "::" + Name;
  }
  return Name;
}

class StridedInnerLoop : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    MinRatio = R.threshold(Slug, "min_cost_ratio");
    MinFootprint = R.threshold(Slug, "min_footprint_bytes");
    Found.clear();
    for (Function &F : *M)
      if (!F.isDeclaration())
        for (const LoopNest &N : loopNests(F, U.analyses()))
          judge(N, F);
    for (auto &[Loop, Copies] : Found)
      if (std::optional<Finding> Said = describe(Loop, Copies))
        R.report(std::move(*Said));
  }

private:
  void judge(const LoopNest &N, Function &F) {
    std::optional<Candidate> Best;
    StrideEngine *Engine = nullptr;
    double Now = nestCost(N, 0);
    for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
      double Then = nestCost(N, Level);
      double Ratio = Then > 0 ? Now / Then : 0;
      bool Doubtful = Best && Best->Verdict.K == ExchangeVerdict::Unclear;
      if (Ratio < MinRatio || (Best && !Doubtful && Ratio <= Best->Ratio))
        continue;
      if (none_of(N.Groups, [&](const ReferenceGroup &G) { return !G.Guarded && improves(G, Level, MinRatio); }))
        continue;
      if (Ratio < MinMixedRatio && any_of(N.Groups, [&](const ReferenceGroup &G) { return worsens(G, Level); }))
        continue;
      Engine = &StrideEngine::get(F, U->analyses());
      std::optional<double> Bytes = footprintBytes(N, Level, *Engine);
      if (Bytes && *Bytes <= MinFootprint)
        continue;
      ExchangeVerdict V = judgeExchange(N, Level, F, U->analyses());
      if (V.K == ExchangeVerdict::Forbidden || (V.K == ExchangeVerdict::Unclear && Best))
        continue;
      Best = Candidate{&N, &F, Level, Ratio, V, confidence(N, Level, V, *Engine)};
    }
    if (!Best)
      return;
    const clang::Stmt *Inner = U->loopStatement(N.inner());
    if (Inner && U->loopStatement(N.Loops[Best->Level]))
      Found[Inner].push_back(*Best);
  }

  Confidence confidence(const LoopNest &N, unsigned Level, const ExchangeVerdict &V, StrideEngine &Engine) const {
    if (V.K == ExchangeVerdict::Unclear)
      return Confidence::Low;
    bool Exact = any_of(N.Groups, [&](const ReferenceGroup &G) {
      return !G.Guarded && G.Strides[0].K != Stride::Unknown && improves(G, Level, MinRatio);
    });
    bool Mixed = any_of(N.Groups, [&](const ReferenceGroup &G) { return worsens(G, Level); });
    if (!Exact || Mixed || V.SiblingLoops || staysInFirstLevel(N, Level - 1, Engine))
      return Confidence::Medium;
    return Confidence::High;
  }

  std::optional<Finding> describe(const clang::Stmt *Inner, const std::vector<Candidate> &Copies) {
    // The surest copy speaks; among equals the function's own, whose sizes have names.
    auto IsOwn = [](const Candidate &C) {
      const DILocation *D = C.Nest->inner()->getStartLoc();
      return D && !D->getInlinedAt();
    };
    const Candidate &C = *std::max_element(Copies.begin(), Copies.end(), [&](const Candidate &X, const Candidate &Y) {
      return std::make_tuple(X.Conf, IsOwn(X), X.Ratio) < std::make_tuple(Y.Conf, IsOwn(Y), Y.Ratio);
    });
    const LoopNest &N = *C.Nest;
    const clang::Stmt *Outer = U->loopStatement(N.Loops[C.Level]);

    Finding Said;
    Said.Rule = Slug;
    Said.Conf = C.Conf;
    Said.Range = loopHeader(Inner);
    Said.Function = Unit::functionName(U->functionAt(Inner->getBeginLoc()));
    // The outer loop may be a caller's.
    bool SameFunction = U->functionAt(Outer->getBeginLoc()) == U->functionAt(Inner->getBeginLoc());
    Said.Scope = SameFunction ? Outer->getSourceRange() : Inner->getSourceRange();
    if (!SameFunction)
      Said.Conf = std::min(Said.Conf, Confidence::Medium);
    const ReferenceGroup *Worst = nullptr;
    double Gain = 0;
    for (const ReferenceGroup &G : N.Groups)
      if (!G.Guarded && improves(G, C.Level, MinRatio)) {
        double Saved =
            G.Repeats * (iterationCost(G.Strides[0], G.Footprint) - iterationCost(G.Strides[C.Level], G.Footprint));
        // Among equals, a step that can be told exactly.
        if (G.Strides[0].K == Stride::Unknown)
          Saved *= 0.99;
        if (Saved > Gain) {
          Gain = Saved;
          Worst = &G;
        }
      }
    if (!Worst)
      return std::nullopt;
    Said.Args["inner"] = variableName(Inner);
    Said.Args["outer"] = variableName(Outer);
    Said.Args["outer_line"] = lineOf(Outer, Inner);
    Said.Args["stride"] = step(C, *Worst, 0);
    Said.Args["best_stride"] = step(C, *Worst, C.Level);
    Said.Args["cost_ratio"] = std::round(C.Ratio * 10) / 10;
    Said.Args["assumption"] = assumption(C.Verdict, SameFunction, isPerfectNest(Outer, Inner));
    Said.Relateds.push_back({loopHeader(Outer).getBegin(), "this loop should be the inner one"});
    for (const Candidate &Copy : Copies)
      addAccesses(Copy, Outer->getSourceRange(), Said);
    bool AllProven = all_of(Copies, [&](const Candidate &Copy) {
      return Copy.Verdict.K == ExchangeVerdict::Proven && !Copy.Verdict.ReordersSum && Copy.Level == 1;
    });
    if (AllProven && seesAllCallers(Inner))
      if (std::optional<Fix> Exchange = exchangeHeaders(Outer, Inner, *U))
        Said.Fixes.push_back(std::move(*Exchange));
    return Said;
  }

  // The copies of a function that other units may inline with other arguments are not all here to be proven.
  bool seesAllCallers(const clang::Stmt *Loop) const {
    const clang::FunctionDecl *F = U->functionAt(Loop->getBeginLoc());
    return F && U->sources().isInMainFile(U->sources().getExpansionLoc(Loop->getBeginLoc())) && !F->isTemplated() &&
           !F->isTemplateInstantiation();
  }

  static std::string variableName(const clang::Stmt *Loop) {
    const clang::VarDecl *V = loopVariable(Loop);
    return V && V->getDeclName() ? V->getNameAsString() : "its counter";
  }

  static std::string assumption(const ExchangeVerdict &V, bool SameFunction, bool Perfect) {
    std::string Text;
    if (V.DistinctArrays)
      Text = ", provided that the arrays do not overlap";
    if (!SameFunction)
      Text += "; it is in a caller of this function";
    else if (!Perfect)
      Text += "; split off the other statements between the two loops first";
    if (V.ReordersSum)
      Text += "; sums are then rounded in another order";
    return Text;
  }

  // The outer loop's line, with its file when that is another than the inner loop's.
  std::string lineOf(const clang::Stmt *Outer, const clang::Stmt *Inner) const {
    const clang::SourceManager &SM = U->sources();
    clang::SourceLocation Loc = SM.getExpansionLoc(Outer->getBeginLoc());
    std::string Line = std::to_string(SM.getSpellingLineNumber(Loc));
    if (SM.getFileID(Loc) != SM.getFileID(SM.getExpansionLoc(Inner->getBeginLoc())))
      Line += " of " + sys::path::filename(SM.getFilename(Loc)).str();
    return Line;
  }

  std::string step(const Candidate &C, const ReferenceGroup &G, unsigned Level) {
    StrideEngine &Engine = StrideEngine::get(*C.F, U->analyses());
    const Loop *L = C.Nest->Loops[Level];
    const SCEV *Address = C.Nest->References[G.Members.front()].Address;
    if (G.Strides[Level].K == Stride::Constant)
      return std::to_string(std::abs(G.Strides[Level].Bytes)) +
             (std::abs(G.Strides[Level].Bytes) == 1 ? " byte" : " bytes");
    if (G.Strides[Level].K == Stride::Symbolic)
      if (std::string Text = Engine.describe(Address, L, [&](const Value *V) { return sourceName(V); }); !Text.empty())
        return Text + " bytes";
    return G.Strides[Level].K == Stride::Symbolic ? "a whole row" : "from row to row";
  }

  // The identifier at the place of a load: `height` of `mesh->height`. Hoisted loads lose their place; then the
  // address, which code generation names after the member, must do: `height.i7`.
  std::string sourceName(const Value *V) {
    const auto *Load = dyn_cast<LoadInst>(V);
    if (!Load)
      return {};
    if (std::string Name = identifierAt(U->locate(Load->getDebugLoc())); !Name.empty())
      return Name;
    const clang::IdentifierTable &Known = U->ast().Idents;
    StringRef Name = Load->getPointerOperand()->getName().split('.').first;
    for (StringRef Try : {Name, Name.rtrim("0123456789")})
      if (isa<GetElementPtrInst>(Load->getPointerOperand()) && Known.find(Try) != Known.end())
        return Try.str();
    return {};
  }

  std::string identifierAt(clang::SourceLocation Loc) {
    const clang::SourceManager &SM = U->sources();
    const clang::LangOptions &Lang = U->ast().getLangOpts();
    clang::Token Name, Next;
    auto Read = [&](clang::SourceLocation At, clang::Token &T) {
      return At.isValid() && !clang::Lexer::getRawToken(At, T, SM, Lang, /*IgnoreWhiteSpace=*/true);
    };
    if (Loc.isInvalid() || SM.isInSystemHeader(Loc) || !Read(Loc, Name))
      return {};
    // `*nx` is named by its pointer.
    if (Name.is(clang::tok::star) && !Read(Name.getEndLoc(), Name))
      return {};
    if (!Name.is(clang::tok::raw_identifier) || !Read(Name.getEndLoc(), Next) ||
        Next.isOneOf(clang::tok::l_square, clang::tok::l_paren, clang::tok::arrow, clang::tok::period))
      return {};
    return Name.getRawIdentifier().str();
  }

  // What a profiler would count, place by place: the executions of references there per iteration of the inner loop,
  // and the lines that they fetch in the best order.
  struct Tally {
    double Executions = 0, Lines = 0;
    bool Strided = false;
  };
  using Place = std::tuple<std::string, unsigned, std::string>; // file, line, function

  void addAccesses(const Candidate &C, clang::SourceRange Scope, Finding &Said) {
    const LoopNest &N = *C.Nest;
    StrideEngine &Engine = StrideEngine::get(*C.F, U->analyses());
    MapVector<Place, Tally, std::map<Place, unsigned>> Tallies;
    for (const Reference &R : N.References)
      if (R.Local)
        forEachPlace(R, Scope, [&](Place P) { Tallies[std::move(P)].Executions += executions(R, N, Engine); });
    std::vector<double> Fetched = fetchedLines(N, C.Level, Engine);
    for (const auto &[G, Lines] : zip_equal(N.Groups, Fetched)) {
      double Total = 0;
      for (unsigned K : G.Members)
        Total += executions(N.References[K], N, Engine);
      for (unsigned K : G.Members)
        forEachPlace(N.References[K], Scope, [&, &G = G, Lines = Lines](Place P) {
          Tally &T = Tallies[std::move(P)];
          double Own = executions(N.References[K], N, Engine);
          T.Executions += Own;
          T.Lines += Lines * Own / Total;
          T.Strided |= improves(G, C.Level, MinRatio);
        });
    }
    for (const auto &[P, T] : Tallies) {
      if (!T.Strided)
        continue;
      const auto &[File, Line, Function] = P;
      if (none_of(Said.Accesses,
                  [&](const Access &A) { return A.Line == Line && A.Function == Function && A.File == File; }))
        Said.Accesses.push_back({File, Line, Function, T.Lines / T.Executions});
    }
  }

  // How often an iteration of E runs a reference: absorbed loops repeat it.
  static double executions(const Reference &R, const LoopNest &N, StrideEngine &Engine) {
    double Times = 1;
    for (const Loop *L = R.In; L && L != N.inner(); L = L->getParentLoop())
      Times *= std::max(1u, Engine.tripCount(L));
    return Times;
  }

  // Profilers show an access at its line (an inlined accessor's own line, which may be in a header) under the function
  // that was emitted; which of the functions around it that is depends on the inlining of the user's build. An address
  // computed by a helper is used at the line of the call.
  template <typename Callback> void forEachPlace(const Reference &R, clang::SourceRange Scope, Callback CB) {
    std::set<Place> Seen;
    for (const DILocation *D = R.At->getDebugLoc(); D; D = D->getInlinedAt()) {
      auto [File, Line] = Unit::fileAndLine(D);
      for (const DILocation *Frame = D; Frame && Line; Frame = Frame->getInlinedAt()) {
        Place P(File, Line, functionName(Frame->getScope()->getSubprogram()));
        if (Seen.insert(P).second)
          CB(std::move(P));
      }
      if (!isInside(D->getInlinedAt(), Scope))
        break;
    }
  }

  bool isInside(const DILocation *D, clang::SourceRange Scope) {
    clang::SourceLocation Loc = D ? U->locate(DebugLoc(D)) : clang::SourceLocation();
    const clang::SourceManager &SM = U->sources();
    return Loc.isValid() && SM.getFileID(Loc) == SM.getFileID(SM.getExpansionLoc(Scope.getBegin())) &&
           SM.isPointWithin(Loc, SM.getExpansionLoc(Scope.getBegin()), SM.getExpansionLoc(Scope.getEnd()));
  }

  Unit *U = nullptr;
  double MinRatio = 0, MinFootprint = 0;
  MapVector<const clang::Stmt *, std::vector<Candidate>> Found;
};

STRIDEWISE_CHECK("mem-strided-inner-loop", StridedInnerLoop)

} // namespace
} // namespace stridewise
