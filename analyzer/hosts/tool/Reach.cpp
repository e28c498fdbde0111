// The programs are the `main`s; what they reach is followed by the names that the linker knows, and where several units
// define a name, all of them are reached. Beside what they call, functions whose address stands in data (tables,
// virtual functions, constructors) are reached, and what is made for code that is not here to see: attributes that say
// so, C linkage in C++ and bind(C), bodies in headers, and the interface of a library. Whether a function is an
// interface, its declaration and its folder tell: see isInterface().
#include "hosts/tool/Reach.h"
#include "unit/References.h"
#include "unit/Reporter.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// What else is to be known of a function than its name.
constexpr StringLiteral Internal = "internal", // to its unit
    ForOthers = "others",                      // for code that is not here
    OfModule = "module",                       // of Fortran, whose procedures are declared by being there
    Guarded = "guarded", // declared in a header of C that knows C++: made for more than these programs
    Elsewhere = "away",  // declared in a header of another folder
    Beside = "beside",   // declared in a header
    Plain = "plain";     // declared nowhere but where it is

bool isMain(StringRef Name) { return Name == "main" || Name == "_QQmain"; }

class Facts {
public:
  explicit Facts(Unit &U) : U(U), SM(U.sources()) {}

  json::Value make() {
    const References &Uses = U.references();
    if (Uses.Functions.empty() && Uses.FromData.empty())
      return nullptr;
    for (const ReferringFunction &F : Uses.Functions)
      if (std::optional<Place> Where = placeOf(F))
        Places[F.Name] = *Where;
    json::Array Functions, Roots;
    StringSet<> Rooted;
    const auto Root = [&](StringRef Name) {
      if (Rooted.insert(Name).second)
        Roots.push_back(named(Name));
    };
    for (const std::string &Name : Uses.FromData)
      Root(Name);
    for (const ReferringFunction &F : Uses.Functions) {
      if (Places.contains(F.Name))
        continue;
      for (const std::string &Name : F.Names) // of bodies in headers nothing is said, but what they lead to
        Root(Name);
    }
    for (const ReferringFunction &F : Uses.Functions)
      if (const auto At = Places.find(F.Name); At != Places.end()) {
        json::Array Names;
        for (const std::string &Name : F.Names)
          Names.push_back(named(Name));
        Functions.push_back(json::Object{{"name", named(F.Name)},
                                         {"word", named(wordOf(F))},
                                         {"is", kindOf(F)},
                                         {"names", std::move(Names)},
                                         {"place", toJson(At->second)}});
      }
    const Place Begin = stridewise::placeOf(U.ast(), clang::SourceRange(SM.getLocForStartOfFile(SM.getMainFileID())));
    return json::Object{{"unit", Begin.File}, {"functions", std::move(Functions)}, {"roots", std::move(Roots)}};
  }

private:
  std::string named(StringRef Name) const { return json::isUTF8(Name) ? Name.str() : json::fixUTF8(Name); }

  const clang::FunctionDecl *declOf(const ReferringFunction &F) {
    return F.First ? U.functionAt(U.locate(F.First)) : nullptr;
  }

  // Of functions whose body is in the unit's own file.
  std::optional<Place> placeOf(const ReferringFunction &F) {
    if (!F.First)
      return std::nullopt;
    if (U.isFortran()) {
      const clang::SourceLocation Loc = U.locate(F.First);
      if (Loc.isInvalid() || SM.getFileID(Loc) != SM.getMainFileID())
        return std::nullopt;
      Place P = stridewise::placeOf(U.ast(), clang::SourceRange(Loc));
      if (const DISubprogram *S = F.First->getScope()->getSubprogram(); S && S->getLine() && S->getLine() < P.Line)
        P.Line = S->getLine();
      P.EndLine = std::max(P.Line, F.Last->getLine());
      return P;
    }
    const clang::FunctionDecl *D = declOf(F);
    if (!D || SM.getFileID(SM.getExpansionLoc(D->getBeginLoc())) != SM.getMainFileID())
      return std::nullopt;
    return stridewise::placeOf(U.ast(), D->getSourceRange());
  }

