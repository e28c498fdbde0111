// libstridewise_sharing_pass.so: a pass plugin for Clang and Flang 19 (-fpass-plugin=…). It instruments the accesses to
// memory that are left after optimisation, so that runtime/sharing/ can see which thread touches which bytes of a line.
//
// A slot that the compiler keeps in a register causes no traffic, in the instrumented program neither: hence the end of
// the pipeline. Each function exists twice: instrumented, for regions that are being watched, and as the compiler made
// it. In the former each block counts its accesses, and an access calls the runtime only where its line belongs to the
// lines watched just now (sharing.h tells how these are chosen). Accesses that cannot be shared are left alone: those
// to locals of the function itself, to constants, and thread-local ones. Masked and scattered vector accesses are not
// seen. The program tells the runtime which source lines each function is made of, so that a run can be limited to
// those that a finding names (lines.c).
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <map>
#include <set>

using namespace llvm;

namespace {

constexpr StringLiteral StateName = "__stridewise_sharing_state"; // struct sw_sharing_state of sharing.h
constexpr uint64_t HashFactor = 0x9E3779B97F4A7C15; // Fibonacci hashing (Knuth, TAOCP 6.4), as in sharing.h
constexpr unsigned LineShift = 6;
enum Level : uint64_t { All = 1, Named = 2 }; // SW_ALL and SW_NAMED of sharing.h
enum StateField : uint64_t { Clock, Turn, Mask, Watching };

// State that functions of the C library write for their caller, who passes its address: generators of random numbers,
// of which each thread has one. What other libraries that are not instrumented do is not seen.
struct StateOfCaller {
  StringLiteral Function;
  unsigned Argument;
  uint64_t Bytes;
};
constexpr StateOfCaller StatesOfCallers[] = {
    {"rand_r", 0, 4},     {"erand48", 0, 6},    {"nrand48", 0, 6},    {"jrand48", 0, 6},    {"erand48_r", 0, 6},
    {"nrand48_r", 0, 6},  {"jrand48_r", 0, 6},  {"erand48_r", 1, 24}, {"nrand48_r", 1, 24}, {"jrand48_r", 1, 24},
    {"drand48_r", 0, 24}, {"lrand48_r", 0, 24}, {"mrand48_r", 0, 24}, {"drand48_r", 1, 8},  {"lrand48_r", 1, 8},
    {"mrand48_r", 1, 8},  {"random_r", 0, 16},  {"random_r", 1, 4},
};

struct Access {
  Instruction *At;
  Value *Address;
  Value *Bytes; // i64
  bool Writes;
};

class Instrumenter {
public:
  explicit Instrumenter(Module &M) : M(M), DL(M.getDataLayout()), Ctx(M.getContext()) {
    Type *Void = Type::getVoidTy(Ctx);
    Type *Word = Type::getInt64Ty(Ctx);
    Type *Ptr = PointerType::get(Ctx, 0);
    State = M.getGlobalVariable(StateName);
    if (!State)
      State = new GlobalVariable(M, ArrayType::get(Word, 4), false, GlobalValue::ExternalLinkage, nullptr, StateName,
                                 nullptr, GlobalValue::InitialExecTLSModel);
    Load = M.getOrInsertFunction("__stridewise_sharing_load", Void, Ptr, Word);
    Store = M.getOrInsertFunction("__stridewise_sharing_store", Void, Ptr, Word);
    TurnOver = M.getOrInsertFunction("__stridewise_sharing_turn", Void);
    EnterNamed = M.getOrInsertFunction("__stridewise_sharing_named", Void);
    Tell = M.getOrInsertFunction("__stridewise_sharing_functions", Void, Ptr, Word);
    for (FunctionCallee Callee : {Load, Store, TurnOver, EnterNamed, Tell})
      if (auto *F = dyn_cast<Function>(Callee.getCallee()))
        F->setDoesNotThrow();
  }

