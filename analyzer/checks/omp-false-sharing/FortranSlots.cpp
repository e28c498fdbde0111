#include "checks/omp-false-sharing/FortranSlots.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "thresholds.h"
#include "unit/Meter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace stridewise {

using namespace limits::omp_false_sharing;

namespace {

constexpr StringLiteral ThreadNumber = "omp_get_thread_num";

bool asksThread(StringRef Text) { return Text.contains(ThreadNumber); }
bool asksTeamSize(StringRef Text) {
  return Text.contains("omp_get_num_threads") || Text.contains("omp_get_max_threads") ||
         Text.contains("omp_get_num_procs");
}

class FortranTeams {
public:
  FortranTeams(Unit &U, double MinWrites, double LineBytes)
      : MinWrites(MinWrites), LineBytes(LineBytes), Text(fortranText(U)), Procedures(fortranProcedures(U)),
        Constructs(fortranConstructs(U)), Names(fortranNames(U)) {}

  std::vector<FortranSlot> run() {
    for (Now = 0; Now < Text.statements().size(); ++Now) {
      Meter::count();
      if (!entersTeam())
        continue;
      const StringRef T = Text.statements()[Now].Text;
      if (std::optional<FortranAssignment> A = fortranAssignment(behindCondition(T));
          A && !Text.statements()[Now].IsLoop && !T.contains("::"))
        judge(*A, T.drop_back(behindCondition(T).size()));
    }
    return std::move(Found);
  }

private:
  struct Loop {
    unsigned Statement = 0, End = 0;
    int Block = -1;
    StringRef Counter, First, Last, Step;
    const FortranConstruct *Shared = nullptr;
  };

  // --- where a statement stands --------------------------------------------------------------------------------------

  // Whether all threads of a region run the statement side by side; sets the region and the loops within it.
  bool entersTeam() {
    Region = Constructs.region(Now);
    if (!Region || Text.statements()[Now].OnDevice)
      return false;
    const FortranConstruct *Sharing = nullptr;
    for (int C = Constructs.around(Now); C >= 0; C = Constructs.all()[C].Parent) {
      const FortranConstruct &X = Constructs.all()[C];
      if (X.Device || X.OneThread || X.Exclusive || X.Tasks || X.SharesOther)
        return false;
      if (X.SharesLoop && !Sharing)
        Sharing = &X;
      if (&X == Region)
        break;
    }
    if (Region->clause("num_threads") == StringRef("1") || (Sharing && Sharing->collapsed() > 1))
      return false;
    findLoops(Sharing);
    return true;
  }

  void findLoops(const FortranConstruct *Sharing) {
    Loops.clear();
    const FortranBlock *Own = Procedures.loopAt(Now);
    for (int B = Own ? Own->Parent : Procedures.blockOf(Now); B >= 0; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.K != FortranBlock::Loop || Block.Begin < Region->First)
        continue;
      Loop L;
      L.Statement = Block.Begin;
      L.End = Block.End;
      L.Block = B;
      if (Sharing && Sharing->First == Block.Begin)
        L.Shared = Sharing;
      const FortranStatement &S = Text.statements()[Block.Begin];
      const std::size_t Equals = outsideBrackets(S.Text, '=');
      if (S.Counters.size() == 1 && !S.Concurrent && Equals != StringRef::npos) {
        std::vector<StringRef> Bounds = fortranList(StringRef(S.Text).drop_front(Equals + 1));
        L.Counter = S.Counters.front();
        L.First = Bounds.empty() ? StringRef() : Bounds.front();
        L.Last = Bounds.size() > 1 ? Bounds[1] : StringRef();
        L.Step = Bounds.size() > 2 ? Bounds[2] : StringRef("1");
      }
      Loops.insert(Loops.begin(), L);
    }
  }

  std::optional<std::int64_t> trips(const Loop &L) const {
    const auto First = Names.constant(Now, L.First), Last = Names.constant(Now, L.Last),
               Step = Names.constant(Now, L.Step);
    if (!First || !Last || !Step || *Step == 0)
      return std::nullopt;
    return std::max<std::int64_t>(0, (*Last - *First) / *Step + 1);
  }

