#include "checks/omp-false-sharing/SlotFix.h"
#include "omp/OmpSites.h"
#include "unit/FixSafety.h"
#include "unit/Meter.h"
#include "unit/OwnDecls.h"
#include "unit/Reporter.h"
#include "unit/Visitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <set>

using namespace clang;
using namespace llvm::omp;

namespace stridewise {
namespace {

constexpr std::int64_t MaxPaddedBytes = 256 << 10;

// `Base[Index]`, both of them variables.
struct Element {
  const VarDecl *Base = nullptr, *Index = nullptr;
  const Expr *Text = nullptr; // as it stands
};

const VarDecl *variable(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

// `a[t]` of an array, a pointer or std::vector.
Element elementOf(const Expr *E) {
  E = E ? E->IgnoreParenImpCasts() : nullptr;
  if (const auto *S = dyn_cast_or_null<ArraySubscriptExpr>(E))
    return {variable(S->getBase()), variable(S->getIdx()), S};
  const auto *C = dyn_cast_or_null<CXXOperatorCallExpr>(E);
  if (!C || C->getOperator() != OO_Subscript || C->getNumArgs() != 2)
    return {};
  const VarDecl *Base = variable(C->getArg(0));
  const auto *R = Base ? Base->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  return R && R->isInStdNamespace() && R->getName() == "vector" ? Element{Base, variable(C->getArg(1)), C} : Element{};
}

// What `x += …` and `x++` update.
const Expr *updated(const Stmt *S) {
  if (const auto *U = dyn_cast_or_null<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    return U->getSubExpr();
  const auto *B = dyn_cast_or_null<CompoundAssignOperator>(S);
  const bool Adds = B && (B->getOpcode() == BO_AddAssign || B->getOpcode() == BO_SubAssign);
  return Adds && B->getRHS()->getType()->isIntegerType() ? B->getLHS() : nullptr;
}

// The statements that the compiler makes of a construct are left out.
void eachChild(const Stmt *S, llvm::function_ref<void(const Stmt *)> Do) {
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S)) {
    if (const Stmt *Body = constructBody(*D))
      Do(Body);
    return;
  }
  if (const auto *L = dyn_cast<LambdaExpr>(S))
    return Do(L->getBody());
  for (const Stmt *X : S->children())
    if (X)
      Do(X);
}

// Of every statement of a function the one that holds it.
void addParents(const Stmt *S, llvm::DenseMap<const Stmt *, const Stmt *> &Parents) {
  eachChild(S, [&](const Stmt *X) {
    if (Meter::spend() && Parents.try_emplace(X, S).second)
      addParents(X, Parents);
  });
}

bool namedByClause(const OMPExecutableDirective &D, const ValueDecl *V) {
  return llvm::any_of(D.clauses(), [&](const OMPClause *C) {
    return llvm::any_of(C->children(), [&](const Stmt *X) { return X && mentions(X, V); });
  });
}

struct Text {
  const ASTContext &Ctx;
  const SourceManager &SM = Ctx.getSourceManager();

  // Offset of a place that no macro made, in the file of another one.
  std::optional<unsigned> offset(SourceLocation L, FileID In) const {
    if (L.isInvalid() || L.isMacroID())
      return std::nullopt;
    const auto [File, At] = SM.getDecomposedLoc(L);
    return File == In ? std::optional(At) : std::nullopt;
  }
  std::optional<unsigned> behind(SourceLocation L, FileID In) const {
    return L.isMacroID() ? std::nullopt : offset(Lexer::getLocForEndOfToken(L, 0, SM, Ctx.getLangOpts()), In);
  }
  llvm::StringRef in(FileID F) const { return SM.getBufferData(F); }
  std::string spelled(const Stmt *S) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(S->getSourceRange()), SM, Ctx.getLangOpts()).str();
  }
  unsigned lineBegin(FileID F, unsigned At) const { return unsigned(in(F).slice(0, At).rfind('\n') + 1); }
  std::string indent(FileID F, unsigned At) const {
    const llvm::StringRef Line = in(F).drop_front(lineBegin(F, At));
    return Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  }
  // A name that nothing in the unit has.
  std::string freeName() const {
    for (llvm::StringRef Name : {"own", "own_part", "part_of_thread"})
      if (Ctx.Idents.find(Name) == Ctx.Idents.end())
        return Name.str();
    return "";
  }
};

