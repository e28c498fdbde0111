#include "unit/Unit.h"
#include "library/MpiAttributes.h"
#include "library/MpiCall.h"
#include "library/ThinWrappers.h"
#include "unit/CodeUse.h"
#include "unit/Ir.h"
#include "unit/Meter.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include <utility>

using namespace clang;

namespace stridewise {

struct Unit::Ir {
  // Order matters: analyses refer to the module, the module to the context.
  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> Module;
  IrAnalyses Analyses;
};

namespace {
struct PlacedLoop {
  const Stmt *S;
  unsigned Depth; // among the loops around it that stand at the same place
};
using LoopsByPlace =
    std::map<std::pair<FileID, unsigned>, llvm::SmallVector<PlacedLoop, 1>>; // by offset of the keyword
} // namespace

// Where functions and loops stand in the files, built when first asked for. Loops are indexed function by function.
struct Unit::SourceIndex {
  struct Body {
    unsigned Begin, End;
    const FunctionDecl *Function;
  };
  llvm::DenseMap<FileID, std::vector<Body>> Bodies; // sorted by Begin
  LoopsByPlace Loops;
  llvm::DenseSet<const FunctionDecl *> Visited;
  llvm::StringMap<FileID> Files;
};

static thread_local bool Lacked = false;

bool lackedCode() { return std::exchange(Lacked, false); }

Unit::Unit(ASTContext &Ctx, const Preprocessor *PP) : Ctx(Ctx), PP(PP) {}
Unit::~Unit() = default;

void Unit::build() {
  if (Built)
    return;
  Built = true;
  Meter::Engine In("ir");
  auto New = std::make_unique<Ir>();
  New->Module = FortranCode ? FortranCode(New->Context, Problem) : emitModule(Ctx, New->Context, Problem, Uses, Feed);
  if (!New->Module)
    return;
  Foreign = stridewise::foreignFunctions(*New->Module);
  markBlockingCalls(*New->Module);
  const std::vector<std::string> Unfolded = unfoldWrappers(*New->Module, Wrappers);
  for (llvm::Function &F : *New->Module)
    for (llvm::Instruction &I : llvm::instructions(F))
      if (auto *C = llvm::dyn_cast<llvm::CallBase>(&I); C && findMpiCall(*C))
        ++MpiCalls;
  New->Analyses.canonicalize(*New->Module);
  for (llvm::StringRef Name : Unfolded)
    if (llvm::Function *F = New->Module->getFunction(Name))
      New->Analyses.FAM.clear(*F, Name);
  foldWrappers(*New->Module, Unfolded);
  Code = std::move(New);
}

llvm::Module *Unit::ir() {
  build();
  Lacked |= !Code;
  return Code ? Code->Module.get() : nullptr;
}

std::vector<std::string> Unit::ownWrappers() {
  build();
  return Code ? thinWrappers(*Code->Module) : std::vector<std::string>();
}

const References &Unit::references() {
  build();
  return Uses;
}

llvm::FunctionAnalysisManager &Unit::analyses() {
  build();
  return Code->Analyses.FAM;
}

unsigned Unit::mpiCalls() {
  build();
  if (Code || MpiCalls)
    return MpiCalls;
  // No IR: count what the AST names.
  struct Counter : Visitor<Counter> {
    unsigned N = 0;
    bool VisitCallExpr(CallExpr *E) override {
      N += findMpiCall(*E) != nullptr;
      return true;
    }
  } C;
  for (Decl *D : ownDecls(Ctx))
    C.TraverseDecl(D);
  return MpiCalls = C.N;
}

std::string Unit::path(const llvm::DIFile *F) {
  if (!F)
    return {};
  llvm::SmallString<256> P(F->getFilename());
  if (!llvm::sys::path::is_absolute(P) && !F->getDirectory().empty()) {
    llvm::SmallString<256> Full(F->getDirectory());
    llvm::sys::path::append(Full, P);
    P = Full;
  }
  llvm::sys::path::remove_dots(P, /*remove_dot_dot=*/true);
  return std::string(P);
}

std::pair<std::string, unsigned> Unit::fileAndLine(const llvm::DILocation *D) {
  return {path(D->getScope()->getFile()), D->getLine()};
}

SourceLocation Unit::locate(const llvm::DebugLoc &D, bool Outermost) {
  const llvm::DILocation *L = D.get();
  if (!L)
    return {};
  if (Outermost)
    while (const llvm::DILocation *Caller = L->getInlinedAt())
      L = Caller;
  if (!L->getLine())
    return {};
  indexSources();
  Meter::count();
  const SourceManager &SM = sources();
  const llvm::DIFile *File = L->getScope()->getFile();
  auto [It, New] = Index->Files.try_emplace(path(File), FileID());
  if (New)
    for (llvm::StringRef Name : {llvm::StringRef(File->getFilename()), It->first()})
      if (It->second.isInvalid())
        if (auto FE = SM.getFileManager().getOptionalFileRef(Name))
          It->second = SM.translateFile(*FE);
  if (It->second.isInvalid())
    return {};
  return SM.translateLineCol(It->second, L->getLine(), std::max(1u, L->getColumn()));
}

namespace {
// Declarations only; local classes and lambdas are found through the function that encloses them.
template <typename Range, typename Callback> void forEachFunction(Range &&Decls, Callback CB) {
  for (Decl *D : Decls) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
      D = T->getTemplatedDecl();
    else if (auto *T = dyn_cast<ClassTemplateDecl>(D))
      D = T->getTemplatedDecl();
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody())
        CB(F);
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D)) {
      forEachFunction(cast<DeclContext>(D)->decls(), CB);
    }
  }
}

