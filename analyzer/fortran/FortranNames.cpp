#include "fortran/FortranNames.h"
#include "fortran/FortranLoops.h"
#include "fortran/IncludedText.h"
#include "unit/Counted.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {

namespace {

constexpr unsigned MaxIncludes = 8, MaxExpression = 24; // nested
constexpr std::int64_t DefaultBytes = 4, DoubleBytes = 8;
constexpr unsigned DimensionsField = 7; // of flang's descriptors

} // namespace

std::int64_t FortranVariable::elementBytes() const { return ElementBytes > 0 ? ElementBytes : DoubleBytes; }

FortranNames::FortranNames(Unit &U)
    : U(U), Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)) {
  const clang::SourceManager &SM = U.sources();
  File = nameOfFile(U);
  Of.resize(Procedures.all().size());
  for (unsigned P = 0; P < Of.size(); ++P) {
    read(SM.getBufferData(SM.getMainFileID()), Text, Procedures, int(P), Of[P], 0);
    const FortranProcedure &Procedure = Procedures.all()[P];
    if (Procedure.K == FortranProcedure::Module && !Procedure.Name.empty())
      Modules[Procedure.Name] = int(P);
    if (Procedure.K != FortranProcedure::Procedure)
      continue;
    if (Procedure.Parent >= 0)
      Of[Procedure.Parent].Hosts = true;
    Contained.emplace(std::pair(Procedure.Parent, Procedure.Name), int(P));
  }
  indexCode();
}

const FortranNames &fortranNames(Unit &U) {
  return U.fact<FortranNames>([&] { return FortranNames(U); });
}

// --- declarations ----------------------------------------------------------------------------------------------------

void FortranNames::read(StringRef Raw, const FortranText &From, const FortranProcedures &Outline, int P,
                        Declarations &Into, unsigned Depth) {
  const FortranProcedure &Procedure = Outline.all()[P];
  for (const auto &Name : Procedure.Names) {
    FortranEntity &E = Into.Names[Name.getKey()];
    const bool Common = E.Common;
    if (!Name.second.Type.empty() || E.Dimensions.empty())
      E = Name.second;
    E.Common |= Common;
    if (Depth == 0)
      Into.Lines[Name.getKey()] = Name.second.Line;
  }
  for (unsigned K = Procedure.First; K < Procedure.Last; ++K) {
    Meter::count();
    if (Outline.of(K) != P)
      continue;
    const std::string &T = From.statements()[K].Text;
    if (T == "include'")
      include(Raw, From.statements()[K].Line, Into, Depth);
    else
      statement(T, Into);
  }
}

// What the directives of an included file make private: `!$omp threadprivate(/block/, name)`.
static void threadPrivate(StringRef Raw, StringSet<> &Into) {
  for (StringRef Line : split(Raw, '\n')) {
    std::string Plain = Line.lower();
    llvm::erase_if(Plain, [](char C) { return isSpace(C) || C == '&'; });
    StringRef Text = Plain;
    const bool IsDirective = Text.consume_front("!$omp") || Text.consume_front("c$omp") || Text.consume_front("*$omp");
    if (!IsDirective || !Text.consume_front("threadprivate("))
      continue;
    for (StringRef Name : fortranNames(Text))
      Into.insert(Name);
  }
}

void FortranNames::include(StringRef Raw, unsigned Line, Declarations &Into, unsigned Depth) {
  std::unique_ptr<MemoryBuffer> Buffer = Depth < MaxIncludes ? includedFile(Raw, Line, U) : nullptr;
  if (!Buffer)
    return;
  threadPrivate(Buffer->getBuffer(), Into.ThreadPrivate);
  const FortranText Included(Buffer->getBuffer(), isFixedForm(File));
  const FortranProcedures Outline(Included);
  if (!Outline.all().empty())
    read(Buffer->getBuffer(), Included, Outline, 0, Into, Depth + 1);
}

void FortranNames::constants(StringRef List, Declarations &Into) {
  for (StringRef Part : fortranList(List))
    if (const std::size_t Equals = outsideBrackets(Part, '='); Equals != StringRef::npos)
      Into.Constants[fortranBase(Part)] = Part.drop_front(Equals + 1).str();
}

