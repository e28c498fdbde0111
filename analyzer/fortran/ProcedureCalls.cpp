#include "fortran/ProcedureCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/CallHeat.h"
#include "thresholds.h"
#include "unit/Meter.h"

using namespace llvm;

namespace stridewise {

namespace {

// `mod(step, every) == 0` among what an IF asks, with no `.or.` beside: few of the numbers that a loop counts pass.
bool asksForRareStep(StringRef Branch) {
  const std::size_t At = Branch.find("mod(");
  if (At == StringRef::npos || Branch.contains(".or.") || Branch.contains(".not."))
    return false;
  StringRef Rest = Branch.drop_front(At + StringRef("mod(").size());
  const std::size_t End = outsideBrackets(Rest, ')');
  if (End == StringRef::npos)
    return false;
  StringRef Behind = Rest.drop_front(End + 1);
  if (!Behind.starts_with("==0") && !Behind.starts_with(".eq.0"))
    return false;
  std::vector<StringRef> Arguments = fortranList(Rest.take_front(End));
  std::int64_t Every = 0;
  return Arguments.size() == 2 &&
         (Arguments[1].getAsInteger(10, Every) || Every >= std::int64_t(limits::loops::RareStep));
}

} // namespace

std::string FortranCalls::name(const FortranProcedure &P) { return P.K == FortranProcedure::Program ? "main" : P.Name; }

class FortranCallReader {
public:
  FortranCallReader(FortranCalls &Out, Unit &U)
      : Out(Out), Statements(fortranText(U).statements()), Procedures(fortranProcedures(U)),
        Constructs(fortranConstructs(U)) {}

  void run() {
    for (unsigned K = 0; K < Statements.size(); ++K) {
      Meter::count();
      const int P = Procedures.of(K);
      if (P < 0)
        continue;
      const FortranProcedure &In = Procedures.all()[P];
      if (In.K == FortranProcedure::Interface)
        generic(In, K);
      else if (In.K == FortranProcedure::Module)
        bound(K);
      else if (K != In.First)
        statement(In, K);
    }
  }

private:
  struct Around {
    unsigned Loops = 0, Serial = 0; // all loops; those that no team shares
    bool Rare = false;
    SmallVector<unsigned, 4> Statements; // of the loops
  };

  // `interface total; module procedure total_4, total_8`: who calls the one calls the others.
  void generic(const FortranProcedure &Interface, unsigned K) {
    StringRef Text = Statements[K].Text;
    if (!Text.consume_front("moduleprocedure") && !Text.consume_front("procedure"))
      return;
    StringRef Generic = Statements[Interface.First].Text;
    Generic.consume_front("interface");
    Text.consume_front("::");
    if (!Generic.empty())
      for (StringRef Specific : fortranList(Text))
        Out.Edges[{Specific.str(), Generic.str()}];
  }

  // `procedure :: step => step_of_grid` of a type, `generic :: run => run_all`.
  void bound(unsigned K) {
    StringRef Text = Statements[K].Text;
    const std::size_t Arrow = Text.find("=>");
    if (Arrow == StringRef::npos || (!Text.starts_with("procedure") && !Text.starts_with("generic")))
      return;
    StringRef Name = Text.take_front(Arrow);
    Name = Name.drop_front(Name.rfind(':') == StringRef::npos ? 0 : Name.rfind(':') + 1);
    for (StringRef Specific : fortranList(Text.drop_front(Arrow + 2)))
      Out.Edges[{Specific.str(), Name.str()}];
  }

  Around around(unsigned K) {
    Around A;
    for (int B = Procedures.blockOf(K); B >= 0; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.Begin == K)
        continue;
      if (Block.K == FortranBlock::Loop) {
        ++A.Loops;
        A.Serial += !isShared(Block.Begin);
        A.Statements.push_back(Block.Begin);
      } else if (Block.K == FortranBlock::Branch && asksForRareStep(Statements[Block.Begin].Text)) {
        A.Rare = true;
        return A; // the loops around do not count
      }
    }
    return A;
  }

