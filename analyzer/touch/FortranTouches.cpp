// What runs under which loops, branches and teams in a procedure of Fortran, and what its calls pass on.
#include "touch/FortranTouches.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranMpi.h"
#include "library/MpiCall.h"
#include "touch/FortranTouchBuilder.h"
#include "unit/Counted.h"
#include "unit/Reporter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {

namespace {

constexpr unsigned MaxBlocks = 1 << 24; // branches that are one statement are numbered from here on

bool isInput(StringRef T) { return T.starts_with("read(") || T.starts_with("read*"); }

// Keywords that a statement may begin with although it reads like an access.
bool isDeclaration(StringRef T) {
  return T.contains("::") || T.starts_with("format(") || T.starts_with("common") || T.starts_with("dimension") ||
         T.starts_with("data") || T.starts_with("parameter(") || T.starts_with("equivalence(");
}

// Behind the brackets that the text begins with.
StringRef behindBrackets(StringRef T) {
  if (!T.starts_with("("))
    return T;
  const std::size_t End = outsideBrackets(T.drop_front(), ')');
  return End == StringRef::npos ? StringRef() : T.drop_front(End + 2);
}

} // namespace

FortranTouchBuilder::FortranTouchBuilder(Unit &U, const FortranNames &Names, TouchSilencer Suppressed,
                                         FunctionTouches &Out)
    : U(U), Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)), Names(Names),
      Suppressed(Suppressed), Out(Out) {}

std::optional<TouchEvent> FortranTouchBuilder::inPlace(const FortranVariable &V, StringRef Name, Unit &U) {
  if (!V.isArray() || V.Deferred || V.HasValues || (V.Extents.empty() && V.Bytes < 0))
    return std::nullopt;
  TouchEvent E{};
  E.K = TouchEvent::Allocate;
  E.InPlace = true;
  E.Name = Name.str();
  E.Bytes = V.Bytes;
  if (V.isGlobal() && V.Static)
    E.Object = {V.Root + "*"};
  else
    E.Object = {V.Root, "*"};
  Factors Sizes;
  for (StringRef X : V.Extents)
    Sizes.add(X);
  E.Sizes = Sizes.known();
  const clang::SourceManager &SM = U.sources();
  E.Range = SM.translateLineCol(SM.getMainFileID(), std::max(1U, V.Line), 1);
  E.Where = placeOf(U.ast(), E.Range);
  return E;
}

void FortranTouchBuilder::run(int P) {
  const FortranProcedure &Procedure = Procedures.all()[P];
  Now = Procedure.First;
  for (const std::string &Name : Names.declared(P))
    if (std::optional<FortranVariable> V = Names.variable(Procedure.First, Name); V && V->Own)
      if (std::optional<TouchEvent> E = inPlace(*V, Name, U))
        Out.Events.push_back(std::move(*E));
  for (unsigned K = Procedure.First; K < Procedure.Last; ++K) {
    const StringRef T = Text.statements()[K].Text, Rest = behindCondition(T);
    if (isInput(Rest))
      Inputs.insert(K);
    if (T == "else" || T == "elsewhere" || T == "casedefault")
      Exhaustive.insert(Procedures.blockOf(K));
  }
  for (unsigned K = Procedure.First; K < Procedure.Last; ++K)
    if (Procedures.of(K) == P)
      statement(K);
  compareUses();
}

void FortranTouchBuilder::statement(unsigned K) {
  Meter::count();
  Now = K;
  const StringRef T = Text.statements()[K].Text;
  arms(K);
  if (isDeclaration(T))
    return;
  findThreads(K);
  findLoops(K);
  const StringRef Rest = behindCondition(T);
  Conditional = Rest.size() != T.size();
  if (Conditional) {
    reads(T.drop_back(Rest.size()));
    Arms.emplace_back(MaxBlocks + K, 0);
  }
  if (Rest.starts_with("allocate(") && Rest.ends_with(")")) {
    allocate(Rest.drop_front(StringRef("allocate(").size()).drop_back());
  } else if (Rest.starts_with("call") && Rest.size() > 4 && outsideBrackets(Rest, '=') == StringRef::npos) {
    call(Rest.drop_front(4));
  } else if (isInput(Rest)) {
    input(Rest);
  } else if (const std::size_t Arrow = Rest.find("=>"); Arrow != StringRef::npos && !Rest.starts_with("use")) {
    pointer(Rest.take_front(Arrow), Rest.drop_front(Arrow + 2));
  } else if (std::optional<FortranAssignment> A = fortranAssignment(Rest); A && !Text.statements()[K].IsLoop) {
    assigned(*A);
  } else {
    reads(Rest);
    functions(Rest);
  }
}

