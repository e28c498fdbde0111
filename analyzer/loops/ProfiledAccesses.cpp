#include "loops/ProfiledAccesses.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopOrder.h"
#include "loops/LoopReuse.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

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

// What a profiler would count, place by place: the executions of references there per iteration of the inner loop,
// and the lines that they fetch in the best order.
struct Tally {
  double Executions = 0, Lines = 0;
  bool Strided = false;
};
using Place = std::tuple<std::string, unsigned, std::string>; // file, line, function

// How often an iteration of E runs a reference: absorbed loops repeat it.
double executions(const Reference &R, const LoopNest &N, StrideEngine &Engine) {
  double Times = 1;
  for (const Loop *L = R.In; L && L != N.inner(); L = L->getParentLoop())
    Times *= std::max(1u, Engine.tripCount(L));
  return Times;
}

bool isInside(const DILocation *D, clang::SourceRange Scope, Unit &U) {
  clang::SourceLocation Loc = D ? U.locate(DebugLoc(D)) : clang::SourceLocation();
  const clang::SourceManager &SM = U.sources();
  return Loc.isValid() && SM.getFileID(Loc) == SM.getFileID(SM.getExpansionLoc(Scope.getBegin())) &&
         SM.isPointWithin(Loc, SM.getExpansionLoc(Scope.getBegin()), SM.getExpansionLoc(Scope.getEnd()));
}

// Profilers show an access at its line (an inlined accessor's own line, which may be in a header) under the function
// that was emitted; which of the functions around it that is depends on the inlining of the user's build. An address
// computed by a helper is used at the line of the call.
template <typename Callback> void forEachPlace(const Instruction &At, clang::SourceRange Scope, Unit &U, Callback CB) {
  std::set<Place> Seen;
  for (const DILocation *D = At.getDebugLoc(); D; D = D->getInlinedAt()) {
    auto [File, Line] = Unit::fileAndLine(D);
    for (const DILocation *Frame = D; Frame && Line; Frame = Frame->getInlinedAt()) {
      Place P(File, Line, functionName(Frame->getScope()->getSubprogram()));
      if (Seen.insert(P).second)
        CB(std::move(P));
    }
    if (!isInside(D->getInlinedAt(), Scope, U))
      break;
  }
}

// Compilers of Fortran place what a continued statement does on one of its lines, each on another one.
std::vector<Access> onAllLines(std::vector<Access> Found, Unit &U) {
  if (!U.isFortran())
    return Found;
  std::vector<Access> Out;
  for (const Access &A : Found)
    for (unsigned Line = A.Line, Last = fortranText(U).lastLine(A.Line); Line <= Last; ++Line)
      Out.push_back({A.File, Line, A.Function, A.BestLinesPerAccess});
  return Out;
}

} // namespace

std::vector<Access> profiledAccesses(ArrayRef<Instruction *> At, clang::SourceRange Scope, Unit &U) {
  std::vector<Access> Out;
  std::set<Place> Seen;
  for (const Instruction *I : At)
    forEachPlace(*I, Scope, U, [&](Place P) {
      if (!Seen.insert(P).second)
        return;
      auto &[File, Line, Function] = P;
      Out.push_back({std::move(File), Line, std::move(Function)});
    });
  return onAllLines(std::move(Out), U);
}

std::vector<Access> improvedAccesses(const BetterOrder &O, clang::SourceRange Scope, double MinRatio, Unit &U) {
  std::vector<Access> Out;
  const LoopNest &N = *O.Nest;
  StrideEngine &Engine = StrideEngine::get(*O.F, U.analyses());
  MapVector<Place, Tally, std::map<Place, unsigned>> Tallies;
  for (const Reference &R : N.References)
    if (R.Local)
      forEachPlace(*R.At, Scope, U, [&](Place P) { Tallies[std::move(P)].Executions += executions(R, N, Engine); });
  std::vector<double> Fetched = fetchedLines(N, O.Level, Engine);
  for (const auto &[G, Lines] : zip_equal(N.Groups, Fetched)) {
    double Total = 0;
    for (unsigned K : G.Members)
      Total += executions(N.References[K], N, Engine);
    for (unsigned K : G.Members)
      forEachPlace(*N.References[K].At, Scope, U, [&, &G = G, Lines = Lines](Place P) {
        Tally &T = Tallies[std::move(P)];
        double Own = executions(N.References[K], N, Engine);
        T.Executions += Own;
        T.Lines += Lines * Own / Total;
        T.Strided |= improves(G, O.Level, MinRatio);
      });
  }
  for (const auto &[P, T] : Tallies) {
    if (!T.Strided)
      continue;
    const auto &[File, Line, Function] = P;
    if (none_of(Out, [&](const Access &A) { return A.Line == Line && A.Function == Function && A.File == File; }))
      Out.push_back({File, Line, Function, T.Lines / T.Executions});
  }
  return onAllLines(std::move(Out), U);
}

} // namespace stridewise
