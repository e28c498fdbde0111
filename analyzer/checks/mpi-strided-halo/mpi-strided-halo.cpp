// R28: a domain cut across the index in which its arrays are contiguous, so that each halo is gathered piece by piece.
//
// checks/mpi-strided-halo/HaloFaces tells what each message between neighbours carries. Short pieces that lie apart,
// packed by a loop or described by a datatype, are a border across the contiguous index. It is reported where no
// message of the unit carries a contiguous border to another neighbour: then the domain is cut in this one direction,
// and could be cut in the other. Silent: grids of ranks that are cut in both directions, borders of few pieces, records
// of which a member is picked, index lists, transposes, borders that are shorter in cache lines than the contiguous
// ones would be, set-up code. Known false positives: domains that are too short in the other direction to be cut there.
#include "checks/mpi-strided-halo/HaloFaces.h"
#include "loops/ArrayNames.h"
#include "loops/CallHeat.h"
#include "loops/LoopNest.h"
#include "mpi/ProcedureHeat.h"
#include "mpi/RankSteps.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mpi-strided-halo";

class StridedHalo : public Check {
public:
  bool readsFortran() const override { return true; }
  void run(Unit &U, Reporter &R) override {
    std::vector<MpiFunction *> Functions = mpiFunctions(U);
    if (none_of(Functions, [](MpiFunction *M) {
          return any_of(M->sites(), [](const MpiSite &S) { return S.is(MpiSend) && !S.is(MpiCollective); });
        }))
      return;
    DerivedTypes Types(U, Functions);
    SourceCalls Sources(U);
    const auto MaxPiece = static_cast<std::uint64_t>(R.threshold(Slug, "max_piece_bytes"));
    std::vector<Found> All;
    std::set<Key> Inlined;
    for (MpiFunction *M : Functions)
      for (HaloFace &F : haloFaces(*M, Types, MaxPiece)) {
        std::vector<SourceFrame> Frames = Sources.frames(*F.Site->Call);
        // The bodies of MPI's own C++ interface are in a header as well.
        if (Frames.empty() || StringRef(Frames[0].function()).starts_with("MPI::"))
          continue;
        Key At = U.sources().getDecomposedLoc(Frames[0].Where);
        if (Frames.size() > 1)
          Inlined.insert(At);
        All.push_back({F, std::move(Frames), At});
      }
    // The helper by itself knows less than the copies of it in its callers.
    erase_if(All, [&](const Found &X) { return X.Frames.size() == 1 && Inlined.contains(X.At); });
    std::vector<const Found *> Strided;
    for (const Found &X : All)
      if (isLarge(X.Face, R))
        Strided.push_back(&X);
    if (Strided.empty())
      return;
    bool Unclear = false;
    for (const Found &X : All) {
      if (X.Face.K == HaloFace::Strided || toSameRanks(X, Strided))
        continue;
      if (X.Face.K != HaloFace::Unclear)
        return; // cut in another direction as well
      Unclear = true;
    }
    report(Strided, Unclear, Sources, U, R);
  }

private:
  using Key = std::pair<clang::FileID, unsigned>;
  struct Found {
    HaloFace Face;
    std::vector<SourceFrame> Frames;
    Key At;
  };

  static bool isLarge(const HaloFace &F, Reporter &R) {
    if (F.K != HaloFace::Strided || (F.PitchBytes && std::abs(*F.PitchBytes) < R.threshold(Slug, "min_pitch_bytes")) ||
        (F.Pieces && static_cast<double>(*F.Pieces) < R.threshold(Slug, "min_pieces")))
      return false;
    if (!F.Pieces || !F.PitchBytes)
      return true;
    // Two ranks at least would share the contiguous border, which is a row of each.
    double Gathered = static_cast<double>(*F.Pieces) * (static_cast<double>(F.PieceBytes) + CacheLineBytes);
    return Gathered >= R.threshold(Slug, "min_border_ratio") * 2 * std::abs(static_cast<double>(*F.PitchBytes));
  }

  static Value *peer(const HaloFace &F) { return F.Site->arg(F.Site->Sig->Peer); }

  // One variable however often it is loaded.
  static bool samePeer(MpiFunction &M, Value *A, Value *B) {
    const auto *LoadA = dyn_cast<LoadInst>(A), *LoadB = dyn_cast<LoadInst>(B);
    return M.sameValue(A, B) || (LoadA && LoadB &&
                                 M.sameValue(const_cast<Value *>(LoadA->getPointerOperand()),
                                             const_cast<Value *>(LoadB->getPointerOperand())));
  }

  static bool toSameRanks(const Found &X, ArrayRef<const Found *> Strided) {
    return any_of(Strided, [&](const Found *S) {
      return S->Face.M == X.Face.M && samePeer(*X.Face.M, peer(S->Face), peer(X.Face));
    });
  }

  // The number of dimensions in which the unit lays out its ranks: 0 where it does not say.
  static unsigned gridDimensions(ArrayRef<const Found *> Strided) {
    unsigned Most = 0;
    for (Function &F : *Strided.front()->Face.M->function().getParent()) {
      const MpiSignature *Sig = F.isDeclaration() ? findMpiCall(F.getName()) : nullptr;
      if (!Sig || Sig->Does != MpiDoes::Grid)
        continue;
      for (User *Use : F.users())
        if (auto *C = dyn_cast<CallBase>(Use); C && C->arg_size() > 2)
          if (const auto *Number = dyn_cast<ConstantInt>(C->getArgOperand(1)))
            Most = std::max(Most, unsigned(Number->getZExtValue()));
    }
    return Most;
  }

