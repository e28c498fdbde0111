#include "mpi/RankFacts.h"
#include "unit/Counted.h"
#include "unit/OwnDecls.h"
#include "unit/Visitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace stridewise {

// Parts of a joined comparison.
static constexpr unsigned MaxJoined = 8;

const Value *RankFacts::stripCasts(const Value *V) {
  while (const auto *C = dyn_cast<Instruction>(V)) {
    if (!isa<SExtInst, ZExtInst, TruncInst, FreezeInst>(C))
      break;
    V = C->getOperand(0);
  }
  return V;
}

// --- source ----------------------------------------------------------------------------------------------------------

CommName RankFacts::memberName(const clang::FieldDecl *F) { return "member " + F->getQualifiedNameAsString(); }

static const clang::ValueDecl *namedBy(const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Member = dyn_cast<clang::MemberExpr>(E))
    return Member->getMemberDecl();
  if (const auto *Ref = dyn_cast<clang::DeclRefExpr>(E))
    return Ref->getDecl();
  return nullptr;
}

CommName RankFacts::communicatorOf(const clang::Expr *E) const {
  E = E->IgnoreParenCasts();
  if (const auto *Literal = dyn_cast<clang::IntegerLiteral>(E))
    return Literal->getValue() == 0x44000000 ? "world" : Literal->getValue() == 0x44000001 ? "self" : "";
  if (const auto *Unary = dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_AddrOf)
    E = Unary->getSubExpr()->IgnoreParenCasts();
  const clang::ValueDecl *D = namedBy(E);
  if (const auto *Field = dyn_cast_or_null<clang::FieldDecl>(D))
    return memberName(Field);
  const auto *Variable = dyn_cast_or_null<clang::VarDecl>(D);
  if (!Variable || !Variable->hasGlobalStorage())
    return {};
  StringRef Name = Variable->getName();
  return Name == "ompi_mpi_comm_world"  ? "world"
         : Name == "ompi_mpi_comm_self" ? "self"
                                        : ("global " + Name + "+0").str();
}

// Members of records that a query fills, and what is copied from them or to them: `MPI_Comm_rank(grid->comm,
// &grid->rank)`, `this->rank = rank`, `Solver(rank)`.
struct RankFacts::VariableFlow : Visitor<RankFacts::VariableFlow> {
  RankFacts &Facts;
  // What each variable gets; null for anything that is no variable.
  std::map<const clang::ValueDecl *, std::vector<const clang::ValueDecl *>> Sources;
  explicit VariableFlow(RankFacts &Facts) : Facts(Facts) { ShouldVisitTemplateInstantiations = true; }
  void assign(const clang::ValueDecl *To, const clang::Expr *From) {
    if (!To || !From || !To->getType()->isIntegerType())
      return;
    const clang::ValueDecl *D = namedBy(From);
    clang::Expr::EvalResult Constant;
    if (D || isa<clang::ParmVarDecl>(To) || From->isValueDependent() || !From->EvaluateAsInt(Constant, Facts.U.ast()))
      Sources[To].push_back(D);
  }
  bool VisitMemberExpr(clang::MemberExpr *E) override {
    const auto *Field = dyn_cast<clang::FieldDecl>(E->getMemberDecl());
    if (Field && (Field->getType()->isIntegerType() || Field->getType()->isPointerType())) {
      const clang::SourceManager &SM = Facts.U.sources();
      Facts.Members[SM.getDecomposedLoc(SM.getExpansionLoc(E->getMemberLoc()))] = Field;
    }
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *E) override {
    if (E->getOpcode() == clang::BO_Assign)
      assign(namedBy(E->getLHS()), E->getRHS());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *D) override {
    if (!isa<clang::ParmVarDecl>(D))
      assign(D, D->getInit());
    return true;
  }
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer *I) override {
    if (I->isMemberInitializer())
      assign(I->getMember(), I->getInit());
    return Visitor::TraverseConstructorInitializer(I);
  }
  void passes(const clang::FunctionDecl *F, llvm::iterator_range<clang::CallExpr::arg_iterator> Arguments) {
    if (!F)
      return;
    if (const clang::FunctionDecl *Definition = F->getDefinition())
      for (auto [Parameter, Argument] : llvm::zip(Definition->parameters(), Arguments))
        assign(Parameter, Argument);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *E) override {
    passes(E->getConstructor(), E->arguments());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *E) override {
    if (isa<clang::CXXOperatorCallExpr>(E))
      return true;
    const MpiSignature *Sig = findMpiCall(*E);
    if (!Sig) {
      passes(E->getDirectCallee(), E->arguments());
      return true;
    }
    Table *T = Facts.toldBy(*Sig);
    if (!T || E->getNumArgs() != 2)
      return true;
    const auto *Filled = dyn_cast<clang::UnaryOperator>(E->getArg(1)->IgnoreParenImpCasts());
    if (Filled && Filled->getOpcode() == clang::UO_AddrOf)
      if (const clang::ValueDecl *D = namedBy(Filled->getSubExpr()))
        T->Variables[D] = Facts.communicatorOf(E->getArg(0));
    return true;
  }
};