// --- a variable of the thread
// -----------------------------------------------------------------------------------------

struct OwnCount {
  OwnCount(const SlotWrite &W, const ASTContext &Ctx, const llvm::DenseMap<const Stmt *, const Stmt *> &Parents)
      : W(W), Ctx(Ctx), Parents(Parents) {}

  const SlotWrite &W;
  const ASTContext &Ctx;
  const llvm::DenseMap<const Stmt *, const Stmt *> &Parents;
  Text Source{Ctx};
  Element Slot;
  const OMPExecutableDirective *Share = nullptr;
  const Stmt *Loop = nullptr;
  std::vector<const Expr *> Elements; // of the loop, each of them updated
  bool Reaches = false;               // something in the loop might read the element by another name

  std::optional<Fix> make() {
    const Expr *Target = updated(W.Write) ? updated(W.Write) : dyn_cast<Expr>(W.Write);
    Slot = elementOf(Target);
    if (!Slot.Base || !Slot.Index || !isCount(Target->getType()) || !findLoop() || !collect(Loop, nullptr) ||
        Elements.empty())
      return std::nullopt;
    return edit();
  }

  static bool isCount(QualType T) {
    const auto *B = T->getAs<BuiltinType>();
    return B && B->isInteger() && !T.isVolatileQualified() && !T->isBooleanType() && !T->isAnyCharacterType() &&
           !B->isSpecificBuiltinType(BuiltinType::Short) && !B->isSpecificBuiltinType(BuiltinType::UShort);
  }

  // The loop is the last statement of its region: the barrier there comes after all elements were written.
  bool findLoop() {
    const Stmt *At = W.Write;
    while (At && !isa<OMPExecutableDirective>(At))
      At = Parents.lookup(At);
    if (!At)
      return false;
    Share = cast<OMPExecutableDirective>(At);
    const auto *Block = dyn_cast_or_null<CompoundStmt>(Parents.lookup(At));
    const auto *Region = Block ? dyn_cast_or_null<OMPParallelDirective>(Parents.lookup(Block)) : nullptr;
    Loop = constructBody(*Share);
    return Share->getDirectiveKind() == OMPD_for && Block && Region && Block->body_back() == Share && Loop &&
           isa<ForStmt>(Loop) && !namedByClause(*Share, Slot.Base) && !namedByClause(*Share, Slot.Index) &&
           !Slot.Index->getType().isVolatileQualified();
  }

  bool isSlot(const Expr *E) const {
    const Element X = elementOf(E);
    return X.Base && X.Base == Slot.Base && X.Index == Slot.Index;
  }