  static bool repeats(const Found &X, CallHeat &Heats, Unit &U) {
    if (X.Face.M->engine().loops().getLoopFor(X.Face.Site->Call->getParent()))
      return true;
    const SourceFrame &Outer = X.Frames.back();
    if (Outer.Procedure)
      return heatOf(Outer.Procedure, U) != Heat::Cold;
    return Outer.Function && Heats.of(Outer.Function) != Heat::Cold;
  }

  void report(ArrayRef<const Found *> Strided, bool Unclear, SourceCalls &Sources, Unit &U, Reporter &R) {
    const RankFacts &Ranks = ranksOf(U);
    CallHeat Heats(U.ast());
    unsigned Dimensions = gridDimensions(Strided);
    bool HasMain = U.ir()->getFunction("main") && !U.ir()->getFunction("main")->isDeclaration();
    // One finding per function that exchanges: its sends to both sides are one defect.
    std::map<const void *, std::vector<const Found *>> Exchanges;
    for (const Found *X : Strided)
      if (repeats(*X, Heats, U))
        Exchanges[X->Frames[0].around()].push_back(X);
    for (auto &[Function, Faces] : Exchanges) {
      llvm::sort(Faces, [&](const Found *A, const Found *B) {
        if (A->At == B->At)
          return A < B; // as found
        return U.sources().isBeforeInTranslationUnit(A->Frames[0].Where, B->Frames[0].Where);
      });
      bool Line = Dimensions == 1 || HasMain, Returns = false;
      SmallVector<Value *, 4> Peers;
      for (const Found *X : Faces) {
        Line |= isNextRank(peer(X->Face), Ranks);
        Returns |= X->Face.Returns;
        if (X->Face.M == Faces.front()->Face.M &&
            none_of(Peers, [&](Value *P) { return samePeer(*X->Face.M, P, peer(X->Face)); }))
          Peers.push_back(peer(X->Face));
      }
      Confidence Conf = Unclear || Dimensions > 1 || Peers.size() > 2 ? Confidence::Low
                        : Line && Returns                             ? Confidence::High
                        : Line || Returns                             ? Confidence::Medium
                                                                      : Confidence::Low;
      R.report(describe(Faces, Conf, Sources, U));
    }
  }

  static std::string bytes(std::int64_t N) { return std::to_string(N) + " bytes"; }

  Finding describe(ArrayRef<const Found *> Faces, Confidence Conf, SourceCalls &Sources, Unit &U) {
    const Found &X = *Faces.front();
    Finding F;
    F.Rule = Slug;
    F.Conf = Conf;
    F.Range = X.Frames[0].range();
    F.Function = X.Frames[0].function();
    F.Scope = X.Frames[0].scope();
    std::string Name;
    if (X.Face.Read) {
      clang::SourceLocation Where = U.locate(X.Face.Read->getDebugLoc());
      Name = arrayName(*X.Face.Read, U.functionAt(Where), U);
      F.Relateds.push_back({Where, "copied to the buffer here"});
    } else if (X.Face.Described) {
      Name = StringRef(Sources.argumentText(X.Frames, X.Face.Site->Sig->Buffer, 0))
                 .ltrim("&(*")
                 .take_while([](char C) { return isAlnum(C) || C == '_'; })
                 .str();
      F.Relateds.push_back({U.locate(X.Face.Described->getDebugLoc()), "the datatype is made here"});
    }
    std::set<Key> Said = {X.At};
    for (const Found *Other : Faces)
      if (Said.insert(Other->At).second && Said.size() < 6)
        F.Relateds.push_back({Other->Frames[0].Where, "so is this message"});
    for (std::size_t Level = 1; Level < X.Frames.size(); ++Level)
      F.Relateds.push_back({X.Frames[Level].Where, "called from here"});
    std::string Piece = (X.Face.Pieces ? std::to_string(*X.Face.Pieces) + " pieces of " : std::string("pieces of ")) +
                        bytes(std::int64_t(X.Face.PieceBytes));
    std::string Pitch = X.Face.PitchBytes ? bytes(std::abs(*X.Face.PitchBytes)) : std::string("a row");
    F.Args = {{"halo", Name.empty() ? std::string("the halo") : "the halo of '" + Name + "'"},
              {"pieces", Piece},
              {"pitch", Pitch},
              {"how", std::string(X.Face.Read ? "copied one by one to a buffer" : "gathered by a datatype")}};
    Place At = placeOf(U.ast(), F.Range);
    F.Accesses.push_back({At.File, At.Line, F.Function, -1});
    if (X.Face.Read) {
      Place Copy = placeOf(U.ast(), clang::SourceRange(U.locate(X.Face.Read->getDebugLoc())));
      F.Accesses.push_back({Copy.File, Copy.Line, F.Function, -1});
    }
    return F;
  }
};

STRIDEWISE_CHECK("mpi-strided-halo", StridedHalo)

} // namespace
} // namespace stridewise