// Which threads run the statement.
void FortranTouchBuilder::findThreads(unsigned K) {
  By = Runs::Serial;
  InTeam = Dealt = WorkShare = false;
  bool Decided = false;
  for (int C = Constructs.around(K); C >= 0; C = Constructs.all()[C].Parent) {
    const FortranConstruct &X = Constructs.all()[C];
    if (X.Device || Text.statements()[K].OnDevice) {
      By = Runs::One;
      return;
    }
    if (X.StartsTeam) {
      // A team within a team.
      if (InTeam)
        By = Runs::Team;
      InTeam = true;
    }
    if (Decided)
      continue;
    if (X.OneThread || X.Tasks || (X.SharesOther && X.Name.find("workshare") == std::string::npos)) {
      By = Runs::One;
      Decided = true;
    } else if (X.SharesLoop || X.SharesOther) {
      By = Runs::Shared;
      Decided = true;
      WorkShare = X.SharesOther;
      const StringRef Schedule = X.clause("schedule").value_or("");
      // Chunks of a static schedule go round, too.
      Dealt = Schedule.contains("dynamic") || Schedule.contains("guided") || Schedule.contains(',');
    } else if (X.StartsTeam) {
      By = Runs::Team;
    }
  }
  if (Text.statements()[K].OnDevice)
    By = Runs::One;
}

void FortranTouchBuilder::findLoops(unsigned K) {
  Loops.clear();
  unsigned SharedFrom = ~0U, Shared = 0;
  for (int C = Constructs.around(K); C >= 0 && By == Runs::Shared; C = Constructs.all()[C].Parent)
    if (Constructs.all()[C].SharesLoop) {
      SharedFrom = Constructs.all()[C].First;
      Shared = Constructs.all()[C].collapsed();
      break;
    }
  // A loop's own header is outside of it.
  const FortranBlock *Own = Procedures.loopAt(K);
  for (int B = Own ? Own->Parent : Procedures.blockOf(K); B >= 0; B = Procedures.blocks()[B].Parent)
    if (Procedures.blocks()[B].K == FortranBlock::Loop)
      if (std::optional<Loop> L = loop(B))
        Loops.insert(Loops.begin(), *L);
  for (Loop &L : Loops)
    if (L.Statement >= SharedFrom && Shared > 0) {
      L.Shared = true;
      --Shared;
    }
  if (const Loop *S = sharedLoop(); !S || S->Statement != FollowedIn) {
    Followed.clear();
    FollowedIn = S ? S->Statement : 0;
  }
}

std::optional<FortranTouchBuilder::Loop> FortranTouchBuilder::loop(int B) const {
  const FortranBlock &Block = Procedures.blocks()[B];
  const FortranStatement &S = Text.statements()[Block.Begin];
  Loop L;
  L.Statement = Block.Begin;
  L.End = Block.End;
  L.Block = B;
  const StringRef T = S.Text;
  const std::size_t Equals = outsideBrackets(T, '=');
  if (S.Counters.size() == 1 && !S.Concurrent && Equals != StringRef::npos) {
    std::vector<StringRef> Bounds = fortranList(T.drop_front(Equals + 1));
    if (Bounds.size() == 2 || Bounds.size() == 3) {
      L.Counter = S.Counters.front();
      L.First = Bounds[0];
      L.Last = Bounds[1];
      L.Step = Bounds.size() == 3 ? Bounds[2] : StringRef("1");
    }
  }
  return L;
}