  // Whether the loop has nothing to do with the two variables but updates of the element, whose value nobody uses.
  bool collect(const Stmt *S, const Stmt *Parent) {
    if (!Meter::spend() || isa<LambdaExpr, OMPExecutableDirective>(S))
      return false;
    if (const Expr *Target = updated(S); Target && isSlot(Target)) {
      if (!Parent || isa<Expr, DeclStmt, ReturnStmt>(Parent))
        return false;
      Elements.push_back(Target);
      const auto *B = dyn_cast<BinaryOperator>(S);
      return !B || collect(B->getRHS(), S);
    }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S);
        Ref && (Ref->getDecl() == Slot.Base || Ref->getDecl() == Slot.Index))
      return false;
    Reaches |= isa<CallExpr, CXXConstructExpr, CXXNewExpr>(S) || isSameMemory(S);
    return llvm::all_of(S->children(), [&](const Stmt *X) { return !X || collect(X, S); });
  }

  // A number of the element's size (signed or not) or a character that may lie anywhere.
  bool isSameMemory(const Stmt *S) const {
    const auto *E = dyn_cast<Expr>(S);
    if (!E || !E->isLValue() || !E->getType()->isIntegerType())
      return false;
    const auto *U = dyn_cast<UnaryOperator>(E);
    const VarDecl *V = isa<DeclRefExpr>(E) ? variable(E) : nullptr;
    const bool Anywhere = isa<ArraySubscriptExpr, MemberExpr>(E) || (U && U->getOpcode() == UO_Deref) ||
                          (V && (!V->hasLocalStorage() || V->getType()->isReferenceType()));
    const QualType T = E->getType();
    return Anywhere && (T->isAnyCharacterType() || Ctx.getTypeSize(T) == Ctx.getTypeSize(Slot.Text->getType()));
  }

  std::optional<Fix> edit() {
    const SourceManager &SM = Source.SM;
    if (Share->getBeginLoc().isMacroID())
      return std::nullopt;
    const FileID File = SM.getFileID(Share->getBeginLoc());
    const std::string Name = Source.freeName(), Element = Source.spelled(Slot.Text);
    const std::optional<unsigned> Directive = Source.offset(Share->getBeginLoc(), File);
    const std::optional<unsigned> For = Source.offset(Loop->getBeginLoc(), File);
    const std::optional<unsigned> End = endOf(cast<ForStmt>(Loop), File);
    if (Name.empty() || Element.empty() || !Directive || !For || !End)
      return std::nullopt;
    const std::string Indent = Source.indent(File, *For);
    const unsigned Line = Source.lineBegin(File, *Directive);
    if (!Source.in(File).drop_front(Line).ltrim(" \t").starts_with("#"))
      return std::nullopt;
    const std::string Path = placeOf(Ctx, SourceRange(Share->getBeginLoc())).File;
    const std::string Type =
        Slot.Text->getType().getCanonicalType().getUnqualifiedType().getAsString(Ctx.getPrintingPolicy());
    std::vector<Edit> Edits{{Path, Line, Line, Indent + Type + " " + Name + " = 0;\n"}};
    for (const Expr *E : Elements) {
      const std::optional<unsigned> Begin = Source.offset(E->getBeginLoc(), File);
      const std::optional<unsigned> Behind = Source.behind(E->getEndLoc(), File);
      if (!Begin || !Behind)
        return std::nullopt;
      Edits.push_back({Path, *Begin, *Behind, Name});
    }
    // A thread without iterations may have no element.
    Edits.push_back(
        {Path, *End, *End, "\n" + Indent + "if (" + Name + " != 0)\n" + Indent + "  " + Element + " += " + Name + ";"});
    const std::string What = "count in a variable of the thread, and add it to '" + Element + "' behind the loop";
    Fix X = Reaches
                ? unsafeFix(What, std::move(Edits), "the loop is taken not to read '" + Element + "' by another name")
                : safeFix(What, std::move(Edits), "nothing else in the loop reads or writes the element");
    doubtOtherCode(X, W.Function, Ctx);
    return X;
  }

  std::optional<unsigned> endOf(const ForStmt *For, FileID File) const {
    const Stmt *Last = For->getBody();
    while (true) {
      if (const auto *I = dyn_cast<IfStmt>(Last))
        Last = I->getElse() ? I->getElse() : I->getThen();
      else if (const auto *F = dyn_cast<ForStmt>(Last))
        Last = F->getBody();
      else
        break;
    }
    if (isa<CompoundStmt>(Last))
      return Source.behind(Last->getEndLoc(), File);
    if (!isa<Expr>(Last) || Last->getEndLoc().isMacroID())
      return std::nullopt;
    const SourceLocation Semi =
        Lexer::findLocationAfterToken(Last->getEndLoc(), tok::semi, Source.SM, Ctx.getLangOpts(), false);
    return Source.offset(Semi, File);
  }
};

// --- a line for each element
// -------------------------------------------------------------------------------------------

} // namespace

// What the unit does with each of its arrays, of one walk for all of them.
struct ArrayUses : Visitor<ArrayUses> {
  struct Of {
    std::vector<const ArraySubscriptExpr *> Elements;
    std::set<SourceLocation> Places; // where it is named, less those of elements
    bool AddressTaken = false;       // of an element
    bool Other = false;              // anything but elements that are read or written
  };
  llvm::DenseMap<const VarDecl *, Of> All;