struct LoopCollector : Visitor<LoopCollector> {
  const SourceManager &SM;
  LoopsByPlace &Loops;
  llvm::SmallVector<const Stmt *> Around;
  LoopCollector(const SourceManager &SM, LoopsByPlace &Loops) : SM(SM), Loops(Loops) {}

  bool dataTraverseStmtPre(Stmt *S) override {
    if (!isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
      return true;
    const auto Where = place(S);
    const unsigned Depth = llvm::count_if(Around, [&](const Stmt *Outer) { return place(Outer) == Where; });
    Loops[Where].push_back({S, Depth});
    Around.push_back(S);
    return true;
  }
  bool dataTraverseStmtPost(Stmt *S) override {
    if (!Around.empty() && Around.back() == S)
      Around.pop_back();
    return true;
  }
  bool VisitStmt(Stmt *S) override {
    // The loop that is generated for a simd directive stands at the directive.
    if (auto *D = dyn_cast<OMPLoopBasedDirective>(S))
      OMPLoopBasedDirective::doForAllLoops(D->getInnermostCapturedStmt()->getCapturedStmt(),
                                           /*TryImperfectlyNestedLoops=*/true, D->getLoopsNumber(),
                                           [&](unsigned, Stmt *Loop) {
                                             if (place(D) != place(Loop)) // else a macro's, by its own place
                                               Loops[place(D)] = {{Loop, 0}};
                                             return false;
                                           });
    return true;
  }

private:
  std::pair<FileID, unsigned> place(const Stmt *S) const {
    return SM.getDecomposedLoc(SM.getExpansionLoc(S->getBeginLoc()));
  }
};
} // namespace

void Unit::indexSources() {
  if (Index)
    return;
  Meter::Engine In("sources");
  Index = std::make_unique<SourceIndex>();
  const SourceManager &SM = sources();
  forEachFunction(ownDecls(Ctx), [&](const FunctionDecl *F) {
    auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(F->getBeginLoc()));
    auto [EndFile, End] = SM.getDecomposedLoc(SM.getExpansionLoc(F->getEndLoc()));
    if (File == EndFile)
      Index->Bodies[File].push_back({Begin, End, F});
  });
  for (auto &[File, Bodies] : Index->Bodies)
    llvm::sort(Bodies, [](const auto &A, const auto &B) { return A.Begin < B.Begin; });
}

const FunctionDecl *Unit::functionAt(SourceLocation Loc) {
  if (Loc.isInvalid())
    return nullptr;
  indexSources();
  auto [File, Offset] = sources().getDecomposedLoc(sources().getExpansionLoc(Loc));
  auto It = Index->Bodies.find(File);
  if (It == Index->Bodies.end())
    return nullptr;
  auto After = llvm::upper_bound(It->second, Offset, [](unsigned O, const auto &B) { return O < B.Begin; });
  while (After != It->second.begin()) {
    Meter::count();
    if ((--After)->End >= Offset)
      return After->Function;
  }
  return nullptr;
}

const Stmt *Unit::loopStatement(const llvm::Loop *L) {
  SourceLocation Loc = locate(L->getStartLoc());
  const FunctionDecl *F = functionAt(Loc);
  if (!F)
    return nullptr;
  if (Index->Visited.insert(F).second)
    LoopCollector(sources(), Index->Loops).TraverseStmt(F->getBody());
  auto It = Index->Loops.find(sources().getDecomposedLoc(Loc));
  if (It == Index->Loops.end())
    return nullptr;
  // A macro's loops all stand where it is expanded: the n-th of a nest is the n-th around it.
  unsigned Depth = 0;
  if (It->second.size() > 1)
    for (const llvm::Loop *Outer = L->getParentLoop(); Outer; Outer = Outer->getParentLoop())
      Depth += locate(Outer->getStartLoc()) == Loc;
  const auto *Nth = llvm::find_if(It->second, [&](const PlacedLoop &Each) { return Each.Depth == Depth; });
  return Nth == It->second.end() ? It->second.front().S : Nth->S;
}

SourceLocation Unit::loopLocation(const llvm::Loop *L) { return locate(L->getStartLoc()); }

std::string Unit::functionName(const FunctionDecl *F) { return F ? F->getQualifiedNameAsString() : std::string(); }

} // namespace stridewise
