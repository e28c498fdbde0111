#include "checks/mpi-duplicate-exchange/FlowMoves.h"
#include "library/LibraryCalls.h"
#include "mpi/StableValues.h"
#include "unit/Counted.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

// From a stored value to what it is computed from.
constexpr unsigned MaxOperands = 6;
constexpr std::size_t MaxMet = 96;
// A function that reads or moves more does more than to exchange.
constexpr std::size_t MostReads = 96, MostMoves = 96;

enum Move : unsigned { Computed = 1, Message = 2 };
enum Messages : unsigned { Sends = 1, Receives = 2, Collects = 4, Half = 8 };

class MoveFinder {
public:
  MoveFinder(Function &F, FlowPaths &Paths, Unit &U)
      : F(F), M(MpiFunction::get(F, U.analyses())), Paths(Paths), TLI(U.analyses().getResult<TargetLibraryAnalysis>(F)),
        LI(U.analyses().getResult<LoopAnalysis>(F)), Fortran(U.isFortran()),
        Values(M, U.analyses().getResult<DominatorTreeAnalysis>(F)) {
    for (const MpiSite &S : M.sites())
      SiteOf[S.Call] = &S;
  }

  json::Value find() {
    for (const MpiSite &S : M.sites())
      for (Value *Buffer : {S.arg(S.Sig->Buffer), S.arg(S.Sig->RecvBuffer)})
        if (Buffer && Buffer->getType()->isPointerTy() && S.is(MpiSend | MpiRecv))
          Parts.try_emplace(first(Buffer), Parts.size());
    for (const MpiSite &S : M.sites())
      if (!add(S))
        return nullptr;
    const bool Both = (Said & Sends) && (Said & Receives);
    if ((Said & (Sends | Receives)) && !Both)
      Said |= Half;
    for (BasicBlock &BB : F)
      if (!isErrorPath(BB))
        for (Instruction &I : counted(BB))
          if (!add(I))
            return nullptr;
    if ((Both && passesOn()) || Read.size() > MostReads || Moves.size() > MostMoves)
      return nullptr;
    for (const FlowPath &From : Sent)
      for (const FlowPath &To : Received)
        move(From, To, Message);
    return write();
  }

private:
  // --- messages ------------------------------------------------------------------------------------------------------

  bool add(const MpiSite &S) {
    constexpr unsigned Others = MpiPersistent | MpiRma | MpiIo | MpiProbe | MpiLifecycle | MpiCommManagement | MpiSome |
                                MpiOutside | MpiSharedMemory;
    if ((S.is(MpiQuery) && !S.is(MpiCollective)) || S.is(MpiTimer) || S.is(MpiBarrier))
      return true;
    if (S.is(Others) || (S.is(MpiRecv) && M.isWildcard(S.source())))
      return false;
    if (S.is(MpiCollective))
      return addCollective(S);
    if (S.is(MpiSend)) {
      Said |= Sends;
      if (!reads(S.arg(S.Sig->Buffer)))
        return false;
      Sent.push_back(end(S.arg(S.Sig->Buffer)));
    }
    if (!S.is(MpiRecv))
      return true;
    Value *To = S.arg(S.is(MpiSend) ? S.Sig->RecvBuffer : S.Sig->Buffer);
    Said |= Receives;
    if (!To || !To->getType()->isPointerTy())
      return false;
    Received.push_back(end(To));
    fill(To);
    return Received.back().isKnown();
  }
  static bool isInPlace(const Value *V) {
    return isa<ConstantPointerNull>(V) || Operator::getOpcode(V->stripPointerCasts()) == Instruction::IntToPtr;
  }
  bool addCollective(const MpiSite &S) {
    Value *From = S.arg(S.Sig->Buffer), *To = S.arg(S.Sig->RecvBuffer);
    To = To ? To : From;
    if (!From || !To || !From->getType()->isPointerTy() || !To->getType()->isPointerTy())
      return false;
    From = isInPlace(From) ? To : From;
    To = isInPlace(To) ? From : To;
    const MpiDoes Does = S.Sig->Does;
    // Where one rank gives or takes, the others may be at other places of the program.
    const bool Sums = Does == MpiDoes::Allreduce || Does == MpiDoes::ReduceScatter || Does == MpiDoes::Alltoall;
    if ((!Sums && Does != MpiDoes::Allgather) || !reads(From))
      return false;
    Said |= Collects;
    const FlowPath Out = Paths.of(From).base(), In = Paths.of(To).base();
    fill(To);
    move(Out, In, Sums ? unsigned(Message | Computed) : unsigned(Message));
    return In.isKnown();
  }