  explicit ArrayUses(ASTContext &Ctx) {
    // First values, clauses, and templates that nobody uses name arrays, too.
    for (Decl *D : ownDecls(Ctx))
      TraverseDecl(D);
    const UnitFunctions Unit(Ctx);
    for (const FunctionDecl *F : Unit.Functions)
      collect(F->getBody(), nullptr);
    for (auto &[Array, Uses] : All)
      for (const ArraySubscriptExpr *E : Uses.Elements)
        Uses.Places.erase(E->getBase()->IgnoreParenImpCasts()->getBeginLoc());
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (const VarDecl *V = array(E); V && Meter::spend())
      All[V].Places.insert(E->getBeginLoc());
    return true;
  }

private:
  static const VarDecl *array(const Expr *E) {
    const VarDecl *V = variable(E);
    return V && V->getType()->isConstantArrayType() ? V : nullptr;
  }

  void collect(const Stmt *S, const Stmt *Parent) {
    if (!Meter::spend())
      return;
    if (const auto *E = dyn_cast<ArraySubscriptExpr>(S))
      if (const VarDecl *V = array(E->getBase())) {
        Of &Uses = All[V];
        Uses.Elements.push_back(E);
        Uses.Other |= !isNumber(*E, Parent, Uses);
        return collect(E->getIdx(), S);
      }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (const VarDecl *V = array(Ref))
        All[V].Other = true;
    eachChild(S, [&](const Stmt *X) { collect(X, S); });
  }

  // Whether the element is read or written, and nothing more. From its address or a reference others could be reached.
  static bool isNumber(const ArraySubscriptExpr &E, const Stmt *Parent, Of &Uses) {
    if (const auto *C = dyn_cast_or_null<ImplicitCastExpr>(Parent))
      return C->getCastKind() == CK_LValueToRValue;
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(Parent))
      return B->isAssignmentOp() && B->getLHS() == &E;
    const auto *U = dyn_cast_or_null<UnaryOperator>(Parent);
    Uses.AddressTaken |= U && U->getOpcode() == UO_AddrOf;
    return U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf);
  }
};

namespace {

struct Padding {
  Padding(const SlotWrite &W, std::int64_t LineBytes, ASTContext &Ctx, const ArrayUses &Known)
      : W(W), LineBytes(LineBytes), Ctx(Ctx), Known(Known) {}

  const SlotWrite &W;
  std::int64_t LineBytes;
  ASTContext &Ctx;
  const ArrayUses &Known;
  Text Source{Ctx};
  const VarDecl *Array = nullptr;
  std::vector<const ArraySubscriptExpr *> Uses;
  bool AddressTaken = false;

  std::optional<Fix> make() {
    Array = written(W.Write);
    const auto *T = Array ? Ctx.getAsConstantArrayType(Array->getType()) : nullptr;
    if (!T || !T->getElementType()->isArithmeticType() || !isKnown() || !isPlainlyInitialised())
      return std::nullopt;
    const std::int64_t Bytes = Ctx.getTypeSizeInChars(T->getElementType()).getQuantity();
    if (Bytes >= LineBytes || LineBytes % Bytes != 0 ||
        static_cast<std::int64_t>(T->getSize().getZExtValue()) > MaxPaddedBytes / LineBytes || !findUses())
      return std::nullopt;
    return edit(LineBytes / Bytes);
  }

  // The array of which the write names an element, or hands its address to a function.
  const VarDecl *written(const Stmt *S) const {
    if (const auto *E = dyn_cast<ArraySubscriptExpr>(S))
      if (const VarDecl *V = variable(E->getBase()); V && V->getName() == W.Array)
        return V;
    for (const Stmt *X : S->children())
      if (const VarDecl *V = X ? written(X) : nullptr)
        return V;
    return nullptr;
  }

  // The unit sees all that is done with it.
  bool isKnown() const {
    return !Array->getType().isVolatileQualified() && !Array->isInvalidDecl() && !Array->hasAttrs() &&
           Array->getFirstDecl() == Array->getMostRecentDecl() && !Array->getDeclContext()->isDependentContext() &&
           (Array->isLocalVarDecl() || (Array->isFileVarDecl() && !Array->isExternallyVisible()));
  }

