#include "checks/omp-barrier-in-loop/FortranBarriers.h"
#include "checks/omp-barrier-in-loop/FortranAccesses.h"
#include "unit/Counted.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

class LoopBarriers : FortranAccesses {
public:
  explicit LoopBarriers(Unit &U) : FortranAccesses(U), Raw(U.sources().getBufferData(U.sources().getMainFileID())) {}

  std::vector<FortranBarrier> run() {
    for (const FortranBlock &Block : Procedures.blocks())
      if (Block.K == FortranBlock::Loop && !Text.sharesStorage())
        study(Block);
    for (const FortranConstruct &C : Constructs.all())
      if (C.StartsTeam && !C.SharesLoop && !C.SharesOther && !C.Device)
        studyRegion(C);
    return std::move(Found);
  }

private:
  struct Meeting {
    const FortranConstruct *C = nullptr;
    unsigned At = 0; // the first statement behind
  };

  // --- a loop --------------------------------------------------------------------------------------------------------

  void study(const FortranBlock &Loop) {
    Meter::count();
    const int Around = Constructs.around(Loop.Begin);
    if (Around < 0 || !Constructs.all()[Around].StartsTeam || Constructs.all()[Around].SharesLoop ||
        Constructs.all()[Around].Device || at(Loop.Begin).Counters.size() != 1)
      return;
    Region = &Constructs.all()[Around];
    LoopBlock = int(&Loop - Procedures.blocks().data());
    std::vector<Meeting> Meetings;
    if (hasHiddenLines() || !meetings(Loop, Meetings) || Meetings.empty())
      return;
    // Before the loop and behind it; where it is in another one, all else is both.
    std::vector<SharedAccess> Before, After;
    Understood = true;
    collect(Region->First, Loop.Begin, Before);
    collect(Loop.End, Region->Last, After);
    collect(Loop.Begin, Loop.Begin + 1, Before);
    if (Loop.Parent >= 0 && Procedures.blocks()[Loop.Parent].Begin >= Region->First) {
      const std::vector<SharedAccess> Copy = Before;
      Before.insert(Before.end(), After.begin(), After.end());
      After.insert(After.end(), Copy.begin(), Copy.end());
    }
    std::vector<std::vector<SharedAccess>> Parts(Meetings.size() + 1);
    unsigned From = Loop.Begin + 1;
    for (std::size_t K = 0; K <= Meetings.size(); ++K) {
      const unsigned To = K < Meetings.size() ? Meetings[K].At : Loop.End;
      collect(From, To, Parts[K]);
      From = To;
    }
    if (Understood)
      judge(Loop, Meetings, Parts, Before, After);
  }

  // Whether the region has lines behind `!$`, which are code that the text leaves out.
  bool hasHiddenLines() {
    auto [It, New] = Hidden.try_emplace(Region->First, false);
    if (!New)
      return It->second;
    if (Lines.empty())
      Raw.split(Lines, '\n');
    for (unsigned Line = Region->Line; Line <= Region->EndLine && Line <= Lines.size(); ++Line) {
      const StringRef T = Lines[Line - 1].ltrim();
      It->second |= T.size() > 2 && T[1] == '$' && StringRef("!cC*").contains(T[0]) && !isAlpha(T[2]);
    }
    return It->second;
  }

  // The barriers of the loop, in their order; false where some iterations or threads may pass them by.
  bool meetings(const FortranBlock &Loop, std::vector<Meeting> &Out) const {
    const ArrayRef<FortranConstruct> All = Constructs.all(); // in the order of the text
    for (const auto *C = partition_point(All, [&](const FortranConstruct &X) { return X.First <= Loop.Begin; });
         C != All.end() && C->First < Loop.End; ++C)
      if (!meeting(*C, Out))
        return false;
    stable_sort(Out, [](const Meeting &A, const Meeting &B) {
      return std::pair(A.At, A.C->isBarrier()) < std::pair(B.At, B.C->isBarrier());
    });
    return true;
  }

  bool meeting(const FortranConstruct &C, std::vector<Meeting> &Out) const {
    Meter::count();
    const bool Explicit = C.isBarrier();
    if ((C.StandsAlone && !Explicit) || !isSimple(C))
      return false;
    if (Explicit || (C.EndsWithBarrier && !C.has("nowait"))) {
      if (C.StartsTeam || C.Device || Constructs.parent(C) != Region || holderOf(C.First) != LoopBlock)
        return false;
      Out.push_back({&C, Explicit ? C.First : C.Last});
    }
    return true;
  }

