#include "checks/omp-shared-counter/NeighbourUpdates.h"
#include "checks/omp-shared-counter/RegionUpdates.h"
#include "loops/ArrayNames.h"
#include "loops/LoopNest.h"
#include "omp/SharedLoops.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxDistance = 4;    // iterations between the store and the load that are looked for
constexpr unsigned MaxReferences = 64; // of a loop, of which each store is compared with each load
constexpr unsigned MaxDepth = 8;       // of pointers that are loaded one from another

// Everything that may let one iteration do what another one does not, or keep them in order.
bool mayDiffer(const clang::Stmt *S) {
  using namespace clang;
  if (!S)
    return false;
  if (isa<IfStmt, SwitchStmt, AbstractConditionalOperator, WhileStmt, DoStmt, GotoStmt, BreakStmt, ContinueStmt,
          ReturnStmt, CXXTryStmt, OMPExecutableDirective, LambdaExpr>(S))
    return true;
  return any_of(S->children(), [](const Stmt *Child) { return mayDiffer(Child); });
}

class NeighbourFinder {
public:
  explicit NeighbourFinder(Unit &U) : U(U), Sites(U.ast()) {
    for (const OmpSite &Site : Sites.Constructs)
      if (const auto *D = dyn_cast<clang::OMPLoopDirective>(Site.S))
        SiteOf[D] = &Site;
  }

  std::vector<NeighbourUpdate> find() {
    if (SiteOf.empty() || !U.ir())
      return {};
    for (Function &F : *U.ir())
      if (!F.isDeclaration()) {
        for (const LoopNest &N : loopNests(F, U.analyses()))
          study(N, F);
        for (const LoopNest &N : singleLoops(F))
          study(N, F);
      }
    return std::move(Found);
  }

private:
  // Loops with no other one around or within.
  std::vector<LoopNest> singleLoops(Function &F) {
    StrideEngine &Engine = StrideEngine::get(F, U.analyses());
    std::vector<LoopNest> Out;
    for (const Loop *L : Engine.loops()) {
      if (!L->isInnermost() || !shares(*L))
        continue;
      LoopNest N;
      N.Loops = {L};
      N.Trips = {Engine.tripCount(L)};
      if (collectReferences(N, F, U.analyses(), Engine))
        Out.push_back(std::move(N));
    }
    return Out;
  }

  const clang::OMPLoopDirective *shares(const Loop &L) {
    const clang::OMPLoopDirective *D = sharingDirective(U.loopStatement(&L), U);
    return D && isRacing(*D) ? D : nullptr;
  }

  // Whether its iterations run side by side, each as all others do.
  bool isRacing(const clang::OMPLoopDirective &D) {
    auto [It, New] = Racing.try_emplace(&D, false);
    if (!New)
      return It->second;
    const auto Site = SiteOf.find(&D);
    const OmpConstruct C = classify(D, U.ast());
    if (Site == SiteOf.end() || !C.SharesLoop || C.Device || C.Tasks || C.OneThread || C.Exclusive || C.Other ||
        D.hasClausesOfKind<clang::OMPOrderedClause>() || mayDiffer(D.getBody()) || mayHoldLock(D.getBody()))
      return false;
    // A team that the unit shows, and nothing private but numbers.
    const clang::OMPExecutableDirective *Region = OmpSites::region(*Site->second, U.ast());
    if (!Region && C.StartsTeam)
      Region = &D;
    if (!Region || hasPrivateArrays(*Region) || hasPrivateArrays(D))
      return false;
    Regions[&D] = Region;
    return Racing[&D] = true;
  }
  static bool hasPrivateArrays(const clang::OMPExecutableDirective &D) {
    return any_of(privateVariables(D), [](const clang::VarDecl *V) { return !V->getType()->isArithmeticType(); });
  }

