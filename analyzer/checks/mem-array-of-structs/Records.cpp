#include "checks/mem-array-of-structs/Records.h"
#include "fortran/DerivedTypes.h"
#include "fortran/FortranLoops.h"
#include "loops/LoopNest.h"
#include "unit/Visitor.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

/// Whether a value of this type has floating-point numbers in it.
bool holdsNumbers(clang::QualType T, const clang::ASTContext &Ctx) {
  T = Ctx.getBaseElementType(T).getCanonicalType();
  if (const clang::RecordDecl *R = T->getAsRecordDecl(); R && R->isCompleteDefinition())
    return any_of(R->fields(), [&](const clang::FieldDecl *F) { return holdsNumbers(F->getType(), Ctx); });
  return T->hasFloatingRepresentation();
}

constexpr unsigned MaxNesting = 4; // of containers in containers

// The record whose values an array, a pointer or a container of this type leads to; null for a record itself.
const clang::RecordDecl *elementOf(clang::QualType T, bool Inside = false, unsigned Nesting = 0) {
  T = T.getCanonicalType();
  if (const clang::Type *Element = T->getPointeeOrArrayElementType();
      Element != T.getTypePtr() && !T->isReferenceType())
    return elementOf(clang::QualType(Element, 0), true, Nesting);
  const clang::RecordDecl *R = T->getAsRecordDecl();
  const auto *Container = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(R);
  if (Container && Nesting < MaxNesting)
    for (const clang::TemplateArgument &A : Container->getTemplateArgs().asArray())
      if (A.getKind() == clang::TemplateArgument::Type)
        if (const clang::RecordDecl *Found = elementOf(A.getAsType(), true, Nesting + 1))
          return Found;
  return Inside ? R : nullptr;
}

// The user's records by size.
class RecordIndex : public Visitor<RecordIndex>, public Records {
public:
  explicit RecordIndex(Unit &U) : U(U), Ctx(U.ast()) {
    ShouldVisitTemplateInstantiations = true;
    TraverseDecl(Ctx.getTranslationUnitDecl());
  }
  bool TraverseDecl(clang::Decl *D) override {
    const clang::SourceManager &SM = Ctx.getSourceManager();
    if (!D ||
        (D->getDeclContext() && D->getDeclContext()->isTranslationUnit() && SM.isInSystemHeader(D->getLocation())))
      return true;
    return Visitor::TraverseDecl(D);
  }
  bool VisitRecordDecl(clang::RecordDecl *R) override {
    if (R->isCompleteDefinition() && !R->isDependentType() && !R->isInvalidDecl() && R->isStruct() + R->isClass() > 0 &&
        !hasLineOfItsOwn(R))
      BySize[Ctx.getTypeSizeInChars(Ctx.getRecordType(R)).getQuantity()].push_back(R);
    return true;
  }

  // What leads from one record to the next one is no array of them.
  bool VisitDeclaratorDecl(clang::DeclaratorDecl *D) override {
    const auto *Variable = dyn_cast<clang::VarDecl>(D);
    const auto *Member = dyn_cast<clang::FieldDecl>(D);
    const clang::RecordDecl *R = (Variable && Variable->isFileVarDecl()) || Member ? elementOf(D->getType()) : nullptr;
    if (R && !R->isDependentType() && !(Member && Member->getParent() == R->getDefinition()))
      if (const clang::SourceLocation At = D->getCanonicalDecl()->getLocation();
          !is_contained(Arrays[R->getDefinition()], At))
        Arrays[R->getDefinition()].push_back(At);
    return true;
  }

  bool empty() const override { return BySize.empty(); }

  const Record *find(uint64_t Size, const FieldTag &T) const override {
    auto It = BySize.find(static_cast<std::int64_t>(Size));
    if (It == BySize.end())
      return nullptr;
    for (const clang::RecordDecl *R : It->second) {
      StringRef Name = R->getName();
      // In C++ the tag has the mangled name.
      if (!Name.empty() && !StringRef(T.Name).contains(Name))
        continue;
      const clang::ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
      std::set<uint64_t> Offsets(T.Layout.begin(), T.Layout.end());
      if (all_of(R->fields(), [&](const clang::FieldDecl *F) {
            return F->isBitField() || Offsets.count(Layout.getFieldOffset(F->getFieldIndex()) / 8);
          }))
        return described(R);
    }
    return nullptr;
  }

