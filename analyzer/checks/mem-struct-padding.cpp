// R01: the order of a record's fields costs padding.
//
// The best size is computed from the target's layout rules. The price is the number of records: an array, an allocation
// or a container of them makes the finding sure, an indexed pointer likely; one record somewhere is hardly worth a
// word, a small array of known length not even that. Silent: explicit alignment or padding (a char array that no code
// names), since someone chose that layout; templates of which some instance is dense. The fix is offered only while
// nothing in any unit depends on the order. Known false positives: a record whose first fields share a cache line on
// purpose.
#include "core/Check.h"
#include "core/RecordLayout.h"
#include "core/RecordUses.h"
#include "core/Reporter.h"
#include "core/Unit.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/Support/Path.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr llvm::StringLiteral Slug = "mem-struct-padding";

class StructPadding : public Check {
public:
  void run(Unit &U, Reporter &R) override {
    ASTContext &Ctx = U.ast();
    Uses.emplace(Ctx);
    Records = recordDefinitions(Ctx);
    for (const RecordDecl *Record : Records)
      judge(Record, U, R);
  }

  json::Value summarize(Unit &U) override {
    json::Array Out;
    for (const RecordDecl *Record : Records) {
      auto It = Uses->Of.find(Record);
      if (It == Uses->Of.end() || It->second.LayoutUses.empty())
        continue;
      const auto &[Where, Why] = It->second.LayoutUses.front();
      Place Use = placeOf(U.ast(), Where);
      Out.push_back(json::Object{
          {"record", toJson(placeOf(U.ast(), nameRange(Record)))},
          {"why", (Why + " (" + llvm::sys::path::filename(Use.File) + ":" + llvm::Twine(Use.Line) + ")").str()}});
    }
    return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
  }

  void link(llvm::ArrayRef<json::Value> Summaries, LinkReporter &R) override {
    for (const json::Value &V : Summaries)
      if (const json::Array *A = V.getAsArray())
        for (const json::Value &Entry : *A)
          if (const json::Object *O = Entry.getAsObject())
            if (const json::Value *P = O->get("record"))
              if (std::optional<Place> Where = placeFromJson(*P))
                R.withdrawFixes(Slug, *Where, O->getString("why").value_or("its layout matters elsewhere"));
  }

private:
  static SourceRange nameRange(const RecordDecl *R) {
    if (R->getIdentifier() || !R->getTypedefNameForAnonDecl())
      return R->getIdentifier() ? SourceRange(R->getLocation()) : SourceRange(R->getBeginLoc());
    return R->getTypedefNameForAnonDecl()->getLocation();
  }

  bool hasExplicitPadding(const RecordDecl *R) const {
    return llvm::any_of(R->fields(), [&](const FieldDecl *F) {
      const ArrayType *A = F->getType()->getAsArrayTypeUnsafe();
      return (!F->getIdentifier() && !F->isAnonymousStructOrUnion()) ||
             (A && A->getElementType()->isCharType() && !Uses->Referenced.contains(F->getCanonicalDecl()));
    });
  }

  // Of several instances of one template, the one that wastes least speaks for all.
  bool anotherInstanceIsDense(const RecordDecl *R, ASTContext &Ctx, std::uint64_t Saved) const {
    const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
    return S && llvm::any_of(S->getSpecializedTemplate()->specializations(), [&](ClassTemplateSpecializationDecl *O) {
             if (!O->isCompleteDefinition())
               return false;
             std::optional<FieldOrder> Order = bestFieldOrder(O, Ctx);
             return !Order || Order->SizeBytes - Order->BestSizeBytes < Saved;
           });
  }

  void judge(const RecordDecl *Record, Unit &U, Reporter &R) {
    ASTContext &Ctx = U.ast();
    std::optional<FieldOrder> Order = bestFieldOrder(Record, Ctx);
    if (!Order)
      return;
    std::uint64_t Saved = Order->SizeBytes - Order->BestSizeBytes;
    if (Saved < R.threshold(Slug, "min_saved_bytes") ||
        100.0 * Saved < R.threshold(Slug, "min_saved_percent") * Order->SizeBytes || hasExplicitPadding(Record) ||
        anotherInstanceIsDense(Record, Ctx, Saved))
      return;

    Finding F;
    F.Rule = Slug;
    F.Range = nameRange(Record);
    F.Scope = Record->getSourceRange();
    F.Conf = Confidence::Low;
    const RecordUse &Use = Uses->Of[Record];
    // A header's record that this unit has once at most is for another unit to speak of.
    if (Use.Count == RecordUse::Single && !U.sources().isInMainFile(U.sources().getExpansionLoc(F.Range.getBegin())))
      return;
    if (Use.Elements && *Use.Elements * Saved < R.threshold(Slug, "min_total_saved_bytes"))
      return;
    if (Use.Count != RecordUse::Single) {
      F.Conf = Use.Count == RecordUse::Many ? Confidence::High : Confidence::Medium;
      F.Relateds.push_back({Use.Where, Use.What + " of them"});
    }
    std::string Names;
    for (const FieldDecl *Field : Order->Best)
      Names += (Names.empty() ? "" : ", ") + Field->getNameAsString();
    std::string Name = Ctx.getTypeDeclType(Record).getAsString(Ctx.getPrintingPolicy());
    llvm::StringRef Shown = Name;
    if (!Record->getIdentifier() && !Record->getTypedefNameForAnonDecl())
      Shown = "(unnamed)";
    else if (!Shown.consume_front("struct "))
      Shown.consume_front("class ");
    F.Args = {{"record", Shown.str()},
              {"size_bytes", static_cast<std::int64_t>(Order->SizeBytes)},
              {"wasted_bytes", static_cast<std::int64_t>(Saved)},
              {"best_size_bytes", static_cast<std::int64_t>(Order->BestSizeBytes)},
              {"order", Names}};
    if (Use.Elements)
      F.Args["elements"] = static_cast<std::int64_t>(*Use.Elements);

    if (!Use.LayoutUses.empty())
      F.Relateds.push_back(
          {Use.LayoutUses.front().first, "not reordered automatically: " + Use.LayoutUses.front().second});
    else if (!isa<ClassTemplateSpecializationDecl>(Record))
      if (std::optional<Edit> E = reorderEdit(Record, Order->Best, Ctx))
        F.Fixes.push_back({"order the fields by falling alignment", {*E}});
    R.report(std::move(F));
  }

  std::optional<RecordUses> Uses;
  std::vector<const RecordDecl *> Records;
};

STRIDEWISE_CHECK("mem-struct-padding", StructPadding)

} // namespace
} // namespace stridewise