// The branches around the statement, each with the arm that it stands in.
void FortranTouchBuilder::arms(unsigned K) {
  const StringRef T = Text.statements()[K].Text;
  const int Here = Procedures.blockOf(K);
  if (T == "else" || T.starts_with("elseif(") || T.starts_with("elsewhere") || T.starts_with("case(") ||
      T == "casedefault")
    ++ArmOf[Here];
  Arms.clear();
  for (int B = Here; B >= 0; B = Procedures.blocks()[B].Parent)
    if (Procedures.blocks()[B].K == FortranBlock::Branch && Procedures.blocks()[B].Begin != K)
      Arms.emplace_back(unsigned(B), ArmOf.lookup(B));
  std::reverse(Arms.begin(), Arms.end());
}

// --- arrays ----------------------------------------------------------------------------------------------------------

bool FortranTouchBuilder::Array::IsWhole() const {
  return all_of(Subscripts, [](StringRef S) { return S == ":"; });
}

// Of the designator's first parts, without subscripts.
Location FortranTouchBuilder::place(const FortranDesignator &D, std::size_t Parts) const {
  std::optional<FortranVariable> V = Names.variable(Now, D.Parts.front().Name);
  if (!V)
    return {};
  Location L{V->Root};
  if (V->Pointer && Parts > 1)
    L.push_back("*");
  for (std::size_t K = 1; K < Parts; ++K)
    L.push_back("." + D.Parts[K].Name.str());
  return L;
}

// The last array on the way; with `Deep` also one that is named whole.
std::optional<FortranTouchBuilder::Array> FortranTouchBuilder::array(const FortranDesignator &D, bool Deep) const {
  std::optional<FortranVariable> V = Names.variable(Now, D.Parts.front().Name);
  if (!V || isPrivate(D.Parts.front().Name))
    return std::nullopt;
  int At = D.lastIndexed();
  const int Last = int(D.Parts.size()) - 1;
  // A component that is an array itself, as far as this file declares it.
  const FortranEntity *Component = nullptr;
  if (Last > 0 && !D.Parts[Last].Subscripts)
    for (const FortranProcedure &P : Procedures.all())
      if (auto It = P.Names.find(D.Parts[Last].Name); It != P.Names.end() && P.K == FortranProcedure::Module)
        Component = &It->second;
  const bool Whole = Last == 0 ? V->isArray() && At < 0 : Component && Component->isArray();
  if (Whole && Deep)
    At = Last;
  if (At < 0 || (At == 0 && !V->isArray()))
    return std::nullopt;
  Array A;
  A.Holder = place(D, std::size_t(At) + 1);
  A.Where = A.Holder;
  A.Where.push_back("*");
  A.Variable = std::move(*V);
  A.Base = D.Parts.front().Name;
  A.Name = D.Parts[At].Name;
  if (D.Parts[At].Subscripts)
    A.Subscripts = *D.Parts[At].Subscripts;
  if (At == 0)
    A.Extents = A.Variable.Extents;
  else
    A.Variable.ElementBytes = A.Variable.Bytes = -1;
  if (auto Shape = Shapes.find(join(A.Holder, "")); A.Extents.empty() && Shape != Shapes.end())
    A.Extents = Shape->second;
  A.Record = At < Last;
  A.Text = D.Text;
  return A;
}

bool FortranTouchBuilder::isPrivate(StringRef Name) const {
  const FortranSharing S = Constructs.sharing(Now, Name);
  return S == FortranSharing::Private || S == FortranSharing::Reduced;
}

// --- statements ------------------------------------------------------------------------------------------------------

