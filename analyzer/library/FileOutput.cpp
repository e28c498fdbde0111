#include "library/FileOutput.h"
#include "library/LibraryCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

static StringRef calleeName(const CallBase &C) {
  const auto *F = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return F ? F->getName() : StringRef();
}

// The argument that names the stream of a stdio call; -1 for other functions.
static int streamArgument(const LibraryCall *Known) { return Known && !Known->IsClass ? Known->Stream : -1; }

static bool isStandardStream(const Value *V) {
  if (const auto *Load = dyn_cast<LoadInst>(V))
    V = Load->getPointerOperand();
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(V));
  StringRef Name = G ? G->getName() : StringRef();
  return Name == "stdout" || Name == "stderr" || Name == "__stdoutp" || Name == "__stderrp" || Name == "_ZSt4cout" ||
         Name == "_ZSt4cerr" || Name == "_ZSt4clog";
}

// `out << x << y`: the stream that the chain starts with.
static const Value *streamOf(const Value *V) {
  for (unsigned Depth = 0; Depth < 32; ++Depth) {
    const auto *C = dyn_cast<CallBase>(V);
    if (!C || C->arg_empty() || !C->getArgOperand(0)->getType()->isPointerTy())
      break;
    const LibraryCall *Known = findLibraryCall(*C);
    if (!Known || !Known->IsClass || !Known->does(LibOutput))
      break;
    V = C->getArgOperand(0);
  }
  return V;
}

static bool isFileStream(const Value *Stream) {
  const auto *A = dyn_cast<AllocaInst>(getUnderlyingObject(Stream));
  const auto *T = A ? dyn_cast<StructType>(A->getAllocatedType()) : nullptr;
  return T && T->hasName() && (T->getName().contains("ofstream") || T->getName().contains("basic_fstream"));
}

// flang writes item by item, each with the statement that it belongs to; that has the number of the file.
constexpr StringLiteral FortranItem = "_FortranAioOutput";

static bool isFortranItem(const CallBase &C) { return calleeName(C).starts_with(FortranItem) && C.arg_size() >= 2; }

// 0, 5 and 6 are the terminal's.
static bool isFortranFile(const CallBase &Item) {
  const auto *Statement = dyn_cast<CallBase>(Item.getArgOperand(0));
  const int At = !Statement ? -1
                            : StringSwitch<int>(calleeName(*Statement))
                                  .Case("_FortranAioBeginUnformattedOutput", 0)
                                  .Case("_FortranAioBeginExternalListOutput", 0)
                                  .Case("_FortranAioBeginExternalFormattedOutput", 3)
                                  .Default(-1);
  if (At < 0 || unsigned(At) >= Statement->arg_size())
    return false;
  const auto *Number = dyn_cast<ConstantInt>(Statement->getArgOperand(At));
  return !Number || !is_contained({0, 5, 6}, Number->getSExtValue());
}

// The address that a descriptor holds, as far as one store tells it.
static Value *describedData(Value *Descriptor) {
  Value *Found = nullptr;
  for (User *Use : Descriptor->users()) {
    auto *Store = dyn_cast<StoreInst>(Use);
    if (!Store || Store->getPointerOperand() != Descriptor)
      continue;
    Value *Stored = Store->getValueOperand();
    if (Stored->getType()->isStructTy())
      Stored = FindInsertedValue(Stored, {0u});
    if (Stored && Stored->getType()->isPointerTy() && std::exchange(Found, Stored))
      return nullptr;
  }
  return Found;
}

bool isOutput(const CallBase &C) {
  const LibraryCall *Known = findLibraryCall(C);
  return Known && Known->does(LibOutput);
}

bool isFileWrite(const CallBase &C) {
  const LibraryCall *Known = findLibraryCall(C);
  if (!Known || !Known->does(LibOutput))
    return false;
  if (isFortranItem(C))
    return isFortranFile(C);
  if (int At = streamArgument(Known); At >= 0)
    return unsigned(At) < C.arg_size() && !isStandardStream(C.getArgOperand(At));
  if (Known->Descriptor >= 0) {
    const auto *Descriptor = C.arg_empty() ? nullptr : dyn_cast<ConstantInt>(C.getArgOperand(Known->Descriptor));
    return !Descriptor || Descriptor->getZExtValue() > 2;
  }
  return Known->IsClass && !C.arg_empty() && isFileStream(streamOf(C.getArgOperand(0)));
}

bool isFileOpen(const CallBase &C) {
  StringRef Name = calleeName(C);
  if (Name == "fopen" || Name == "fopen64" || Name == "open" || Name == "open64" || Name == "creat")
    return true;
  // std::basic_ifstream, basic_ofstream, basic_fstream: constructors and open(), or the buffer's open() within.
  constexpr StringLiteral Traits = "IcSt11char_traitsIcEE";
  unsigned Length = 0;
  if (!Name.consume_front("_ZNSt") || Name.consumeInteger(10, Length))
    return false;
  const bool Stream = Name.consume_front("basic_ifstream") || Name.consume_front("basic_ofstream") ||
                      Name.consume_front("basic_fstream");
  if (!Stream && !Name.consume_front("basic_filebuf"))
    return false;
  return Name.consume_front(Traits) && (Name.starts_with("4open") || (Stream && Name.starts_with("C")));
}

SmallVector<Value *, 4> writtenData(const CallBase &C) {
  SmallVector<Value *, 4> Out;
  StringRef Name = calleeName(C);
  if (isFortranItem(C)) {
    Value *Data = C.getArgOperand(1);
    if (isa<AllocaInst>(Data))
      Data = describedData(Data);
    if (Data)
      Out.push_back(Data);
    return Out;
  }
  int Stream = streamArgument(findLibraryCall(C));
  unsigned First = Name == "fwrite" || Name == "fwrite_unlocked" ? 0 : 1;
  for (unsigned K = First; K < C.arg_size(); ++K)
    if (int(K) != Stream)
      Out.push_back(C.getArgOperand(K));
  if (Stream == 1 && !C.arg_empty())
    Out.push_back(C.getArgOperand(0));
  return Out;
}

} // namespace stridewise