  // Parts[K] comes before meeting K, the last one behind all of them. A meeting that is found needless is taken away
  // before the next one is asked about.
  void judge(const FortranBlock &Loop, std::vector<Meeting> &Meetings, std::vector<std::vector<SharedAccess>> &Parts,
             const std::vector<SharedAccess> &Before, const std::vector<SharedAccess> &After) {
    for (const bool Explicit : {true, false})
      for (std::size_t K = 0; K < Meetings.size();) {
        NeedsStatic = false;
        const bool First = K == 0, Last = K + 1 == Meetings.size();
        std::vector<SharedAccess> Left = Parts[K], Right = Parts[K + 1];
        if (First) {
          Left.insert(Left.end(), Parts.back().begin(), Parts.back().end());
          Left.insert(Left.end(), Before.begin(), Before.end());
        }
        if (Last) {
          Right.insert(Right.end(), Parts.front().begin(), Parts.front().end());
          Right.insert(Right.end(), After.begin(), After.end());
        }
        if (Meetings[K].C->isBarrier() != Explicit || meet(Left, Right)) {
          ++K;
          continue;
        }
        const bool Adjacent = Meetings.size() > 1 && (Left.empty() || Right.empty());
        // A block of work lies between two barriers of a loop over tiles, beside which they cost nothing.
        if (Adjacent || !isTiles(Loop))
          say(Loop, Meetings[K], Adjacent);
        Parts[K].insert(Parts[K].end(), Parts[K + 1].begin(), Parts[K + 1].end());
        Parts.erase(Parts.begin() + std::ptrdiff_t(K) + 1);
        Meetings.erase(Meetings.begin() + std::ptrdiff_t(K));
      }
  }

  bool isTiles(const FortranBlock &Loop) const {
    const std::vector<StringRef> Bounds = fortranList(boundsOf(Loop.Begin));
    return Bounds.size() > 2 && Bounds[2] != "1" && Bounds[2] != "-1";
  }

  void say(const FortranBlock &Loop, const Meeting &M, bool Adjacent) {
    FortranBarrier B;
    B.Barrier = M.C;
    B.Region = Region;
    B.Loop = Loop.Begin;
    B.Adjacent = Adjacent;
    B.NeedsStatic = NeedsStatic;
    Found.push_back(std::move(B));
  }

  // --- a region, beside its loops ------------------------------------------------------------------------------------

  // A barrier that each run of the region meets at most once, or another one's place in it.
  struct Stop {
    const FortranConstruct *C = nullptr;
    unsigned At = 0; // the first statement behind
    int Holder = -1; // the block that it is a statement of; -1 for the region
    bool Kept = true, InLoop = false;
  };

  // Two accesses that some barrier between them has to keep apart.
  struct Conflict {
    unsigned From = 0, To = 0;
    bool NeedsStatic = false; // so it is unless both loops have a static schedule
  };

  void studyRegion(const FortranConstruct &C) {
    Region = &C;
    if (hasHiddenLines() || isPreprocessed(C))
      return;
    repeatedBarriers();
    std::vector<Stop> Stops;
    if (Text.sharesStorage() || !stops(Stops) || none_of(Stops, [](const Stop &S) { return !S.InLoop; }))
      return;
    std::vector<SharedAccess> All;
    Understood = true;
    collect(Region->First, Region->Last, All);
    std::vector<Conflict> Conflicts;
    if (!Understood || !conflicts(All, Conflicts))
      return;
    for (const bool WithStatic : {false, true})
      dropStops(Stops, All, Conflicts, WithStatic);
  }

  bool isPreprocessed(const FortranConstruct &C) {
    return any_of(seq(C.Line, std::min<unsigned>(C.EndLine, Lines.size())),
                  [&](unsigned Line) { return Lines[Line].ltrim().starts_with("#"); });
  }

  ArrayRef<FortranConstruct> inRegion() const {
    const ArrayRef<FortranConstruct> All = Constructs.all(); // in the order of the text
    return All.drop_front(Region - All.data() + 1).take_while([&](const FortranConstruct &X) {
      return X.First < Region->Last || (X.First == Region->Last && X.Line < Region->EndLine);
    });
  }