void RankFacts::collectVariables() {
  VariableFlow V(*this);
  for (clang::Decl *D : ownDecls(U.ast()))
    V.TraverseDecl(D);
  for (const auto &[To, From] : V.Sources)
    Reassigned.insert(To);
  for (Table *T : {&Ranks, &Sizes})
    for (bool Changed = !T->Variables.empty(); Changed;) {
      Changed = false;
      for (const auto &[To, From] : V.Sources) {
        if (T->Variables.contains(To) ||
            !all_of(From, [&](const clang::ValueDecl *D) { return D && T->Variables.contains(D); }))
          continue;
        CommName Comm = T->Variables.lookup(From.front());
        T->Variables[To] = Comm;
        Changed = true;
      }
    }
}

const clang::FieldDecl *RankFacts::memberAt(const Instruction &I) const {
  if (Members.empty() || !I.getDebugLoc())
    return nullptr;
  clang::SourceLocation Where = U.locate(I.getDebugLoc());
  if (Where.isInvalid())
    return nullptr;
  auto It = Members.find(U.sources().getDecomposedLoc(Where));
  return It == Members.end() ? nullptr : It->second;
}

// The member that begins at a bit of a record.
static const clang::FieldDecl *memberOf(const clang::RecordDecl *R, std::uint64_t Bit, const clang::ASTContext &Ctx) {
  if (!R || R->isInvalidDecl() || !R->isCompleteDefinition() || R->isUnion())
    return nullptr;
  for (const clang::FieldDecl *F : R->fields()) {
    const std::uint64_t Begin = Ctx.getFieldOffset(F);
    if (F->isBitField() || Bit < Begin || Bit >= Begin + Ctx.getTypeSize(F->getType()))
      continue;
    if (const auto *Inner = F->getType()->getAsRecordDecl())
      return memberOf(Inner, Bit - Begin, Ctx);
    return Bit == Begin ? F : nullptr;
  }
  return nullptr;
}

// Small records that are passed by value come in registers: `p.coerce0`, `p.coerce1`, of eight bytes each.
const clang::FieldDecl *RankFacts::memberAt(const Argument &A, unsigned Bit) const {
  auto [Name, Register] = A.getName().split(".coerce");
  unsigned Number = 0;
  if (Name.size() == A.getName().size() || !A.getType()->isIntegerTy() ||
      (!Register.empty() && Register.getAsInteger(10, Number)))
    return nullptr;
  auto [It, New] = Sources.try_emplace(A.getParent(), nullptr);
  if (New)
    for (const Instruction &I : counted(instructions(*A.getParent())))
      if (I.getDebugLoc())
        if (clang::SourceLocation Where = U.locate(I.getDebugLoc(), /*Outermost=*/true); Where.isValid()) {
          It->second = U.functionAt(Where);
          break;
        }
  if (It->second)
    for (const clang::ParmVarDecl *P : It->second->parameters())
      if (P->getName() == Name)
        return memberOf(P->getType()->getAsRecordDecl(), Bit + 64 * Number, U.ast());
  return nullptr;
}

const clang::FieldDecl *RankFacts::passedMember(const Value *V) const {
  V = stripCasts(V);
  unsigned Bit = 0;
  if (const auto *Shift = dyn_cast<BinaryOperator>(V); Shift && Shift->isLogicalShift())
    if (const auto *By = dyn_cast<ConstantInt>(Shift->getOperand(1));
        By && Shift->getOpcode() == Instruction::LShr && By->getValue().ult(64)) {
      Bit = By->getZExtValue();
      V = Shift->getOperand(0);
    }
  const auto *A = dyn_cast<Argument>(V);
  return A ? memberAt(*A, Bit) : nullptr;
}

