// R33: hot loops over arrays that the compiler leaves scalar, with what would allow it to use vectors.
//
// The vectoriser itself is the judge (core/Vectorization): a loop is named only when it fails as the code stands and
// succeeds under an assumption that the programmer can grant (free order of sums, arrays that do not overlap, vector
// versions of mathematical functions). Recurrences, searches and scattered accesses that do not pay are thereby silent.
// Hot is a loop that walks the same data again in a loop around it, or that stands in a function called in a loop,
// here or in another unit. Known false positives: loops that are short at run time.
#include "core/CallHeat.h"
#include "core/Check.h"
#include "core/LoopInterchange.h"
#include "core/OmpRegion.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include "core/Vectorization.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "build-missed-vectorization";

// The assignment around a place in the source.
struct AssignmentFinder : clang::RecursiveASTVisitor<AssignmentFinder> {
  const clang::SourceManager &SM;
  clang::SourceLocation Where;
  const clang::BinaryOperator *Found = nullptr;
  AssignmentFinder(const clang::SourceManager &SM, clang::SourceLocation Where) : SM(SM), Where(Where) {}
  bool VisitBinaryOperator(clang::BinaryOperator *B) {
    // The innermost one is visited last.
    if (B->isAssignmentOp() &&
        SM.isPointWithin(Where, SM.getExpansionLoc(B->getBeginLoc()), SM.getExpansionLoc(B->getEndLoc())))
      Found = B;
    return true;
  }
};

// The OpenMP directive that distributes a loop.
struct DirectiveFinder : clang::RecursiveASTVisitor<DirectiveFinder> {
  const clang::Stmt *Loop;
  const clang::OMPLoopDirective *Found = nullptr;
  explicit DirectiveFinder(const clang::Stmt *Loop) : Loop(Loop) {}
  bool VisitOMPLoopDirective(clang::OMPLoopDirective *D) {
    const auto Loops = sharedLoops(*D);
    if (is_contained(Loops, Loop))
      Found = D;
    return true;
  }
};

class MissedVectorization : public Check {
public:
  void run(Unit &Source, Reporter &R) override {
    U = &Source;
    auto Wanted = [&](const Loop *L) {
      clang::SourceLocation Loc = U->loopLocation(L);
      return Loc.isValid() && !U->sources().isInSystemHeader(Loc) && U->loopStatement(L);
    };
    const auto MinTrips = static_cast<unsigned>(R.threshold(Slug, "min_trips"));
    MapVector<const clang::Stmt *, std::vector<ScalarLoop>> Found;
    for (ScalarLoop &S : scalarLoops(*U, Wanted, MinTrips))
      Found[U->loopStatement(S.L)].push_back(std::move(S));
    if (!Found.empty())
      Calls.emplace(U->ast());
    for (const auto &[Statement, Copies] : Found)
      judge(Statement, Copies, R);
  }

  json::Value summarize(Unit &Source) override {
    if (!Calls)
      Calls.emplace(Source.ast());
    json::Value Edges = Calls->toJson();
    if (Edges.kind() == json::Value::Null && Waiting.empty())
      return nullptr;
    return json::Object{{"calls", std::move(Edges)}, {"loops", std::move(Waiting)}};
  }