  bool stops(std::vector<Stop> &Out) const {
    for (const FortranConstruct &C : inRegion()) {
      Meter::count();
      if (!C.isBarrier() && (!C.EndsWithBarrier || C.has("nowait")))
        continue;
      if (C.StartsTeam || C.Device || Constructs.parent(C) != Region)
        return false;
      Stop S{&C, C.isBarrier() ? C.First : C.Last, holderOf(C.First)};
      for (int B = S.Holder; B >= 0 && Procedures.blocks()[B].Begin >= Region->First; B = Procedures.blocks()[B].Parent)
        S.InLoop |= Procedures.blocks()[B].K == FortranBlock::Loop;
      if (S.Holder >= 0 && Procedures.blocks()[S.Holder].Begin < Region->First)
        S.Holder = -1;
      Out.push_back(S);
    }
    return true;
  }

  bool conflicts(ArrayRef<SharedAccess> All, std::vector<Conflict> &Out) {
    StringMap<std::vector<const SharedAccess *>> ByRoot;
    for (const SharedAccess &X : All)
      ByRoot[X.Root].push_back(&X);
    for (const auto &Entry : ByRoot) {
      const ArrayRef<const SharedAccess *> Of = Entry.second;
      if (none_of(Of, [](const SharedAccess *X) { return X->Writes; }))
        continue;
      for (std::size_t X = 0; X < Of.size(); ++X)
        for (std::size_t Y = X + 1; Y < Of.size(); ++Y) {
          if (!Meter::spend())
            return false;
          if (!Of[X]->Writes && !Of[Y]->Writes)
            continue;
          NeedsStatic = false;
          const bool Apart = !mayConflict(*Of[X], *Of[Y]);
          if (!Apart || NeedsStatic)
            Out.push_back({Of[X]->At, Of[Y]->At, Apart});
        }
    }
    return true;
  }

  // Whether an arm of the block ends between two places in it.
  bool changesArm(int Block, unsigned From, unsigned To) const {
    for (unsigned K = From; K <= To; ++K) {
      Meter::count();
      const StringRef T = at(K).Text;
      if ((T.starts_with("else") || T.starts_with("case")) && Procedures.blockOf(K) == Block)
        return true;
    }
    return false;
  }

  bool isIn(int Block, unsigned Statement) const {
    return Block < 0 || (Statement > Procedures.blocks()[Block].Begin && Statement < Procedures.blocks()[Block].End);
  }

  // Whether each way from the barrier to the statement, or back, stays in the block that holds the barrier: then no
  // thread gets to the one without having passed the other.
  bool holds(const Stop &S, unsigned Statement) const {
    if (S.Holder < 0)
      return true;
    return isIn(S.Holder, Statement) &&
           (Statement < S.At ? !changesArm(S.Holder, Statement, S.At - 1) : !changesArm(S.Holder, S.At, Statement));
  }

  // Whether some run of the region comes by both: they are not in different arms of a branch.
  bool meets(const Stop &S, unsigned Statement) const {
    for (int B = S.Holder; B >= 0 && Procedures.blocks()[B].Begin >= Region->First; B = Procedures.blocks()[B].Parent)
      if (isIn(B, Statement) &&
          (Statement < S.At ? changesArm(B, Statement, S.At - 1) : changesArm(B, S.At, Statement)))
        return false;
    return true;
  }

  bool isNeeded(const Stop &M, ArrayRef<Stop> Stops, ArrayRef<Conflict> Conflicts, bool WithStatic) const {
    return any_of(Conflicts, [&](const Conflict &X) {
      return X.From < M.At && M.At <= X.To && !(WithStatic && X.NeedsStatic) &&
             none_of(
                 Stops,
                 [&](const Stop &S) {
                   return &S != &M && S.Kept && Meter::spend() && X.From < S.At && S.At <= X.To &&
                          (holds(S, X.From) || holds(S, X.To) || holds(S, M.At));
                 });
    });
  }

  void dropStops(std::vector<Stop> &Stops, ArrayRef<SharedAccess> All, ArrayRef<Conflict> Conflicts, bool WithStatic) {
    FortranBarrier B;
    for (Stop &M : Stops) {
      // The region's own end follows the last one, which compilers know.
      const bool IsLast = none_of(All, [&](const SharedAccess &X) { return X.At >= M.At && meets(M, X.At); });
      if (M.InLoop || !M.Kept || IsLast || isFound(*M.C) || isNeeded(M, Stops, Conflicts, WithStatic))
        continue;
      M.Kept = false;
      if (B.Barrier)
        B.Others.push_back(M.C);
      else
        B.Barrier = M.C;
    }
    B.Region = Region;
    B.NeedsStatic = WithStatic;
    if (B.Barrier)
      Found.push_back(std::move(B));
  }

  bool isFound(const FortranConstruct &C) const {
    return any_of(counted(Found), [&](const FortranBarrier &B) { return B.Barrier == &C; });
  }

