#include "checks/build-missed-vectorization/CalledFormulas.h"
#include "library/LibraryCalls.h"
#include "library/MpiCall.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "build-missed-vectorization";
// A longer body is more than a formula, and loads that lead from one another are hardly the address of a function.
constexpr unsigned MaxInstructions = 200, MaxArguments = 12, MaxLoads = 6;

bool isMath(const Function &Callee, const TargetLibraryInfo &TLI) {
  LibFunc Known;
  return Callee.getReturnType()->isFloatingPointTy() && TLI.getLibFunc(Callee, Known);
}

bool staysTheSame(const Value *V, const Loop &L, StrideEngine &Engine, unsigned Depth = 0) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return true;
  if (Depth > MaxLoads)
    return false;
  if (isa<LoadInst, CastInst, GetElementPtrInst>(I))
    return all_of(I->operands(), [&](const Value *Of) { return staysTheSame(Of, L, Engine, Depth + 1); });
  return I->getType()->isIntegerTy() && !Engine.varies(const_cast<Value *>(V), &L);
}

std::string typeName(const FunctionType &T) {
  std::string Text;
  raw_string_ostream(Text) << T;
  return Text;
}

// A number computed from arguments and from what they point to, without loops and without a trace.
bool isFormula(Function &F, FunctionAnalysisManager &FAM) {
  if (F.isDeclaration() || !F.getReturnType()->isFloatingPointTy() || F.getInstructionCount() > MaxInstructions ||
      !FAM.getResult<LoopAnalysis>(F).empty())
    return false;
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  return all_of(instructions(F), [&](const Instruction &I) {
    Meter::count();
    if (I.isVolatile() || I.isAtomic())
      return false;
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      return isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      return Intrinsic->isAssumeLikeIntrinsic() || !Intrinsic->mayReadOrWriteMemory();
    const auto *Call = dyn_cast<CallBase>(&I);
    return !Call || (Call->getCalledFunction() && isMath(*Call->getCalledFunction(), TLI));
  });
}

Place definitionOf(const Function &F) {
  Place At;
  if (const DISubprogram *P = F.getSubprogram()) {
    SmallString<128> File(P->getFilename());
    if (!sys::path::is_absolute(File)) {
      File = P->getDirectory();
      sys::path::append(File, P->getFilename());
    }
    At.File = File.str().str();
    At.Line = At.EndLine = P->getLine();
    At.Column = At.EndColumn = 1;
  }
  return At;
}

// As the source has it.
std::string plainName(const Function &F, bool IsFortran) {
  StringRef Name = F.getName();
  if (!IsFortran)
    return StringRef(demangle(Name)).split('(').first.str();
  if (Name.starts_with("_Q"))
    return Name.rsplit('P').second.str();
  Name.consume_back("_");
  return Name.str();
}

} // namespace

bool mayBeFormula(const CallBase &C, const TargetLibraryInfo &TLI) {
  if (!isa<CallInst>(C) || C.isInlineAsm() || !C.getType()->isFloatingPointTy() || C.arg_size() > MaxArguments ||
      any_of(C.args(), [](const Use &A) {
        return !A->getType()->isPointerTy() && !A->getType()->isIntegerTy() && !A->getType()->isFloatingPointTy();
      }))
    return false;
  const Function *Callee = C.getCalledFunction();
  if (!Callee)
    return C.isIndirectCall();
  return Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->getName().starts_with("_Fortran") &&
         !isMath(*Callee, TLI) && !findMpiCall(C) && !findLibraryCall(C);
}

bool callsTheSame(const CallBase &C, const Loop &L, StrideEngine &Engine) {
  return staysTheSame(C.getCalledOperand(), L, Engine);
}

void replaceByOperations(CallBase &C) {
  IRBuilder<> Builder(&C);
  Type *Number = C.getType();
  Value *Sum = ConstantFP::get(Number, 1.0);
  for (Value *Argument : C.args()) {
    Value *Part = Argument;
    if (Argument->getType()->isPointerTy())
      Part = Builder.CreateLoad(Number, Argument);
    else if (Argument->getType()->isIntegerTy())
      Part = Builder.CreateSIToFP(Argument, Number);
    else if (Argument->getType() != Number)
      Part = Builder.CreateFPCast(Argument, Number);
    Sum = Builder.CreateFAdd(Sum, Part);
  }
  for (unsigned K = 0; K < limits::build_missed_vectorization::FormulaOperations; K += 2)
    Sum = Builder.CreateFAdd(Builder.CreateFMul(Sum, Sum), ConstantFP::get(Number, 1.0));
  C.replaceAllUsesWith(Sum);
  C.eraseFromParent();
}