void FortranNames::statement(StringRef T, Declarations &Into) {
  if (T.consume_front("parameter(") && T.ends_with(")"))
    return constants(T.drop_back(), Into);
  if (const std::size_t Colons = T.find("::"); Colons != StringRef::npos && !T.starts_with("use")) {
    for (StringRef Part : fortranList(T.drop_front(Colons + 2)))
      if (outsideBrackets(Part, '=') != StringRef::npos)
        Into.Valued.insert(fortranBase(Part));
    if (is_contained(fortranList(T.take_front(Colons)), "parameter"))
      constants(T.drop_front(Colons + 2), Into);
    return;
  }
  if (T.consume_front("common")) {
    StringRef Block;
    for (StringRef Part : fortranList(T)) {
      if (Part.consume_front("/"))
        std::tie(Block, Part) = Part.split('/');
      Into.Blocks[fortranBase(Part)] = Block.str();
    }
  } else if (T.consume_front("equivalence(")) {
    for (StringRef Name : fortranNames(T))
      Into.Joined.insert(Name);
  } else if (T.consume_front("data") && T.contains('/')) {
    for (StringRef Name : fortranNames(T))
      Into.Valued.insert(Name);
  } else if (T.consume_front("use")) {
    if (T.starts_with(","))
      T = T.drop_front(std::min(T.find("::"), T.size()));
    T.consume_front("::");
    Use Used;
    Used.Module = fortranBase(T).str();
    T = T.drop_front(Used.Module.size());
    if (Used.Module.empty() || (!T.empty() && !T.starts_with(",")))
      return;
    T.consume_front(",");
    T.consume_front("only:");
    for (StringRef Part : fortranList(T))
      if (const std::size_t Arrow = Part.find("=>"); Arrow != StringRef::npos)
        Used.Renamed[Part.take_front(Arrow).str()] = Part.drop_front(Arrow + 2).str();
    Into.Uses.push_back(std::move(Used));
  }
}

std::vector<std::string> FortranNames::declared(int P) const {
  std::vector<std::string> Names;
  for (const auto &Name : Of[P].Names)
    Names.push_back(Name.getKey().str());
  sort(Names);
  return Names;
}

// --- flang's code ----------------------------------------------------------------------------------------------------

// `_QMgridEu` is variable u of module grid, `_QMgridPinit` its procedure: names are in lower case.
static std::pair<StringRef, StringRef> ofModuleNamed(StringRef Mangled, char Kind) {
  if (!Mangled.consume_front("_QM"))
    return {};
  auto [Module, Name] = Mangled.split(Kind);
  auto Plain = [](char C) { return isLower(C) || isDigit(C) || C == '_'; };
  return all_of(Module, Plain) && !Name.empty() && all_of(Name, Plain) ? std::pair(Module, Name)
                                                                       : std::pair<StringRef, StringRef>();
}

void FortranNames::indexCode() {
  const Module *M = U.ir();
  if (!M)
    return;
  for (const GlobalVariable &G : M->globals())
    if (auto [Module, Name] = ofModuleNamed(G.getName(), 'E'); !Name.empty())
      Globals[Name].push_back(&G);
  const clang::SourceManager &SM = U.sources();
  HasArms = SM.getBufferData(SM.getMainFileID()).contains("\n#if");
  for (const Function &F : *M)
    for (const Instruction &I : instructions(F))
      if (const DILocation *At = HasArms ? I.getDebugLoc().get() : nullptr)
        CodeLines.insert(At->getLine());
  for (const Function &F : *M)
    if (auto [Module, Name] = ofModuleNamed(F.getName(), 'P'); !Name.empty())
      Functions[Name].push_back(F.getName().str());
}

bool FortranNames::isCompiled(unsigned Statement) const {
  const FortranStatement &S = Text.statements()[Statement];
  bool Is = !HasArms || S.IsLoop;
  for (unsigned Line = S.Line; Line <= S.EndLine && !Is; ++Line)
    Is = CodeLines.contains(Line);
  return Is;
}

