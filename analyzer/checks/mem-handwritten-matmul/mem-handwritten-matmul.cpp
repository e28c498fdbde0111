// Matrix products written as three plain loops (checks/mem-handwritten-matmul/MatrixProduct.h): a library's product, or
// at least another loop order or blocks, makes better use of the cache.
//
// A strided factor is the sure case. Without one the loops still miss what blocking gives, which shows only when the
// matrices outgrow the cache. Many small matrices, one per element or cell, are no case for a library.
//
// The products of a program's own copy of BLAS or LAPACK are that library: the whole program says once that it is
// there. A helper whose callers all give it blocks of a larger product, or one small matrix after another, is no case
// either; of low confidence are loops where a condition chooses between them and the same in blocks.
//
// Known false positives: matrices of run-time size that are small in every run.
#include "checks/mem-handwritten-matmul/LibraryRoutines.h"
#include "checks/mem-handwritten-matmul/MatrixProduct.h"
#include "fortran/FortranLoops.h"
#include "loops/ArrayNames.h"
#include "loops/LoopCopies.h"
#include "loops/LoopInterchange.h"
#include "loops/LoopOrder.h"
#include "loops/LoopPlaces.h"
#include "loops/SetUp.h"
#include "loops/TileLoops.h"
#include "loops/TiledAlternative.h"
#include "omp/SharedLoops.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr const char *Slug = "mem-handwritten-matmul";

struct Candidate {
  MatrixProduct Product;
  StrideEngine *Engine;
  LoopPlace Outer, Inner;
  bool Own, Tiny;
  const clang::FunctionDecl *In; // where the loops are written; null in Fortran
  bool Beside = false;           // the same in blocks
  bool Divided = false;          // a team divides a dimension of the factor that the outermost loop fetches again
};

class HandwrittenMatmul : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    Module *M = U.ir();
    if (!M)
      return;
    this->U = &U;
    MinExtent = R.threshold(Slug, "min_extent");
    SureBytes = R.threshold(Slug, "sure_bytes");
    MapVector<const void *, std::vector<Candidate>> Found;
    Bundled.clear();
    for (Function &F : *M)
      if (!F.isDeclaration())
        for (MatrixProduct &P : matrixProducts(F, U.analyses()))
          if (std::optional<Candidate> C = place(std::move(P), F))
            Found[C->Outer.Key].push_back(std::move(*C));
    for (const auto &[Outer, Copies] : Found) {
      if (std::optional<clang::SourceLocation> At = libraryRoutine(Copies.front())) {
        if (!R.silences(Slug, *At))
          Bundled.push_back(json::Object{{"function", Copies.front().Outer.Function},
                                         {"place", toJson(placeOf(U.ast(), {*At, *At}))}});
        continue;
      }
      if (std::optional<Finding> Said = describe(Copies))
        R.report(std::move(*Said));
    }
  }

  json::Value summarize(Unit &) override {
    return Bundled.empty() ? json::Value(nullptr) : json::Value(std::move(Bundled));
  }

  // Two of them make a library; one may be a program's own experiment, and is left alone.
  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::map<std::pair<std::string, unsigned>, std::pair<Place, std::string>> Routines;
    for (const stored::Value &V : Summaries)
      if (const stored::Array *All = V.getAsArray())
        for (const stored::Value &Each : *All)
          if (const stored::Object *O = Each.getAsObject())
            if (std::optional<Place> P = O->get("place") ? placeFromJson(*O->get("place")) : std::nullopt)
              Routines.try_emplace({P->File, P->Line}, *P, O->getString("function").value_or("").str());
    if (Routines.size() < 2)
      return;
    const auto &[Where, First] = Routines.begin()->second;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Confidence::Medium;
    F.Where = Where;
    F.Function = First;
    F.ScopeBegin = Where.Line;
    F.ScopeEnd = Where.EndLine;
    F.Args = {{"of", std::string("s of a bundled BLAS or LAPACK")},
              {"cost", "the program brings its own copies of " + std::to_string(Routines.size()) + " such routines"},
              {"call", std::string("link an optimised BLAS and LAPACK in their place")},
              {"loops", std::string()},
              {"bundled", static_cast<std::int64_t>(Routines.size())}};
    for (const auto &[Key, Routine] : drop_begin(Routines))
      if (F.Relateds.size() < 4)
        F.Relateds.emplace_back(Routine.first, "and " + Routine.second);
    R.report(std::move(F));
  }