// --- values ----------------------------------------------------------------------------------------------------------

RankFacts::Address RankFacts::addressOf(const Value *Pointer, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

CommName RankFacts::communicator(Value *Comm, unsigned Depth) const {
  if (const auto *C = dyn_cast<ConstantInt>(Comm))
    return C->getZExtValue() == 0x44000000 ? "world" : C->getZExtValue() == 0x44000001 ? "self" : "";
  if (const auto *G = dyn_cast<GlobalVariable>(Comm->stripPointerCasts()))
    return G->getName() == "ompi_mpi_comm_world" ? "world" : G->getName() == "ompi_mpi_comm_self" ? "self" : "";
  if (const auto *A = dyn_cast<Argument>(Comm)) {
    if (auto It = Communicators.find(A); It != Communicators.end() && !It->second.empty())
      return It->second;
  } else if (const auto *Load = dyn_cast<LoadInst>(Comm)) {
    Address At = addressOf(Load->getPointerOperand(), Load->getModule()->getDataLayout());
    if (auto It = Copies.find(At); It != Copies.end())
      return It->second;
    if (isa<GlobalVariable>(At.first))
      return ("global " + At.first->getName() + "+" + Twine(At.second)).str();
    // A copy in a local object that is written once.
    if (isa<AllocaInst>(At.first) && Depth < 4) {
      Value *Only = nullptr;
      unsigned Stores = 0;
      for (const Instruction &I : counted(instructions(*Load->getFunction())))
        if (const auto *St = dyn_cast<StoreInst>(&I);
            St && addressOf(St->getPointerOperand(), Load->getModule()->getDataLayout()) == At) {
          Only = const_cast<Value *>(St->getValueOperand());
          ++Stores;
        }
      if (Stores == 1)
        return communicator(Only, Depth + 1);
    }
    if (const clang::FieldDecl *Field = memberAt(*Load))
      return memberName(Field);
    return "at " + std::to_string(reinterpret_cast<std::uintptr_t>(At.first)) + "+" + std::to_string(At.second);
  }
  return "value " + std::to_string(reinterpret_cast<std::uintptr_t>(Comm));
}

std::optional<CommName> RankFacts::find(const Value *V, const Table &T) const {
  V = stripCasts(V);
  // Loop rotation makes several loads of one variable.
  if (const auto *Phi = dyn_cast<PHINode>(V)) {
    std::optional<CommName> Comm;
    for (const Value *In : Phi->incoming_values()) {
      if (In == Phi)
        continue;
      std::optional<CommName> Of = isa<PHINode>(stripCasts(In)) ? std::nullopt : find(In, T);
      if (!Of || (Comm && *Comm != *Of))
        return std::nullopt;
      Comm = Of;
    }
    return Comm;
  }
  if (isa<Argument, BinaryOperator>(V) && !T.Variables.empty())
    if (const clang::FieldDecl *Field = passedMember(V)) {
      auto It = T.Variables.find(Field);
      return It == T.Variables.end() ? std::nullopt : std::optional(It->second);
    }
  if (const auto *A = dyn_cast<Argument>(V)) {
    auto It = T.Arguments.find(A);
    return It == T.Arguments.end() ? std::nullopt : std::optional(It->second);
  }
  if (const auto *Call = dyn_cast<CallInst>(V)) {
    auto It = T.Calls.find(Call->getCalledFunction());
    return It == T.Calls.end() ? std::nullopt : std::optional(It->second);
  }
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load)
    return std::nullopt;
  if (auto It = T.Places.find(addressOf(Load->getPointerOperand(), Load->getModule()->getDataLayout()));
      It != T.Places.end())
    return It->second;
  const clang::FieldDecl *Field = T.Variables.empty() ? nullptr : memberAt(*Load);
  if (!Field)
    return std::nullopt;
  auto It = T.Variables.find(Field);
  return It == T.Variables.end() ? std::nullopt : std::optional(It->second);
}

