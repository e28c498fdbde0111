#include "checks/omp-serial-loop/SourceView.h"
#include "fortran/FortranNames.h"
#include "omp/FortranRegions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxFixedColumns = 72, MaxFreeColumns = 132;

// What the text makes of a name, in its order.
struct Mention {
  enum Kind { Reads, Sets, Hands } K = Reads;
  StringRef Name;
  unsigned Statement = 0;
};

class FortranView : public SourceView {
public:
  explicit FortranView(Unit &U)
      : U(U), Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)) {
    for (const FortranConstruct &C : Constructs.all())
      index(C);
    if (!Constructs.all().empty())
      Names.emplace(U);
  }

  SourceLoop loop(const Loop &L) override {
    SourceLoop Out;
    const std::optional<FortranLoop> Found = loopAt(L);
    if (!Found || isOnDevice(&L, U))
      return Out;
    const FortranStatement &S = *Found->Statement;
    Out.Header = headerOf(S, U);
    Out.Range = rangeOf(S, U);
    Out.Function = procedureAround(&L);
    Out.Section = Found->IsSection;
    if (auto It = Divided.find(&S); It != Divided.end())
      Out.K = It->second ? SourceLoop::Shared : SourceLoop::Unknown;
    else if (!Constructs.all().empty() && (Found->IsSection || (S.Counters.size() == 1 && fortranBounds(S))))
      Out.K = SourceLoop::Serial;
    return Out;
  }

  bool isInConstruct(const DebugLoc &At) override {
    for (const DILocation *D = At.get(); D; D = D->getInlinedAt())
      if (any_of(Bodies,
                 [&](const auto &Lines) { return Lines.first <= D->getLine() && D->getLine() <= Lines.second; }))
        return true;
    return false;
  }

  bool sharesForCallers(const Function &F) override {
    const DISubprogram *P = F.getSubprogram();
    const auto *At = P ? find_if(Text.statements(), [&](const FortranStatement &S) { return S.Line == P->getLine(); })
                       : Text.statements().end();
    return At != Text.statements().end() && is_contained(Orphaned, Procedures.of(number(*At)));
  }

  std::optional<LoopClauses> clauses(const Loop &L, const IterationProof &Proof) override {
    const std::optional<FortranLoop> Found = loopAt(L);
    if (!Found || !Names)
      return std::nullopt;
    if (Found->IsSection)
      return !Proof.Reduced ? std::optional(LoopClauses()) : std::nullopt;
    const FortranStatement &S = *Found->Statement;
    std::vector<std::string> Private, Updated;
    bool Calls = false;
    if (!classify(S, Found->Counter, Private, Updated, Calls) || Updated.size() != Proof.Reduced)
      return std::nullopt;
    LoopClauses Clauses = loopClauses(Private, Updated, Proof.Reduction);
    Clauses.IsWhole &= !Calls;
    Clauses.Calls = Calls;
    return Clauses;
  }

  std::optional<Edit> directive(const Loop &L, const LoopClauses &Clauses) override {
    const std::optional<FortranLoop> Found = loopAt(L);
    if (!Found || Found->IsSection)
      return std::nullopt;
    const clang::SourceManager &SM = U.sources();
    const StringRef File = SM.getBufferData(SM.getMainFileID());
    auto Entry = SM.getFileEntryRefForID(SM.getMainFileID());
    const FortranStatement &S = *Found->Statement;
    const unsigned Begin = SM.getFileOffset(SM.translateLineCol(SM.getMainFileID(), S.Line, 1));
    const StringRef Line = File.substr(Begin).take_until([](char C) { return C == '\n'; });
    const bool Fixed = Text.isFixedForm();
    const std::string Words = "!$omp parallel do" + Clauses.Text;
    const std::string Indent = Fixed ? "" : Line.take_while([](char C) { return C == ' '; }).str();
    const std::string Path = Entry ? Entry->getFileEntry().tryGetRealPathName().str() : std::string();
    if (Path.empty() || Indent.size() + Words.size() > (Fixed ? MaxFixedColumns : MaxFreeColumns))
      return std::nullopt;
    return Edit{Path, Begin, Begin, Indent + Words + "\n"};
  }