  // --- barriers beside others ----------------------------------------------------------------------------------------

  void repeatedBarriers() {
    for (const FortranConstruct &C : inRegion()) {
      if (!C.isBarrier() || Constructs.parent(C) != Region || isFound(C) ||
          !(C.First == Region->Last || haveMet(C.First, &C, 0)))
        continue;
      FortranBarrier B;
      B.Barrier = &C;
      B.Region = Region;
      B.Adjacent = true;
      if (const int L = loopAround(C.First); L >= 0)
        B.Loop = Procedures.blocks()[L].Begin;
      Found.push_back(std::move(B));
    }
  }

  int loopAround(unsigned Statement) const {
    for (int B = holderOf(Statement); B >= 0 && Procedures.blocks()[B].Begin >= Region->First;
         B = Procedures.blocks()[B].Parent)
      if (Procedures.blocks()[B].K == FortranBlock::Loop)
        return B;
    return -1;
  }

  // Whether the team has met on each way to the statement, and since then each thread has done what concerns itself
  // only.
  bool haveMet(unsigned K, const FortranConstruct *Before, unsigned Depth) {
    constexpr unsigned MaxDepth = 8;
    for (; Depth < MaxDepth && K > Region->First && Meter::spend(); --K) {
      if (endsWithMeeting(K, Before))
        return true;
      const int B = Procedures.blockOf(K - 1);
      const FortranBlock *Block = B < 0 ? nullptr : &Procedures.blocks()[B];
      const bool Loop = Block && Block->K == FortranBlock::Loop;
      if (Loop && (Block->Begin == K - 1 || Block->End == K)) {
        if (!isOrderly(*Block) || !isOwnWork(Block->Begin))
          return false;
        // The way around, and the way past the loop.
        return haveMet(Block->End - 1, nullptr, Depth + 1) && haveMet(Block->Begin, nullptr, Depth + 1);
      }
      if (Block && (Block->Begin == K - 1 || !isAssignment(K - 1)))
        return false;
      if (!isAssignment(K - 1) || !isOwnWork(K - 1))
        return false;
    }
    return false;
  }

  bool isAssignment(unsigned K) const { return !at(K).IsLoop && fortranAssignment(at(K).Text); }

  // A construct that the team's barrier ends there, or a barrier, in front of the other one.
  bool endsWithMeeting(unsigned K, const FortranConstruct *Before) const {
    return any_of(counted(inRegion()), [&](const FortranConstruct &D) {
      if (&D == Before || Constructs.parent(D) != Region)
        return false;
      if (D.isBarrier())
        return D.First == K && (!Before || D.Line < Before->Line);
      return D.EndsWithBarrier && !D.has("nowait") && D.Last == K && D.First < K;
    });
  }

  // Whether the loop is left by its end alone, which is a statement of its own.
  bool isOrderly(const FortranBlock &Loop) const {
    return Loop.End > Loop.Begin + 1 && at(Loop.End - 1).Text == "enddo" &&
           none_of(seq(Loop.Begin + 1, Loop.End), [&](unsigned K) {
             const StringRef T = behindCondition(at(K).Text);
             return T.starts_with("cycle") || T.starts_with("exit") || T.starts_with("goto") || T.starts_with("return");
           });
  }

  // Whether a statement concerns no other thread; of what all of them read, nothing is written.
  bool isOwnWork(unsigned K) {
    std::vector<SharedAccess> Accesses;
    Understood = true;
    statement(K, Accesses);
    return Understood && none_of(Accesses, [&](const SharedAccess &X) { return X.Writes; });
  }

  bool meet(ArrayRef<SharedAccess> Left, ArrayRef<SharedAccess> Right) {
    StringMap<std::vector<const SharedAccess *>> ByRoot;
    for (const SharedAccess &Y : Right)
      ByRoot[Y.Root].push_back(&Y);
    for (const SharedAccess &X : Left)
      if (auto It = ByRoot.find(X.Root); It != ByRoot.end())
        for (const SharedAccess *Y : It->second)
          if (!Meter::spend() || ((X.Writes || Y->Writes) && mayConflict(X, *Y)))
            return true;
    return false;
  }

  StringRef Raw;
  SmallVector<StringRef, 0> Lines;
  DenseMap<unsigned, bool> Hidden; // by region
  int LoopBlock = -1;
  std::vector<FortranBarrier> Found;
};

} // namespace

std::vector<FortranBarrier> fortranBarriers(Unit &U) { return LoopBarriers(U).run(); }

} // namespace stridewise
