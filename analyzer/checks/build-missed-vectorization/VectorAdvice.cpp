#include "checks/build-missed-vectorization/VectorAdvice.h"
#include "omp/SharedLoops.h"
#include "unit/Catalogue.h"
#include "unit/Visitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "build-missed-vectorization";

// The assignment around a place in the source.
struct AssignmentFinder : Visitor<AssignmentFinder> {
  const clang::SourceManager &SM;
  clang::SourceLocation Where;
  const clang::BinaryOperator *Found = nullptr;
  AssignmentFinder(const clang::SourceManager &SM, clang::SourceLocation Where) : SM(SM), Where(Where) {}
  bool VisitBinaryOperator(clang::BinaryOperator *B) override {
    // The innermost one is visited last.
    if (B->isAssignmentOp() &&
        SM.isPointWithin(Where, SM.getExpansionLoc(B->getBeginLoc()), SM.getExpansionLoc(B->getEndLoc())))
      Found = B;
    return true;
  }
};

// "min" or "max" for the choice of one of two numbers by their comparison, whatever it does with NaN.
StringRef extremeOf(const SelectInst &Choice) {
  const auto *Compare = dyn_cast<FCmpInst>(Choice.getCondition());
  if (!Compare)
    return {};
  const bool Straight =
      Compare->getOperand(0) == Choice.getTrueValue() && Compare->getOperand(1) == Choice.getFalseValue();
  const bool Crossed =
      Compare->getOperand(0) == Choice.getFalseValue() && Compare->getOperand(1) == Choice.getTrueValue();
  const FCmpInst::Predicate P = FCmpInst::getOrderedPredicate(Compare->getPredicate());
  const bool Less = P == FCmpInst::FCMP_OLT || P == FCmpInst::FCMP_OLE;
  const bool Greater = P == FCmpInst::FCMP_OGT || P == FCmpInst::FCMP_OGE;
  if ((!Straight && !Crossed) || (!Less && !Greater))
    return {};
  return Less == Straight ? "min" : "max";
}

class Adviser {
public:
  explicit Adviser(Unit &U) : U(U) {}

  // What stands in the way, and what to write.
  // What the advice about a loop speaks of.
  struct Spoken {
    const ScalarLoop &S;
    std::string Sum;    // the result's name, if it has one
    std::string Result; // the same behind a blank, in quotes
    const clang::OMPLoopDirective *Directive;
    std::string Simd; // how to say that the iterations are independent
    bool Reduces = false, Memory = false;
  };
  using Sentences = std::vector<std::string>;

  VectorAdvice explain(const ScalarLoop &S, const clang::Stmt *Statement) const {
    Spoken A{S, resultName(S, Statement), {}, sharingDirective(Statement, U), {}};
    A.Result = A.Sum.empty() ? "" : " '" + A.Sum + "'";
    // Each thread adds to its own copy of what a reduction names.
    A.Reduces = A.Directive && A.Directive->hasClausesOfKind<clang::OMPReductionClause>();
    A.Memory = (S.Needs & DistinctArrays) && !S.Accumulators.empty() && !A.Reduces;
    A.Simd = variant(Slug, A.Directive ? "add_simd" : "write_simd");
    Sentences Why, How;
    if (S.Needs & DistinctArrays)
      aboutMemory(A, Why, How);
    if (S.Needs & FreeOrder)
      aboutOrder(A, Why, How);
    if (S.Needs & VectorFunctions)
      aboutFunctions(S, Why, How);
    return {join(Why, ", and "), join(How, "; ")};
  }

  void aboutMemory(const Spoken &A, Sentences &Why, Sentences &How) const {
    if (A.Memory) {
      Why.push_back("it adds to" + (A.Sum.empty() ? " a variable" : A.Result) +
                    " in memory, which might be part of what it reads");
      How.push_back(variant(Slug, "local_sum"));
    } else if (A.S.BoundReloaded) {
      Why.push_back("its bound is read anew in each iteration, since a store of the loop might change it");
      How.push_back(variant(Slug, "local_bound"));
    } else if (A.S.Accumulators.empty()) {
      auto [Out, In] = arrayNames(A.S);
      Why.push_back(Out.empty()  ? "its arrays might overlap"
                    : In.empty() ? "'" + Out + "' might overlap with the other arrays"
                                 : "'" + Out + "' might overlap with '" + In + "'");
      const std::string Keyword = U.ast().getLangOpts().CPlusPlus ? "__restrict" : "restrict";
      How.push_back(variant(Slug, "restrict", {{"keyword", Keyword}, {"simd", A.Simd}}));
    }
  }

