#include "checks/omp-shared-counter/FortranTeamPlaces.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "unit/Counted.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace stridewise {

FortranTeamPlaces::FortranTeamPlaces(Unit &U)
    : U(U), Statements(fortranText(U).statements()), Procedures(fortranProcedures(U)),
      Constructs(fortranConstructs(U)) {}

std::string FortranTeamPlaces::procedureAt(unsigned Statement) const {
  const int P = Procedures.of(Statement);
  return P >= 0 ? procedureName(Procedures.all()[P]) : std::string();
}

bool FortranTeamPlaces::isInOther(const FortranConstruct &C) const {
  for (int P = C.Parent; P >= 0; P = Constructs.all()[P].Parent)
    if (Constructs.all()[P].Device || Constructs.all()[P].OneThread || Constructs.all()[P].Tasks)
      return true;
  return any_of(counted(Constructs.all()), [&](const FortranConstruct &Other) {
    return &Other != &C && Other.SharesLoop && Other.First == C.First;
  });
}

bool FortranTeamPlaces::isEverybodys(unsigned K, StringRef Name, const FortranConstruct &Share) const {
  const FortranSharing Who = Constructs.sharing(K, Name);
  if (Constructs.region(Share.First) || Share.StartsTeam)
    return Who == FortranSharing::Shared;
  const FortranEntity *E = Procedures.find(K, Name);
  return Who == FortranSharing::Unknown && E && E->Argument;
}

bool FortranTeamPlaces::mayHoldLock(const FortranConstruct &C) const {
  // Also in lines behind `!$`, which the text leaves out.
  const clang::SourceManager &SM = U.sources();
  const clang::SourceLocation From = SM.translateLineCol(SM.getMainFileID(), C.Line, 1);
  const clang::SourceLocation To = SM.translateLineCol(SM.getMainFileID(), C.EndLine, ~0U / 2);
  const StringRef Text = SM.getBufferData(SM.getMainFileID());
  return Text.slice(SM.getFileOffset(From), SM.getFileOffset(To)).contains_insensitive("_lock(");
}

bool FortranTeamPlaces::isProtectedByNothing(unsigned K, const FortranConstruct &Region) const {
  for (int C = Constructs.around(K); C >= 0; C = Constructs.all()[C].Parent) {
    const FortranConstruct &Around = Constructs.all()[C];
    if (Around.OneThread || Around.Exclusive || Around.Tasks || Around.SharesOther || Around.Device)
      return false;
    if (&Around == &Region)
      break;
  }
  return !isForOneOnly(K, Region);
}

static bool hasAny(StringRef Text, std::initializer_list<StringRef> Signs) {
  return any_of(Signs, [&](StringRef Sign) { return Text.contains(Sign); });
}

// `==`, `/=`: of a thread's number, an iteration, a place that the data choose.
static bool asksForOne(StringRef Text) { return hasAny(Text, {"==", "/=", ".eq.", ".ne.", "omp_"}); }

// `/=` alone: what does not leave is the one; where `==` leaves, all the others stay.
static bool asksForOthers(StringRef Text) { return hasAny(Text, {"/=", ".ne.", "omp_"}); }

static bool leaves(StringRef Text) {
  return any_of(std::initializer_list<StringRef>{"cycle", "return", "exit", "goto"},
                [&](StringRef Word) { return Text.starts_with(Word); });
}

// `if (thread /= 0) cycle`, in one line or in a branch: what follows is for one only.
bool FortranTeamPlaces::leavesOthersOut(unsigned S) const {
  StringRef Text = Statements[S].Text;
  const int B = Procedures.blockOf(S);
  StringRef Condition = Text;
  bool Either = false; // behind `else` it is the other way round
  if (Text.consume_front("if(")) {
    const std::size_t End = outsideBrackets(Text, ')');
    Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 1);
  } else if (B >= 0 && Procedures.blocks()[B].K == FortranBlock::Branch) {
    Condition = Statements[Procedures.blocks()[B].Begin].Text;
    Either = hasElse(Procedures.blocks()[B]);
  } else {
    return false;
  }
  // What waits for others in a loop leaves it where the time has come.
  const bool Waits = Text.starts_with("exit") || Text.starts_with("goto");
  return leaves(Text) && (Either || Waits ? asksForOne(Condition) : asksForOthers(Condition));
}

// Under a condition that asks for equality, or behind one that keeps the others away.
bool FortranTeamPlaces::isForOneOnly(unsigned K, const FortranConstruct &Region) const {
  for (unsigned S = Region.First; S < K; ++S)
    if (leavesOthersOut(S))
      return true;
  for (int B = Procedures.blockOf(K); B >= 0; B = Procedures.blocks()[B].Parent) {
    const FortranBlock &Block = Procedures.blocks()[B];
    if (Block.Begin < Region.First)
      break;
    StringRef Text = Statements[Block.Begin].Text;
    if (Block.K == FortranBlock::Branch && (Text.starts_with("select") || asksForOne(Text)))
      return true;
    if (Block.K == FortranBlock::Branch && hasElse(Block))
      return true;
  }
  StringRef Own = Statements[K].Text;
  return Own.starts_with("if(") && asksForOne(Own);
}
// What stands behind `else` runs where the condition does not hold: which of the two a statement is in is not known.
bool FortranTeamPlaces::hasElse(const FortranBlock &B) const {
  for (unsigned K = B.Begin + 1; K < B.End && K < Statements.size(); ++K)
    if (StringRef(Statements[K].Text).starts_with("else") && Procedures.blockOf(K) >= 0 &&
        Procedures.blocks()[Procedures.blockOf(K)].Begin == B.Begin)
      return true;
  return false;
}

bool FortranTeamPlaces::isConditional(unsigned K, const FortranUpdate &X, const FortranConstruct &Region) const {
  const bool Compares = X.K == FortranUpdate::Extremum;
  for (int B = Procedures.blockOf(K); B >= 0; B = Procedures.blocks()[B].Parent) {
    if (Procedures.blocks()[B].Begin < Region.First)
      break;
    if (Procedures.blocks()[B].K == FortranBlock::Branch && !(Compares && Procedures.blocks()[B].Begin + 1 == K))
      return true;
  }
  // A procedure that was called before may have taken a lock.
  for (unsigned S = Region.First; S < K; ++S)
    if (StringRef(Statements[S].Text).starts_with("call") && !StringRef(Statements[S].Text).starts_with("callomp_"))
      return true;
  return false;
}

bool FortranTeamPlaces::isSameForAll(unsigned K, StringRef Name, const FortranConstruct &Share) const {
  const FortranEntity *E = Procedures.find(K, Name);
  if (!E)
    return !Name.starts_with("omp_") && !fortranNames(U).isProcedure(K, Name);
  return E->Parameter || (isEverybodys(K, Name, Share) && !isSetInRegion(K, Name));
}

bool FortranTeamPlaces::isSetInRegion(unsigned K, StringRef Name) const {
  const FortranConstruct *Region = Constructs.region(K);
  return Region && any_of(seq(Region->First, Region->Last), [&](unsigned S) {
           const std::optional<FortranAssignment> A = fortranAssignment(Statements[S].Text);
           return Meter::spend() && A && fortranBase(A->Target) == Name;
         });
}

} // namespace stridewise
