// R01: the order of a record's fields costs padding.
//
// The best size is computed from the target's layout rules. The price is the number of records: an array, an allocation
// or a container of them makes the finding sure, an indexed pointer likely; one record somewhere is hardly worth a
// word, a small array of known length not even that. Silent: explicit alignment or padding (a char array that no code
// names), since someone chose that layout; templates of which some instance is dense. The fix is offered only while
// nothing in any unit depends on the order, and safe only if no unit can be missing. Known false positives: a record
// whose first fields share a cache line on purpose.
#include "checks/mem-struct-padding/FortranPadding.h"
#include "checks/mem-struct-padding/LayoutUses.h"
#include "checks/mem-struct-padding/RecordLayout.h"
#include "checks/mem-struct-padding/RecordUses.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/FixSafety.h"
#include "unit/Reporter.h"
#include "unit/Unit.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <set>

using namespace clang;
namespace json = llvm::json;

namespace stridewise {
namespace {

constexpr std::size_t MaxPlaces = 8; // that are named with a record
constexpr llvm::StringLiteral Slug = "mem-struct-padding";

// What the link phase knows of a record: one for each place.
struct KnownRecord {
  Place Where;
  std::string Doubt;
  bool Shared = false; // other units can name it: by a symbol's type or by its header
};

class StructPadding : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &U, Reporter &R) override {
    if (U.isFortran()) {
      OfFortran = fortranPadding(U, R);
      return;
    }
    ASTContext &Ctx = U.ast();
    Uses.emplace(Ctx);
    Records = recordDefinitions(Ctx);
    Layout.emplace(Ctx, Records);
    for (const RecordDecl *Record : Records)
      judge(Record, U, R);
  }

  /// The records that could be smaller: what depends on their order here. The symbols of the unit: which of those
  /// records their types lead to; of all others, of which another unit may think otherwise, a hash of the name.
  json::Value summarize(Unit &U) override {
    if (U.isFortran())
      return OfFortran.kind() == json::Value::Null ? json::Value(nullptr)
                                                   : json::Value(json::Object{{"fortran", std::move(OfFortran)}});
    json::Array Known, Symbols, Others;
    for (const auto &[Record, Order] : Layout->Improvable) {
      json::Object O{{"place", toJson(placeOf(U.ast(), nameRange(Record)))}, {"shared", !inMainFile(Record, U)}};
      if (const LayoutUse *Use = Layout->worst(Record)) {
        O["why"] = Use->Why + at(Use->Where, U);
        O["breaks"] = Use->Breaks;
      }
      Known.push_back(std::move(O));
    }
    for (const ExternalSymbol &S : Layout->Symbols) {
      if (S.Reaches.empty()) {
        Others.push_back(hash(S.Name));
        continue;
      }
      json::Array Reaches;
      for (const RecordDecl *Record : S.Reaches)
        Reaches.push_back(toJson(placeOf(U.ast(), nameRange(Record))));
      Symbols.push_back(json::Object{{"hash", hash(S.Name)},
                                     {"name", json::isUTF8(S.Shown) ? S.Shown : json::fixUTF8(S.Shown)},
                                     {"defined", S.Defined},
                                     {"reaches", std::move(Reaches)}});
    }
    if (Known.empty() && Symbols.empty() && Others.empty() && !Layout->HasMain)
      return nullptr;
    return json::Object{{"records", std::move(Known)},
                        {"symbols", std::move(Symbols)},
                        {"others", std::move(Others)},
                        {"main", Layout->HasMain}};
  }