  void link(ArrayRef<json::Value> Summaries, LinkReporter &R) override {
    std::vector<const json::Value *> Edges;
    for (const json::Value &V : Summaries)
      if (const json::Object *O = V.getAsObject())
        if (const json::Value *C = O->get("calls"))
          Edges.push_back(C);
    std::set<std::string> Hot = hotFunctions(Edges);
    for (const json::Value &V : Summaries)
      if (const json::Object *O = V.getAsObject())
        if (const json::Array *Loops = O->getArray("loops"))
          for (const json::Value &L : *Loops)
            if (const json::Object *Entry = L.getAsObject())
              join(*Entry, Hot, R);
  }

private:
  void judge(const clang::Stmt *Statement, const std::vector<ScalarLoop> &Copies, Reporter &R) {
    // The function's own copy has the names; one that was inlined may know more about its arrays and need less.
    const ScalarLoop *Best = nullptr;
    for (const ScalarLoop &S : Copies)
      if (!Best || isOwn(S) > isOwn(*Best))
        Best = &S;
    const clang::FunctionDecl *Function = U->functionAt(Statement->getBeginLoc());
    Heat H = Calls->of(Function);
    bool Repeated = any_of(Copies, [](const ScalarLoop &S) { return S.Repeated; });
    if (Repeated)
      H = Heat::Hot;
    if (H == Heat::Cold)
      return;
    Finding F;
    F.Rule = Slug;
    F.Conf = confidence(*Best);
    F.Range = loopHeader(Statement);
    F.Scope = Statement->getSourceRange();
    F.Function = Unit::functionName(Function);
    const clang::VarDecl *Counter = loopVariable(Statement);
    F.Args["loop"] =
        Counter && Counter->getDeclName() && !Counter->isImplicit() ? Counter->getNameAsString() : "its elements";
    auto [Reason, Remedy] = explain(*Best, Statement);
    F.Args["reason"] = Reason;
    F.Args["remedy"] = Remedy;
    if (H == Heat::Hot) {
      R.report(std::move(F));
      return;
    }
    if (R.silences(Slug, F.Range.getBegin()))
      return;
    Place Scope = placeOf(U->ast(), F.Scope);
    Waiting.push_back(json::Object{{"in", Calls->name(Function)},
                                   {"where", toJson(placeOf(U->ast(), F.Range))},
                                   {"function", F.Function},
                                   {"begin", Scope.Line},
                                   {"end", Scope.EndLine},
                                   {"confidence", static_cast<int>(F.Conf)},
                                   {"loop", std::get<std::string>(F.Args["loop"])},
                                   {"reason", Reason},
                                   {"remedy", Remedy}});
  }

  static void join(const json::Object &Entry, const std::set<std::string> &Hot, LinkReporter &R) {
    const json::Value *Where = Entry.get("where");
    std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    if (!P || !Hot.count(Entry.getString("in").value_or("").str()))
      return;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = static_cast<Confidence>(Entry.getInteger("confidence").value_or(0));
    F.Where = *P;
    F.Function = Entry.getString("function").value_or("").str();
    F.ScopeBegin = static_cast<unsigned>(Entry.getInteger("begin").value_or(P->Line));
    F.ScopeEnd = static_cast<unsigned>(Entry.getInteger("end").value_or(P->Line));
    for (const char *Name : {"loop", "reason", "remedy"})
      F.Args[Name] = Entry.getString(Name).value_or("").str();
    R.report(std::move(F));
  }

  // Where accesses are scattered, another order of loops or data is worth more than the vectors.
  static Confidence confidence(const ScalarLoop &S) {
    if (S.Scattered)
      return S.Needs & FreeOrder ? Confidence::Low : Confidence::Medium;
    return S.Needs == (FreeOrder | DistinctArrays | VectorFunctions) ? Confidence::Medium : Confidence::High;
  }

  static bool isOwn(const ScalarLoop &S) {
    const DILocation *D = S.L->getStartLoc();
    return D && !D->getInlinedAt();
  }

