#include "checks/build-missed-vectorization/FortranVectors.h"
#include "checks/build-missed-vectorization/CalledFormulas.h"
#include "checks/build-missed-vectorization/VectorAdvice.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopCopies.h"
#include "loops/LoopPlaces.h"
#include "unit/Catalogue.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "build-missed-vectorization";

bool isNameCharacter(char C) { return isAlnum(C) || C == '_'; }

// Whether somebody let the compiler reorder what the loop computes.
bool isFree(const ScalarLoop &S) {
  return any_of(S.L->blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) { return isa<FPMathOperator>(I) && I.isFast(); });
  });
}

class FortranAdviser {
public:
  explicit FortranAdviser(Unit &U) : Text(fortranText(U)) {}

  /// Nothing where compilers help themselves: `s = max(s, …)`.
  std::optional<VectorAdvice> explain(const ScalarLoop &S, const FortranStatement &Loop) const {
    if (S.Needs & InlinedCalls)
      return callAdvice(S, /*IsFortran=*/true);
    const auto [Name, Call] = result(S);
    const StringRef Operator = reductionOperator(S);
    const bool Extreme = Operator == "min" || Operator == "max";
    if (Extreme && StringRef(Call).contains(Operator))
      return std::nullopt;
    return VectorAdvice{"the floating-point result" + (Name.empty() ? "" : " '" + Name + "'") +
                            " is combined in a fixed order",
                        remedy(S, Loop, Name, Operator)};
  }

private:
  static std::string remedy(const ScalarLoop &S, const FortranStatement &Loop, const std::string &Name,
                            StringRef Operator) {
    const std::string Sum = S.Chains.size() == 1 && !Name.empty() ? Name : "…";
    const std::string Clause = "reduction(" + (Operator.empty() ? "…" : Operator.str()) + ":" + Sum + ")";
    const bool Reduces = StringRef(Loop.Directive).contains("reduction(");
    const std::string Write =
        Reduces ? variant(Slug, "fortran_add_simd")
                : variant(Slug, Loop.isShared() ? "fortran_reduce_shared" : "fortran_reduce", {{"clause", Clause}});
    if (Operator == "min" || Operator == "max")
      return variant(Slug, "fortran_extreme", {{"write", Write}, {"name", Sum}, {"function", Operator.str()}});
    return variant(Slug, "fortran_or_associative", {{"write", Write}});
  }

  // The variable of `s = s + …` or `if (…) s = …`, and the function that makes its value; empty where the text does not
  // say them.
  std::pair<std::string, std::string> result(const ScalarLoop &S) const {
    for (const Instruction *I : S.Chains)
      for (const DILocation *D = I->getDebugLoc(); D; D = D->getInlinedAt()) {
        const FortranStatement *At = Text.at(D->getLine(), D->getColumn());
        if (!At || At->IsLoop)
          continue;
        const StringRef Statement = behindCondition(At->Text);
        if (std::string Name = assigned(Statement); !Name.empty())
          return {Name, Statement.drop_front(Name.size() + 1).take_while(isNameCharacter).str()};
      }
    return {};
  }

  static StringRef behindCondition(StringRef Statement) {
    StringRef Rest = Statement;
    if (!Rest.consume_front("if("))
      return Statement;
    for (unsigned Open = 1; Open && !Rest.empty(); Rest = Rest.drop_front())
      Open += (Rest.front() == '(') - (Rest.front() == ')');
    return Rest;
  }

  static std::string assigned(StringRef Statement) {
    const StringRef Name = Statement.take_while(isNameCharacter);
    const StringRef Behind = Statement.drop_front(Name.size());
    const bool Assigns = !Name.empty() && Behind.starts_with("=") && !Behind.starts_with("==");
    return Assigns ? Name.str() : std::string();
  }

  const FortranText &Text;
};

// The loops of the procedure around one; none for what a team shares, and for what stands in such a loop.
std::optional<unsigned> loopsAround(const Loop &L, const std::string &Function, Unit &U) {
  unsigned Count = 0;
  for (const Loop *Around = &L; Around; Around = Around->getParentLoop()) {
    const std::optional<FortranLoop> Known = fortranLoop(Around, U);
    if (!Known || procedureAround(Around) != Function)
      continue;
    if (Known->Statement->isShared())
      return std::nullopt;
    Count += Around != &L;
  }
  return Count;
}

} // namespace

bool mayBecomeVectors(const Loop *L, Unit &U) {
  const std::optional<FortranLoop> Known = fortranLoop(L, U);
  return Known && !Known->IsSection && !Known->Statement->Concurrent &&
         !StringRef(Known->Statement->Directive).contains("simd") && !fortranText(U).holdsDirective(*Known->Statement);
}

std::vector<FortranScalarLoop> describeFortran(const std::vector<ScalarLoop> &Loops, Unit &U) {
  MapVector<const FortranStatement *, FortranScalarLoop> Found;
  for (const ScalarLoop &S : Loops) {
    const std::optional<FortranLoop> Known = fortranLoop(S.L, U);
    if (!Known || !loopPlace(S.L, U) || isFree(S))
      continue;
    FortranScalarLoop &One = Found[Known->Statement];
    One.Repeated |= S.Repeated;
    // The procedure's own copy has the names; one that was inlined may know more, and need less.
    if (!One.Loop || isInlinedCopy(*S.L) < isInlinedCopy(*One.Loop->L))
      One.Loop = &S;
  }
  std::vector<FortranScalarLoop> Out;
  const FortranAdviser Adviser(U);
  for (auto &[Statement, One] : Found) {
    const std::optional<LoopPlace> Place = loopPlace(One.Loop->L, U);
    const DISubprogram *P = One.Loop->L->getStartLoc()->getScope()->getSubprogram();
    One.In = fortranCalls(U).Names.lookup(P);
    One.Around = loopsAround(*One.Loop->L, Place->Function, U);
    One.Said.Rule = Slug;
    One.Said.Range = Place->Header;
    One.Said.Scope = Place->Range;
    One.Said.Function = Place->Function;
    One.Said.Args["loop"] = Place->Counter.empty() ? std::string("its elements") : Place->Counter;
    std::optional<VectorAdvice> Advice = Adviser.explain(*One.Loop, *Statement);
    if (!Advice)
      continue;
    One.Said.Args["reason"] = std::move(Advice->Reason);
    One.Said.Args["remedy"] = std::move(Advice->Remedy);
    Out.push_back(std::move(One));
  }
  return Out;
}

} // namespace stridewise
