#include "checks/omp-shared-counter/FortranStatics.h"
#include "checks/omp-shared-counter/FortranTeamPlaces.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "unit/Counted.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-shared-counter";

class StaticStudy : FortranTeamPlaces {
public:
  StaticStudy(Unit &U, Reporter &R) : FortranTeamPlaces(U), R(R), Names(fortranNames(U)) {
    for (const auto &[Procedure, Name] : fortranCalls(U).Names)
      ByLine[Procedure->getLine()] = Name;
  }

  UnitStatics run() {
    if (!U.hasFortranOpenMP())
      return {};
    Out.File = placeOf(U.ast(), U.sources().getLocForStartOfFile(U.sources().getMainFileID())).File;
    for (const auto &[Name, Body] : fortranCalls(U).Bodies)
      Out.Defined.push_back(Name);
    for (const FortranCall &C : fortranCalls(U).All)
      call(C);
    for (int P = 0; P < int(Procedures.all().size()); ++P)
      if (Procedures.all()[P].K == FortranProcedure::Module)
        module(P);
      else if (Procedures.all()[P].K == FortranProcedure::Procedure)
        procedure(P);
    return std::move(Out);
  }

private:
  // --- calls ---------------------------------------------------------------------------------------------------------

  void call(const FortranCall &C) {
    const FortranStatement *S = C.At ? fortranText(U).calling(C.At->getLine(), "") : nullptr;
    if (!S || S->OnDevice)
      return;
    const auto K = unsigned(S - Statements.data());
    const FortranConstruct *Region = Constructs.region(K);
    const std::optional<FortranConstruct> Whole = wholeOf(Procedures.of(K));
    if (!Whole || mayHoldLock(Region ? *Region : *Whole) || !isProtectedByNothing(K, Region ? *Region : *Whole))
      return;
    StaticCall Call{C.Callee, C.Caller, std::nullopt, !isInBranch(K, Region ? Region->First : Whole->First)};
    if (Region) {
      if (Region->Device || Region->SharesOther || Region->Tasks)
        return;
      const clang::SourceManager &SM = U.sources();
      const clang::SourceLocation At = SM.translateLineCol(SM.getMainFileID(), Region->Line, Region->Column);
      Call.Region = placeOf(U.ast(), At);
    }
    Out.Calls.push_back(std::move(Call));
  }

  // The procedure's text as if it were a region.
  std::optional<FortranConstruct> wholeOf(int P) const {
    if (P < 0)
      return std::nullopt;
    const FortranProcedure &Procedure = Procedures.all()[P];
    FortranConstruct Whole;
    Whole.First = Procedure.First;
    Whole.Last = Procedure.Last;
    Whole.Line = Statements[Procedure.First].Line;
    Whole.EndLine = Statements[std::min<std::size_t>(Procedure.Last, Statements.size()) - 1].EndLine;
    return Whole;
  }

  bool isInBranch(unsigned K, unsigned From) const {
    for (int B = Procedures.blockOf(K); B >= 0 && Procedures.blocks()[B].Begin >= From;
         B = Procedures.blocks()[B].Parent)
      if (Procedures.blocks()[B].K == FortranBlock::Branch)
        return true;
    return StringRef(Statements[K].Text).starts_with("if(");
  }

  // --- variables -----------------------------------------------------------------------------------------------------

  void module(int P) {
    for (const std::string &Name : Names.declared(P))
      if (!Constructs.isThreadPrivate(Name))
        Out.Shared.push_back(Procedures.all()[P].Name + "%" + Name);
  }

  void procedure(int P) {
    const std::optional<FortranConstruct> Whole = wholeOf(P);
    if (mayHoldLock(*Whole))
      return;
    StringSet<> Said, Mentioned;
    for (unsigned K = firstExecutable(P); K < Whole->Last; ++K) {
      Meter::count();
      if (Procedures.of(K) != P)
        continue;
      if (const std::optional<StaticRace> Race = raceAt(K, P, *Whole, Mentioned);
          Race && Said.insert(Race->Variable).second)
        Out.Races.push_back(*Race);
      for (StringRef Name : stridewise::fortranNames(Statements[K].Text))
        Mentioned.insert(Name);
    }
  }

  unsigned firstExecutable(int P) const {
    const FortranProcedure &Procedure = Procedures.all()[P];
    for (unsigned K = Procedure.First + 1; K < Procedure.Last; ++K) {
      StringRef Text = Statements[K].Text;
      if (Text.contains("::") || Procedures.of(K) != P)
        continue;
      if (Statements[K].IsLoop || fortranAssignment(Text) || Text.starts_with("call") || Text.starts_with("if("))
        return K;
    }
    return Procedure.Last;
  }