std::optional<CommName> RankFacts::rankTerm(const Value *V, unsigned Depth) const {
  V = stripCasts(V);
  if (std::optional<CommName> Comm = rank(V))
    return Comm;
  const auto *Op = dyn_cast<BinaryOperator>(V);
  if (!Op || Depth > 3)
    return std::nullopt;
  for (unsigned K : {0u, 1u})
    if (isa<ConstantInt>(Op->getOperand(1 - K)) || size(Op->getOperand(1 - K)))
      if (std::optional<CommName> Comm = rankTerm(Op->getOperand(K), Depth + 1))
        return Comm;
  return std::nullopt;
}

bool RankFacts::dependsOnSize(const Value *V, unsigned Depth) const {
  V = stripCasts(V);
  if (size(V))
    return true;
  if (Depth > 3)
    return false;
  if (const auto *Op = dyn_cast<BinaryOperator>(V))
    return any_of(Op->operands(), [&](const Use &Part) { return dependsOnSize(Part, Depth + 1); });
  if (const auto *M = dyn_cast<MinMaxIntrinsic>(V))
    return dependsOnSize(M->getLHS(), Depth + 1) || dependsOnSize(M->getRHS(), Depth + 1);
  return false;
}

bool RankFacts::takesTurns(const Guard &G, const BranchInst &Br, const LoopInfo &LI) {
  if (!G.Equality || !G.Root)
    return false;
  for (const Loop *L = LI.getLoopFor(Br.getParent()); L; L = L->getParentLoop())
    if (!L->isLoopInvariant(G.Root))
      return true;
  return false;
}

// A comparison of a register's upper part with zero: register < 1 << 32.
std::optional<RankFacts::Guard> RankFacts::packedRank(const ICmpInst &Compare) const {
  const auto *Limit = dyn_cast<ConstantInt>(Compare.getOperand(1));
  const auto *Register = dyn_cast<Argument>(Compare.getOperand(0));
  const bool Below = Compare.getPredicate() == CmpInst::ICMP_ULT;
  if (!Limit || !Register || (!Below && Compare.getPredicate() != CmpInst::ICMP_UGT))
    return std::nullopt;
  const APInt Bound = Below ? Limit->getValue() : Limit->getValue() + 1;
  const clang::FieldDecl *Field = Bound.isPowerOf2() && Bound.ugt(1) ? memberAt(*Register, Bound.logBase2()) : nullptr;
  auto It = Field ? Ranks.Variables.find(Field) : Ranks.Variables.end();
  if (It == Ranks.Variables.end())
    return std::nullopt;
  Guard G;
  G.Comm = It->second;
  G.Equality = true;
  G.OneOnTrue = Below;
  G.Root = ConstantInt::get(Type::getInt32Ty(Compare.getContext()), 0);
  return G;
}

// Whether a comparison tells one rank from all others, and if so, whether the one takes the arm of `true`.
static std::optional<bool> oneOnTrue(const ICmpInst &Compare, const Value *Other, bool RankFirst) {
  // `rank > 0`, `rank < 1`: instcombine leaves these for signed numbers.
  if (const auto *C = dyn_cast<ConstantInt>(Other); C && RankFirst) {
    if (Compare.getPredicate() == CmpInst::ICMP_SGT && C->isZero())
      return false;
    if (Compare.getPredicate() == CmpInst::ICMP_SLT && C->isOne())
      return true;
  }
  return Compare.isEquality() ? std::optional(Compare.getPredicate() == CmpInst::ICMP_EQ) : std::nullopt;
}

// `rank == 0 && step == 0` as one comparison, that of `rank | step` with 0.
std::optional<RankFacts::Guard> RankFacts::joinedRank(const ICmpInst &Compare) const {
  if (!Compare.isEquality() || !match(Compare.getOperand(1), m_Zero()))
    return std::nullopt;
  SmallVector<Value *, 4> Parts{Compare.getOperand(0)};
  for (std::size_t Next = 0; Next < Parts.size() && Parts.size() < MaxJoined; ++Next) {
    Value *A, *B;
    if (match(Parts[Next], m_Or(m_Value(A), m_Value(B))))
      Parts.append({A, B});
    else if (const std::optional<CommName> Comm = Parts.size() > 1 ? rank(Parts[Next]) : std::nullopt) {
      Guard G;
      G.Comm = *Comm;
      G.Whole = false;
      G.Equality = true;
      G.OneOnTrue = Compare.getPredicate() == CmpInst::ICMP_EQ;
      G.Root = Compare.getOperand(1);
      return G;
    }
  }
  return std::nullopt;
}