void FortranTouchBuilder::allocate(StringRef List) {
  if (const std::size_t Colons = List.find("::"); Colons != StringRef::npos)
    List = List.drop_front(Colons + 2);
  std::vector<TouchEvent> Made;
  bool Filled = false;
  for (StringRef Item : fortranList(List)) {
    Filled |= Item.starts_with("source=");
    std::optional<FortranDesignator> D = fortranDesignator(Item);
    if (!D || D->Text.size() != Item.size())
      continue;
    TouchEvent E;
    E.K = TouchEvent::Allocate;
    E.Object = place(*D, D->Parts.size());
    E.Name = D->Parts.back().Name.str();
    E.InLoop = !Loops.empty();
    if (E.Object.empty() || isPrivate(D->Parts.front().Name) || !D->Parts.back().Subscripts)
      continue;
    const std::optional<FortranVariable> V = Names.variable(Now, D->Parts.front().Name);
    E.Bytes = D->Parts.size() == 1 ? V->ElementBytes : -1;
    Factors Sizes;
    for (StringRef Dimension : *D->Parts.back().Subscripts) {
      const std::optional<std::int64_t> Extent = Names.extent(Now, Dimension);
      E.Bytes = Extent && E.Bytes >= 0 ? E.Bytes * *Extent : -1;
      Sizes.add(Dimension);
    }
    E.Sizes = Sizes.known();
    std::vector<StringRef> Shape = *D->Parts.back().Subscripts;
    Shapes[join(E.Object, "")] = std::vector<std::string>(Shape.begin(), Shape.end());
    Made.push_back(E);
    add(std::move(E), header(Now));
  }
  if (!Filled)
    return;
  for (TouchEvent &E : Made) {
    E.K = TouchEvent::Fill;
    E.Object.push_back("*");
    E.Section = true;
    add(std::move(E), header(Now));
  }
}

// Elements and sections that are handed over: what becomes of the rest nobody sees.
bool FortranTouchBuilder::isPassedInPart(const Array &A) const {
  for (std::size_t K = 0; K < A.Subscripts.size(); ++K) {
    const StringRef First = K < A.Extents.size() ? FortranNames::lowerBound(A.Extents[K]) : StringRef("1");
    if (A.Subscripts[K] != ":" && A.Subscripts[K] != First)
      return true;
  }
  return false;
}

// What a call hands over; nothing of numbers, and of elements and sections, which are told at once.
TouchEvent::Argument FortranTouchBuilder::argument(StringRef Text) {
  TouchEvent::Argument X;
  X.Reference = true;
  reads(Text);
  std::optional<FortranDesignator> Of = fortranDesignator(Text);
  if (!Of || Of->Text.size() != Text.size() || isPrivate(Of->Parts.front().Name))
    return X;
  // Components of records are told apart by their names, not by the element that they are of.
  if (std::optional<Array> A = array(*Of, /*Deep=*/true); A && !A->Record && isPassedInPart(*A))
    add(TouchEvent::Foreign, A->Where);
  else
    X.Where = place(*Of, Of->Parts.size());
  return X;
}

void FortranTouchBuilder::call(StringRef Call) {
  std::optional<FortranDesignator> D = fortranDesignator(Call);
  if (!D)
    return;
  const FortranDesignator::Part &Last = D->Parts.back();
  std::vector<StringRef> Args = Last.Subscripts.value_or(std::vector<StringRef>());
  auto IsKeyword = [](StringRef A) {
    const std::size_t Equals = outsideBrackets(A, '=');
    return Equals != StringRef::npos && fortranBase(A).size() == Equals;
  };
  TouchEvent E;
  E.K = TouchEvent::Call;
  const MpiSignature *Mpi = fortranMpiCall(Last.Name);
  E.Message = Mpi;
  // Positions alone tell which argument is which; a procedure that is an argument may be any.
  if (!Mpi && D->Parts.size() == 1 && none_of(Args, IsKeyword) && !Names.variable(Now, Last.Name))
    E.Callee = Names.calleeId(Now, Last.Name);
  if (D->Parts.size() > 1 && none_of(Args, IsKeyword)) {
    // The object that a type's procedure is called of is its first argument.
    E.Callee = fortranCalls(U).boundAt(Text.statements()[Now].Line, unsigned(Args.size()) + 1);
    if (!E.Callee.empty())
      Args.insert(Args.begin(), Call.take_front(std::size_t(Last.Name.data() - Call.data()) - 1));
  }
  E.InLoop = !Loops.empty();
  E.Arguments.emplace_back(); // no object of a member
  const int To = Mpi && Mpi->is(MpiRecv) ? (Mpi->RecvBuffer >= 0 ? Mpi->RecvBuffer : Mpi->Buffer) : -1;
  for (std::size_t K = 0; K < Args.size(); ++K) {
    TouchEvent::Argument X = argument(IsKeyword(Args[K]) ? Args[K].split('=').second : Args[K]);
    X.Const = Mpi && int(K) != To;
    if (Mpi && !X.Where.empty())
      X.Where.push_back("*"); // what the array holds is written
    E.Arguments.push_back(std::move(X));
  }
  add(std::move(E), header(Now));
}