  // As the source calls it.
  std::string wordOf(const ReferringFunction &F) {
    if (!U.isFortran())
      return declOf(F)->getDeclName().isIdentifier() ? declOf(F)->getName().str() : std::string();
    StringRef Name = F.Name;
    if (Name.starts_with("_Q"))
      return Name.rsplit('P').second.str();
    Name.consume_back("_");
    return Name.str();
  }

  StringRef kindOf(const ReferringFunction &F) {
    const clang::FunctionDecl *D = U.isFortran() ? nullptr : declOf(F);
    if (D && isForOthers(*D))
      return ForOthers;
    if (F.Internal)
      return Internal;
    if (U.isFortran()) {
      const StringRef Name = F.Name;
      return Name.starts_with("_QM") ? OfModule : Name.starts_with("_Q") || Name.ends_with("_") ? Plain : ForOthers;
    }
    StringRef Kind = Plain;
    for (const clang::FunctionDecl *Each : D->redecls()) {
      const clang::SourceLocation Loc = SM.getExpansionLoc(Each->getLocation());
      if (SM.getFileID(Loc) == SM.getMainFileID())
        continue;
      if (isGuarded(SM.getFileID(Loc)))
        return Guarded;
      if (folderOf(Loc) != folderOf(SM.getLocForStartOfFile(SM.getMainFileID())))
        return Elsewhere;
      Kind = Beside;
    }
    return Kind;
  }

  std::string folderOf(clang::SourceLocation Loc) const {
    return sys::path::parent_path(stridewise::placeOf(U.ast(), clang::SourceRange(Loc)).File).str();
  }

  // Tables of virtual functions may be missing here: code generation is told of them while the unit is parsed.
  bool isForOthers(const clang::FunctionDecl &D) const {
    if (const auto *Method = dyn_cast<clang::CXXMethodDecl>(&D); Method && Method->isVirtual())
      return true;
    return D.hasAttr<clang::UsedAttr>() || D.hasAttr<clang::WeakAttr>() || D.hasAttr<clang::VisibilityAttr>() ||
           D.hasAttr<clang::DLLExportAttr>() || D.hasAttr<clang::AliasAttr>() || D.hasAttr<clang::AsmLabelAttr>() ||
           D.hasAttr<clang::SectionAttr>() || D.hasAttr<clang::OMPDeclareVariantAttr>() ||
           (D.isExternallyVisible() && U.ast().getLangOpts().PICLevel &&
            !U.ast().getLangOpts().PIE) || // of a shared library
           (D.isExternC() && U.ast().getLangOpts().CPlusPlus);
  }

  bool isGuarded(clang::FileID File) {
    const auto [It, New] = GuardedFiles.try_emplace(File, false);
    if (New && !U.ast().getLangOpts().CPlusPlus)
      It->second = SM.getBufferData(File).contains("__cplusplus");
    return It->second;
  }

  Unit &U;
  const clang::SourceManager &SM;
  StringMap<Place> Places; // of the functions in the unit's own file
  DenseMap<clang::FileID, bool> GuardedFiles;
};

struct Node {
  std::string Name;
  StringRef Kind, Word;
  unsigned Unit = 0;
  Place Where;
  std::vector<StringRef> Names;
};

class Graph {
public:
  explicit Graph(ArrayRef<stored::Value> Units) {
    for (const stored::Value &V : Units)
      if (const stored::Object *O = V.getAsObject())
        add(*O);
    for (unsigned N = 0; N < Nodes.size(); ++N)
      if (Nodes[N].Kind != Internal)
        ByName[Nodes[N].Name].push_back(N), ByWord[Nodes[N].Word].push_back(N);
  }

