#include "library/LibraryCalls.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Function.h"
#include <cstdlib>

using namespace clang;
using llvm::StringRef;

namespace stridewise {

static const LibraryCall Table[] = {
#include "library_table.inc"
};

static const LibraryCall *row(StringRef Name, bool IsClass) {
  using Map = llvm::StringMap<const LibraryCall *>;
  static const std::pair<Map, Map> Rows = [] {
    std::pair<Map, Map> M;
    for (const LibraryCall &C : Table)
      (C.IsClass ? M.second : M.first)[C.Name] = &C;
    return M;
  }();
  return (IsClass ? Rows.second : Rows.first).lookup(Name);
}

// In the syntax tree

// Namespaces and classes around a declaration, without inline namespaces, which belong to the library's version.
static std::string qualified(const NamedDecl *D) {
  llvm::SmallVector<StringRef, 6> Parts;
  if (!D->getIdentifier())
    return {};
  Parts.push_back(D->getName());
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C)) {
      if (!N->isInline() && !N->isAnonymousNamespace())
        Parts.push_back(N->getName());
    } else if (const auto *R = dyn_cast<RecordDecl>(C)) {
      if (!R->getIdentifier())
        return {};
      Parts.push_back(R->getName());
    }
  return llvm::join(llvm::reverse(Parts), "::");
}

static const LibraryCall *ofClass(const CXXRecordDecl *R) {
  if (!R)
    return nullptr;
  const std::string Name = qualified(R);
  return StringRef(Name).starts_with("std::") ? row(Name, true) : nullptr;
}

// Of namespace std and those within.
static const LibraryCall *ofStandardCxx(const FunctionDecl *F) {
  if (const LibraryCall *C = row(qualified(F), false))
    return C;
  if (const auto *M = dyn_cast<CXXMethodDecl>(F))
    return ofClass(M->getParent());
  if (F->getNumParams())
    if (QualType T = F->getParamDecl(0)->getType(); T->isReferenceType())
      if (const LibraryCall *C = ofClass(T->getPointeeType()->getAsCXXRecordDecl()))
        return C;
  // std::sin(float) and the like stand beside the function of C.
  const LibraryCall *C = F->getIdentifier() ? row(F->getName(), false) : nullptr;
  return C && C->does(LibPure) ? C : nullptr;
}

static bool isInStandardCxx(const DeclContext *C) {
  for (; C; C = C->getParent())
    if (C->isStdNamespace())
      return true;
  return false;
}

// Names that a program may not give to its own functions.
static bool isReserved(StringRef Name) { return Name.starts_with("omp_") || Name.starts_with("__"); }

const LibraryCall *findLibraryCall(const FunctionDecl *F) {
  if (!F)
    return nullptr;
  const SourceManager &SM = F->getASTContext().getSourceManager();
  if (const FunctionDecl *Body = nullptr; F->hasBody(Body) && !SM.isInSystemHeader(Body->getLocation()))
    return nullptr;
  if (!F->isExternC() && isInStandardCxx(F->getDeclContext()))
    return ofStandardCxx(F);
  if (!F->getIdentifier() || !F->isExternC())
    return nullptr;
  const bool Known = F->getBuiltinID() || isReserved(F->getName()) ||
                     llvm::any_of(F->redecls(), [&](const auto *D) { return SM.isInSystemHeader(D->getLocation()); });
  return Known ? row(F->getName(), false) : nullptr;
}

const LibraryCall *findLibraryCall(const Expr *Call) {
  const auto *C = dyn_cast_or_null<CallExpr>(Call ? Call->IgnoreParenImpCasts() : nullptr);
  return C ? findLibraryCall(C->getDirectCallee()) : nullptr;
}

// In the IR

// Without template arguments and inline namespaces: "std::chrono::_V2::steady_clock" is std::chrono::steady_clock.
static std::string plain(StringRef Text) {
  std::string Out;
  unsigned Depth = 0;
  for (std::size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '<')
      ++Depth;
    else if (Text[I] == '>' && Depth)
      --Depth;
    else if (!Depth)
      Out += Text[I];
  }
  llvm::SmallVector<StringRef, 6> Parts;
  StringRef(Out).split(Parts, "::");
  llvm::erase_if(Parts,
                 [&](StringRef P) { return (P.starts_with("__") && P.size() < 8) || P == "_V2" || P == "__cxx11"; });
  return llvm::join(Parts, "::");
}

namespace {
struct Demangled {
  std::string Context, Name, Parameter; // plain; Parameter: the class of the first one, when it is a reference
};
} // namespace

static Demangled demangle(StringRef Mangled) {
  Demangled D;
  llvm::ItaniumPartialDemangler Parser;
  const std::string Text = Mangled.str();
  if (Parser.partialDemangle(Text.c_str()) || !Parser.isFunction())
    return D;
  auto Take = [](char *Buffer) {
    std::string S = Buffer ? Buffer : "";
    std::free(Buffer);
    return S;
  };
  D.Context = plain(Take(Parser.getFunctionDeclContextName(nullptr, nullptr)));
  D.Name = Take(Parser.getFunctionBaseName(nullptr, nullptr));
  const std::string Parameters = Take(Parser.getFunctionParameters(nullptr, nullptr));
  StringRef First = StringRef(Parameters).drop_front(Parameters.empty() ? 0 : 1);
  First = First.take_until([](char C) { return C == '<' || C == '&' || C == ',' || C == ')'; });
  D.Parameter = plain(First.trim());
  return D;
}

static const LibraryCall *ofMangled(StringRef Mangled) {
  const Demangled D = demangle(Mangled);
  if (D.Context != "std" && !StringRef(D.Context).starts_with("std::"))
    return nullptr;
  if (const LibraryCall *C = row(D.Context + "::" + D.Name, false))
    return C;
  if (D.Context != "std")
    return row(D.Context, true);
  if (const LibraryCall *C = row(D.Parameter, true))
    return C;
  const LibraryCall *C = row(D.Name, false);
  return C && C->does(LibPure) ? C : nullptr;
}

const LibraryCall *findLibraryCall(const llvm::Function *F) {
  if (!F || !F->isDeclaration())
    return nullptr;
  // Fortran's names of OpenMP's functions end in an underscore.
  if (!F->getName().starts_with("_Z"))
    return row(F->getName().starts_with("omp_") ? F->getName().rtrim('_') : F->getName(), false);
  // Taking a name to pieces is slow beside looking one up.
  static llvm::StringMap<const LibraryCall *> Known;
  auto [It, New] = Known.try_emplace(F->getName(), nullptr);
  if (New)
    It->second = ofMangled(F->getName());
  return It->second;
}

const LibraryCall *findLibraryCall(const llvm::CallBase &C) {
  return findLibraryCall(llvm::dyn_cast<llvm::Function>(C.getCalledOperand()->stripPointerCasts()));
}

bool isStandardCxx(const llvm::Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("_Z"))
    return false;
  Name.consume_front("N");
  Name.consume_front("K");
  // St is std, Sa to Ss are its allocator, strings and streams.
  return Name.size() > 1 && Name[0] == 'S' && StringRef("tabsiod").contains(Name[1]);
}

} // namespace stridewise