private:
  // Where a routine of a library begins that the product stands in; nothing for the program's own.
  std::optional<clang::SourceLocation> libraryRoutine(const Candidate &C) {
    if (U->isFortran()) {
      const DISubprogram *P = C.Product.Outer->getStartLoc()->getScope()->getSubprogram();
      const auto Parameters = static_cast<unsigned>(C.Product.Outer->getHeader()->getParent()->arg_size());
      if (isLibraryProcedure(C.Outer.Function, Parameters, Unit::path(P->getFile())))
        return procedureRange(P, *U).getBegin();
    } else if (C.In && isLibraryRoutine(*C.In, U->ast())) {
      return C.In->getLocation();
    }
    return std::nullopt;
  }

  std::optional<Candidate> place(MatrixProduct P, Function &F) {
    std::optional<LoopPlace> Inner = loopPlace(P.Inner, *U), Outer = loopPlace(P.Outer, *U);
    if (!Inner || !Outer)
      return std::nullopt;
    Candidate C{std::move(P), &StrideEngine::get(F, U->analyses()), *Outer, *Inner, true, false, nullptr};
    if (!U->isFortran())
      C.In = U->functionAt(C.Outer.Range.getBegin());
    C.Own = !isInlinedCopy(*C.Product.Outer);
    // Blocks that were copied next to each other do not move in the loops over the blocks.
    for (const Loop *L = C.Product.Outer->getParentLoop(); L; L = L->getParentLoop())
      C.Product.Blocked |= isTileLoop(L, *U);
    C.Beside = hasTiledAlternative(C.Product.Outer, rootsOf(C), F, *U);
    C.Divided = any_of(ArrayRef{&C.Product.Row, &C.Product.Column, &C.Product.Sum}, [&](const auto *D) {
      return !is_contained(D->Loops, C.Product.Outer) && any_of(D->Loops, [&](const Loop *L) { return isDivided(L); });
    });
    C.Tiny = any_of(ArrayRef{&C.Product.Row, &C.Product.Column, &C.Product.Sum},
                    [&](const auto *D) { return D->Extent && D->Extent < MinExtent; });
    return C;
  }

  static SmallVector<const SCEV *, 3> rootsOf(const Candidate &C) {
    SmallVector<const SCEV *, 3> Roots;
    for (const MatrixProduct::Operand *O : {&C.Product.Result, &C.Product.Left, &C.Product.Right})
      if (O->Address)
        Roots.push_back(rootOf(O->Address, *C.Engine));
    return Roots;
  }

  bool isDivided(const Loop *L) {
    if (U->isFortran()) {
      const std::optional<FortranLoop> Known = fortranLoop(L, *U);
      return Known && Known->Statement->isShared();
    }
    const clang::Stmt *Loop = U->loopStatement(L);
    const clang::OMPLoopDirective *D = Loop ? sharingDirective(Loop, *U) : nullptr;
    return D && clang::isOpenMPWorksharingDirective(D->getDirectiveKind());
  }

  Confidence confidence(const Candidate &C) const {
    const MatrixProduct &P = C.Product;
    double Row = P.Row.Extent, Column = P.Column.Extent, Sum = P.Sum.Extent;
    bool Known = Row && Column && Sum;
    bool Large = Known && (Row * Column + Row * Sum + Sum * Column) * P.ElementBytes > SureBytes;
    bool Strided = stridedOperand(C.Product, *C.Engine);
    // Of a batch whose matrices have unknown sizes these are mostly small; not where each factor that comes again and
    // again is worth a team.
    if (C.Beside)
      return Confidence::Low;
    if (P.Batched && !Known && !C.Divided)
      return Strided && P.Floating ? Confidence::Medium : Confidence::Low;
    if (Strided)
      return !Known || Large ? Confidence::High : Confidence::Medium;
    if (!P.Floating)
      return Confidence::Low;
    return !Known || Large ? Confidence::Medium : Confidence::Low;
  }

  std::optional<Finding> describe(const std::vector<Candidate> &Copies) {
    // The function's own copy knows no sizes; where every caller has small ones, none is worth a word.
    bool Called = any_of(Copies, [](const Candidate &C) { return !C.Own; });
    auto IsPart = [](const Candidate &C) { return C.Tiny || C.Product.Blocked || isSmallInBatch(C.Product); };
    if (Called && all_of(Copies, [&](const Candidate &C) { return C.Own || IsPart(C); }))
      return std::nullopt;
    const Candidate *Best = nullptr;
    for (const Candidate &C : Copies)
      if (!C.Tiny && !C.Product.Blocked &&
          (!Best || std::make_pair(confidence(C), C.Own) > std::make_pair(confidence(*Best), Best->Own)))
        Best = &C;
    if (!Best)
      return std::nullopt;
    const Candidate &C = *Best;
    const MatrixProduct &P = C.Product;
    Finding Said;
    Said.Rule = Slug;
    Said.Conf = U->isFortran() && isSetUp(P.Inner, *U) ? Confidence::Low : confidence(C);
    Said.Range = C.Outer.Header;
    Said.Function = C.Outer.Function;
    Said.Scope = C.Outer.Range;
    std::string Left = arrayName(*P.Left.At, C.In, *U), Right = arrayName(*P.Right.At, C.In, *U);
    Said.Args["of"] = Left.empty() || Right.empty() ? "" : " of '" + Left + "' and '" + Right + "'";
    Said.Args["cost"] = cost(C);
    Said.Args["call"] = libraryCall(P, U->isFortran());
    Said.Args["loops"] = otherLoops(C);
    if (const Loop *Best = bestInner(C); Best && !P.InPlace && !P.Triangular && !U->isFortran())
      if (std::optional<Fix> Exchange = otherOrder(Best, C)) {
        doubt(*Exchange, "the matrices may overlap");
        Said.Fixes.push_back(std::move(*Exchange));
      }
    if (C.Inner.Key != C.Outer.Key)
      Said.Relateds.push_back({C.Inner.Header.getBegin(), "the innermost loop of the product"});
    return Said;
  }

  std::optional<Fix> otherOrder(const Loop *Best, const Candidate &C) {
    const Loop *Around = C.Product.Inner->getParentLoop();
    const clang::Stmt *Inner = U->loopStatement(C.Product.Inner);
    if (Around == Best)
      return exchangeHeaders(U->loopStatement(Best), Inner, *U);
    if (Around && Around->getParentLoop() == Best)
      return moveInnermost(U->loopStatement(Best), U->loopStatement(Around), Inner, *U);
    return std::nullopt;
  }

  std::string counter(const Loop *L) {
    const std::optional<LoopPlace> Place = loopPlace(L, *U);
    return Place ? Place->Counter : "its counter";
  }

  std::string cost(const Candidate &C) {
    const MatrixProduct &P = C.Product;
    if (const MatrixProduct::Operand *O = stridedOperand(C.Product, *C.Engine)) {
      Stride S = C.Engine->stride(O->Address, P.Inner);
      std::string Step = S.K == Stride::Constant ? std::to_string(std::abs(S.Bytes)) + " bytes"
                         : U->isFortran()        ? "a whole column"
                                                 : "a whole row";
      std::string Name = arrayName(*O->At, C.In, *U);
      return "the inner loop over '" + counter(P.Inner) + "' steps " + Step + " through " +
             (Name.empty() ? "a matrix" : "'" + Name + "'");
    }
    return "every iteration over '" + counter(P.Outer) + "' fetches a whole factor again";
  }

  // The loop along which no operand is strided, if there is one.
  const Loop *bestInner(const Candidate &C) const {
    const MatrixProduct &P = C.Product;
    for (const auto *D : {&P.Column, &P.Sum, &P.Row}) {
      const Loop *L = D->Loops.front();
      if (none_of(ArrayRef{&P.Result, &P.Left, &P.Right},
                  [&](const MatrixProduct::Operand *O) { return isStrided(*O, L, *C.Engine); }))
        return L;
    }
    return nullptr;
  }

  std::string otherLoops(const Candidate &C) {
    const MatrixProduct &P = C.Product;
    std::string Lead = libraryCall(P, U->isFortran()).empty() ? "" : "; without a library ";
    const Loop *Best = bestInner(C);
    std::string Blocks = "work in blocks of about 64 x 64 that stay in the cache";
    if (!Best)
      return Lead + "transpose the strided factor first and " + Blocks;
    if (P.Inner == Best)
      return Lead + Blocks;
    if (P.InPlace || P.Triangular)
      return Lead + "make '" + counter(Best) + "' the innermost loop, as far as the dependences allow";
    return Lead + "make '" + counter(Best) + "' the innermost loop and " + Blocks;
  }

  // Products of unknown size for one element or cell after another.
  static bool isSmallInBatch(const MatrixProduct &P) {
    return P.Batched && !(P.Row.Extent && P.Column.Extent && P.Sum.Extent);
  }

  Unit *U = nullptr;
  json::Array Bundled;
  double MinExtent = 0, SureBytes = 0;
};
STRIDEWISE_CHECK("mem-handwritten-matmul", HandwrittenMatmul)

} // namespace
} // namespace stridewise