VectorAdvice callAdvice(const ScalarLoop &S, bool IsFortran) {
  for (const CallBase *C : S.Formulas)
    if (const Function *Callee = C->getCalledFunction()) {
      const std::string Name = plainName(*Callee, IsFortran);
      return {"each iteration calls '" + Name + "', a formula of another file that is not expanded there",
              variant(Slug, IsFortran ? "fortran_expand" : "expand", {{"name", Name}})};
    }
  return {IsFortran ? "each iteration calls a procedure that only the run knows, the same one in all of them"
                    : "each iteration calls a function that only the run knows, the same one in all of them",
          variant(Slug, IsFortran ? "fortran_choose" : "choose")};
}

json::Value formulaCalls(const ScalarLoop &S) {
  json::Array Out;
  for (const CallBase *C : S.Formulas)
    if (const Function *Callee = C->getCalledFunction())
      Out.push_back(json::Object{{"name", Callee->getName().str()}});
    else
      Out.push_back(json::Object{{"type", typeName(*C->getFunctionType())}});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

json::Value unitFormulas(Unit &U) {
  json::Array Own, Taken;
  if (!U.ir())
    return nullptr;
  for (Function &F : *U.ir()) {
    if (F.isIntrinsic() || !F.getReturnType()->isFloatingPointTy())
      continue;
    const bool Is = isFormula(F, U.analyses());
    if (Is && !F.hasLocalLinkage())
      Own.push_back(json::Object{{"name", F.getName().str()}, {"place", toJson(definitionOf(F))}});
    if (F.hasAddressTaken())
      Taken.push_back(json::Object{{"type", typeName(*F.getFunctionType())},
                                   {"name", F.isDeclaration() ? F.getName().str() : std::string()},
                                   {"formula", Is}});
  }
  if (Own.empty() && Taken.empty())
    return nullptr;
  return json::Object{{"own", std::move(Own)}, {"taken", std::move(Taken)}};
}

Formulas::Formulas(ArrayRef<const stored::Value *> OfUnits) {
  const auto ForEach = [&](StringRef List, function_ref<void(const stored::Object &, const std::string &)> Take) {
    for (const stored::Value *V : OfUnits)
      if (const stored::Object *Unit = V ? V->getAsObject() : nullptr)
        if (const stored::Array *Functions = Unit->getArray(List))
          for (const stored::Value &F : *Functions)
            if (const stored::Object *O = F.getAsObject())
              Take(*O, O->getString("name").value_or("").str());
  };
  ForEach("own", [&](const stored::Object &F, const std::string &Name) {
    const stored::Value *Where = F.get("place");
    Known.try_emplace(Name, Where ? placeFromJson(*Where).value_or(Place()) : Place());
  });
  ForEach("taken", [&](const stored::Object &F, const std::string &Name) {
    const bool Is = Name.empty() ? F.getBoolean("formula").value_or(false) : Known.count(Name) > 0;
    bool &All = OfType.try_emplace(F.getString("type").value_or("").str(), true).first->second;
    All = All && Is;
  });
}

bool Formulas::areAll(const stored::Value &Calls) const {
  const stored::Array *All = Calls.getAsArray();
  return All && all_of(*All, [&](const stored::Value &V) {
           const stored::Object *Call = V.getAsObject();
           if (!Call)
             return false;
           if (const auto Name = Call->getString("name"))
             return Known.count(Name->str()) > 0;
           const auto It = OfType.find(Call->getString("type").value_or("").str());
           return It != OfType.end() && It->second;
         });
}

std::optional<Place> Formulas::definition(const stored::Value &Calls) const {
  if (const stored::Array *All = Calls.getAsArray())
    for (const stored::Value &V : *All)
      if (const stored::Object *Call = V.getAsObject())
        if (const auto Name = Call->getString("name"))
          if (const auto It = Known.find(Name->str()); It != Known.end() && It->second.Line)
            return It->second;
  return std::nullopt;
}

} // namespace stridewise