  std::vector<Unreached> unreached(const StringSet<> &Named) {
    std::vector<bool> Alone(Nodes.size()), Whole;
    std::vector<unsigned> Roots;
    for (unsigned N = 0; N < Nodes.size(); ++N)
      if (Nodes[N].Kind != Internal)
        Roots.push_back(N);
    addFromData(Roots);
    reach(Roots, Alone);
    Whole = Alone;
    if (hasMain()) {
      Roots.clear();
      for (unsigned N = 0; N < Nodes.size(); ++N)
        if (isMain(Nodes[N].Name) || Nodes[N].Kind == ForOthers || Named.contains(Nodes[N].Word))
          Roots.push_back(N);
      addFromData(Roots);
      Whole.assign(Nodes.size(), false);
      reach(Roots, Whole);
      learnPrograms();
      for (unsigned N = 0; N < Nodes.size(); ++N)
        if (!Whole[N] && isInterface(Nodes[N]))
          Roots.push_back(N);
      reach(Roots, Whole);
      reachWholeUnits(Whole);
    }
    return places(Alone, Whole);
  }

private:
  void add(const stored::Object &O) {
    const unsigned Unit = unsigned(Folders.size());
    Folders.push_back(sys::path::parent_path(O.getString("unit").value_or("")));
    std::vector<StringRef> &FromData = Data.emplace_back();
    if (const stored::Array *Roots = O.getArray("roots"))
      for (const stored::Value &Name : *Roots)
        FromData.push_back(Name.getAsString().value_or(""));
    const stored::Array *Functions = O.getArray("functions");
    auto &Own = Internals.emplace_back();
    for (std::size_t K = 0; Functions && K < Functions->size(); ++K)
      if (const stored::Object *F = (*Functions)[K].getAsObject(); F && F->get("place"))
        if (std::optional<Place> Where = placeFromJson(*F->get("place"))) {
          Node Each{F->getString("name").value_or("").str(),
                    F->getString("is").value_or(""),
                    F->getString("word").value_or(""),
                    Unit,
                    *Where,
                    {}};
          if (const stored::Array *Names = F->getArray("names"))
            for (const stored::Value &Name : *Names)
              Each.Names.push_back(Name.getAsString().value_or(""));
          if (Each.Kind == Internal)
            Own[Each.Name] = unsigned(Nodes.size());
          Nodes.push_back(std::move(Each));
        }
  }

  // Beside what is called stand alternatives that somebody puts in by hand, and what will be called tomorrow: a file is
  // reached as a whole, but for what is its own.
  void reachWholeUnits(std::vector<bool> &Reached) const {
    for (std::size_t Before = 0, Now = 1; Before < Now;) {
      Before = std::size_t(count(Reached, true));
      std::set<unsigned> Units;
      for (unsigned N = 0; N < Nodes.size(); ++N)
        if (Reached[N])
          Units.insert(Nodes[N].Unit);
      std::vector<unsigned> Beside;
      for (unsigned N = 0; N < Nodes.size(); ++N)
        if (Nodes[N].Kind != Internal && Units.contains(Nodes[N].Unit))
          Beside.push_back(N);
      reach(Beside, Reached);
      Now = std::size_t(count(Reached, true));
    }
  }

  bool hasMain() const {
    return any_of(Nodes, [](const Node &N) { return isMain(N.Name); });
  }

  template <typename Callback> void resolve(StringRef Name, unsigned Unit, Callback Take) const {
    if (const auto Own = Internals[Unit].find(Name); Own != Internals[Unit].end())
      Take(Own->second);
    else if (const auto It = ByName.find(Name); It != ByName.end())
      for (unsigned N : It->second)
        Take(N);
    else
      for (unsigned N : byWord(Name))
        Take(N);
  }

  // What C++ code calls and nobody defines for it may be C that lacks a declaration as such.
  ArrayRef<unsigned> byWord(StringRef Mangled) const {
    ItaniumPartialDemangler Parts;
    if (!Mangled.starts_with("_Z") || Parts.partialDemangle(Mangled.str().c_str()))
      return {};
    char *Text = Parts.getFunctionBaseName(nullptr, nullptr);
    const auto It = Text ? ByWord.find(Text) : ByWord.end();
    std::free(Text);
    return It == ByWord.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(It->second);
  }