// The module's variable that the name means: in the modules that are used here, by whatever way it gets there.
const GlobalVariable *FortranNames::global(int P, StringRef Name) const {
  for (; P >= 0; P = Procedures.all()[P].Parent) {
    for (const Use &Used : Of[P].Uses) {
      auto It = Used.Renamed.find(Name.str());
      const StringRef Own = It == Used.Renamed.end() ? Name : StringRef(It->second);
      auto Known = Globals.find(Own);
      if (Known == Globals.end())
        continue;
      for (const GlobalVariable *G : Known->second)
        if (ofModuleNamed(G->getName(), 'E').first == Used.Module)
          return G;
      if (Known->second.size() == 1)
        return Known->second.front();
    }
  }
  return nullptr;
}

std::optional<FortranVariable> FortranNames::ofModule(int P, StringRef Name) const {
  const GlobalVariable *G = global(P, Name);
  if (!G)
    return std::nullopt;
  FortranVariable V;
  V.Root = "g" + G->getName().str();
  const Type *T = G->getValueType();
  const DataLayout &DL = G->getParent()->getDataLayout();
  if (const auto *S = dyn_cast<StructType>(T); S && S->getNumElements() > DimensionsField) {
    const auto *Dimensions = dyn_cast<ArrayType>(S->getElementType(DimensionsField));
    if (S->getElementType(0)->isPointerTy() && Dimensions && Dimensions->getElementType()->isArrayTy()) {
      V.Rank = Dimensions->getNumElements();
      V.Deferred = true;
    }
    return V;
  }
  for (; const auto *A = dyn_cast<ArrayType>(T); T = A->getElementType()) {
    V.Extents.insert(V.Extents.begin(), std::to_string(A->getNumElements()));
    ++V.Rank;
  }
  V.Static = true;
  V.IsInteger = T->isIntegerTy();
  V.ElementBytes = DL.getTypeAllocSize(const_cast<Type *>(T)).getFixedValue();
  V.Bytes = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
  // Its lower bounds are not known here.
  return V;
}

// --- names -----------------------------------------------------------------------------------------------------------

std::string FortranNames::procedureId(int P) const {
  const FortranProcedure &Procedure = Procedures.all()[P];
  if (Procedure.K == FortranProcedure::Program)
    return "_QQmain@" + File;
  if (Procedure.K == FortranProcedure::Module)
    return "_QM" + Procedure.Name;
  if (Procedure.Parent < 0)
    return "_QP" + Procedure.Name;
  const bool InModule = Procedures.all()[Procedure.Parent].K == FortranProcedure::Module;
  // `module subroutine` in a submodule is a procedure of the module that has its interface.
  if (const StringRef T = Text.statements()[Procedure.First].Text;
      InModule && T.take_front(std::min(T.find("subroutine"), T.find("function"))).contains("module"))
    return "_QM" + StringRef(Procedures.all()[Procedure.Parent].Name).split('S').first.str() + "P" + Procedure.Name;
  return procedureId(Procedure.Parent) + (InModule ? "P" : "F") + Procedure.Name;
}

std::string FortranNames::calleeId(unsigned Statement, StringRef Name) const {
  const int Here = Procedures.of(Statement);
  for (int Host = Here; Host >= -1; Host = Host < 0 ? -2 : Procedures.all()[Host].Parent) {
    if (auto It = Contained.find({Host, Name.str()}); It != Contained.end())
      return procedureId(It->second);
    if (Host < 0)
      break;
    for (const Use &Used : Of[Host].Uses) {
      auto It = Used.Renamed.find(Name.str());
      auto Known = Functions.find(It == Used.Renamed.end() ? Name : StringRef(It->second));
      if (Known == Functions.end())
        continue;
      for (const std::string &Id : Known->second)
        if (ofModuleNamed(Id, 'P').first == Used.Module || Known->second.size() == 1)
          return Id;
    }
  }
  return "_QP" + Name.str();
}

bool FortranNames::isProcedure(unsigned Statement, StringRef Name) const {
  const std::string Id = calleeId(Statement, Name);
  if (!StringRef(Id).starts_with("_QP"))
    return true;
  return Contained.count({-1, Name.str()}) > 0;
}