  // `= {0}` is right for rows, too.
  bool isPlainlyInitialised() const {
    if (!Array->hasInit() || isa<CXXConstructExpr>(Array->getInit()))
      return true;
    const auto *List = dyn_cast<InitListExpr>(Array->getInit());
    if (List && List->getSyntacticForm())
      List = List->getSyntacticForm();
    return List && (List->getNumInits() == 0 ||
                    (List->getNumInits() == 1 &&
                     isa<IntegerLiteral, FloatingLiteral>(List->getInit(0)->IgnoreParenImpCasts()) && isZero(*List)));
  }
  bool isZero(const InitListExpr &List) const {
    Expr::EvalResult R;
    if (!List.getInit(0)->EvaluateAsRValue(R, Ctx))
      return false;
    return R.Val.isInt() ? R.Val.getInt() == 0 : R.Val.isFloat() && R.Val.getFloat().isPosZero();
  }

  bool findUses() {
    const auto It = Known.All.find(Array);
    if (It == Known.All.end() || It->second.Other || !It->second.Places.empty())
      return false;
    Uses = It->second.Elements;
    AddressTaken = It->second.AddressTaken;
    return true;
  }

  std::optional<Fix> edit(std::int64_t Row) const {
    const TypeSourceInfo *Info = Array->getTypeSourceInfo();
    const auto Loc = Info ? Info->getTypeLoc().getAs<ArrayTypeLoc>() : ArrayTypeLoc();
    if (Loc.isNull() || Array->getLocation().isMacroID() || W.Write->getBeginLoc().isMacroID())
      return std::nullopt;
    const FileID File = Source.SM.getFileID(Array->getLocation());
    const std::optional<unsigned> Bound = Source.behind(Loc.getRBracketLoc(), File);
    if (!Bound || Source.SM.getMainFileID() != File)
      return std::nullopt;
    const std::string Path = placeOf(Ctx, SourceRange(Array->getLocation())).File;
    std::vector<Edit> Edits{{Path, *Bound, *Bound, "[" + std::to_string(Row) + "]"}};
    std::set<unsigned> Known;
    for (const ArraySubscriptExpr *E : Uses) {
      const std::optional<unsigned> At = Source.behind(E->getRBracketLoc(), File);
      if (!At)
        return std::nullopt;
      if (Known.insert(*At).second) // instances of a template have one text
        Edits.push_back({Path, *At, *At, "[0]"});
    }
    const std::string Name = Array->getNameAsString();
    const std::string What = "give each element of '" + Name + "' a cache line of its own";
    Fix X = AddressTaken
                ? unsafeFix(What, std::move(Edits),
                            "who gets the address of an element of '" + Name + "' is taken to use that one alone")
                : safeFix(What, std::move(Edits), "all that the unit does with the array is to name elements");
    doubtOtherCode(X, W.Function, Ctx);
    return X;
  }
};

} // namespace

SlotFixes::SlotFixes(ASTContext &Ctx) : Ctx(Ctx) {}
SlotFixes::~SlotFixes() = default;

std::optional<Fix> SlotFixes::apart(const SlotWrite &W, std::int64_t LineBytes) {
  if (W.By != SlotWrite::Thread || W.Called || W.Started || W.Asked || !W.Row.empty() || !W.Write || !W.Function ||
      !(Ctx.getLangOpts().C99 || Ctx.getLangOpts().CPlusPlus) || W.Function->isDependentContext() ||
      W.Function->isTemplateInstantiation() || !W.Function->getBody())
    return std::nullopt;
  if (Walked.insert(W.Function).second)
    addParents(W.Function->getBody(), Parents);
  OwnCount Own(W, Ctx, Parents);
  if (std::optional<Fix> X = Own.make())
    return X;
  if (!Arrays)
    Arrays = std::make_unique<ArrayUses>(Ctx);
  return Padding(W, LineBytes, Ctx, *Arrays).make();
}

} // namespace stridewise