  void study(const LoopNest &N, Function &F) {
    if (N.References.size() > MaxReferences)
      return;
    StrideEngine &Engine = StrideEngine::get(F, U.analyses());
    for (unsigned Level = 0; Level < N.Loops.size(); ++Level) {
      const Loop &L = *N.Loops[Level];
      const clang::OMPLoopDirective *D = shares(L);
      if (!D || !all_of(ArrayRef(N.Loops).take_front(Level), [&](const Loop *Inner) {
            const SCEV *Count = Engine.backedges(Inner);
            return Count && !Engine.varies(Count, &L);
          }))
        continue;
      for (const Reference &W : N.References)
        if (W.Writes && isPlain(W, L, Engine, F, *D))
          for (const Reference &R : N.References) {
            if (!Meter::spend())
              return;
            if (R.Reads && R.Bytes == W.Bytes && isPlain(R, L, Engine, F, *D) && meets(W, R, L, Engine)) {
              say(W, L, *D);
              break;
            }
          }
    }
  }

  // An access of each iteration, to memory that all threads have.
  bool isPlain(const Reference &X, const Loop &L, StrideEngine &Engine, Function &F, const clang::OMPLoopDirective &D) {
    if (X.Local || X.Guarded || !isa<LoadInst, StoreInst>(X.At) || X.At->isAtomic() || X.At->isVolatile())
      return false;
    const auto &DT = U.analyses().getResult<DominatorTreeAnalysis>(F);
    const BasicBlock *Latch = X.In->getLoopLatch();
    return Latch && DT.dominates(X.At->getParent(), Latch) && isLinear(X.Address, L) &&
           isEverybodys(X.Address, Engine, D, 0);
  }

  // Made of what L leaves alone and of steps that it leaves alone.
  static bool isLinear(const SCEV *S, const Loop &L) {
    if (const auto *Walk = dyn_cast<SCEVAddRecExpr>(S))
      return Walk->isAffine() && isFixed(Walk->getOperand(1), L) && isLinear(Walk->getStart(), L);
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
      return all_of(Sum->operands(), [&](const SCEV *Part) { return isLinear(Part, L); });
    return isFixed(S, L);
  }
  // The number of a thread, or another number that a call gives, may be each thread's own.
  static bool isFixed(const SCEV *S, const Loop &L) {
    return !SCEVExprContains(S, [&](const SCEV *Part) {
      const auto *Leaf = dyn_cast<SCEVUnknown>(Part);
      const auto *I = Leaf ? dyn_cast<Instruction>(Leaf->getValue()) : nullptr;
      return isa<SCEVAddRecExpr>(Part) ||
             (I && ((L.contains(I) && !isa<LoadInst>(I)) || (isa<CallBase>(I) && !I->getType()->isPointerTy())));
    });
  }

  bool meets(const Reference &W, const Reference &R, const Loop &L, StrideEngine &Engine) {
    ScalarEvolution &SE = Engine.scalarEvolution();
    const SCEV *Step = Engine.step(W.Address, &L);
    if (!Step || Step->isZero() || Engine.step(R.Address, &L) != Step ||
        SE.getPointerBase(W.Address) != SE.getPointerBase(R.Address))
      return false;
    const SCEV *Apart = SE.getMinusSCEV(R.Address, W.Address);
    if (isa<SCEVCouldNotCompute>(Apart) || Apart->getType() != Step->getType())
      return false;
    const unsigned Trips = Engine.tripCount(&L);
    for (unsigned Distance = 1; Distance <= MaxDistance && (Trips == 0 || Distance < Trips); ++Distance) {
      const SCEV *Far = SE.getMulExpr(Step, SE.getConstant(Step->getType(), Distance));
      if (Engine.simplify(SE.getMinusSCEV(Apart, Far))->isZero() ||
          Engine.simplify(SE.getAddExpr(Apart, Far))->isZero())
        return true;
    }
    return false;
  }