std::optional<FortranVariable> FortranNames::variable(unsigned Statement, StringRef Name) const {
  if (Constructs.isThreadPrivate(Name))
    return std::nullopt;
  std::string There = Name.str();
  if (const int P =
          declaring(Procedures.of(Statement), There, [&](int Q, StringRef N) { return Of[Q].Names.contains(N); });
      P >= 0)
    return own(Statement, P, There);
  return ofModule(Procedures.of(Statement), Name);
}

int FortranNames::declaring(int P, std::string &Name, function_ref<bool(int, StringRef)> Has, unsigned Depth) const {
  for (; P >= 0; P = Procedures.all()[P].Parent) {
    if (Has(P, Name))
      return P;
    for (const Use &Used : Of[P].Uses) {
      auto Module = Modules.find(Used.Module);
      if (Module == Modules.end() || Depth >= MaxIncludes)
        continue;
      auto It = Used.Renamed.find(Name);
      std::string There = It == Used.Renamed.end() ? Name : It->second;
      if (const int Found = declaring(Module->second, There, Has, Depth + 1); Found >= 0) {
        Name = std::move(There);
        return Found;
      }
    }
  }
  return -1;
}

std::optional<FortranVariable> FortranNames::own(unsigned Statement, int P, StringRef Name) const {
  const Declarations &D = Of[P];
  const FortranProcedure &Procedure = Procedures.all()[P];
  const FortranEntity &E = D.Names.find(Name)->second;
  const bool Here = P == Procedures.of(Statement);
  FortranVariable V;
  if (E.Parameter || D.Constants.contains(Name) || D.Joined.contains(Name) || D.ThreadPrivate.contains(Name))
    return std::nullopt;
  auto Block = D.Blocks.find(Name);
  const auto Position = find(Procedure.Arguments, Name.str());
  if (Position != Procedure.Arguments.end()) {
    if (!Here)
      return std::nullopt;
    V.Root = "p" + std::to_string(Position - Procedure.Arguments.begin());
  } else if (Block != D.Blocks.end()) {
    if (Constructs.isThreadPrivate(Block->second) || D.ThreadPrivate.contains(Block->second))
      return std::nullopt;
    V.Root = "g/" + Block->second + "/" + Name.str();
    V.Static = true;
  } else if (E.Saved || D.Hosts || Procedure.K != FortranProcedure::Procedure) {
    V.Root = "g" + procedureId(P) + "E" + Name.str();
    V.Static = E.Saved || Procedure.K != FortranProcedure::Procedure;
    V.Own = !V.Static;
  } else {
    V.Root = "l" + Name.str();
    V.Own = true;
  }
  V.HasValues = D.Valued.contains(Name);
  V.Pointer = E.Pointer;
  V.Deferred = E.Pointer || E.Allocatable;
  V.IsInteger = StringRef(E.Type).starts_with("integer");
  V.ElementBytes = elementBytes(Statement, E.Type);
  if (auto Line = D.Lines.find(Name); Line != D.Lines.end())
    V.Line = Line->second;
  if (!E.isArray())
    return V;
  V.Bytes = V.ElementBytes;
  for (StringRef Dimension : fortranList(E.Dimensions)) {
    ++V.Rank;
    V.Extents.push_back(Dimension.str());
    const std::optional<std::int64_t> Extent = extent(Statement, Dimension);
    V.Bytes = Extent && V.Bytes >= 0 ? V.Bytes * *Extent : -1;
  }
  if (V.Deferred || is_contained(V.Extents, ":")) {
    V.Extents.clear();
    V.Bytes = -1;
  }
  return V;
}

