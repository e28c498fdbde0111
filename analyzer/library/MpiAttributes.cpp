#include "library/MpiAttributes.h"
#include "library/MpiCall.h"

using namespace llvm;

namespace stridewise {

void markBlockingCalls(Module &M) {
  constexpr unsigned Blocking = MpiSend | MpiRecv | MpiCollective;
  constexpr unsigned Keeps = MpiNonblocking | MpiPersistent | MpiRma | MpiIo | MpiLifecycle | MpiCommManagement |
                             MpiSharedMemory | MpiJoinsGroups | MpiOutside;
  for (Function &F : M) {
    const MpiSignature *Sig = F.isDeclaration() ? findMpiCall(F.getName()) : nullptr;
    if (!Sig || !Sig->is(Blocking) || Sig->is(Keeps))
      continue;
    for (Argument &A : F.args())
      if (A.getType()->isPointerTy())
        A.addAttr(Attribute::NoCapture);
  }
}

} // namespace stridewise
