#include "checks/omp-shared-counter/FortranHanded.h"
#include "checks/omp-shared-counter/FortranTeamPlaces.h"
#include "fortran/Designators.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "unit/Catalogue.h"
#include "unit/Counted.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-shared-counter";

// What a procedure does to an argument, by the first statement that says it.
struct DoneToArgument {
  FortranUpdate Update;
  unsigned Statement = 0;
  bool Sure = false; // no condition around it
};

class HandedStudy : FortranTeamPlaces {
public:
  HandedStudy(Unit &U, Reporter &R) : FortranTeamPlaces(U), R(R), Names(fortranNames(U)) {}

  void run() {
    for (const FortranConstruct &C : Constructs.all())
      if (C.SharesLoop && !C.Device && !C.Tasks && !C.has("ordered") && !isInOther(C) && !mayHoldLock(C))
        shared(C);
  }

private:
  void shared(const FortranConstruct &Share) {
    StringSet<> Said;
    for (unsigned K = Share.First; K < Share.Last; ++K) {
      Meter::count();
      StringRef Text = behindCondition(Statements[K].Text);
      const FortranConstruct *Region = Constructs.region(K);
      if (!Text.consume_front("call") || !Region || !Names.isCompiled(K) || !isProtectedByNothing(K, Share))
        continue;
      const std::optional<FortranDesignator> Call = fortranDesignator(Text);
      if (!Call || Call->Parts.size() != 1 || !Call->Parts[0].Subscripts)
        continue;
      const int Callee = procedure(K, Call->Parts[0].Name);
      for (unsigned A = 0; Callee >= 0 && A < Call->Parts[0].Subscripts->size(); ++A)
        argument(Share, *Region, K, Callee, A, (*Call->Parts[0].Subscripts)[A], Said);
    }
  }

  // Of this file; -1 for others.
  int procedure(unsigned K, StringRef Name) const {
    const std::string Id = Names.calleeId(K, Name);
    for (int P = 0; P < int(Procedures.all().size()); ++P)
      if (Procedures.all()[P].K == FortranProcedure::Procedure && Procedures.all()[P].Name == Name &&
          Names.procedureId(P) == Id)
        return P;
    return -1;
  }

  void argument(const FortranConstruct &Share, const FortranConstruct &Region, unsigned K, int Callee, unsigned Number,
                StringRef Text, StringSet<> &Said) {
    if (Number >= Procedures.all()[Callee].Arguments.size() || !isEveryones(K, Text, Share) || Said.contains(Text))
      return;
    const std::optional<DoneToArgument> Done = doneTo(Callee, Procedures.all()[Callee].Arguments[Number]);
    if (!Done)
      return;
    FortranUpdate Here = Done->Update; // as the caller sees it
    Here.Target = Text.str();
    Here.Variable = fortranBase(Text).str();
    const bool Conditional = isInBranch(K, Share) || !Done->Sure;
    if (Here.K == FortranUpdate::Store && (Conditional || !isScratch(Share, K, Here)))
      return;
    Said.insert(Text);
    report(Region, K, Here, *Done, Conditional ? Confidence::Medium : Confidence::High);
  }

  bool isInBranch(unsigned K, const FortranConstruct &Share) const {
    for (int B = Procedures.blockOf(K); B >= 0 && Procedures.blocks()[B].Begin >= Share.First;
         B = Procedures.blocks()[B].Parent)
      if (Procedures.blocks()[B].K == FortranBlock::Branch)
        return true;
    return StringRef(Statements[K].Text).starts_with("if(");
  }

  // A shared scalar, or an element that the shared loops do not choose: its subscripts name nothing but what is the
  // same for the team.
  bool isEveryones(unsigned K, StringRef Text, const FortranConstruct &Share) const {
    const StringRef Variable = fortranBase(Text);
    const FortranEntity *E = Variable.empty() ? nullptr : Procedures.find(K, Variable);
    if (!E || E->Type.empty() || E->Pointer || E->Parameter || E->Common || StringRef(E->Type).starts_with("type(") ||
        StringRef(E->Type).starts_with("class(") || Constructs.sharing(K, Variable) != FortranSharing::Shared)
      return false;
    if (Text == Variable)
      return !E->isArray();
    const std::optional<FortranDesignator> D = fortranDesignator(Text);
    if (!E->isArray() || !D || D->Text != Text || D->Parts.size() != 1 || !D->Parts[0].Subscripts)
      return false;
    return all_of(*D->Parts[0].Subscripts, [&](StringRef Subscript) {
      return !Subscript.contains(':') &&
             all_of(stridewise::fortranNames(Subscript), [&](StringRef Name) { return isSameForAll(K, Name, Share); });
    });
  }