  void addFromData(std::vector<unsigned> &Roots) const {
    for (unsigned Unit = 0; Unit < Data.size(); ++Unit)
      for (StringRef Name : Data[Unit])
        resolve(Name, Unit, [&](unsigned N) { Roots.push_back(N); });
  }

  // \p WithData: what stands in the data of a unit is reached with any of its functions.
  void reach(std::vector<unsigned> Work, std::vector<bool> &Reached, bool WithData = false) const {
    std::vector<bool> Entered(Data.size());
    const auto Take = [&](unsigned N) {
      if (!Reached[N]) {
        Reached[N] = true;
        Work.push_back(N);
      }
    };
    for (unsigned N : Work)
      Reached[N] = true;
    while (!Work.empty()) {
      const Node &At = Nodes[Work.back()];
      Work.pop_back();
      for (StringRef Name : At.Names)
        resolve(Name, At.Unit, Take);
      if (WithData && !Entered[At.Unit]) {
        Entered[At.Unit] = true;
        for (StringRef Name : Data[At.Unit])
          resolve(Name, At.Unit, Take);
      }
    }
  }

  void learnPrograms() {
    std::set<unsigned> Seen; // flang has the main program call itself, as two functions
    for (unsigned N = 0; N < Nodes.size(); ++N) {
      if (!isMain(Nodes[N].Name) || !Seen.insert(Nodes[N].Unit).second)
        continue;
      std::vector<bool> Reached(Nodes.size());
      reach({N}, Reached, /*WithData=*/true);
      StringSet<> Here;
      for (unsigned K = 0; K < Nodes.size(); ++K)
        if (Reached[K])
          Here.insert(Folders[Nodes[K].Unit]);
      for (const auto &Folder : Here)
        ++Programs[Folder.getKey()];
      WithMain.insert(Folders[Nodes[N].Unit]);
    }
  }

  // Whether it may be there for programs that are not here. A folder from which exactly one program takes is that
  // program's; one that several share, or none, is a library, of which others may use what these do not. What no header
  // declares is at home in a folder of programs.
  bool isInterface(const Node &N) const {
    const StringRef Folder = Folders[N.Unit];
    const auto It = Programs.find(Folder);
    const bool OfOne = It != Programs.end() && It->second == 1;
    if (N.Kind == Internal)
      return false;
    if (N.Kind == Plain)
      return !OfOne && !WithMain.contains(Folder);
    if (N.Kind == Beside)
      return !OfOne;
    if (N.Kind == OfModule)
      return !OfOne || !WithMain.contains(Folder);
    return true;
  }

  // A place whose text is compiled several times is reached where one of these is.
  std::vector<Unreached> places(const std::vector<bool> &Alone, const std::vector<bool> &Whole) const {
    std::map<std::pair<std::string, unsigned>, std::pair<bool, bool>> Of;
    for (unsigned N = 0; N < Nodes.size(); ++N) {
      auto &[A, W] = Of[{Nodes[N].Where.File, Nodes[N].Where.Line}];
      A |= Alone[N];
      W |= Whole[N];
    }
    std::vector<Unreached> Out;
    for (const Node &N : Nodes) {
      const auto It = Of.find({N.Where.File, N.Where.Line});
      if (It == Of.end() || It->second.second)
        continue;
      Out.push_back({N.Where, !It->second.first});
      Of.erase(It);
    }
    return Out;
  }

  std::vector<Node> Nodes;
  std::vector<std::vector<StringRef>> Data; // by unit
  std::vector<StringMap<unsigned>> Internals;
  std::vector<StringRef> Folders;
  StringMap<SmallVector<unsigned, 1>> ByName, ByWord;
  StringMap<unsigned> Programs; // that reach functions of the folder
  StringSet<> WithMain;
};

} // namespace

json::Value reachFacts(Unit &U) { return Facts(U).make(); }

std::vector<Unreached> unreachedFunctions(ArrayRef<stored::Value> Units, const StringSet<> &Named) {
  return Graph(Units).unreached(Named);
}

} // namespace stridewise
