// Code generation from the AST that the checks already hold, then a short pipeline.
//
// OpenMP: with OpenMPSimd set, code generation turns every directive into plain serial code, so a work-shared loop
// stays a loop of its function instead of disappearing into an outlined body behind a runtime call.
//
// The pipeline stops before anything that changes how often or in which order memory is touched: no unrolling, idiom
// recognition or vectorisation. Inlining is generous, because HPC codes hide addresses and messages in small helpers: a
// threshold of 225 (clang's own) loses a third of the accesses behind C++ operators.
#include "unit/Ir.h"
#include "unit/LocalArrays.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/IPO/Inliner.h"

using namespace clang;

namespace stridewise {
namespace {

constexpr int InlineThreshold = 2000;
constexpr unsigned MaxLoopDepth = 100;

// Registers instantiated functions with the code generator, which otherwise learns of them from the parser as they
// appear. Walks declarations only: function bodies hold no templates of namespace or class scope.
class Instantiations {
public:
  explicit Instantiations(CodeGenerator &Gen) : Gen(Gen) {}

  void visitContext(const DeclContext *DC) {
    for (Decl *D : DC->decls())
      visit(D);
  }

  void visit(Decl *D) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(D)) {
      for (FunctionDecl *F : T->specializations())
        emit(F);
    } else if (auto *T = dyn_cast<ClassTemplateDecl>(D)) {
      for (ClassTemplateSpecializationDecl *S : T->specializations())
        if (S->isCompleteDefinition())
          visitContext(S);
    } else if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->isTemplateInstantiation())
        emit(F);
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(D)) {
      visitContext(cast<DeclContext>(D));
    }
  }

private:
  void emit(FunctionDecl *F) {
    if (const FunctionDecl * Def; F->isTemplateInstantiation() && F->hasBody(Def) && !F->isDependentContext())
      Gen.HandleTopLevelDecl(DeclGroupRef(const_cast<FunctionDecl *>(Def)));
  }
  CodeGenerator &Gen;
};

// Static and inline functions of the main file are analysed even when nothing in the unit calls them.
template <typename Range>
void keepMainFileFunctions(ASTContext &Ctx, Range &&Decls, std::vector<FunctionDecl *> &Marked) {
  for (Decl *D : Decls) {
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody() && !F->isDependentContext() && !F->hasAttr<UsedAttr>() &&
          !F->isTemplateInstantiation() && !F->isConsteval() && !F->isDeleted() && !F->isDefaulted() &&
          Ctx.getSourceManager().isInMainFile(Ctx.getSourceManager().getExpansionLoc(F->getLocation()))) {
        F->addAttr(UsedAttr::CreateImplicit(Ctx));
        Marked.push_back(F);
      }
    } else if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D)) {
      if (const auto *R = dyn_cast<CXXRecordDecl>(D); R && R->isDependentContext())
        continue;
      keepMainFileFunctions(Ctx, cast<DeclContext>(D)->decls(), Marked);
    }
  }
}

// What was declared with an error, or made of it.
bool isInvalid(const Decl *D) {
  const auto *V = dyn_cast<VarDecl>(D);
  return D->isInvalidDecl() || (V && V->getInit() && V->getInit()->containsErrors());
}

// Restores what code generation needs changed in the shared AST and diagnostics engine.
struct CodeGenScope {
  ASTContext &Ctx;
  LangOptions &Lang;
  std::vector<FunctionDecl *> Marked;
  unsigned OpenMPSimd;
  bool Suppressed;

  explicit CodeGenScope(ASTContext &Ctx)
      : Ctx(Ctx), Lang(const_cast<LangOptions &>(Ctx.getLangOpts())), OpenMPSimd(Lang.OpenMPSimd),
        Suppressed(Ctx.getDiagnostics().getSuppressAllDiagnostics()) {
    Lang.OpenMPSimd = 1;
    Ctx.getDiagnostics().setSuppressAllDiagnostics(true);
    keepMainFileFunctions(Ctx, Ctx.getTranslationUnitDecl()->noload_decls(), Marked);
  }
  ~CodeGenScope() {
    for (FunctionDecl *F : Marked)
      F->dropAttr<UsedAttr>();
    Lang.OpenMPSimd = OpenMPSimd;
    Ctx.getDiagnostics().setSuppressAllDiagnostics(Suppressed);
  }
};