private:
  // The compiler's own loop may be of an operation on whole arrays, which has no colon to show it.
  std::optional<FortranLoop> loopAt(const Loop &L) const {
    if (std::optional<FortranLoop> Found = fortranLoop(&L, U))
      return Found;
    const DILocation *At = L.getStartLoc().get();
    if (!At || !At->getLine())
      return std::nullopt;
    const FortranStatement *S = Text.at(At->getLine(), At->getColumn());
    for (const FortranStatement &Each : Text.statements()) // the column may be that of what an `if` guards
      if (!S && Each.Line == At->getLine() && Each.Column < At->getColumn() && StringRef(Each.Text).starts_with("if("))
        S = &Each;
    if (!S || S->IsLoop || !fortranAssignment(S->Text))
      return std::nullopt;
    FortranLoop Found;
    Found.Statement = S;
    Found.Counter = ":";
    Found.IsSection = true;
    return Found;
  }

  unsigned number(const FortranStatement &S) const { return unsigned(&S - Text.statements().data()); }

  void index(const FortranConstruct &C) {
    const bool Vector = C.Name == "simd";
    const bool Works =
        C.StartsTeam || C.SharesLoop || C.SharesOther || C.OneThread || C.Exclusive || C.Device || C.Tasks;
    if (C.First < Text.statements().size() && C.First < C.Last && (C.SharesLoop || Vector))
      Divided[&Text.statements()[C.First]] = C.SharesLoop && !C.Device;
    if (C.StandsAlone || !Works)
      return;
    Bodies.emplace_back(C.Line, std::max(C.Line, C.EndLine));
    if ((C.SharesLoop || C.SharesOther || C.OneThread) && !C.StartsTeam && !C.Device && !Constructs.region(C.First))
      Orphaned.push_back(Procedures.of(C.First));
  }

  // --- names in the order of the text ------------------------------------------------------------------------------

  void read(StringRef Part, unsigned S, std::vector<Mention> &Into) const {
    for (StringRef Name : fortranNames(Part))
      Into.push_back({Mention::Reads, Name, S});
  }
  // False for statements of which nobody knows what they do to the names in them.
  bool mentions(unsigned Number, std::vector<Mention> &Into) const {
    const FortranStatement &S = Text.statements()[Number];
    const StringRef T = S.Text;
    if (S.IsLoop) {
      if (const std::optional<FortranBounds> B = fortranBounds(S))
        for (StringRef Part : {B->First, B->Last, B->Step})
          read(Part, Number, Into);
      else
        read(T, Number, Into);
      for (const std::string &Counter : S.Counters)
        Into.push_back({Mention::Sets, Counter, Number});
      return true;
    }
    if (const std::optional<FortranAssignment> A = fortranAssignment(T); A && !T.contains("=>")) {
      read(A->Condition, Number, Into);
      read(A->Value, Number, Into);
      const StringRef Base = fortranBase(A->Target);
      const bool Whole = Base.size() == A->Target.size();
      if (!Whole)
        read(A->Target.drop_front(Base.size()), Number, Into);
      Into.push_back({Whole ? Mention::Sets : Mention::Hands, Base, Number});
      return true;
    }
    read(T, Number, Into);
    if (T.starts_with("call"))
      return true; // whose effects the code tells
    for (StringRef Known : {"if(", "else", "end", "continue", "cycle", "where(", "selectcase", "case"})
      if (T.starts_with(Known))
        return !T.contains("call") && !T.ends_with("stop") && !T.contains("goto");
    return false;
  }

  bool isReadFirst(StringRef Name, ArrayRef<Mention> In) const {
    for (const Mention &M : In)
      if (M.Name == Name)
        return M.K != Mention::Sets;
    return false;
  }
  std::vector<Mention> between(unsigned First, unsigned Last) const {
    std::vector<Mention> All;
    for (unsigned K = First; K < Last && K < Text.statements().size(); ++K)
      mentions(K, All);
    return All;
  }
  // Behind the loop, or in the next iteration of one around.
  bool isReadLater(StringRef Name, unsigned First, unsigned Behind) const {
    const int P = Procedures.of(First);
    if (P < 0 || isReadFirst(Name, between(Behind, Procedures.all()[P].Last)))
      return true;
    ArrayRef<FortranBlock> Blocks = Procedures.blocks();
    for (int B = Procedures.blockOf(First); B >= 0; B = Blocks[B].Parent)
      if (Blocks[B].K == FortranBlock::Loop && Blocks[B].Begin < First &&
          isReadFirst(Name, between(Blocks[B].Begin, First)))
        return true;
    return false;
  }
  // A variable of the procedure's own that is no array. Those of the main program are kept, but by no other call.
  bool isOwnScalar(unsigned Statement, StringRef Name) const {
    const std::optional<FortranVariable> V = Names->variable(Statement, Name);
    if (!V || V->isArray() || V->Pointer)
      return false;
    const int P = Procedures.of(Statement);
    const FortranEntity *E = Procedures.find(Statement, Name);
    const bool OfMain = P >= 0 && Procedures.all()[P].K == FortranProcedure::Program && E && !E->Common &&
                        Procedures.isOwn(Statement, Name);
    return OfMain || (V->Root.front() == 'l' && !V->Static);
  }

  bool classify(const FortranStatement &Loop, StringRef Counter, std::vector<std::string> &Private,
                std::vector<std::string> &Updated, bool &Calls) const {
    const unsigned First = number(Loop);
    unsigned Behind = First + 1;
    std::vector<Mention> In;
    StringSet<> Counters;
    for (; Behind < Text.statements().size() && Text.statements()[Behind].Line <= Loop.EndLine; ++Behind) {
      if (!mentions(Behind, In))
        return false;
      Calls |= StringRef(Text.statements()[Behind].Text).starts_with("call");
      for (const std::string &C : Text.statements()[Behind].Counters)
        Counters.insert(C);
    }
    if (isReadLater(Counter, First, Behind))
      return false;
    StringSet<> Seen;
    for (const Mention &M : In) {
      if (M.K == Mention::Reads || !Seen.insert(M.Name).second)
        continue;
      if (M.K == Mention::Hands) {
        if (isElementOfIteration(M, In, Counter))
          Seen.erase(M.Name);
        else if (isArrayOfIteration(M, In, First, Behind))
          Private.push_back(M.Name.str());
        else
          return false;
        continue;
      }
      const bool Update = isReadFirst(M.Name, In);
      if (Update)
        Updated.push_back(M.Name.str());
      else if (!isOwnScalar(M.Statement, M.Name) || isReadLater(M.Name, First, Behind))
        return false;
      else if (!Counters.contains(M.Name)) // which are private anyway
        Private.push_back(M.Name.str());
    }
    return true;
  }
  // An array of the procedure's own that the iteration sets before it does anything else with it: the code tells the
  // rest.
  bool isArrayOfIteration(const Mention &M, ArrayRef<Mention> In, unsigned First, unsigned Behind) const {
    const std::optional<FortranVariable> V = Names->variable(M.Statement, M.Name);
    const auto *Mentioned = find_if(In, [&](const Mention &X) { return X.Name == M.Name; });
    return V && V->isArray() && !V->Pointer && V->Root.front() == 'l' && !V->Static && Mentioned->K == Mention::Hands &&
           !isReadLater(M.Name, First, Behind);
  }
  // Whether what the statement sets is chosen by the loop's counter, or by what the iteration computed of it.
  bool isElementOfIteration(const Mention &M, ArrayRef<Mention> In, StringRef Counter) const {
    const std::optional<FortranAssignment> A = fortranAssignment(Text.statements()[M.Statement].Text);
    return A && any_of(fortranNames(A->Target.drop_front(fortranBase(A->Target).size())), [&](StringRef Name) {
             return Name == Counter || any_of(In, [&](const Mention &X) {
                      return X.K == Mention::Sets && X.Name == Name && X.Statement < M.Statement &&
                             !Text.statements()[X.Statement].IsLoop;
                    });
           });
  }

  Unit &U;
  const FortranText &Text;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  std::optional<FortranNames> Names;
  DenseMap<const FortranStatement *, bool> Divided;
  std::vector<std::pair<unsigned, unsigned>> Bodies; // lines
  std::vector<int> Orphaned;                         // procedures
};

} // namespace

std::unique_ptr<SourceView> viewOfFortran(Unit &U) { return std::make_unique<FortranView>(U); }

} // namespace stridewise
