#include "checks/omp-barrier-in-loop/FortranBarriers.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "unit/Counted.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr std::size_t MostAccesses = 2000; // of a region

struct SharedAccess {
  enum Thread { All, Shared, One, Master } By = All;
  std::string Root;                  // of the variable
  std::vector<StringRef> Path;       // components
  std::vector<StringRef> Subscripts; // of the last array on the way
  bool Writes = false;
  const FortranConstruct *Construct = nullptr; // that shares the loop
  StringRef Counter, Bounds;                   // of that loop
};

class LoopBarriers {
public:
  explicit LoopBarriers(Unit &U)
      : Raw(U.sources().getBufferData(U.sources().getMainFileID())), Text(fortranText(U)),
        Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)), Names(fortranNames(U)) {}

  std::vector<FortranBarrier> run() {
    if (Text.sharesStorage())
      return {};
    for (const FortranBlock &Block : Procedures.blocks())
      if (Block.K == FortranBlock::Loop)
        study(Block);
    return std::move(Found);
  }

private:
  struct Meeting {
    const FortranConstruct *C = nullptr;
    unsigned At = 0; // the first statement behind
  };

  const FortranStatement &at(unsigned K) const { return Text.statements()[K]; }

  // The block that holds the statement: that around it, where it opens one.
  int holderOf(unsigned K) const {
    const int B = Procedures.blockOf(K);
    return B >= 0 && Procedures.blocks()[B].Begin == K ? Procedures.blocks()[B].Parent : B;
  }

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

  // Whether nothing is handed over at the construct's begin or end.
  static bool isSimple(const FortranConstruct &C) {
    return none_of(C.Clauses, [](const FortranClause &X) {
      return X.Name == "copyprivate" || X.Name == "lastprivate" || X.Name == "firstprivate" || X.Name == "linear" ||
             X.Name == "ordered" || X.Name == "reduction";
    });
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
    B.Loop = Loop.Begin;
    B.Adjacent = Adjacent;
    B.NeedsStatic = NeedsStatic;
    const FortranProcedure &P = Procedures.all()[Procedures.of(Loop.Begin)];
    B.Procedure = P.K == FortranProcedure::Program ? "main program" : P.Name;
    Found.push_back(std::move(B));
  }

  // --- accesses ------------------------------------------------------------------------------------------------------

  StringRef boundsOf(unsigned Loop) const {
    const StringRef T = at(Loop).Text;
    const std::size_t Equals = outsideBrackets(T, '=');
    return Equals == StringRef::npos ? StringRef() : T.drop_front(Equals + 1);
  }

  void collect(unsigned From, unsigned To, std::vector<SharedAccess> &Into) {
    for (unsigned K = From; K < To && Understood; ++K) {
      Meter::count();
      statement(K, Into);
      Understood &= Into.size() < MostAccesses;
    }
  }

  // Who runs the statement; false where constructs are around it that order threads in other ways.
  bool runs(unsigned K, SharedAccess &A) const {
    for (int C = Constructs.around(K); C >= 0; C = Constructs.all()[C].Parent) {
      const FortranConstruct &X = Constructs.all()[C];
      if (&X == Region)
        return true;
      if (X.Exclusive || X.Tasks || X.Device || X.StartsTeam || !isSimple(X))
        return false;
      if (A.By != SharedAccess::All)
        continue;
      if (X.SharesLoop) {
        A.By = SharedAccess::Shared;
        A.Construct = &X;
        A.Counter = at(X.First).Counters.size() == 1 ? StringRef(at(X.First).Counters.front()) : StringRef();
        A.Bounds = boundsOf(X.First);
      } else if (X.OneThread || X.SharesOther) {
        A.By = X.SameThread ? SharedAccess::Master : SharedAccess::One;
      }
    }
    return false;
  }

  static bool isPlain(StringRef T) {
    static constexpr StringLiteral Words[] = {"enddo", "endif", "else", "continue", "endselect", "casedefault"};
    return is_contained(Words, T) || (T.starts_with("if(") && T.ends_with(")then")) || T.starts_with("elseif(") ||
           T.starts_with("selectcase(") || T.starts_with("case(");
  }

  void statement(unsigned K, std::vector<SharedAccess> &Into) {
    const FortranStatement &S = at(K);
    SharedAccess By;
    const StringRef T = S.Text, Rest = behindCondition(T);
    const std::optional<FortranAssignment> A = S.IsLoop ? std::nullopt : fortranAssignment(Rest);
    if (!runs(K, By) || (!S.IsLoop && !A && !isPlain(T)) || S.Concurrent || (S.IsLoop && S.Counters.size() != 1)) {
      Understood = false;
      return;
    }
    if (!A)
      return names(S.IsLoop ? boundsOf(K) : T, K, By, Into);
    names(T.drop_back(Rest.size()), K, By, Into);
    names(A->Value, K, By, Into);
    const std::optional<FortranDesignator> D = fortranDesignator(A->Target);
    if (!D || D->Text != A->Target) {
      Understood = false;
      return;
    }
    for (const FortranDesignator::Part &P : D->Parts)
      if (P.Subscripts)
        for (StringRef Subscript : *P.Subscripts)
          names(Subscript, K, By, Into);
    By.Writes = true;
    access(*D, K, By, Into);
  }

  void names(StringRef In, unsigned K, const SharedAccess &By, std::vector<SharedAccess> &Into) {
    for (const FortranDesignator &D : fortranDesignators(In))
      access(D, K, By, Into);
  }

  // Whether the file shows a component: others may be pointers to one array.
  bool isDeclared(StringRef Component) const {
    return any_of(counted(Procedures.all()), [&](const FortranProcedure &P) { return P.Names.contains(Component); });
  }

  void access(const FortranDesignator &D, unsigned K, SharedAccess A, std::vector<SharedAccess> &Into) {
    const StringRef Name = D.Parts.front().Name;
    const FortranSharing Who = Constructs.sharing(K, Name);
    const std::optional<FortranVariable> V = Names.variable(K, Name);
    if (Who == FortranSharing::Private || Constructs.isThreadPrivate(Name))
      return;
    const bool Calls = D.Parts.front().Subscripts && D.Parts.size() == 1 && (!V || !V->isArray());
    if (Calls) {
      // Intrinsic functions do nothing else; of the clock and of others nothing is known.
      Understood &= !V && !Names.isProcedure(K, Name) &&
                    (!Name.starts_with("omp_") || Name == "omp_get_thread_num" || Name == "omp_get_num_threads");
      return;
    }
    if (Who == FortranSharing::Reduced || (V && V->Pointer)) {
      Understood = false;
      return;
    }
    A.Root = V ? V->Root : "?" + Name.str();
    for (std::size_t P = 1; P < D.Parts.size(); ++P) {
      A.Path.push_back(D.Parts[P].Name);
      Understood &= isDeclared(D.Parts[P].Name);
    }
    if (const int At = D.lastIndexed(); At >= 0)
      A.Subscripts = *D.Parts[At].Subscripts;
    Into.push_back(std::move(A));
  }

  // --- two sides -----------------------------------------------------------------------------------------------------

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

  bool mayConflict(const SharedAccess &X, const SharedAccess &Y) {
    if (X.By == SharedAccess::Master && Y.By == SharedAccess::Master)
      return false;
    for (std::size_t K = 0; K < std::min(X.Path.size(), Y.Path.size()); ++K)
      if (X.Path[K] != Y.Path[K])
        return false;
    if (X.Path.size() != Y.Path.size() || X.Subscripts.size() != Y.Subscripts.size())
      return true;
    return !areApart(X, Y) && !isSameThread(X, Y);
  }

  // Elements of different constant indices.
  bool areApart(const SharedAccess &X, const SharedAccess &Y) const {
    for (std::size_t K = 0; K < X.Subscripts.size(); ++K) {
      const auto A = Names.constant(Region->First, X.Subscripts[K]), B = Names.constant(Region->First, Y.Subscripts[K]);
      if (A && B && *A != *B)
        return true;
    }
    return false;
  }

  // Whether one thread has the element on both sides: the same part of two loops that are dealt out alike.
  bool isSameThread(const SharedAccess &X, const SharedAccess &Y) {
    if (X.By != SharedAccess::Shared || Y.By != SharedAccess::Shared || X.Counter.empty() || Y.Counter.empty() ||
        X.Bounds != Y.Bounds || X.Construct->collapsed() != 1 || Y.Construct->collapsed() != 1 || !isSteady(X.Bounds))
      return false;
    const bool Same = any_of(seq<std::size_t>(0, X.Subscripts.size()), [&](std::size_t K) {
      return X.Subscripts[K] == X.Counter && Y.Subscripts[K] == Y.Counter;
    });
    if (!Same)
      return false;
    const auto A = X.Construct->clause("schedule"), B = Y.Construct->clause("schedule");
    if (A && B)
      return *A == *B && A->starts_with("static");
    if (A.value_or(B.value_or("static")) != "static")
      return false;
    NeedsStatic = true;
    return true;
  }

  // Whether nothing in the region sets what the bounds are computed from.
  bool isSteady(StringRef Bounds) {
    auto [It, New] = Steady.try_emplace(std::to_string(Region->First) + ":" + Bounds.str(), false);
    return New ? It->second = staysSteady(Bounds) : It->second;
  }

  bool staysSteady(StringRef Bounds) const {
    const std::vector<StringRef> Of = fortranNames(Bounds);
    for (unsigned K = Region->First; K < Region->Last; ++K) {
      Meter::count();
      const std::optional<FortranAssignment> A = fortranAssignment(behindCondition(at(K).Text));
      if ((A && is_contained(Of, fortranBase(A->Target))) ||
          any_of(at(K).Counters, [&](StringRef C) { return is_contained(Of, C); }))
        return false;
    }
    return true;
  }

  StringRef Raw;
  SmallVector<StringRef, 0> Lines;
  DenseMap<unsigned, bool> Hidden; // by region
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  const FortranNames &Names;
  const FortranConstruct *Region = nullptr;
  int LoopBlock = -1;
  bool Understood = true, NeedsStatic = false;
  StringMap<bool> Steady; // by region and bounds
  std::vector<FortranBarrier> Found;
};

} // namespace

std::vector<FortranBarrier> fortranBarriers(Unit &U) { return LoopBarriers(U).run(); }

} // namespace stridewise