// Serial code generation follows a null pointer on tile, reverse and interchange; unroll it knows.
class LoopTransformations : public Visitor<LoopTransformations> {
public:
  bool Found = false;
  bool VisitOMPExecutableDirective(OMPExecutableDirective *D) override {
    Found |= isa<OMPLoopTransformationDirective>(D) && !isa<OMPUnrollDirective>(D);
    return !Found;
  }
};

bool transformsLoops(ASTContext &Ctx) {
  if (!Ctx.getLangOpts().OpenMP)
    return false;
  // Names of directives are identifiers: without them there is nothing to search.
  if (llvm::none_of(std::initializer_list<llvm::StringRef>{"tile", "reverse", "interchange"},
                    [&](llvm::StringRef Name) { return Ctx.Idents.find(Name) != Ctx.Idents.end(); }))
    return false;
  LoopTransformations Search;
  for (Decl *D : ownDecls(Ctx))
    if (!Search.Found)
      Search.TraverseDecl(D);
  return Search.Found;
}

// Analyses of loops take time that grows with the square of the depth, which only generated code can make felt.
bool nestsTooDeep(llvm::Function &F) {
  if (F.size() < 3 * MaxLoopDepth)
    return false;
  llvm::DominatorTree DT(F);
  llvm::LoopInfo LI(DT);
  return llvm::any_of(F, [&](const llvm::BasicBlock &BB) { return LI.getLoopDepth(&BB) > MaxLoopDepth; });
}

// A block that ends in `unreachable` is an error path: emptied, it no longer blocks inlining or loop canonicalisation.
void emptyNoReturnBlocks(llvm::Function &F) {
  for (llvm::BasicBlock &BB : F) {
    if (!llvm::isa<llvm::UnreachableInst>(BB.getTerminator()) || &BB == &F.getEntryBlock() || BB.isEHPad())
      continue;
    while (&BB.front() != BB.getTerminator()) {
      llvm::Instruction &I = *std::prev(BB.getTerminator()->getIterator());
      if (!I.use_empty())
        I.replaceAllUsesWith(llvm::PoisonValue::get(I.getType()));
      I.eraseFromParent();
    }
  }
}

} // namespace

// By their places in the source: code generation has them in the order in which it was given and asked for them, which
// depends on what was precompiled.
static void putInOrder(llvm::Module &M) {
  using Key = std::tuple<bool, llvm::StringRef, unsigned, llvm::StringRef>;
  std::vector<std::pair<Key, llvm::Function *>> Functions;
  for (llvm::Function &F : M) {
    const llvm::DISubprogram *S = F.getSubprogram();
    Functions.push_back({{!S, S ? S->getFilename() : "", S ? S->getLine() : 0, F.getName()}, &F});
  }
  llvm::sort(Functions);
  for (auto &[_, F] : Functions) {
    F->removeFromParent();
    M.getFunctionList().push_back(F);
  }
  std::vector<llvm::GlobalVariable *> Globals;
  for (llvm::GlobalVariable &G : M.globals())
    Globals.push_back(&G);
  llvm::sort(Globals, [](const auto *A, const auto *B) { return A->getName() < B->getName(); });
  for (llvm::GlobalVariable *G : Globals) {
    G->removeFromParent();
    M.insertGlobalVariable(G);
  }
}

void CodeFeed::add(DeclGroupRef Group) {
  if (Into)
    Into->HandleTopLevelDecl(Group);
  else
    Held.push_back(Group);
}

void CodeFeed::pourInto(ASTConsumer &Code) {
  Into = &Code;
  llvm::DenseSet<const Decl *> Given;
  // More may come meanwhile, by add().
  for (DeclGroupRef Group : std::exchange(Held, {}))
    for (Decl *D : Group)
      if (const auto *F = dyn_cast<FunctionDecl>(D); D->isFromASTFile() || (F && F->isTemplateInstantiation()))
        if (!isInvalid(D) && !D->isTemplated() && Given.insert(D).second)
          Code.HandleTopLevelDecl(DeclGroupRef(D));
}