// A function may do anything to what it knows, but hardly to its arguments.
void FortranTouchBuilder::functions(StringRef In) {
  for (const FortranDesignator &D : fortranDesignators(In)) {
    if (D.Parts.size() != 1 || !D.Parts.front().Subscripts || Names.variable(Now, D.Parts.front().Name) ||
        !Names.isProcedure(Now, D.Parts.front().Name))
      continue;
    TouchEvent E;
    E.K = TouchEvent::Call;
    E.Callee = Names.calleeId(Now, D.Parts.front().Name);
    E.InLoop = !Loops.empty();
    E.Arguments.emplace_back();
    for (StringRef Argument : *D.Parts.front().Subscripts) {
      TouchEvent::Argument &X = E.Arguments.emplace_back();
      X.Const = X.Reference = true;
      std::optional<FortranDesignator> Of = fortranDesignator(Argument);
      if (std::optional<Array> A = Of && Of->Text.size() == Argument.size() ? array(*Of, true) : std::nullopt;
          A && !A->Record && !isPassedInPart(*A))
        X.Where = A->Holder;
    }
    add(std::move(E), header(Now));
  }
}

void FortranTouchBuilder::pointer(StringRef Target, StringRef Value) {
  std::optional<FortranDesignator> To = fortranDesignator(Target), From = fortranDesignator(Value);
  if (!To || !From || From->Text.size() != Value.size())
    return;
  const Location What = place(*From, From->Parts.size());
  if (What.empty())
    return;
  const std::optional<FortranVariable> V = Names.variable(Now, To->Parts.front().Name);
  std::optional<Array> Of = array(*From, /*Deep=*/true);
  // A pointer of this file that points at a whole variable. Of others nobody here follows what they point at.
  if (V && V->Pointer && To->Parts.size() == 1 && !To->Parts.front().Subscripts && !From->Parts.back().Subscripts) {
    TouchEvent E;
    E.K = TouchEvent::Assign;
    E.Object = {V->Root};
    E.Other = What;
    if (V->isArray())
      E.Other.push_back("*");
    add(std::move(E), header(Now));
    return;
  }
  add(TouchEvent::Foreign, Of && !Of->Record ? Of->Where : What);
}

// What is read from a file lies where the thread that reads it is.
void FortranTouchBuilder::input(StringRef Statement) {
  StringRef List = Statement.drop_front(StringRef("read").size());
  List = List.starts_with("(") ? behindBrackets(List) : List.drop_front(std::min(List.find(','), List.size()));
  if (By != Runs::Serial)
    return;
  for (const FortranDesignator &D : fortranDesignators(List))
    if (std::optional<Array> A = array(D, /*Deep=*/true))
      add(TouchEvent::Foreign, A->Where);
}

void FortranTouchBuilder::assigned(const FortranAssignment &A) {
  reads(A.Value);
  functions(A.Value);
  std::optional<FortranDesignator> D = fortranDesignator(A.Target);
  if (!D || D->Text.size() != A.Target.size())
    return;
  for (const FortranDesignator::Part &P : D->Parts)
    if (P.Subscripts)
      for (StringRef S : *P.Subscripts)
        reads(S);
  std::optional<Array> X = array(*D, /*Deep=*/true);
  if (!X) {
    // A number that is computed from counters, to be used as an index.
    if (D->Parts.size() == 1 && !D->Parts.front().Subscripts && By == Runs::Shared)
      Followed[D->Parts.front().Name] = A.Value.str();
    return;
  }
  if (By == Runs::One)
    return add(TouchEvent::Foreign, X->Where);
  const bool Updates =
      is_contained(map_range(fortranDesignators(A.Value), [](const FortranDesignator &V) { return V.Text; }), A.Target);
  if (By == Runs::Serial) {
    if (!Updates) // what is read before was written before
      serialWrite(*X, A.Value);
    return;
  }
  if (By == Runs::Shared) {
    sharedUse(*X, /*Writes=*/true, Updates);
    indexLists(*X);
  }
  add(TouchEvent::TeamWrite, X->Where);
}