  // The one record of this size whose members the loop names; null where there are several.
  const Record *namedIn(const Loop *L, uint64_t Size) const override {
    const clang::Stmt *Loop = U.loopStatement(L);
    if (!Loop)
      return nullptr;
    struct Members : Visitor<Members> {
      llvm::SmallPtrSet<const clang::RecordDecl *, 4> Records;
      bool VisitMemberExpr(clang::MemberExpr *M) override {
        if (const auto *F = dyn_cast<clang::FieldDecl>(M->getMemberDecl()))
          Records.insert(F->getParent());
        return true;
      }
    } Search;
    auto It = BySize.find(static_cast<std::int64_t>(Size));
    if (It == BySize.end())
      return nullptr;
    Search.TraverseStmt(const_cast<clang::Stmt *>(Loop));
    const clang::RecordDecl *Found = nullptr;
    for (const clang::RecordDecl *R : It->second)
      if (Search.Records.contains(R) && std::exchange(Found, R))
        return nullptr;
    return Found ? described(Found) : nullptr;
  }

private:
  // Alignment fills it up to whole lines, one record each: a thread's slot, kept apart on purpose.
  bool hasLineOfItsOwn(const clang::RecordDecl *R) const {
    const clang::ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
    return Layout.getAlignment().getQuantity() >= std::int64_t(CacheLineBytes) &&
           Layout.getSize() == Layout.getAlignment();
  }

  const Record *described(const clang::RecordDecl *R) const {
    std::unique_ptr<Record> &Slot = Made[R];
    if (Slot)
      return Slot.get();
    Slot = std::make_unique<Record>();
    const clang::TypedefNameDecl *T = R->getTypedefNameForAnonDecl();
    Slot->Name = T ? T->getNameAsString() : R->getQualifiedNameAsString();
    Slot->At = R->getLocation();
    Slot->Arrays = Arrays.lookup(R);
    const clang::ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
    for (const clang::FieldDecl *F : R->fields())
      Slot->Fields.push_back({F->getNameAsString(), Layout.getFieldOffset(F->getFieldIndex()) / 8,
                              uint64_t(Ctx.getTypeSizeInChars(F->getType()).getQuantity()),
                              holdsNumbers(F->getType(), Ctx)});
    return Slot.get();
  }

  Unit &U;
  clang::ASTContext &Ctx;
  mutable DenseMap<const clang::RecordDecl *, std::unique_ptr<Record>> Made;
  std::map<std::int64_t, std::vector<const clang::RecordDecl *>> BySize;
  DenseMap<const clang::RecordDecl *, std::vector<clang::SourceLocation>> Arrays;
};

// Derived types.
class DerivedTypes : public Records {
public:
  explicit DerivedTypes(Unit &U) : U(U) {
    for (const DerivedType &T : derivedTypes(U)) {
      auto R = std::make_unique<Record>();
      R->Name = T.Name;
      R->Symbol = T.Symbol;
      for (const FortranComponent &C : T.Components)
        R->Fields.push_back({C.Name, C.Begin, C.Bytes, C.Numbers});
      BySize[T.Bytes].push_back(std::move(R));
    }
  }

  bool empty() const override { return BySize.empty(); }

  const Record *find(std::uint64_t Size, const FieldTag &T) const override {
    const auto It = BySize.find(Size);
    if (It != BySize.end())
      for (const std::unique_ptr<Record> &R : It->second)
        if (R->Symbol == T.Name)
          return R.get();
    return nullptr;
  }

  const Record *namedIn(const Loop *L, std::uint64_t Size) const override {
    const auto It = BySize.find(Size);
    const std::optional<FortranLoop> Known = fortranLoop(L, U);
    if (It == BySize.end() || !Known)
      return nullptr;
    const Record *Found = nullptr;
    for (const std::unique_ptr<Record> &R : It->second)
      if (any_of(R->Fields,
                 [&](const RecordField &F) { return fortranText(U).namesComponent(*Known->Statement, F.Name); }))
        if (std::exchange(Found, R.get()))
          return nullptr;
    return Found;
  }

private:
  Unit &U;
  std::map<std::uint64_t, std::vector<std::unique_ptr<Record>>> BySize;
};

} // namespace

const Records &recordsOf(Unit &U) {
  using Kept = std::shared_ptr<Records>;
  return *U.fact<Kept>([&]() -> Kept {
    if (U.isFortran())
      return std::make_shared<DerivedTypes>(U);
    return std::make_shared<RecordIndex>(U);
  });
}

} // namespace stridewise