  // The first statement of the procedure that names the argument, if it updates or sets the whole of it.
  std::optional<DoneToArgument> doneTo(int P, StringRef Name) const {
    const FortranProcedure &Procedure = Procedures.all()[P];
    FortranConstruct Whole;
    Whole.First = Procedure.First + 1;
    Whole.Last = Procedure.Last;
    Whole.Line = Statements[Procedure.First].Line;
    Whole.EndLine = Statements[Procedure.Last - 1].EndLine;
    const auto It = Procedure.Names.find(Name);
    if (It == Procedure.Names.end() || It->second.isArray() || It->second.Pointer || It->second.Type.empty() ||
        mayHoldLock(Whole))
      return std::nullopt;
    for (unsigned K = Whole.First; K < Whole.Last; ++K) {
      Meter::count();
      const FortranStatement &S = Statements[K];
      if (S.Line <= It->second.Line || S.IsLoop || !namesVariable(S.Text, Name) || StringRef(S.Text).contains("::"))
        continue;
      std::optional<FortranUpdate> X =
          fortranExtremum(S.Text, K + 1 < Whole.Last ? StringRef(Statements[K + 1].Text) : StringRef());
      if (!X)
        X = fortranUpdate(S.Text);
      if (!X || X->Target != Name || Constructs.around(K) >= 0 || !isProtectedByNothing(K, Whole) ||
          (X->K == FortranUpdate::Store && (!X->Condition.empty() || namesVariable(X->Value, Name))))
        return std::nullopt;
      return DoneToArgument{*X, K, X->Condition.empty() && !isConditional(K, *X, Whole)};
    }
    return std::nullopt;
  }

  // Each iteration has it set for a value of its own, which it reads afterwards.
  bool isScratch(const FortranConstruct &Share, unsigned K, const FortranUpdate &X) const {
    if (X.Target != X.Variable)
      return false;
    bool Reads = false, Follows = false;
    for (unsigned S = Share.First; S < Share.Last; ++S) {
      if (S <= K && Statements[S].IsLoop && Statements[S].EndLine >= Statements[K].EndLine)
        for (const std::string &Counter : Statements[S].Counters)
          Follows |= namesVariable(Statements[K].Text, Counter);
      if (S == K || !namesVariable(Statements[S].Text, X.Variable))
        continue;
      if (S < K)
        return false;
      const std::optional<FortranAssignment> A = fortranAssignment(Statements[S].Text);
      Reads |= !A || A->Target != X.Variable || namesVariable(A->Value, X.Variable);
    }
    return Reads && Follows;
  }

  void report(const FortranConstruct &Region, unsigned K, const FortranUpdate &X, const DoneToArgument &Done,
              Confidence Conf) {
    const clang::SourceManager &SM = U.sources();
    const clang::SourceLocation Open = SM.translateLineCol(SM.getMainFileID(), Region.Line, Region.Column);
    const bool Sets = X.K == FortranUpdate::Store;
    const ArgMap Of = {{"variable", X.Target}, {"operator", X.Reduction}};
    Finding F;
    F.Rule = Slug;
    F.Conf = Conf;
    F.Range = headerOf(Statements[K], U);
    F.Function = procedureAt(K);
    F.Scope = {Open, SM.translateLineCol(SM.getMainFileID(), Region.EndLine, ~0U / 2)};
    F.Relateds.push_back({headerOf(Statements[Done.Statement], U).getBegin(), Sets ? "set here" : "the update"});
    F.Relateds.push_back({Open, "all threads share it from here on"});
    F.Args = {{"variable", X.Target},
              {"region", "line " + std::to_string(Region.Line)},
              {"does", std::string(Sets ? "set the same" : "update the same")},
              {"harm", std::string(Sets ? "a thread reads what another one has stored" : "updates get lost")},
              {"remedy", variant(Slug,
                                 Sets                     ? "private_fortran"
                                 : X.Target == X.Variable ? "reduce"
                                                          : "combine",
                                 Of)}};
    R.report(std::move(F));
  }

  Reporter &R;
  const FortranNames &Names;
};

} // namespace

void fortranHandedRaces(Unit &U, Reporter &R) { HandedStudy(U, R).run(); }

} // namespace stridewise