  void aboutOrder(const Spoken &A, Sentences &Why, Sentences &How) const {
    Why.push_back(A.Memory ? "the additions have a fixed order"
                           : "the floating-point result" + A.Result + " is combined in a fixed order");
    const StringRef Operator = reductionOperator(A.S);
    const bool Extreme = Operator == "min" || Operator == "max";
    const bool Plain =
        A.S.Chains.size() == 1 && !A.Sum.empty() && all_of(A.Sum, [](char C) { return isAlnum(C) || C == '_'; });
    const std::string Clause =
        "reduction(" + (Operator.empty() ? "…" : Operator.str() + ":" + (Plain ? A.Sum : "…")) + ")";
    // What no clause can name goes to a variable first; 'simd' alone would promise that the iterations are independent.
    const bool Named = A.Sum.empty() || Plain || A.S.Chains.size() > 1;
    const std::string Write = A.Reduces ? A.Simd
                                        : variant(Slug,
                                                  A.Directive           ? "reduce_shared"
                                                  : !Named && !A.Memory ? "reduce_local"
                                                                        : "reduce",
                                                  {{"clause", Clause}});
    How.push_back(variant(Slug, Extreme ? "or_finite" : "or_associative", {{"write", Write}}));
  }

  static void aboutFunctions(const ScalarLoop &S, Sentences &Why, Sentences &How) {
    std::string Names;
    bool Native = true;
    for (const std::string &Name : S.Functions) {
      Names += (Names.empty() ? "" : ", ") + Name;
      Native &= StringSwitch<bool>(Name)
                    .Cases("sqrt", "sqrtf", "fabs", "fabsf", "fma", "fmaf", "fmin", "fmax", "fminf", "fmaxf", true)
                    .Cases("floor", "floorf", "ceil", "ceilf", "trunc", "truncf", "rint", "rintf", true)
                    .Default(false);
    }
    Why.push_back("calls of " + Names + (Native ? " may set errno" : " go to scalar functions"));
    How.push_back(variant(Slug, Native ? "no_errno" : "vector_functions"));
  }

private:
  static std::string join(const std::vector<std::string> &Parts, StringRef By) {
    std::string Text;
    for (const std::string &P : Parts)
      Text += (Text.empty() ? "" : By.str()) + P;
    return Text;
  }

  // The variable that the loop combines into, as the source writes it; empty where no assignment shows it.
  std::string resultName(const ScalarLoop &S, const clang::Stmt *Statement) const {
    const clang::SourceManager &SM = U.sources();
    const bool Memory = (S.Needs & DistinctArrays) && !S.Accumulators.empty();
    for (const Instruction *I : Memory ? S.Accumulators : S.Chains)
      for (const DILocation *D = I->getDebugLoc(); D; D = D->getInlinedAt()) {
        clang::SourceLocation Where = U.locate(DebugLoc(D));
        if (Where.isInvalid())
          continue;
        AssignmentFinder Finder(SM, Where);
        Finder.TraverseStmt(const_cast<clang::Stmt *>(Statement));
        if (!Finder.Found)
          continue;
        StringRef Text = clang::Lexer::getSourceText(
            clang::CharSourceRange::getTokenRange(
                SM.getExpansionRange(Finder.Found->getLHS()->getSourceRange()).getAsRange()),
            SM, U.ast().getLangOpts());
        if (!Text.empty() && Text.size() < 40 && !Text.contains('\n'))
          return Text.str();
      }
    return {};
  }

  // A written array and one that it might overlap with, by the names of the source.
  std::pair<std::string, std::string> arrayNames(const ScalarLoop &S) const {
    std::string Out, In;
    for (const Value *V : S.Written)
      if (std::string Name = nameOf(V); !Name.empty())
        (Out.empty() ? Out : In) = Name;
    for (const Value *V : S.Others)
      if (std::string Name = nameOf(V); In.empty() && !Name.empty() && Name != Out)
        In = Name;
    return {Out, In == Out ? std::string() : In};
  }

  std::string nameOf(const Value *V) const {
    // A pointer that is a member or the first field of a container.
    if (const auto *Load = dyn_cast<LoadInst>(V))
      V = Load->getPointerOperand();
    StringRef Name = V->getName().split('.').first;
    const clang::IdentifierTable &Known = U.ast().Idents;
    if (Name.starts_with("_") || Name == "this")
      return {};
    for (StringRef Try : {Name, Name.rtrim("0123456789")})
      if (!Try.empty() && Known.find(Try) != Known.end())
        return Try.str();
    return {};
  }

  Unit &U;
};

} // namespace

StringRef reductionOperator(const ScalarLoop &S) {
  StringRef All;
  for (const Instruction *I : S.Chains) {
    StringRef One;
    if (const auto *Call = dyn_cast<IntrinsicInst>(I))
      One = StringSwitch<StringRef>(Intrinsic::getBaseName(Call->getIntrinsicID()))
                .Cases("llvm.minnum", "llvm.minimum", "min")
                .Cases("llvm.maxnum", "llvm.maximum", "max")
                .Cases("llvm.fmuladd", "llvm.fma", "+")
                .Default("");
    else if (I->getOpcode() == Instruction::FAdd || I->getOpcode() == Instruction::FSub)
      One = "+";
    else if (I->getOpcode() == Instruction::FMul)
      One = "*";
    else if (const auto *Choice = dyn_cast<SelectInst>(I))
      One = extremeOf(*Choice);
    if (One.empty() || (!All.empty() && All != One))
      return {};
    All = One;
  }
  return All;
}

VectorAdvice vectorAdvice(const ScalarLoop &S, const clang::Stmt *Loop, Unit &U) { return Adviser(U).explain(S, Loop); }

} // namespace stridewise