  // What is received where it was sent from goes round a ring: each time, it is something new.
  bool passesOn() {
    std::set<std::string> SendBuffers, ReceiveBuffers;
    std::set<std::pair<const SCEV *, const SCEV *>> From, To; // with the number of elements
    std::set<const SCEV *> Packed, Unpacked;
    for (const MpiSite &S : M.sites()) {
      if (S.is(MpiSend)) {
        From.insert({first(S.arg(S.Sig->Buffer)), M.engine().rewrite(S.arg(S.Sig->Count))});
        SendBuffers.insert(baseOf(S.arg(S.Sig->Buffer)));
      }
      if (S.is(MpiRecv)) {
        const bool Both = S.is(MpiSend);
        Value *Into = S.arg(Both ? S.Sig->RecvBuffer : S.Sig->Buffer);
        To.insert({first(Into), M.engine().rewrite(S.arg(Both ? S.Sig->RecvCount : S.Sig->Count))});
        ReceiveBuffers.insert(baseOf(Into));
      }
    }
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto [Into, Out] = copied(I); Into && Out) {
          const std::string In = baseOf(Into), Source = baseOf(Out);
          if (In != Source && SendBuffers.contains(In))
            Packed.insert(first(Out));
          if (In != Source && ReceiveBuffers.contains(Source) && !SendBuffers.contains(In))
            Unpacked.insert(first(Into));
        }
    auto Meets = [](const auto &Direct, const std::set<const SCEV *> &Copied) {
      return any_of(Direct, [&](const auto &Each) { return Copied.contains(Each.first); });
    };
    return Meets(From, Unpacked) || Meets(To, Packed) ||
           any_of(To, [&](const auto &Each) { return From.contains(Each); }) ||
           any_of(Unpacked, [&](const SCEV *S) { return Packed.contains(S); });
  }
  static std::pair<Value *, Value *> copied(Instruction &I) {
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      return {Copy->getRawDest(), Copy->getRawSource()};
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Load = Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
    return Load ? std::pair(Store->getPointerOperand(), Load->getPointerOperand()) : std::pair<Value *, Value *>();
  }
  std::string baseOf(Value *V) { return Paths.of(V).base().text(); }
  // Where the loops around an access begin.
  const SCEV *first(Value *Pointer) {
    const SCEV *Address = Values.canonical(M.engine().rewrite(Pointer));
    while (const auto *Walk = dyn_cast<SCEVAddRecExpr>(Address))
      Address = Walk->getStart();
    return Address;
  }

  // --- memory --------------------------------------------------------------------------------------------------------

  // An array, or the part of a buffer of the function's own that is a message.
  FlowPath end(Value *Pointer) {
    FlowPath P = Paths.of(Pointer).base();
    if (auto It = P.isOwn() || Paths.isOfUnit(P) ? Parts.find(first(Pointer)) : Parts.end(); It != Parts.end())
      P.Last.Member = "part " + std::to_string(It->second);
    return P;
  }
  FlowPath endOfAccess(Value *Pointer, const Instruction &Access) {
    const FlowPath P = end(Pointer);
    return P.Last.Member.empty() ? Paths.ofAccess(Pointer, &Access) : P;
  }
  void fill(Value *To) {
    const FlowPath P = Paths.of(To).base();
    if (!P.isOwn())
      Filled.try_emplace(P.text(), P);
  }
  bool reads(Value *From, const Instruction *Load = nullptr) {
    if (!From || !From->getType()->isPointerTy())
      return false;
    FlowPath P = Paths.ofAccess(From, Load);
    if (!P.isKnown())
      return false;
    if (!P.isOwn() || !P.Steps.empty())
      Read.try_emplace(P.text(), P, Load ? kindOf(Load->getType()) : "m");
    return Read.size() <= MostReads;
  }
  void move(const FlowPath &From, const FlowPath &To, unsigned Bits) {
    auto &Known = Moves.try_emplace(From.text() + To.text(), From, To, 0u).first->second;
    std::get<2>(Known) |= Bits;
  }

  // Whether an instruction leaves the same behind when everything is done a second time, the clock's sums apart.
  bool add(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isSimple() && (isBookkeeping(*Load) || reads(Load->getPointerOperand(), Load));
    if (auto *Copy = dyn_cast<MemTransferInst>(&I))
      return addCopy(*Copy);
    if (auto *Set = dyn_cast<MemSetInst>(&I))
      return fill(Set->getRawDest()), Paths.of(Set->getRawDest()).isKnown();
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return Store->isSimple() && (isBookkeepingStore(*Store) || addStore(*Store));
    if (const auto *C = dyn_cast<CallBase>(&I))
      return isa<IntrinsicInst>(C) ? !I.mayWriteToMemory() || isa<MemIntrinsic>(C) || isHarmless(*C) : addCall(*C);
    return !I.mayWriteToMemory();
  }
  static bool isHarmless(const CallBase &C) {
    const auto *II = dyn_cast<IntrinsicInst>(&C);
    return II && (II->isLifetimeStartOrEnd() || II->isAssumeLikeIntrinsic() ||
                  II->getIntrinsicID() == Intrinsic::stacksave || II->getIntrinsicID() == Intrinsic::stackrestore);
  }
  bool addCall(const CallBase &C) {
    const LibraryCall *Known = findLibraryCall(C);
    if (!Known)
      return !C.isInlineAsm(); // of the project: the link phase knows
    if (Known->does(LibOutput | LibInput | LibOpens | LibRandom | LibState | LibCalls | LibLocks | LibSleeps))
      return false;
    for (const Use &A : C.args()) {
      if (!A->getType()->isPointerTy() || !Known->does(LibReads | LibWrites))
        continue;
      const FlowPath Behind = Paths.behind(A.get());
      if (!Behind.isKnown() || !reads(A.get()))
        return false;
      if (Paths.of(A.get()).Root[0] == 'L')
        Read.try_emplace(Behind.text(), Behind, "m");
      if ((Known->Writes >> C.getArgOperandNo(&A)) & 1)
        for (const Use &From : C.args())
          if (From->getType()->isPointerTy() && &From != &A) {
            move(Paths.of(From.get()).base(), Paths.of(A.get()).base(), Computed);
            move(Paths.behind(From.get()), Behind, Computed);
            fill(A.get());
          }
    }
    return true;
  }
  bool addCopy(MemTransferInst &Copy) {
    const FlowPath To = end(Copy.getRawDest()), From = end(Copy.getRawSource());
    if (!To.isKnown() || !reads(Copy.getRawSource()))
      return false;
    fill(Copy.getRawDest());
    move(From, To, 0);
    const auto *Apart = dyn_cast<SCEVConstant>(distance(Copy.getRawDest(), Copy.getRawSource()));
    const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    return !Apart || Apart->isZero() || (Length && Length->getValue().ule(Apart->getAPInt().abs().getZExtValue()));
  }
  const SCEV *distance(Value *To, Value *From) {
    ScalarEvolution &SE = M.engine().scalarEvolution();
    const SCEV *A = Values.canonical(M.engine().rewrite(To)), *B = Values.canonical(M.engine().rewrite(From));
    return SE.getPointerBase(A) == SE.getPointerBase(B) ? SE.getMinusSCEV(A, B) : SE.getCouldNotCompute();
  }
  // `u[i] = u[i - 1]`: along the loop, what is read was written before, or will be.
  bool shifts(Value *To, Value *From, const Loop *L) {
    const auto *Apart = dyn_cast<SCEVConstant>(distance(To, From));
    if (!Apart || Apart->isZero())
      return false;
    const std::uint64_t Bytes = Apart->getAPInt().abs().getZExtValue();
    for (; L; L = L->getParentLoop()) {
      const auto *Walk = dyn_cast<SCEVAddRecExpr>(M.engine().rewrite(To));
      for (; Walk && Walk->getLoop() != L; Walk = dyn_cast<SCEVAddRecExpr>(Walk->getStart()))
        ;
      const auto *Step = Walk ? dyn_cast<SCEVConstant>(Walk->getStepRecurrence(M.engine().scalarEvolution())) : nullptr;
      const std::uint64_t By = Step ? Step->getAPInt().abs().getZExtValue() : 0;
      const unsigned Trips = M.engine().tripCount(L);
      if (By && Bytes % By == 0 && (!Trips || Bytes / By < Trips))
        return true;
    }
    return false;
  }

  bool addStore(StoreInst &Store) {
    Value *Into = Store.getPointerOperand();
    const FlowPath To = endOfAccess(Into, Store);
    if (!To.isKnown())
      return false;
    Stored.insert(To.Root);
    Value *V = Store.getValueOperand();
    // A size or a pointer that the exchange keeps for itself is no field.
    if (V->getType()->isFPOrFPVectorTy() || !Paths.isOfUnit(To))
      fill(Into);
    SmallVector<std::pair<Value *, bool>, 16> Work{{V, false}}; // whether it is computed with
    SmallPtrSet<const Value *, 32> Seen[2];
    while (!Work.empty()) {
      auto [From, Now] = Work.pop_back_val();
      if (!Seen[Now].insert(From).second)
        continue;
      if (Seen[0].size() + Seen[1].size() > MaxMet)
        return false;
      auto *In = dyn_cast<Instruction>(From);
      if (auto *Load = dyn_cast_or_null<LoadInst>(In)) {
        const FlowPath Source = endOfAccess(Load->getPointerOperand(), *Load);
        if (!Source.isKnown() || (!Now && shifts(Into, Load->getPointerOperand(), LI.getLoopFor(Store.getParent()))))
          return false;
        move(Source, To, Now ? unsigned(Computed) : 0u);
      } else if (const auto *C = dyn_cast_or_null<CallBase>(In); C && !isa<IntrinsicInst>(C)) {
        if (!addResult(*C, To))
          return false;
      } else if (In) {
        follow(*In, Now, Work);
      }
    }
    return Moves.size() <= MostMoves;
  }
  // Numbers that change their sign at most stay what they were.
  static void follow(Instruction &In, bool Now, SmallVectorImpl<std::pair<Value *, bool>> &Work) {
    if (isa<PHINode, CastInst, SelectInst, ExtractValueInst, InsertValueInst>(In)) {
      for (Value *Op : drop_begin(In.operand_values(), isa<SelectInst>(In) ? 1 : 0))
        Work.emplace_back(Op, Now);
      return;
    }
    if (In.getOpcode() == Instruction::FNeg)
      return void(Work.emplace_back(In.getOperand(0), Now));
    if (In.getOpcode() == Instruction::FMul)
      for (unsigned K : {0u, 1u})
        if (isSign(In.getOperand(K)))
          return void(Work.emplace_back(In.getOperand(1 - K), Now));
    if (isa<GetElementPtrInst>(In))
      return void(Work.emplace_back(In.getOperand(0), Now));
    for (Value *Op : In.operand_values())
      Work.emplace_back(Op, true);
  }
  static bool isSign(const Value *V, unsigned Depth = 3) {
    if (const auto *C = dyn_cast<ConstantFP>(V))
      return C->isExactlyValue(1.0) || C->isExactlyValue(-1.0);
    if (Depth == 0 || !isa<PHINode, SelectInst>(V))
      return false;
    const auto *In = cast<Instruction>(V);
    return all_of(drop_begin(In->operand_values(), isa<SelectInst>(In) ? 1 : 0),
                  [&](const Value *Op) { return isSign(Op, Depth - 1); });
  }
  // What a call gave: fresh memory, or a result of what it read.
  bool addResult(const CallBase &C, const FlowPath &To) {
    if (C.getType()->isPointerTy() && !findMpiCall(C))
      return true;
    const LibraryCall *Known = findLibraryCall(C);
    if (!Known || Known->does(LibClock | LibRandom | LibState | LibInput))
      return false;
    for (const Use &A : C.args())
      if (A->getType()->isPointerTy()) {
        move(Paths.of(A.get()).base(), To, Computed);
        move(Paths.behind(A.get()), To, Computed);
      } else if (auto *In = dyn_cast<Instruction>(A.get()); In && !isa<LoadInst>(In)) {
        return false;
      } else if (auto *Load = dyn_cast<LoadInst>(A.get())) {
        move(Paths.ofAccess(Load->getPointerOperand(), Load), To, Computed);
      }
    return true;
  }

  // A sum of seconds or of calls in a variable or a record: nothing that is sent.
  bool isBookkeepingStore(const StoreInst &Store) {
    if (!dependsOnItself(Store) || LI.getLoopFor(Store.getParent()))
      return false;
    return Store.getValueOperand()->getType()->isIntegerTy() || fromClock(Store.getValueOperand(), MaxOperands);
  }
  // `u[i] += …`, `count++`
  bool dependsOnItself(const StoreInst &Store) {
    const SCEV *To = M.engine().rewrite(const_cast<Value *>(Store.getPointerOperand()));
    SmallVector<const Value *, 8> Work{Store.getValueOperand()};
    for (std::size_t Met = 0; !Work.empty() && Met < MaxMet; ++Met) {
      const auto *In = dyn_cast<Instruction>(Work.pop_back_val());
      if (!In || isa<CallBase>(In))
        continue;
      if (const auto *Load = dyn_cast<LoadInst>(In)) {
        if (M.engine().rewrite(const_cast<Value *>(Load->getPointerOperand())) == To)
          return true;
        continue;
      }
      for (const Value *Op : In->operands())
        Work.push_back(Op);
    }
    return false;
  }
  bool fromClock(const Value *V, unsigned Depth) {
    const auto *In = dyn_cast<Instruction>(V);
    if (!In || Depth == 0)
      return false;
    if (const auto *C = dyn_cast<CallBase>(In)) {
      auto It = SiteOf.find(C);
      const LibraryCall *Known = findLibraryCall(*C);
      return (It != SiteOf.end() && It->second->is(MpiTimer)) || (Known && Known->does(LibClock));
    }
    return any_of(In->operands(), [&](const Use &Op) { return fromClock(Op.get(), Depth - 1); });
  }
  bool isBookkeeping(const LoadInst &Load) {
    return any_of(Load.users(), [&](const User *Each) {
      const auto *In = dyn_cast<Instruction>(Each);
      return In && any_of(In->users(), [&](const User *S) {
               const auto *Store = dyn_cast<StoreInst>(S);
               return Store && isBookkeepingStore(*Store) && Load.hasOneUse();
             });
    });
  }

  // --- what is written -----------------------------------------------------------------------------------------------

  // Leaves out what is no more than a buffer on the way, which each exchange fills anew.
  json::Value write() {
    const std::set<std::string> Scratch = scratch();
    json::Array Needs, Arrays, All;
    std::set<std::string> Kept;
    for (const auto &[Text, Each] : Read) {
      const FlowPath &P = Each.first;
      FlowPath Slot = P;
      Slot.Last.Member.clear();
      const bool Described = P.Steps.empty() && Scratch.contains("descriptor " + P.Root);
      const bool Buffer = Described || Scratch.contains(P.base().text()) || Scratch.contains("slot " + Slot.text()) ||
                          (Paths.isOfUnit(P) && Stored.contains(P.Root));
      if (!Buffer && Kept.insert(Text).second)
        Needs.push_back(json::Array{P.toJson(), Each.second});
    }
    for (const auto &[Base, P] : Filled)
      if (!Scratch.contains(Base) && !(P.Steps.empty() && Scratch.contains("descriptor " + P.Root)))
        Arrays.push_back(P.toJson());
    for (const auto &[Key, Each] : Moves)
      All.push_back(json::Array{std::get<0>(Each).toJson(), std::get<1>(Each).toJson(), std::get<2>(Each)});
    return json::Object{{"reads", std::move(Needs)},
                        {"arrays", std::move(Arrays)},
                        {"moves", std::move(All)},
                        {"tags", tags()},
                        {"messages", Said}};
  }
  std::set<std::string> scratch() {
    std::set<std::string> SendBuffers, ReceiveBuffers, Out;
    for (const MpiSite &S : M.sites()) {
      if (S.is(MpiSend))
        SendBuffers.insert(baseOf(S.arg(S.Sig->Buffer)));
      if (S.is(MpiRecv))
        ReceiveBuffers.insert(baseOf(S.arg(S.is(MpiSend) ? S.Sig->RecvBuffer : S.Sig->Buffer)));
    }
    auto Add = [&](Value *V) {
      Out.insert(baseOf(V));
      FlowPath Slot = Paths.of(V);
      if (Slot.Steps.empty())
        return;
      Slot.Last = Slot.Steps.back();
      Slot.Last.Member.clear();
      Slot.Steps.pop_back();
      Out.insert("slot " + Slot.text());
      // The other numbers of an array's descriptor.
      if (Fortran && Slot.Steps.empty() && Slot.Root[0] == '@')
        Out.insert("descriptor " + Slot.Root);
    };
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto [To, From] = copied(I); To && From) {
          const std::string Into = baseOf(To), Source = baseOf(From);
          const bool Packs =
              !ReceiveBuffers.contains(Source) || (!ReceiveBuffers.contains(Into) && reachesSend(I, Into));
          if (SendBuffers.contains(Into) && Into != Source && Packs)
            Add(To);
          if (ReceiveBuffers.contains(Source) && Into != Source && !SendBuffers.contains(Into))
            Add(From);
        }
    return Out;
  }

  bool reachesSend(const Instruction &I, const std::string &Base) {
    return any_of(M.sites(), [&](const MpiSite &S) {
      return S.is(MpiSend) && baseOf(S.arg(S.Sig->Buffer)) == Base && M.reaches(&I, S.Call);
    });
  }

  // Parameters that are nothing but a part of tags.
  json::Array tags() {
    json::Array Out;
    for (Argument &A : F.args())
      if (!A.use_empty() && onlyTag(A, 2))
        Out.push_back(A.getArgNo());
    return Out;
  }
  bool onlyTag(const Value &V, unsigned Depth) {
    return all_of(V.uses(), [&](const Use &Each) {
      const auto *C = dyn_cast<CallBase>(Each.getUser());
      auto It = C ? SiteOf.find(C) : SiteOf.end();
      if (It != SiteOf.end() && C->isArgOperand(&Each)) {
        const int At = int(C->getArgOperandNo(&Each));
        return At == It->second->Sig->Tag || At == It->second->Sig->RecvTag;
      }
      const auto *Sum = dyn_cast<BinaryOperator>(Each.getUser());
      return Sum && Depth && isa<Constant>(Sum->getOperand(1)) && onlyTag(*Sum, Depth - 1);
    });
  }

  Function &F;
  MpiFunction &M;
  FlowPaths &Paths;
  const TargetLibraryInfo &TLI;
  const LoopInfo &LI;
  const bool Fortran;
  StableValues Values;
  DenseMap<const Instruction *, const MpiSite *> SiteOf;
  unsigned Said = 0;
  DenseMap<const SCEV *, unsigned> Parts; // where messages begin
  std::vector<FlowPath> Sent, Received;
  std::map<std::string, std::pair<FlowPath, StringRef>> Read; // with kindOf() what is read
  std::map<std::string, FlowPath> Filled;                     // what is written but for sums of seconds
  std::map<std::string, std::tuple<FlowPath, FlowPath, unsigned>> Moves;
  std::set<std::string> Stored; // roots
};

} // namespace

json::Value flowMoves(Function &F, FlowPaths &Paths, Unit &U) { return MoveFinder(F, Paths, U).find(); }

} // namespace stridewise