  void link(llvm::ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::map<std::string, KnownRecord> Known;
    std::map<std::int64_t, std::vector<const stored::Object *>> Symbols; // declarations that reach a record
    std::set<std::int64_t> Elsewhere;                                    // those of which some unit thinks otherwise
    bool HasMain = false;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *Unit = V.getAsObject()) {
        HasMain |= Unit->getBoolean("main").value_or(false);
        each(*Unit, "records", [&](const stored::Object &O) { join(O, Known, R); });
        each(*Unit, "symbols",
             [&](const stored::Object &O) { Symbols[O.getInteger("hash").value_or(0)].push_back(&O); });
      }
    for (const stored::Value &V : Summaries)
      if (const stored::Object *Unit = V.getAsObject())
        if (const stored::Array *Others = Unit->getArray("others"))
          for (const stored::Value &H : *Others)
            if (std::int64_t Hash = H.getAsInteger().value_or(0); Symbols.count(Hash))
              Elsewhere.insert(Hash);
    for (const auto &[Hash, Declarations] : Symbols)
      compare(Declarations, Elsewhere.count(Hash), Known);
    std::vector<const stored::Value *> Fortran;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *Unit = V.getAsObject())
        Fortran.push_back(Unit->get("fortran"));
    reportFortranPadding(Fortran, R);
    for (auto &[Key, Record] : Known) {
      if (Record.Shared && !HasMain && Record.Doubt.empty())
        Record.Doubt = "no unit has a main function: the users of a library are not known";
      if (!Record.Doubt.empty())
        R.doubtFixes(Slug, Record.Where, Record.Doubt);
    }
  }