  bool run() {
    std::vector<Function *> Functions;
    for (Function &F : M)
      if (isInstrumentable(F))
        Functions.push_back(&F);
    bool Changed = false;
    for (Function *F : Functions)
      Changed |= instrument(*F);
    if (!Descriptions.empty())
      tellLines();
    return Changed;
  }

private:
  static bool isInstrumentable(const Function &F) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || F.getName().starts_with("__stridewise") ||
        F.hasFnAttribute(Attribute::Naked) || F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) ||
        F.isPresplitCoroutine() || F.getCallingConv() == CallingConv::SwiftTail)
      return false;
    return none_of(F, [](const BasicBlock &B) { return B.hasAddressTaken(); });
  }

  bool isShared(const Value *Address) const {
    if (Address->getType()->getPointerAddressSpace() != 0 || Address->isSwiftError())
      return false;
    const Value *Object = getUnderlyingObject(Address, 16);
    if (isa<AllocaInst>(Object))
      return false;
    if (const auto *G = dyn_cast<GlobalVariable>(Object))
      return !G->isConstant() && !G->isThreadLocal();
    if (const auto *Call = dyn_cast<IntrinsicInst>(Object))
      return Call->getIntrinsicID() != Intrinsic::threadlocal_address;
    return true;
  }

  Value *sizeOf(Type *T) const {
    TypeSize Size = DL.getTypeStoreSize(T);
    return Size.isScalable() ? nullptr : ConstantInt::get(Type::getInt64Ty(Ctx), Size.getFixedValue());
  }

  void add(std::vector<Access> &Out, Instruction &I, Value *Address, Value *Bytes, bool Writes) const {
    if (Bytes && isShared(Address))
      Out.push_back({&I, Address, Bytes, Writes});
  }

  void addStates(std::vector<Access> &Out, CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee || !Callee->isDeclaration())
      return;
    for (const StateOfCaller &S : StatesOfCallers)
      if (Callee->getName() == S.Function && S.Argument < Call.arg_size() &&
          Call.getArgOperand(S.Argument)->getType()->isPointerTy())
        add(Out, Call, Call.getArgOperand(S.Argument), ConstantInt::get(Type::getInt64Ty(Ctx), S.Bytes), true);
  }

  std::vector<Access> accesses(BasicBlock &B) const {
    std::vector<Access> Out;
    for (Instruction &I : B) {
      if (auto *L = dyn_cast<LoadInst>(&I)) {
        if (!L->hasMetadata(LLVMContext::MD_invariant_load))
          add(Out, I, L->getPointerOperand(), sizeOf(L->getType()), false);
      } else if (auto *S = dyn_cast<StoreInst>(&I)) {
        add(Out, I, S->getPointerOperand(), sizeOf(S->getValueOperand()->getType()), true);
      } else if (auto *R = dyn_cast<AtomicRMWInst>(&I)) {
        add(Out, I, R->getPointerOperand(), sizeOf(R->getType()), true);
      } else if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
        add(Out, I, X->getPointerOperand(), sizeOf(X->getNewValOperand()->getType()), true);
      } else if (auto *T = dyn_cast<MemTransferInst>(&I)) {
        add(Out, I, T->getRawSource(), T->getLength(), false);
        add(Out, I, T->getRawDest(), T->getLength(), true);
      } else if (auto *Set = dyn_cast<MemSetInst>(&I)) {
        add(Out, I, Set->getRawDest(), Set->getLength(), true);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        addStates(Out, *Call);
      }
    }
    return Out;
  }

  Value *field(IRBuilder<> &B, Value *Base, StateField F) const {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Base, F);
  }

  bool instrument(Function &F) {
    bool Accesses = any_of(F, [&](BasicBlock &B) { return !accesses(B).empty(); });
    if (!Accesses &&
        none_of(instructions(F), [](const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); }))
      return false;
    auto *Levels = new GlobalVariable(M, Type::getInt64Ty(Ctx), false, GlobalValue::PrivateLinkage,
                                      ConstantInt::get(Type::getInt64Ty(Ctx), All), "__stridewise_sharing_levels");
    Levels->setSection("stridewise_levels"); // the program's own variables keep their places in lines
    describe(F, Levels);
    if (!Accesses) { // but what it calls may have some
      enterNamed(F, Levels);
      return true;
    }
    // The arguments of a variadic function cannot be passed on: its one body counts in vain where nobody watches.
    Function *Watched = F.isVarArg() ? &F : divide(F, Levels);
    std::vector<std::vector<Access>> Blocks;
    for (BasicBlock &B : *Watched)
      if (std::vector<Access> Found = accesses(B); !Found.empty())
        Blocks.push_back(std::move(Found));
    IRBuilder<> B(&*Watched->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *Base = B.CreateThreadLocalAddress(State);
    for (const std::vector<Access> &Block : Blocks)
      instrumentBlock(Block, Base);
    enterNamed(*Watched, Levels);
    return true;
  }

  // Where only named lines are watched so far, the runtime is told that one of their functions is entered.
  void enterNamed(Function &F, GlobalVariable *Levels) {
    Instruction *At = &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    IRBuilder<> B(At);
    Value *Now = B.CreateLoad(B.getInt64Ty(), field(B, B.CreateThreadLocalAddress(State), Watching));
    Value *Here = B.CreateAnd(Now, B.CreateLoad(B.getInt64Ty(), Levels));
    Value *First = B.CreateICmpEQ(Here, B.getInt64(Named));
    Instruction *Then = SplitBlockAndInsertIfThen(First, At, false, MDBuilder(Ctx).createBranchWeights(1, 2000));
    IRBuilder<> Inside(Then);
    if (DISubprogram *Program = F.getSubprogram())
      Inside.SetCurrentDebugLocation(DILocation::get(Ctx, Program->getLine(), 0, Program));
    Inside.CreateCall(EnterNamed);
  }

  // Notes which lines of which files the function was compiled from, those of inlined functions among them.
  void describe(const Function &F, GlobalVariable *Levels) {
    std::map<const DIFile *, std::set<uint32_t>> Lines;
    for (const Instruction &I : instructions(F))
      for (const DILocation *L = I.getDebugLoc(); L; L = L->getInlinedAt())
        if (L->getLine())
          Lines[L->getFile()].insert(L->getLine());
    Type *Word = Type::getInt64Ty(Ctx);
    for (const auto &[File, Numbers] : Lines) {
      std::vector<uint32_t> Sorted(Numbers.begin(), Numbers.end());
      Constant *Array = ConstantDataArray::get(Ctx, Sorted);
      auto *Held = new GlobalVariable(M, Array->getType(), true, GlobalValue::PrivateLinkage, Array,
                                      "__stridewise_sharing_lines");
      Descriptions.push_back(
          ConstantStruct::getAnon({Levels, pathOf(File), Held, ConstantInt::get(Word, Sorted.size())}));
    }
  }

  Constant *pathOf(const DIFile *File) {
    Constant *&Known = Paths[File];
    if (!Known) {
      SmallString<256> Path(File->getFilename());
      if (!sys::path::is_absolute(Path)) {
        Path = File->getDirectory();
        sys::path::append(Path, File->getFilename());
      }
      sys::path::remove_dots(Path, true);
      Constant *Text = ConstantDataArray::getString(Ctx, Path);
      Known =
          new GlobalVariable(M, Text->getType(), true, GlobalValue::PrivateLinkage, Text, "__stridewise_sharing_path");
    }
    return Known;
  }

  // At the program's start the runtime learns of these lines: struct sw_function of sharing.h.
  void tellLines() {
    auto *Shape = ArrayType::get(Descriptions.front()->getType(), Descriptions.size());
    auto *Table = new GlobalVariable(M, Shape, true, GlobalValue::PrivateLinkage,
                                     ConstantArray::get(Shape, Descriptions), "__stridewise_sharing_table");
    Function *Start = Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false), GlobalValue::InternalLinkage,
                                       "__stridewise_sharing_start", M);
    IRBuilder<> B(BasicBlock::Create(Ctx, "", Start));
    B.CreateCall(Tell, {Table, B.getInt64(Descriptions.size())});
    B.CreateRetVoid();
    appendToGlobalCtors(M, Start, 0);
  }

  Function *copyOf(Function &F, StringRef Suffix) {
    ValueToValueMapTy Map;
    Function *Copy = CloneFunction(&F, Map);
    Copy->setName(F.getName() + Suffix);
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setVisibility(GlobalValue::DefaultVisibility);
    Copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    Copy->setComdat(nullptr);
    return Copy;
  }

  // Leaves of the function a turn to one of its two copies. Has no frame of its own, so that deep recursion fits the
  // stack as before.
  Function *divide(Function &F, GlobalVariable *Levels) {
    Function *Bare = copyOf(F, ".bare"), *Watched = copyOf(F, ".watched");
    GlobalValue::LinkageTypes Linkage = F.getLinkage();
    Comdat *Group = F.getComdat();
    F.deleteBody();
    F.setLinkage(Linkage);
    F.setComdat(Group);
    F.setPersonalityFn(nullptr);
    BasicBlock *Entry = BasicBlock::Create(Ctx, "", &F);
    BasicBlock *Turns[] = {BasicBlock::Create(Ctx, "unwatched", &F), BasicBlock::Create(Ctx, "watched", &F)};
    IRBuilder<> B(Entry);
    Value *Base = B.CreateThreadLocalAddress(State);
    Value *On = B.CreateLoad(B.getInt64Ty(), field(B, Base, Watching));
    Value *Mine = B.CreateAnd(On, B.CreateLoad(B.getInt64Ty(), Levels));
    B.CreateCondBr(B.CreateIsNull(Mine), Turns[0], Turns[1]);
    SmallVector<Value *> Arguments(make_pointer_range(F.args()));
    bool OnStack = any_of(F.args(), [](const Argument &A) { return A.hasPassPointeeByValueCopyAttr(); });
    for (unsigned I = 0; I < 2; ++I) {
      B.SetInsertPoint(Turns[I]);
      CallInst *Call = B.CreateCall(F.getFunctionType(), I ? Watched : Bare, Arguments);
      Call->setCallingConv(F.getCallingConv());
      Call->setAttributes(F.getAttributes().removeFnAttributes(Ctx));
      if (!OnStack)
        Call->setTailCall();
      if (F.getReturnType()->isVoidTy())
        B.CreateRetVoid();
      else
        B.CreateRet(Call);
    }
    return Watched;
  }

  void instrumentBlock(const std::vector<Access> &Block, Value *Base) {
    MDNode *Unlikely = MDBuilder(Ctx).createBranchWeights(1, 2000);
    IRBuilder<> B(Block.front().At);
    Value *ClockAddress = field(B, Base, Clock);
    Value *Now = B.CreateAdd(B.CreateLoad(B.getInt64Ty(), ClockAddress), B.getInt64(Block.size()));
    B.CreateStore(Now, ClockAddress);
    Value *Due = B.CreateICmpUGE(Now, B.CreateLoad(B.getInt64Ty(), field(B, Base, Turn)));
    Instruction *Then = SplitBlockAndInsertIfThen(Due, Block.front().At, false, Unlikely);
    IRBuilder<> Late(Then);
    Late.SetCurrentDebugLocation(Block.front().At->getDebugLoc());
    Late.CreateCall(TurnOver);

    B.SetInsertPoint(Block.front().At);
    Value *Watched = B.CreateLoad(B.getInt64Ty(), field(B, Base, Mask));
    for (const Access &A : Block) {
      B.SetInsertPoint(A.At);
      Value *Line = B.CreateLShr(B.CreatePtrToInt(A.Address, B.getInt64Ty()), LineShift);
      Value *Hash = B.CreateMul(Line, B.getInt64(HashFactor));
      Value *Chosen = B.CreateIsNull(B.CreateAnd(Hash, Watched));
      // What covers more than a line is always handed over: the runtime looks at each of its lines.
      if (auto *Bytes = dyn_cast<ConstantInt>(A.Bytes); !Bytes || Bytes->getZExtValue() > (1u << LineShift))
        Chosen = B.getTrue();
      Instruction *Call = SplitBlockAndInsertIfThen(Chosen, A.At, false, Unlikely);
      IRBuilder<> Inside(Call);
      Inside.SetCurrentDebugLocation(A.At->getDebugLoc());
      Inside.CreateCall(A.Writes ? Store : Load, {A.Address, Inside.CreateZExtOrTrunc(A.Bytes, Inside.getInt64Ty())});
    }
  }

  Module &M;
  const DataLayout &DL;
  LLVMContext &Ctx;
  GlobalVariable *State;
  FunctionCallee Load, Store, TurnOver, EnterNamed, Tell;
  std::map<const DIFile *, Constant *> Paths;
  std::vector<Constant *> Descriptions;
};

struct SharingPass : PassInfoMixin<SharingPass> {
  static PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return Instrumenter(M).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; } // without optimisation, too
};

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "stridewise-sharing", "1", [](PassBuilder &Builder) {
            Builder.registerOptimizerLastEPCallback(
                [](ModulePassManager &Manager, OptimizationLevel) { Manager.addPass(SharingPass()); });
          }};
}