  // What the statement does to a variable that all threads have in common; regions of the procedure's own are looked
  // at by themselves.
  std::optional<StaticRace> raceAt(unsigned K, int P, const FortranConstruct &Whole, const StringSet<> &Before) const {
    const FortranStatement &S = Statements[K];
    if (S.OnDevice || Constructs.region(K) || !Names.isCompiled(K) || !isProtectedByNothing(K, Whole))
      return std::nullopt;
    StaticRace Race;
    FortranUpdate X;
    if (S.IsLoop) {
      if (S.Concurrent || S.Counters.size() != 1)
        return std::nullopt;
      X.Target = X.Variable = S.Counters.front();
      Race.K = StaticRace::Counts;
    } else {
      const std::optional<FortranUpdate> Known = fortranUpdate(S.Text);
      if (!Known || !Known->isScalar())
        return std::nullopt;
      X = *Known;
      Race.K = X.K == FortranUpdate::Store ? StaticRace::Sets : StaticRace::Updates;
    }
    if (!isStatic(K, X.Variable, Race.Module) || Constructs.sharing(K, X.Variable) != FortranSharing::Unknown)
      return std::nullopt;
    // A sum that is begun in the same call is one of scratch.
    if (Race.K == StaticRace::Sets ? !isScratch(K, P, X, Before, Whole)
                                   : Race.K == StaticRace::Updates && Before.contains(X.Variable))
      return std::nullopt;
    Race.Sure = Race.K != StaticRace::Sets && !isInBranch(K, Whole.First) && (S.IsLoop || !isConditional(K, X, Whole));
    Race.Procedure = linkName(P);
    Race.Function = procedureAt(K);
    Race.Variable = X.Variable;
    Race.Where = placeOf(U.ast(), headerOf(S, U));
    Race.EndLine = S.EndLine;
    Race.Silenced = R.silences(Slug, headerOf(S, U).getBegin());
    return Race;
  }

  // As calls have it: that of a procedure which another one contains is not made of theirs alone.
  std::string linkName(int P) const {
    if (const auto It = ByLine.find(Statements[Procedures.all()[P].First].Line); It != ByLine.end())
      return It->second;
    const std::string Id = Names.procedureId(P);
    StringRef Name = Id;
    return Name.consume_front("_QP") ? (Name + "_").str() : Id;
  }

  // A scalar that is kept from call to call: of the procedure by SAVE or its first value, or of a module. What modules
  // of other files hold may be each thread's own: `Module` tells whom to ask.
  bool isStatic(unsigned K, StringRef Name, std::string &Module) const {
    if (const FortranEntity *E = Procedures.find(K, Name)) {
      if (E->isArray() || E->Pointer || E->Allocatable || E->Parameter || E->Common || E->Argument || E->Type.empty() ||
          StringRef(E->Type).starts_with("type(") || StringRef(E->Type).starts_with("class("))
        return false;
      if (Procedures.isOwn(K, Name))
        return E->Saved;
    }
    const std::optional<FortranVariable> V = Names.variable(K, Name);
    StringRef Root = V ? StringRef(V->Root) : StringRef();
    if (!V || V->isArray() || V->Pointer || V->Deferred || !Root.consume_front("g_QM"))
      return false;
    if (!Procedures.find(K, Name))
      Module = Root.split('E').first.str();
    return true;
  }

  // The first that the procedure does with it is to give it a value of the call's own, which it reads again.
  bool isScratch(unsigned K, int P, const FortranUpdate &X, const StringSet<> &Before,
                 const FortranConstruct &Whole) const {
    if (Before.contains(X.Variable) || !X.Condition.empty() || isInBranch(K, Whole.First) ||
        namesVariable(X.Value, X.Variable) || !isOwnValue(K, X.Value))
      return false;
    for (unsigned S = K + 1; S < Whole.Last; ++S) {
      const std::optional<FortranAssignment> A = fortranAssignment(Statements[S].Text);
      if (Procedures.of(S) == P &&
          namesVariable(A ? StringRef(Statements[S].Text).drop_front(A->Target == X.Variable ? A->Target.size() : 0)
                          : StringRef(Statements[S].Text),
                        X.Variable))
        return true;
    }
    return false;
  }

  // It is computed from arguments or variables of the call's own.
  bool isOwnValue(unsigned K, StringRef Value) const {
    return any_of(stridewise::fortranNames(Value), [&](StringRef Name) {
      const FortranEntity *E = Procedures.find(K, Name);
      return E && Procedures.isOwn(K, Name) && !E->Parameter && !E->Saved && !E->Common;
    });
  }

  Reporter &R;
  const FortranNames &Names;
  std::map<unsigned, std::string> ByLine; // procedures by their first lines
  UnitStatics Out;
};

} // namespace

UnitStatics fortranStatics(Unit &U, Reporter &R) { return StaticStudy(U, R).run(); }

} // namespace stridewise