private:
  static std::int64_t hash(llvm::StringRef Name) { return static_cast<std::int64_t>(llvm::xxh3_64bits(Name)); }

  static std::string at(SourceLocation Loc, Unit &U) {
    Place Use = placeOf(U.ast(), Loc);
    return (" (" + llvm::sys::path::filename(Use.File) + ":" + llvm::Twine(Use.Line) + ")").str();
  }

  static bool inMainFile(const RecordDecl *R, Unit &U) {
    return U.sources().isInMainFile(U.sources().getExpansionLoc(nameRange(R).getBegin()));
  }

  template <typename F> static void each(const stored::Object &Unit, llvm::StringRef Name, F Do) {
    if (const stored::Array *A = Unit.getArray(Name))
      for (const stored::Value &V : *A)
        if (const stored::Object *O = V.getAsObject())
          Do(*O);
  }

  static std::string key(const Place &P) {
    return P.File + ":" + std::to_string(P.Line) + ":" + std::to_string(P.Column);
  }

  static void join(const stored::Object &O, std::map<std::string, KnownRecord> &Known, LinkReporter &R) {
    const stored::Value *P = O.get("place");
    std::optional<Place> Where = P ? placeFromJson(*P) : std::nullopt;
    if (!Where)
      return;
    KnownRecord &Record = Known[key(*Where)];
    Record.Where = *Where;
    Record.Shared |= O.getBoolean("shared").value_or(true);
    std::optional<llvm::StringRef> Why = O.getString("why");
    if (Why && O.getBoolean("breaks").value_or(true))
      R.withdrawFixes(Slug, *Where, *Why);
    else if (Why && Record.Doubt.empty())
      Record.Doubt = Why->str();
  }

  // All units must mean the same records by a symbol, and one of them must define it.
  static void compare(llvm::ArrayRef<const stored::Object *> Declarations, bool Elsewhere,
                      std::map<std::string, KnownRecord> &Known) {
    std::map<std::string, unsigned> Reached;
    bool Defined = false;
    for (const stored::Object *O : Declarations) {
      Defined |= O->getBoolean("defined").value_or(false);
      if (const stored::Array *A = O->getArray("reaches"))
        for (const stored::Value &V : *A)
          if (std::optional<Place> Where = placeFromJson(V))
            ++Reached[key(*Where)];
    }
    std::string Name = Declarations.front()->getString("name").value_or("a symbol").str();
    for (const auto &[Key, Times] : Reached) {
      auto It = Known.find(Key);
      if (It == Known.end())
        continue;
      It->second.Shared = true;
      if (!It->second.Doubt.empty())
        continue;
      if (Elsewhere || Times != Declarations.size())
        It->second.Doubt = "another unit declares '" + Name + "' with a type of its own";
      else if (!Defined)
        It->second.Doubt = "'" + Name + "' is defined outside of what was analysed";
    }
  }

  // A record that only its typedef names is found where it begins, not behind its members.
  static SourceRange nameRange(const RecordDecl *R) { return R->getIdentifier() ? R->getLocation() : R->getBeginLoc(); }

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

  static void addPadding(Finding &F, const RecordDecl *Record, const ASTContext &Ctx) {
    for (const Padding &Hole : paddingOf(Record, Ctx))
      if (F.Relateds.size() < MaxPlaces)
        F.Relateds.push_back({Hole.Behind->getLocation(), std::to_string(Hole.Bytes) + " bytes of padding behind '" +
                                                              Hole.Behind->getNameAsString() + "'"});
  }

  void judge(const RecordDecl *Record, Unit &U, Reporter &R) {
    ASTContext &Ctx = U.ast();
    std::optional<FieldOrder> Order = bestFieldOrder(Record, Ctx);
    if (!Order)
      return;
    std::uint64_t Saved = Order->SizeBytes - Order->BestSizeBytes;
    const PaddingLimits Limits(R);
    if (!Limits.isWorth(Saved, Order->SizeBytes) || hasExplicitPadding(Record) ||
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
    if (Use.Elements && *Use.Elements * Saved < Limits.TotalBytes)
      return;
    if (Use.Count != RecordUse::Single) {
      F.Conf = Use.Count == RecordUse::Many ? Confidence::High : Confidence::Medium;
      F.Relateds.push_back({Use.Where, Use.What + " of them"});
    }
    if (!Limits.isSure(Saved, Order->SizeBytes))
      F.Conf = Confidence::Low;
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
              {"order", Names},
              {"remedy", variant(Slug, "fields", {{"order", Names}})}};
    if (Use.Elements)
      F.Args["elements"] = static_cast<std::int64_t>(*Use.Elements);

    addPadding(F, Record, Ctx);
    const LayoutUse *Worst = Layout->worst(Record);
    if (Worst && Worst->Breaks)
      F.Relateds.push_back({Worst->Where, "not reordered automatically: " + Worst->Why});
    else if (!isa<ClassTemplateSpecializationDecl>(Record))
      if (std::optional<Edit> E = reorderEdit(Record, Order->Best, Ctx))
        F.Fixes.push_back(reordered(Record, std::move(*E), Worst, U));
    R.report(std::move(F));
  }

  Fix reordered(const RecordDecl *Record, Edit E, const LayoutUse *Worst, Unit &U) const {
    Fix X = safeFix("order the fields by falling alignment", {std::move(E)},
                    "every use of the record was seen, and none depends on the order");
    if (Worst)
      doubt(X, Worst->Why + at(Worst->Where, U));
    if (hasConditionals(Record->getSourceRange(), U.ast()))
      doubt(X, "another configuration gives the record other fields");
    if (Record->getIdentifier())
      X.Words.push_back(Record->getNameAsString());
    for (const auto *D : Record->getDeclContext()->decls())
      if (const auto *T = dyn_cast<TypedefNameDecl>(D); T && T->getUnderlyingType()->getAsRecordDecl() == Record)
        X.Words.push_back(T->getNameAsString());
    constexpr unsigned MaxWords = 40;
    for (const ExternalSymbol &S : Layout->Symbols)
      if (llvm::is_contained(S.Reaches, Record)) {
        if (X.Beyond.empty())
          X.Beyond = "it by the type of '" + S.Shown + "'";
        if (X.Words.size() < MaxWords)
          X.Words.push_back(llvm::StringRef(S.Shown).rsplit("::").second.empty()
                                ? S.Shown
                                : llvm::StringRef(S.Shown).rsplit("::").second.str());
      }
    return X;
  }

  json::Value OfFortran = nullptr;
  std::optional<RecordUses> Uses;
  std::optional<LayoutUses> Layout;
  std::vector<const RecordDecl *> Records;
};

STRIDEWISE_CHECK("mem-struct-padding", StructPadding)

} // namespace
} // namespace stridewise