  // What stands in the way, and what to write.
  std::pair<std::string, std::string> explain(const ScalarLoop &S, const clang::Stmt *Statement) const {
    std::vector<std::string> Why, How;
    const bool Order = S.Needs & FreeOrder, Overlap = S.Needs & DistinctArrays, Math = S.Needs & VectorFunctions;
    std::string Sum = resultName(S, Statement);
    const clang::OMPLoopDirective *Directive = directiveOf(Statement);
    // Each thread adds to its own copy of what a reduction names.
    const bool Memory =
        Overlap && !S.Accumulators.empty() && !(Directive && Directive->hasClausesOfKind<clang::OMPReductionClause>());
    const std::string Simd = Directive ? "add 'simd' to the loop's directive ('#pragma omp for simd')"
                                       : "write '#pragma omp simd' above the loop (-fopenmp-simd)";
    if (Memory) {
      Why.push_back("it adds to '" + Sum + "' in memory, which might be part of what it reads");
      How.push_back("add up in a local variable and store it behind the loop");
    } else if (Overlap && S.BoundReloaded) {
      Why.push_back("its bound is read anew in each iteration, since a store of the loop might change it");
      How.push_back("copy the bound to a local variable in front of the loop");
    } else if (Overlap && S.Accumulators.empty()) {
      auto [Out, In] = arrayNames(S);
      Why.push_back(Out.empty()  ? "its arrays might overlap"
                    : In.empty() ? "'" + Out + "' might overlap with the other arrays"
                                 : "'" + Out + "' might overlap with '" + In + "'");
      How.push_back(std::string("if they never do, declare the pointers ") +
                    (U->ast().getLangOpts().CPlusPlus ? "__restrict" : "restrict") + ", or " + Simd);
    }
    if (Order) {
      Why.push_back(Memory ? "the additions have a fixed order"
                           : "the floating-point result '" + Sum + "' is combined in a fixed order");
      How.push_back(
          (Directive ? Simd : "write '#pragma omp simd reduction(…)' above the loop (-fopenmp-simd)") +
          ", or compile with -fassociative-math -fno-signed-zeros -fno-trapping-math; sums are then rounded in "
          "another order");
    }
    if (Math) {
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
      How.push_back(Native ? "compile with -fno-math-errno"
                           : "use vector versions: -fveclib=libmvec -fno-math-errno (clang), -ffast-math (gcc)");
    }
    return {join(Why, ", and "), join(How, "; ")};
  }

  const clang::OMPLoopDirective *directiveOf(const clang::Stmt *Statement) const {
    const clang::FunctionDecl *F = U->functionAt(Statement->getBeginLoc());
    if (!F || !U->ast().getLangOpts().OpenMP)
      return nullptr;
    DirectiveFinder Finder(Statement);
    Finder.TraverseStmt(F->getBody());
    return Finder.Found;
  }

  static std::string join(const std::vector<std::string> &Parts, StringRef By) {
    std::string Text;
    for (const std::string &P : Parts)
      Text += (Text.empty() ? "" : By.str()) + P;
    return Text;
  }

  std::string resultName(const ScalarLoop &S, const clang::Stmt *Statement) const {
    const clang::SourceManager &SM = U->sources();
    const bool Memory = (S.Needs & DistinctArrays) && !S.Accumulators.empty();
    for (const Instruction *I : Memory ? S.Accumulators : S.Chains)
      for (const DILocation *D = I->getDebugLoc(); D; D = D->getInlinedAt()) {
        clang::SourceLocation Where = U->locate(DebugLoc(D));
        if (Where.isInvalid())
          continue;
        AssignmentFinder Finder(SM, Where);
        Finder.TraverseStmt(const_cast<clang::Stmt *>(Statement));
        if (!Finder.Found)
          continue;
        StringRef Text = clang::Lexer::getSourceText(
            clang::CharSourceRange::getTokenRange(
                SM.getExpansionRange(Finder.Found->getLHS()->getSourceRange()).getAsRange()),
            SM, U->ast().getLangOpts());
        if (!Text.empty() && Text.size() < 40 && !Text.contains('\n'))
          return Text.str();
      }
    return "sum";
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
    const clang::IdentifierTable &Known = U->ast().Idents;
    if (Name.starts_with("_") || Name == "this")
      return {};
    for (StringRef Try : {Name, Name.rtrim("0123456789")})
      if (!Try.empty() && Known.find(Try) != Known.end())
        return Try.str();
    return {};
  }

  Unit *U = nullptr;
  std::optional<CallHeat> Calls;
  json::Array Waiting;
};

STRIDEWISE_CHECK("build-missed-vectorization", MissedVectorization)

} // namespace
} // namespace stridewise