std::unique_ptr<llvm::Module> emitModule(ASTContext &Ctx, llvm::LLVMContext &LC, std::string &Problem, References &Uses,
                                         CodeFeed *Feed) {
  DiagnosticsEngine &Diags = Ctx.getDiagnostics();
  if (Diags.hasUncompilableErrorOccurred() || Diags.hasUnrecoverableErrorOccurred()) {
    Problem = "the unit does not compile";
    return nullptr;
  }
  if (transformsLoops(Ctx)) {
    Problem = "OpenMP loop transformations (tile, reverse, interchange) have no serial form here";
    return nullptr;
  }
  // The user's own code generation options would mark functions noinline or optnone at -O0 and -Os.
  CodeGenOptions CGO;
  CGO.OptimizationLevel = 1;
  CGO.StructPathTBAA = 1; // as the driver asks for: fields of different type do not alias
  CGO.setInlining(CodeGenOptions::NormalInlining);
  CGO.setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
  CGO.DebugColumnInfo = 1;
  CGO.DwarfVersion = 4;
  CGO.DiscardValueNames = false;
  auto FS =
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(&Ctx.getSourceManager().getFileManager().getVirtualFileSystem());
  if (auto Dir = FS->getCurrentWorkingDirectory())
    CGO.DebugCompilationDir = *Dir;
  HeaderSearchOptions HSO;
  PreprocessorOptions PPO;
  LC.setDiscardValueNames(false);

  CodeGenScope Scope(Ctx);
  std::unique_ptr<CodeGenerator> Gen(CreateLLVMCodeGen(Diags, "unit", FS, HSO, PPO, CGO, LC));
  Gen->Initialize(Ctx);
  std::vector<Decl *> Decls;
  for (Decl *D : Feed ? Ctx.getTranslationUnitDecl()->noload_decls() : Ctx.getTranslationUnitDecl()->decls())
    if (!Feed || !D->isFromASTFile())
      Decls.push_back(D);
  for (Decl *D : Decls)
    if (!isInvalid(D))
      Gen->HandleTopLevelDecl(DeclGroupRef(D));
  if (Ctx.getLangOpts().CPlusPlus) {
    Instantiations Made(*Gen);
    for (Decl *D : Decls)
      Made.visit(D);
  }
  if (Feed)
    Feed->pourInto(*Gen);
  Gen->HandleTranslationUnit(Ctx);
  if (Feed)
    Feed->Into = nullptr;
  std::unique_ptr<llvm::Module> M(Gen->ReleaseModule());
  if (!M) {
    Problem = "code generation failed";
    return nullptr;
  }
  for (const char *Keep : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *GV = M->getNamedGlobal(Keep))
      GV->eraseFromParent();
  putInOrder(*M);
  Uses = referencesOf(*M);
  prepareFunctions(*M);
  return M;
}

void prepareFunctions(llvm::Module &M) {
  for (llvm::Function &F : M) {
    F.removeFnAttr(llvm::Attribute::NoInline);
    F.removeFnAttr(llvm::Attribute::OptimizeNone);
    emptyNoReturnBlocks(F);
    if (!F.isDeclaration() && nestsTooDeep(F))
      F.deleteBody();
  }
}

IrAnalyses::IrAnalyses() {
  FAM.registerPass([&] { return PB.buildDefaultAAPipeline(); });
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CAM, MAM);
}

void IrAnalyses::run(llvm::Module &M, llvm::StringRef Pipeline) {
  llvm::ModulePassManager MPM;
  llvm::cantFail(PB.parsePassPipeline(MPM, Pipeline));
  MPM.run(M, MAM);
}

void IrAnalyses::canonicalize(llvm::Module &M) {
  run(M, "function(lower-invoke,simplifycfg,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),"
         "always-inline");
  llvm::ModulePassManager Inline;
  Inline.addPass(llvm::ModuleInlinerWrapperPass(llvm::getInlineParams(InlineThreshold)));
  Inline.run(M, MAM);
  run(M, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
         "loop-mssa(loop-simplifycfg,loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"
         "loop(indvars),loop-simplify,lcssa)");
  bool Unrolled = false;
  for (llvm::Function &F : M)
    if (!F.isDeclaration() && unrollLocalArrays(F, FAM)) {
      FAM.invalidate(F, llvm::PreservedAnalyses::none());
      Unrolled = true;
    }
  if (Unrolled)
    run(M, "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
           "loop(indvars),loop-simplify,lcssa)");
}

} // namespace stridewise