  // Conditions of the branches around the statement, up to the region or to a loop.
  std::vector<StringRef> conditions(int UpTo) const {
    std::vector<StringRef> Out;
    for (int B = Procedures.blockOf(Now); B >= 0 && B != UpTo; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.Begin < Region->First)
        break;
      if (Block.K == FortranBlock::Branch)
        for (unsigned K = Block.Begin; K < Block.End; ++K)
          if (Procedures.blockOf(K) == B &&
              (K == Block.Begin || StringRef(Text.statements()[K].Text).starts_with("else")))
            Out.push_back(Text.statements()[K].Text);
    }
    return Out;
  }

  // --- which element -------------------------------------------------------------------------------------------------

  // Whether the variable is each thread's own and holds the thread's number all the time, give or take a constant.
  bool holdsThread(StringRef Name) {
    auto [It, New] = Holders.try_emplace(std::to_string(Region->First) + ":" + Name.str(), false);
    if (!New)
      return It->second;
    if (Constructs.sharing(Now, Name) != FortranSharing::Private)
      return false;
    bool Any = false;
    for (unsigned K = Region->First; K < Region->Last; ++K) {
      Meter::count();
      const StringRef T = behindCondition(Text.statements()[K].Text);
      const std::optional<FortranAssignment> A = fortranAssignment(T);
      if (A && A->Target == Name) {
        if (!coefficient(A->Value, ThreadNumber).has_value())
          return false;
        Any = true;
      } else if (is_contained(Text.statements()[K].Counters, Name) || T.starts_with("read")) {
        return false;
      }
    }
    return Holders[std::to_string(Region->First) + ":" + Name.str()] = Any;
  }

  // By which constant a sum has the name, itself or a call of it, as a factor; nothing where it has it otherwise, or
  // not at all.
  std::optional<std::int64_t> coefficient(StringRef Sum, StringRef Name) const {
    std::optional<std::int64_t> Found;
    int Depth = 0;
    std::size_t Begin = 0;
    for (std::size_t I = 0; I <= Sum.size(); ++I) {
      const char C = I < Sum.size() ? Sum[I] : '+';
      Depth += C == '(';
      Depth -= C == ')';
      if (Depth != 0 || (C != '+' && C != '-'))
        continue;
      const StringRef Term = Sum.slice(Begin, I);
      const bool Minus = Begin > 0 && Sum[Begin - 1] == '-';
      Begin = I + 1;
      if (!is_contained(fortranNames(Term), Name))
        continue;
      auto [Left, Right] = Term.split('*');
      auto Is = [&](StringRef Part) { return Part == Name || Part == (Name + "()").str(); };
      std::optional<std::int64_t> Factor = Right.empty() && Is(Left) ? std::optional<std::int64_t>(1)
                                           : Is(Left)                ? Names.constant(Now, Right)
                                           : Is(Right)               ? Names.constant(Now, Left)
                                                                     : std::nullopt;
      if (!Factor || Found)
        return std::nullopt;
      Found = Minus ? -*Factor : *Factor;
    }
    return Found;
  }

  // Which subscript the thread's number, or the shared loop's counter, is in, and by which factor.
  std::optional<std::pair<std::size_t, std::int64_t>> chosenBy(ArrayRef<StringRef> Subscripts, StringRef Name) {
    std::optional<std::pair<std::size_t, std::int64_t>> Found;
    for (std::size_t K = 0; K < Subscripts.size(); ++K) {
      if (!is_contained(fortranNames(Subscripts[K]), Name))
        continue;
      const std::optional<std::int64_t> Factor = coefficient(Subscripts[K], Name);
      if (Found || !Factor || *Factor == 0)
        return std::nullopt;
      Found = std::pair(K, *Factor);
    }
    return Found;
  }

  // Sets who chooses and how far apart the elements of two of them are; false where nobody does, or far enough.
  bool chooses(const FortranVariable &V, ArrayRef<StringRef> Subscripts, FortranSlot &S) {
    std::optional<std::pair<std::size_t, std::int64_t>> At = chosenBy(Subscripts, ThreadNumber);
    for (StringRef Each : Subscripts)
      for (StringRef Name : plainNames(Each))
        if (!At && holdsThread(Name))
          At = chosenBy(Subscripts, Name);
    S.ByThread = At.has_value();
    const auto Shared = find_if(Loops, [](const Loop &L) { return L.Shared; });
    if (Shared != Loops.end() && !Shared->Counter.empty()) {
      const bool Mentioned =
          any_of(Subscripts, [&](StringRef X) { return is_contained(plainNames(X), Shared->Counter); });
      if (S.ByThread && Mentioned)
        return false;
      if (!S.ByThread)
        At = chosenBy(Subscripts, Shared->Counter);
    }
    if (!At || V.ElementBytes <= 0)
      return false;
    std::int64_t Bytes = V.ElementBytes * std::abs(At->second);
    for (std::size_t K = 0; K < At->first; ++K) {
      const auto Extent = K < V.Extents.size() ? Names.extent(Now, V.Extents[K]) : std::nullopt;
      if (!Extent || MulOverflow(Bytes, *Extent, Bytes))
        return false;
    }
    S.DistanceBytes = Bytes;
    S.ElementBytes = V.ElementBytes;
    S.Sure &= !V.Pointer;
    return Bytes > 0 && static_cast<double>(Bytes) < LineBytes && (S.ByThread || isDealtFinely(*Shared, S));
  }

  // Whether neighbouring iterations go to different threads.
  bool isDealtFinely(const Loop &L, FortranSlot &S) {
    SmallVector<StringRef, 2> Schedule;
    L.Shared->clause("schedule").value_or("static").split(Schedule, ',');
    const StringRef Kind =
        Schedule.front().rsplit(':').second.empty() ? Schedule.front() : Schedule.front().rsplit(':').second;
    S.Chunk = Schedule.size() > 1;
    if (Kind == "dynamic" || (Kind == "static" && S.Chunk)) {
      const auto Size = S.Chunk ? Names.constant(Now, Schedule[1]) : std::optional<std::int64_t>(1);
      return Size && static_cast<double>(*Size * S.DistanceBytes) < LineBytes;
    }
    if (Kind != "static")
      return false;
    if (asksTeamSize(L.Last) || holdsTeamSize(L.Last))
      return true;
    const std::optional<std::int64_t> Trips = trips(L);
    const double Bytes = static_cast<double>(Trips.value_or(0) * S.DistanceBytes);
    S.Sure &= Bytes <= LineBytes * FewThreads;
    return Trips && *Trips > 1 && Bytes <= LineBytes * ManyThreads;
  }

  bool holdsTeamSize(StringRef Bound) const {
    const int P = Procedures.of(Now);
    const std::vector<StringRef> Of = plainNames(Bound);
    for (unsigned K = Procedures.all()[P].First; K < Now && !Of.empty(); ++K) {
      Meter::count();
      const std::optional<FortranAssignment> A = fortranAssignment(behindCondition(Text.statements()[K].Text));
      if (A && is_contained(Of, A->Target) && asksTeamSize(A->Value))
        return true;
    }
    return false;
  }

  // --- how often -----------------------------------------------------------------------------------------------------

  // Whether the compiler has to leave the write in the loop.
  bool stays(const Loop &L, const FortranVariable &V, ArrayRef<StringRef> Subscripts, StringRef Target, bool OneLine) {
    if (OneLine || !conditions(L.Block).empty())
      return true;
    bool Stays = false;
    for (unsigned K = L.Statement + 1; K < L.End && !Stays; ++K) {
      Meter::count();
      const StringRef T = Text.statements()[K].Text;
      Stays = T == "exit" || T == "return" || T.starts_with("goto") || asksThread(T) || sets(K, Subscripts) ||
              any_of(fortranDesignators(T), [&](const FortranDesignator &D) { return mayBe(D, V, Target); });
    }
    return Stays || any_of(Subscripts, [&](StringRef S) { return is_contained(fortranNames(S), L.Counter); });
  }

  // Whether the statement sets a number that a subscript is computed from.
  bool sets(unsigned K, ArrayRef<StringRef> Subscripts) const {
    const FortranStatement &S = Text.statements()[K];
    const std::optional<FortranAssignment> A = fortranAssignment(behindCondition(S.Text));
    for (StringRef Each : Subscripts)
      for (StringRef Name : fortranNames(Each))
        if (is_contained(S.Counters, Name) || (A && fortranBase(A->Target) == Name))
          return true;
    return false;
  }

  // Whether what the designator names may be the element, as far as the compiler knows.
  bool mayBe(const FortranDesignator &D, const FortranVariable &V, StringRef Target) const {
    if (D.Text == Target || D.lastIndexed() < 0)
      return false;
    // An array behind a component, of a type that nobody asks: the compiler keeps it apart from what stands where the
    // program has put it, and from nothing else.
    if (D.Parts.size() > 1 && D.lastIndexed() > 0)
      return !V.Static || V.Deferred;
    const std::optional<FortranVariable> Other = Names.variable(Now, D.Parts.front().Name);
    if (!Other || !Other->isArray() || Constructs.sharing(Now, D.Parts.front().Name) == FortranSharing::Private)
      return false;
    const bool Apart = V.Static && Other->Static && !V.Deferred && !Other->Deferred && V.Root != Other->Root;
    return !Apart && Other->ElementBytes == V.ElementBytes && Other->IsInteger == V.IsInteger;
  }

  // Whether an iteration does so much else that one write does not show: calls, array operations, output, long loops.
  // `Row` is left by a register; one section is a row as well, of which nobody knows the length.
  bool isHeavy(const Loop &L, const Loop *Row = nullptr, bool *Section = nullptr) const {
    for (unsigned K = L.Statement + 1; K < L.End; ++K) {
      Meter::count();
      const FortranStatement &S = Text.statements()[K];
      const StringRef T = behindCondition(S.Text);
      if (T.starts_with("call") || T.starts_with("write(") || T.starts_with("print") || T.starts_with("read"))
        return true;
      if (T.contains(':') && !T.contains("::")) {
        if (!Section || *Section || T.count(':') > 1)
          return true;
        *Section = true;
      }
      if (S.IsLoop && (!Row || K != Row->Statement) && isLong(K))
        return true;
      for (const FortranDesignator &D : fortranDesignators(S.Text)) {
        const std::optional<FortranVariable> V = Names.variable(Now, D.Parts.front().Name);
        if (V ? V->isArray() && D.lastIndexed() < 0
              : D.Parts.front().Subscripts && Names.isProcedure(Now, D.Parts.front().Name))
          return true;
      }
    }
    return false;
  }

  bool isLong(unsigned K) const {
    const StringRef T = Text.statements()[K].Text;
    const std::size_t Equals = outsideBrackets(T, '=');
    const std::vector<StringRef> Bounds =
        Equals == StringRef::npos ? std::vector<StringRef>() : fortranList(T.drop_front(Equals + 1));
    if (Bounds.size() < 2)
      return true;
    const auto First = Names.constant(Now, Bounds[0]), Last = Names.constant(Now, Bounds[1]);
    return !First || !Last || *Last - *First >= ShortLoopTrips;
  }

  unsigned accesses(const Loop &L) const {
    unsigned Number = 0;
    for (unsigned K = L.Statement + 1; K < L.End; ++K)
      for (const FortranDesignator &D : fortranDesignators(Text.statements()[K].Text))
        Number += D.lastIndexed() >= 0;
    return Number;
  }

  // A loop of unknown length and little work, from which the compiler takes the write.
  bool isCheapRow(const Loop &L) const { return !trips(L) && accesses(L) <= RowAccesses; }

  // The loop that repeats the write, often enough. What a register keeps in a loop that may have no iterations is
  // written once for each row: the next loop cannot be left by it.
  const Loop *home(const FortranVariable &V, ArrayRef<StringRef> Subscripts, StringRef Target, bool OneLine,
                   FortranSlot &S) {
    const Loop *Home = nullptr, *Row = nullptr;
    std::int64_t Writes = 1;
    bool Known = true, Section = false;
    for (const Loop &L : reverse(Loops)) {
      if (!Home && !Row && !stays(L, V, Subscripts, Target, OneLine)) {
        if (S.ByThread && isCheapRow(L))
          Row = &L;
        continue;
      }
      Home = Home ? Home : &L;
      const std::optional<std::int64_t> Trips = trips(L);
      Known = Known && Trips && !MulOverflow(Writes, *Trips, Writes);
    }
    if (!Home || (Known && static_cast<double>(Writes) < MinWrites) ||
        isHeavy(*Home, Row, S.ByThread ? &Section : nullptr))
      return nullptr;
    S.Sure &= !Row && !Section;
    if (S.ByThread)
      return Home;
    // In the shared loop itself each element is written once. Handing out short iterations at run time costs more than
    // the lines do.
    S.EveryIteration = Home->Shared;
    if (!S.EveryIteration)
      return any_of(Loops, [&](const Loop &L) { return L.Shared && L.Statement < Home->Statement; }) ? Home : nullptr;
    const StringRef Schedule = Home->Shared->clause("schedule").value_or("");
    return Schedule.starts_with("static") && accesses(*Home) <= LongBodyAccesses ? Home : nullptr;
  }

  void judge(const FortranAssignment &A, StringRef Condition) {
    const std::optional<FortranDesignator> D = fortranDesignator(A.Target);
    if (!D || D->Text != A.Target || D->Parts.size() != 1 || !D->Parts.front().Subscripts || Loops.empty())
      return;
    const StringRef Name = D->Parts.front().Name;
    const FortranSharing Who = Constructs.sharing(Now, Name);
    const std::optional<FortranVariable> V = Names.variable(Now, Name);
    if (!V || !V->isArray() || Who == FortranSharing::Private || Who == FortranSharing::Reduced)
      return;
    const std::vector<StringRef> &Subscripts = *D->Parts.front().Subscripts;
    FortranSlot S;
    if (any_of(Subscripts, [](StringRef X) { return X.contains(':'); }) || !chooses(*V, Subscripts, S))
      return;
    std::vector<StringRef> Conditions = conditions(-1);
    if (!Condition.empty())
      Conditions.push_back(Condition);
    for (StringRef C : Conditions)
      // One thread alone, or a new extreme, which is found less and less often.
      if (asksThread(C) || C.contains(A.Target) || any_of(fortranNames(C), [&](StringRef N) { return holdsThread(N); }))
        return;
    const Loop *Home = home(*V, Subscripts, A.Target, !Condition.empty(), S);
    if (!Home)
      return;
    S.Write = Now;
    S.Loop = Home->Statement;
    S.Array = Name.str();
    S.Adds = A.Value.contains(A.Target);
    S.RegionLine = Region->Line;
    S.RegionColumn = Region->Column;
    const FortranProcedure &P = Procedures.all()[Procedures.of(Now)];
    S.Procedure = P.K == FortranProcedure::Program ? "main program" : P.Name;
    if (Said.emplace(S.Loop, S.Array).second)
      Found.push_back(std::move(S));
  }

  double MinWrites, LineBytes;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  const FortranNames &Names;
  unsigned Now = 0;
  const FortranConstruct *Region = nullptr;
  std::vector<Loop> Loops;                         // of the region, outermost first
  StringMap<bool> Holders;                         // by region and name
  std::set<std::pair<unsigned, std::string>> Said; // loops and arrays
  std::vector<FortranSlot> Found;
};

} // namespace

std::vector<FortranSlot> fortranSlots(Unit &U, double MinWrites, double LineBytes) {
  return FortranTeams(U, MinWrites, LineBytes).run();
}

} // namespace stridewise
