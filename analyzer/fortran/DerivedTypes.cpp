#include "fortran/DerivedTypes.h"
#include "fortran/Constructs.h"
#include "fortran/FortranLoops.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {

// As flang describes types to its library: `_QMmodE.c.type` has name, kind and offset of each component.
enum ComponentField : unsigned { NameField, CategoryField = 2, OffsetField = 6 };
enum Category : std::uint64_t { Real = 1, Complex = 2, Derived = 5 };

static std::optional<std::uint64_t> number(const Constant *C, unsigned Field) {
  const auto *N = dyn_cast_or_null<ConstantInt>(C->getAggregateElement(Field));
  return N ? std::optional(N->getZExtValue()) : std::nullopt;
}

static std::string nameOf(const Constant *Component) {
  const Constant *Descriptor = Component->getAggregateElement(NameField);
  const auto *Text = Descriptor ? dyn_cast_or_null<GlobalVariable>(Descriptor->getAggregateElement(0u)) : nullptr;
  const auto *Letters =
      Text && Text->hasInitializer() ? dyn_cast<ConstantDataSequential>(Text->getInitializer()) : nullptr;
  return Letters && Letters->isString() ? Letters->getAsString().str() : std::string();
}

// Allocated or pointed to: such records are few, and much is behind each of them.
static bool holdsAddresses(const Type *T) { return T->isPointerTy() || any_of(T->subtypes(), holdsAddresses); }

static std::optional<DerivedType> derivedType(const StructType &T, const Module &M) {
  // `_QMparticlesTparticle`: names are in lower case.
  const StringRef Symbol = T.getName();
  const std::size_t Mark = Symbol.find_last_of('T');
  if (!Symbol.starts_with("_QM") || Mark == StringRef::npos || Symbol.contains("__fortran") || holdsAddresses(&T))
    return std::nullopt;
  const StringRef Own = Symbol.drop_front(Mark + 1);
  const GlobalVariable *Components = M.getNamedGlobal((Symbol.take_front(Mark) + "E.c." + Own).str());
  const DataLayout &DL = M.getDataLayout();
  const StructLayout &Layout = *DL.getStructLayout(const_cast<StructType *>(&T));
  DerivedType Out{Own.str(), Symbol.str(), Layout.getSizeInBytes(), {}};
  const Constant *All = Components && Components->hasInitializer() ? Components->getInitializer() : nullptr;
  for (unsigned K = 0; All && All->getAggregateElement(K); ++K) {
    const Constant *C = All->getAggregateElement(K);
    const auto Kind = number(C, CategoryField), Offset = number(C, OffsetField);
    const std::string Name = nameOf(C);
    if (Name.empty() || !Kind || !Offset || *Offset >= Out.Bytes)
      return std::nullopt;
    Type *Element = T.getElementType(Layout.getElementContainingOffset(*Offset));
    Out.Components.push_back({Name, *Offset, DL.getTypeAllocSize(Element).getFixedValue(),
                              DL.getABITypeAlign(Element).value(),
                              *Kind == Real || *Kind == Complex || *Kind == Derived});
  }
  return Out.Components.empty() ? std::nullopt : std::optional(std::move(Out));
}

std::vector<DerivedType> derivedTypes(Unit &U) {
  std::vector<DerivedType> Out;
  if (const Module *M = U.ir())
    for (const StructType *T : M->getIdentifiedStructTypes())
      if (T->isSized())
        if (std::optional<DerivedType> Known = derivedType(*T, *M))
          Out.push_back(std::move(*Known));
  return Out;
}

// The name in `type particle` and `type, extends(base) :: particle`; empty for all else.
static StringRef declaredType(StringRef Statement) {
  if (!Statement.consume_front("type"))
    return {};
  if (const std::size_t Names = Statement.rfind("::"); Names != StringRef::npos) {
    // `type(particle) :: p` declares a variable.
    if (!Statement.starts_with(",") && !Statement.starts_with("::"))
      return {};
    Statement = Statement.drop_front(Names + 2);
  }
  const bool IsName = !Statement.empty() && all_of(Statement, [](char C) { return isAlnum(C) || C == '_'; });
  return IsName ? Statement : StringRef();
}

// Whether one of the statements of a type's declaration gives its components an order for others.
static bool hasOrder(const FortranText &Text, unsigned Type) {
  const StringRef Attributes = StringRef(Text.statements()[Type].Text).split("::").first;
  if (Attributes.contains("bind("))
    return true;
  for (unsigned K = Type + 1; K < Text.statements().size(); ++K) {
    const StringRef Each = Text.statements()[K].Text;
    if (Each == "sequence")
      return true;
    if (Each.starts_with("endtype") || Each == "contains")
      break;
  }
  return false;
}

std::vector<TypeDeclaration> typeDeclarations(Unit &U) {
  std::vector<TypeDeclaration> Out;
  const FortranText &Text = fortranText(U);
  const FortranProcedures &Procedures = fortranProcedures(U);
  for (unsigned K = 0; K < Text.statements().size(); ++K) {
    Meter::count();
    const StringRef Type = declaredType(Text.statements()[K].Text);
    const int In = Type.empty() ? -1 : Procedures.of(K);
    if (In >= 0 && Procedures.all()[In].K == FortranProcedure::Module)
      Out.push_back({"_QM" + Procedures.all()[In].Name + "T" + Type.str(), &Text.statements()[K], hasOrder(Text, K)});
  }
  return Out;
}

json::Value fortranRecordArrays(Unit &U) {
  json::Object Out;
  const FortranText &Text = fortranText(U);
  const FortranProcedures &Procedures = fortranProcedures(U);
  for (unsigned K = 0; K < Text.statements().size(); ++K) {
    const FortranStatement &S = Text.statements()[K];
    StringRef T = S.Text;
    if (!T.consume_front("type("))
      continue;
    const auto [Name, Rest] = T.split(')');
    const auto [Attributes, Entities] = Rest.split("::");
    const int In = Procedures.of(K);
    if (In < 0 || Procedures.all()[In].K != FortranProcedure::Module ||
        (!Entities.contains('(') && !Attributes.contains("dimension(")))
      continue;
    json::Value &Places = Out[Name];
    if (!Places.getAsArray())
      Places = json::Array();
    Places.getAsArray()->push_back(toJson(placeOf(U.ast(), headerOf(S, U))));
  }
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

json::Value fortranTypePlaces(Unit &U) {
  json::Object Out;
  for (const TypeDeclaration &T : typeDeclarations(U))
    Out[T.Symbol] = toJson(placeOf(U.ast(), headerOf(*T.At, U)));
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

std::map<std::string, Place> fortranTypePlaces(ArrayRef<const stored::Value *> OfUnits) {
  std::map<std::string, Place> Out;
  for (const stored::Value *V : OfUnits)
    if (const stored::Object *Types = V ? V->getAsObject() : nullptr)
      for (const auto &[Symbol, Where] : *Types)
        if (const std::optional<Place> At = placeFromJson(Where))
          Out.try_emplace(std::string(Symbol), *At);
  return Out;
}

} // namespace stridewise