std::optional<RankFacts::Guard> RankFacts::comparison(const ICmpInst &Compare, bool Calls) const {
  if (std::optional<Guard> Packed = packedRank(Compare))
    return Packed;
  if (std::optional<Guard> Joined = joinedRank(Compare))
    return Joined;
  Guard G;
  for (unsigned K : {0u, 1u}) {
    const Value *Mine = Compare.getOperand(K), *Other = Compare.getOperand(1 - K);
    if (rankTerm(Other))
      continue;
    if (std::optional<CommName> Comm = rankTerm(Mine)) {
      G.Comm = *Comm;
      G.Root = Other;
      std::optional<bool> One = rank(Mine) ? oneOnTrue(Compare, Other, K == 0) : std::nullopt;
      G.Equality = One.has_value();
      G.OneOnTrue = One.value_or(Compare.getPredicate() == CmpInst::ICMP_EQ);
      return G;
    }
    if (!Calls || !(isa<Constant>(Other) || size(Other)))
      continue;
    G.Asked = askedName(stripCasts(Mine));
    if (G.Asked.empty())
      continue;
    G.Root = Other;
    G.Equality = Compare.isEquality();
    G.OneOnTrue = Compare.getPredicate() == CmpInst::ICMP_EQ;
    return G;
  }
  return std::nullopt;
}

std::optional<RankFacts::Guard> RankFacts::guard(const Value *V) const { return guard(V, 0, false); }

std::optional<RankFacts::Guard> RankFacts::guard(const Value *V, unsigned Depth, bool Calls) const {
  if (Depth > 6)
    return std::nullopt;
  Value *A, *B;
  auto *Mutable = const_cast<Value *>(V); // matching binds what it finds as such
  if (match(Mutable, m_Not(m_Value(A)))) {
    std::optional<Guard> G = guard(A, Depth + 1, Calls);
    if (G)
      G->OneOnTrue = !G->OneOnTrue;
    return G;
  }
  bool And = match(Mutable, m_LogicalAnd(m_Value(A), m_Value(B)));
  if (And || match(Mutable, m_LogicalOr(m_Value(A), m_Value(B)))) {
    std::optional<Guard> First = guard(A, Depth + 1, Calls), Second = guard(B, Depth + 1, Calls);
    if (!First)
      std::swap(First, Second);
    if (First && !Second) {
      First->Whole = false;
      First->Equality = First->Equality && And == First->OneOnTrue;
    }
    return First;
  }
  if (const auto *Compare = dyn_cast<ICmpInst>(V))
    return comparison(*Compare, Calls);
  // A rank used as a truth value, and flags like `is_root`.
  if (const auto *Trunc = dyn_cast<TruncInst>(V))
    if (std::optional<CommName> Comm = rankTerm(Trunc->getOperand(0))) {
      Guard G;
      G.Comm = *Comm;
      return G;
    }
  return std::nullopt;
}

// --- propagation -----------------------------------------------------------------------------------------------------

bool RankFacts::learn(Table &T, Instruction &I) {
  if (auto *St = dyn_cast<StoreInst>(&I)) {
    if (!St->getValueOperand()->getType()->isIntegerTy())
      return false;
    std::optional<CommName> Comm = find(St->getValueOperand(), T);
    if (!Comm)
      return false;
    Address At = addressOf(St->getPointerOperand(), I.getModule()->getDataLayout());
    return isa<GlobalVariable>(At.first) && T.Places.try_emplace(At, *Comm).second;
  }
  auto *C = dyn_cast<CallBase>(&I);
  Function *Callee = C ? C->getCalledFunction() : nullptr;
  if (!Callee || Callee->isDeclaration())
    return false;
  bool Changed = false;
  for (unsigned K = 0; K < std::min<unsigned>(C->arg_size(), Callee->arg_size()); ++K)
    if (C->getArgOperand(K)->getType()->isIntegerTy())
      if (std::optional<CommName> Comm = find(C->getArgOperand(K), T)) {
        // The caller's names mean nothing in the callee, unless they are those of the program.
        if (!isGlobalName(*Comm))
          for (unsigned P = 0; P < std::min<unsigned>(C->arg_size(), Callee->arg_size()); ++P)
            if (P != K && communicator(C->getArgOperand(P)) == *Comm)
              Comm = communicator(Callee->getArg(P));
        Changed |= T.Arguments.try_emplace(Callee->getArg(K), *Comm).second;
      }
  return Changed;
}