  // Whether the memory was there before the region, under a name that all threads share.
  bool isEverybodys(const SCEV *Address, StrideEngine &Engine, const clang::OMPLoopDirective &D, unsigned Depth) {
    const auto *Base = dyn_cast<SCEVUnknown>(Engine.scalarEvolution().getPointerBase(Address));
    if (!Base || Depth > MaxDepth)
      return false;
    if (const SCEV *From = Engine.loadedFrom(Base))
      return isFixedForTeam(From) && isEverybodys(From, Engine, D, Depth + 1);
    const Value *V = Base->getValue();
    if (const auto *G = dyn_cast<GlobalVariable>(V))
      return !G->isThreadLocal() && !isThreadPrivate(*G);
    if (const auto *Load = dyn_cast<LoadInst>(V)) {
      const SCEV *From = Engine.rewrite(const_cast<Value *>(Load->getPointerOperand()));
      return isFixedForTeam(From) && isEverybodys(From, Engine, D, Depth + 1);
    }
    const auto *I = dyn_cast<Instruction>(V);
    return isa<Argument>(V) || (I && !isa<AllocaInst, PHINode, SelectInst>(I) && isBefore(*I, *Regions.at(&D)));
  }
  // Where a pointer stands; an entry of a table may be each thread's.
  static bool isFixedForTeam(const SCEV *Slot) {
    const auto *Sum = dyn_cast<SCEVAddExpr>(Slot);
    return isa<SCEVUnknown>(Slot) || (Sum && Sum->getNumOperands() == 2 && isa<SCEVConstant>(Sum->getOperand(0)) &&
                                      isa<SCEVUnknown>(Sum->getOperand(1)));
  }
  bool isThreadPrivate(const GlobalVariable &G) {
    clang::ASTContext &Ctx = U.ast();
    return any_of(Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(G.getName())),
                  [](const clang::NamedDecl *V) { return V->hasAttr<clang::OMPThreadPrivateDeclAttr>(); });
  }
  // Not made by what stands in the region.
  bool isBefore(const Instruction &I, const clang::OMPExecutableDirective &Region) {
    return I.getDebugLoc() && placeWithin(I, Region).isInvalid();
  }
  // Where the text of the construct has the instruction, or the call that it was inlined for.
  clang::SourceLocation placeWithin(const Instruction &I, const clang::OMPExecutableDirective &D) {
    const clang::SourceManager &SM = U.sources();
    const clang::FileID File = SM.getFileID(SM.getExpansionLoc(D.getBeginLoc()));
    const unsigned First = SM.getExpansionLineNumber(D.getBeginLoc());
    const unsigned Last = SM.getExpansionLineNumber(constructBody(D) ? constructBody(D)->getEndLoc() : D.getEndLoc());
    const clang::OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    for (const DILocation *At = I.getDebugLoc().get(); At; At = At->getInlinedAt())
      if (Entry && sys::path::filename(At->getFilename()) == sys::path::filename(Entry->getName()) &&
          At->getLine() >= First && At->getLine() <= Last)
        return SM.translateLineCol(File, At->getLine(), At->getColumn());
    return {};
  }

  void say(const Reference &W, const Loop &L, const clang::OMPLoopDirective &D) {
    NeighbourUpdate X;
    X.Share = &D;
    X.Array = arrayName(*W.At, U.functionAt(D.getBeginLoc()), U);
    X.Counter = counterName(U.loopStatement(&L));
    X.Where = placeWithin(*W.At, D);
    if (X.Where.isValid() && !X.Array.empty() && Said.insert({&D, X.Array}).second)
      Found.push_back(std::move(X));
  }

  Unit &U;
  OmpSites Sites;
  DenseMap<const clang::OMPLoopDirective *, const OmpSite *> SiteOf;
  DenseMap<const clang::OMPLoopDirective *, bool> Racing;
  DenseMap<const clang::OMPLoopDirective *, const clang::OMPExecutableDirective *> Regions;
  std::set<std::pair<const clang::OMPLoopDirective *, std::string>> Said;
  std::vector<NeighbourUpdate> Found;
};

} // namespace

std::vector<NeighbourUpdate> findNeighbourUpdates(Unit &U) { return NeighbourFinder(U).find(); }

} // namespace stridewise