void FortranTouchBuilder::reads(StringRef In) {
  if (By != Runs::Shared)
    return;
  for (const FortranDesignator &D : fortranDesignators(In))
    if (std::optional<Array> A = array(D, /*Deep=*/WorkShare)) {
      sharedUse(*A, /*Writes=*/false, /*Updates=*/false);
      indexLists(*A);
    }
}

// --- events ----------------------------------------------------------------------------------------------------------

clang::SourceRange FortranTouchBuilder::header(unsigned Statement) const {
  return headerOf(Text.statements()[Statement], U);
}

void FortranTouchBuilder::add(TouchEvent::Kind K, Location L) {
  TouchEvent E;
  E.K = K;
  E.Object = std::move(L);
  add(std::move(E), header(Now));
}

void FortranTouchBuilder::add(TouchEvent E, clang::SourceRange At) {
  E.By = By;
  E.Arms = Arms;
  E.Range = At;
  if (E.K == TouchEvent::Allocate || E.K == TouchEvent::Fill || E.K == TouchEvent::TeamUse) {
    E.Where = placeOf(U.ast(), E.Range);
    if (E.K == TouchEvent::Fill)
      E.Suppressed = Suppressed(/*Implicit=*/false, E.Range.getBegin());
  }
  // The same access in one loop is said once.
  if (E.K == TouchEvent::TeamUse || E.K == TouchEvent::TeamWrite) {
    std::string Key = std::to_string(E.K) + "," + std::to_string(Loops.empty() ? 0 : Loops.front().Statement + 1) +
                      "," + std::to_string(E.Where.Line) + "," +
                      std::to_string(Arms.empty() ? 0 : Arms.back().first * 64 + Arms.back().second + 1) + "," +
                      std::to_string(int(E.By) + 8 * (E.Overwrites + 2 * E.List + 4 * E.Updates));
    for (const std::string &S : E.Object)
      Key += "/" + S;
    if (!Said.insert(Key).second)
      return;
  }
  Out.Events.push_back(std::move(E));
}

// --- a unit ----------------------------------------------------------------------------------------------------------

TouchFacts collectFortranTouches(Unit &U, TouchSilencer Suppressed) {
  TouchFacts Facts;
  const FortranProcedures &Procedures = fortranProcedures(U);
  const FortranNames &Names = fortranNames(U);
  for (unsigned P = 0; P < Procedures.all().size(); ++P) {
    const FortranProcedure &Procedure = Procedures.all()[P];
    if (Procedure.K == FortranProcedure::Interface || Procedure.First >= Procedure.Last)
      continue;
    for (const std::string &Name : Names.declared(int(P)))
      if (std::optional<FortranVariable> V = Names.variable(Procedure.First, Name); V && V->Static && V->isGlobal())
        if (std::optional<TouchEvent> E = FortranTouchBuilder::inPlace(*V, Name, U))
          Facts.Globals.push_back(std::move(*E));
    if (Procedure.K == FortranProcedure::Module)
      continue;
    FunctionTouches T;
    T.Id = Names.procedureId(int(P));
    T.Name = Procedure.K == FortranProcedure::Program ? "main program" : Procedure.Name;
    T.Fortran = true;
    T.ScopeBegin = fortranText(U).statements()[Procedure.First].Line;
    T.ScopeEnd = fortranText(U).statements()[Procedure.Last - 1].EndLine;
    FortranTouchBuilder(U, Names, Suppressed, T).run(int(P));
    if (!T.Events.empty())
      Facts.Functions.push_back(std::move(T));
  }
  return Facts;
}

} // namespace stridewise