RankFacts::Table *RankFacts::toldBy(const MpiSignature &Sig) {
  if (Sig.Does == MpiDoes::Rank && Sig.Comm >= 0)
    return &Ranks;
  return Sig.Does == MpiDoes::Size ? &Sizes : nullptr;
}

// The function of the unit that a call runs; null for other calls and anything else.
static Function *definedCallee(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  Function *Callee = C ? C->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

static unsigned passedArguments(const CallBase &C, const Function &Callee) {
  return std::min<unsigned>(C.arg_size(), Callee.arg_size());
}

// Arguments that every caller of the unit sets to one of the predefined communicators.
void RankFacts::collectCommunicators(ArrayRef<Instruction *> Carriers) {
  for (Instruction *I : Carriers) {
    Function *Callee = definedCallee(*I);
    if (!Callee)
      continue;
    const auto &C = cast<CallBase>(*I);
    for (unsigned K = 0; K < passedArguments(C, *Callee); ++K) {
      Value *Passed = C.getArgOperand(K);
      CommName Name = isa<Constant>(Passed) ? communicator(Passed) : "";
      auto [It, New] = Communicators.try_emplace(Callee->getArg(K), Name);
      if (!New && It->second != Name)
        It->second.clear();
    }
  }
}

// The variables that MPI's calls fill: copies of communicators first, since ranks are told of these, too.
void RankFacts::collectQueries(Module &M) {
  const DataLayout &DL = M.getDataLayout();
  auto ForEachCall = [&](function_ref<bool(const MpiSignature &)> Wanted, auto Handle) {
    for (Function &Callee : M) {
      const MpiSignature *Sig = Callee.isDeclaration() ? findMpiCall(Callee.getName()) : nullptr;
      if (!Sig || !Wanted(*Sig))
        continue;
      for (User *Use : Callee.users())
        if (auto *C = dyn_cast<CallBase>(Use); C && C->arg_size() == 2)
          Handle(*C, *Sig);
    }
  };
  ForEachCall([](const MpiSignature &Sig) { return Sig.Does == MpiDoes::Duplicate; },
              [&](CallBase &C, const MpiSignature &) {
                Copies[addressOf(C.getArgOperand(1), DL)] = communicator(C.getArgOperand(0));
              });
  ForEachCall([&](const MpiSignature &Sig) { return toldBy(Sig) != nullptr; },
              [&](CallBase &C, const MpiSignature &Sig) {
                toldBy(Sig)->Places[addressOf(C.getArgOperand(1), DL)] = communicator(C.getArgOperand(0));
              });
}

void RankFacts::propagate(ArrayRef<Instruction *> Carriers) {
  for (unsigned Round = 0; Round < 4; ++Round) {
    bool Changed = false;
    for (Instruction *I : Carriers)
      for (Table *T : {&Ranks, &Sizes})
        Changed |= learn(*T, *I);
    if (!Changed)
      break;
  }
}

// Parameters that get other numbers as well.
void RankFacts::dropMixed(ArrayRef<Instruction *> Carriers) {
  for (Instruction *I : Carriers) {
    Function *Callee = definedCallee(*I);
    if (!Callee)
      continue;
    const auto &C = cast<CallBase>(*I);
    for (unsigned K = 0; K < passedArguments(C, *Callee); ++K)
      for (Table *T : {&Ranks, &Sizes})
        if (T->Arguments.contains(Callee->getArg(K)) && !find(C.getArgOperand(K), *T))
          T->Arguments.erase(Callee->getArg(K));
  }
}

RankFacts::RankFacts(Unit &U) : U(U) {
  Module *M = U.mpiCalls() ? U.ir() : nullptr;
  if (!M)
    return;
  collectVariables();
  std::vector<Instruction *> Carriers; // what hands numbers on
  for (Function &F : *M)
    for (Instruction &I : counted(instructions(F)))
      if (isa<StoreInst>(I) || definedCallee(I))
        Carriers.push_back(&I);
  collectCommunicators(Carriers);
  collectQueries(*M);
  learnFromOthers(*M, Carriers);
  propagate(Carriers);
  dropMixed(Carriers);
}

} // namespace stridewise