  bool isShared(unsigned Loop) const {
    const int C = Constructs.around(Loop);
    return C >= 0 && Constructs.all()[C].SharesLoop && Constructs.all()[C].First == Loop;
  }

  void statement(const FortranProcedure &In, unsigned K) {
    StringRef Text = Statements[K].Text;
    if (Text.contains("::") || Text.starts_with("use") || Text.starts_with("end") || Text.starts_with("common") ||
        Text.starts_with("implicit"))
      return;
    Around A = around(K);
    if (Text.starts_with("if(") && asksForRareStep(Text.take_front(outsideBrackets(Text.drop_front(3), ')') + 4))) {
      A = Around();
      A.Rare = true;
    }
    if (Statements[K].IsLoop && A.Rare && !A.Loops)
      Out.RareLoops.insert(K);
    const StringRef Called = calledBy(Text);
    if (!Called.empty())
      call(In, Called, A, K);
    for (StringRef Name : fortranNames(Text)) {
      if (Name.data() == Called.data())
        continue;
      const FortranEntity *E = Procedures.find(K, Name);
      const bool Brackets = Name.end() != Text.end() && *Name.end() == '(';
      if (E && (E->isArray() || !Brackets))
        continue;
      if (Brackets)
        call(In, Name, A, K);
      else if (!E && !Called.empty())
        Out.Edges[{Name.str(), "*"}]; // perhaps a procedure that is handed over
    }
  }

  // `call step(…)`, also behind `if (…)`, and `call grid%step(…)`.
  static StringRef calledBy(StringRef Text) {
    if (Text.starts_with("if(")) {
      const std::size_t End = outsideBrackets(Text.drop_front(3), ')');
      Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 4);
    }
    if (!Text.consume_front("call"))
      return {};
    StringRef Name = fortranBase(Text);
    for (StringRef Rest = Text.drop_front(Name.size()); Rest.consume_front("%");) {
      Name = fortranBase(Rest);
      Rest = Rest.drop_front(Name.size());
    }
    return Name;
  }

  void call(const FortranProcedure &In, StringRef Callee, const Around &A, unsigned K) {
    const std::string Caller = FortranCalls::name(In);
    unsigned &Deepest = Out.Edges[{Callee.str(), Caller}];
    Deepest = std::max(Deepest, A.Serial);
    if (A.Loops)
      Out.Edges[{Callee.str(), ""}];
    if (A.Rare)
      Out.Edges[{Callee.str(), "%"}];
    for (unsigned Loop : A.Statements)
      if (keepsArguments(K, Loop)) {
        Out.Edges[{Callee.str(), "@"}];
        Out.Steps.insert(Loop);
      }
  }

  // Whether what the statement names is the same in each iteration of the loop: no counter and nothing that is set
  // there, but arrays as a whole.
  bool keepsArguments(unsigned K, unsigned Loop) const {
    const std::vector<StringRef> Names = fortranNames(Statements[K].Text);
    for (unsigned S = Loop; S < Statements.size() && Statements[S].Line <= Statements[Loop].EndLine; ++S) {
      for (const std::string &Counter : Statements[S].Counters)
        if (is_contained(Names, Counter))
          return false;
      if (std::optional<FortranAssignment> Set = fortranAssignment(Statements[S].Text);
          Set && S != K && fortranBase(Set->Target) == Set->Target && is_contained(Names, Set->Target)) {
        const FortranEntity *E = Procedures.find(K, Set->Target);
        if (!E || !E->isArray())
          return false;
      }
    }
    return true;
  }

  FortranCalls &Out;
  ArrayRef<FortranStatement> Statements;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
};

FortranCalls::FortranCalls(Unit &U) { FortranCallReader(*this, U).run(); }

json::Value FortranCalls::toJson() const {
  json::Array Out;
  for (const auto &[Names, Around] : Edges)
    Out.push_back(json::Array{Names.first, Names.second, Around});
  return Out.empty() ? json::Value(nullptr) : json::Value(std::move(Out));
}

const FortranCalls &fortranCalls(Unit &U) {
  return U.fact<FortranCalls>([&] { return FortranCalls(U); });
}

} // namespace stridewise