// "real(8)", "real*8", "doubleprecision", "complex(kind=wp)". A kind that nobody knows is that of doubles.
std::int64_t FortranNames::elementBytes(unsigned Statement, StringRef Type) const {
  const bool Complex = Type.contains("complex");
  if (Type.consume_front("double"))
    return Complex ? 2 * DoubleBytes : DoubleBytes;
  if (Type.empty() || Type.starts_with("type(") || Type.starts_with("class("))
    return -1;
  StringRef Word = Type.take_while(isAlpha);
  StringRef Kind = Type.drop_front(Word.size());
  const std::int64_t Times = Complex ? 2 : 1;
  std::int64_t Number = 0;
  if (Kind.empty())
    return Word == "character" ? 1 : Times * DefaultBytes;
  if (Kind.consume_front("*"))
    return Kind.getAsInteger(10, Number) ? -1 : Number;
  Kind = Kind.drop_front().drop_back();
  Kind.consume_front("kind=");
  return Word == "character" ? -1 : Times * constant(Statement, Kind).value_or(DoubleBytes);
}

// --- numbers ---------------------------------------------------------------------------------------------------------

StringRef FortranNames::lowerBound(StringRef Dimension) {
  const std::size_t Colon = outsideBrackets(Dimension, ':');
  return Colon == StringRef::npos ? StringRef("1") : Dimension.take_front(Colon);
}

std::optional<std::int64_t> FortranNames::extent(unsigned Statement, StringRef Dimension) const {
  const std::size_t Colon = outsideBrackets(Dimension, ':');
  if (Colon == StringRef::npos)
    return constant(Statement, Dimension);
  const auto First = constant(Statement, Dimension.take_front(Colon)),
             Last = constant(Statement, Dimension.drop_front(Colon + 1));
  return First && Last ? std::optional(*Last - *First + 1) : std::nullopt;
}

std::optional<std::int64_t> FortranNames::constant(unsigned Statement, StringRef Expression) const {
  return evaluate(Statement, Expression, 0);
}

// The last operator of the lowest rank outside of brackets; not the sign at the front, nor half of `**`.
static std::size_t lastOperator(StringRef E, StringRef Wanted) {
  int Depth = 0;
  for (std::size_t I = E.size(); I-- > 1;) {
    Depth += E[I] == ')';
    Depth -= E[I] == '(';
    const bool Power = E[I] == '*' && (E[I - 1] == '*' || (I + 1 < E.size() && E[I + 1] == '*'));
    if (Depth == 0 && Wanted.contains(E[I]) && !Power && !StringRef("*/+-").contains(E[I - 1]))
      return I;
  }
  return StringRef::npos;
}

std::optional<std::int64_t> FortranNames::evaluate(unsigned Statement, StringRef E, unsigned Depth) const {
  if (Depth > MaxExpression || E.empty())
    return std::nullopt;
  for (StringRef Operators : {StringRef("+-"), StringRef("*/")}) {
    const std::size_t At = lastOperator(E, Operators);
    if (At == StringRef::npos)
      continue;
    const auto L = evaluate(Statement, E.take_front(At), Depth + 1),
               R = evaluate(Statement, E.drop_front(At + 1), Depth + 1);
    if (!L || !R || (E[At] == '/' && *R == 0))
      return std::nullopt;
    std::int64_t Product = 0;
    if (E[At] == '*')
      return MulOverflow(*L, *R, Product) ? std::nullopt : std::optional(Product);
    return E[At] == '+' ? *L + *R : E[At] == '-' ? *L - *R : *L / *R;
  }
  return atom(Statement, E, Depth);
}

std::optional<std::int64_t> FortranNames::atom(unsigned Statement, StringRef E, unsigned Depth) const {
  if (E.consume_front("-")) {
    const auto Of = evaluate(Statement, E, Depth + 1);
    return Of ? std::optional(-*Of) : std::nullopt;
  }
  if (E.starts_with("(") && E.ends_with(")"))
    return evaluate(Statement, E.drop_front().drop_back(), Depth + 1);
  std::int64_t Number = 0;
  if (!E.getAsInteger(10, Number))
    return Number;
  if (!all_of(E, [](char C) { return isAlnum(C) || C == '_'; }))
    return std::nullopt;
  std::string Name = E.str();
  const int P =
      declaring(Procedures.of(Statement), Name, [&](int Q, StringRef N) { return Of[Q].Constants.contains(N); });
  return P < 0 ? std::nullopt : evaluate(Statement, Of[P].Constants.find(Name)->second, Depth + 1);
}

} // namespace stridewise
