// Critical sections, atomic updates and locks of a Fortran file that hold nothing but updates, passed in a loop of a
// team.
#include "checks/omp-critical-section/FortranSections.h"
#include "checks/omp-critical-section/FortranSectionFix.h"
#include "checks/omp-critical-section/SectionReach.h"
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "fortran/FortranNames.h"
#include "fortran/Updates.h"
#include "loops/LoopIndex.h"
#include "omp/RegionWork.h"
#include "unit/Catalogue.h"
#include "unit/Meter.h"
#include "unit/Reporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "omp-critical-section";

struct Section {
  enum Kind { Critical, Atomic, Lock } K = Critical;
  unsigned Line = 0, Column = 0;
  unsigned First = 0, Last = 0; // its statements, by number
  std::string Name;             // of a critical construct, or the lock
  std::vector<FortranUpdate> Updates;
  bool OnlyUpdates = true;
  unsigned Inside = 0; // a statement of the loops and constructs around it
  bool isLock() const { return K == Lock; }
  /// A lock of an array of them.
  bool isOneOfMany() const { return isLock() && Name.find('(') != std::string::npos; }
  StringRef locks() const { return StringRef(Name).split('(').first; }
  const FortranConstruct *C = nullptr; // of no lock
};

// How a team comes by a section.
struct Reach {
  const FortranConstruct *Region = nullptr, *Share = nullptr;
  int Loop = -1; // the innermost one around within the region, by the number of its block
  bool Guarded = false;
};

class FortranSectionStudy {
public:
  FortranSectionStudy(Unit &U, Reporter &R)
      : U(U), R(R), Statements(fortranText(U).statements()), Procedures(fortranProcedures(U)),
        Constructs(fortranConstructs(U)), Called(calledIn(U)), Work(U) {}

  void run() {
    collect();
    for (const Section &S : Sections) {
      Meter::count();
      if (!S.OnlyUpdates || S.Updates.empty())
        continue;
      if (std::optional<Reach> At = reachOf(S))
        judge(S, *At);
    }
  }

private:
  // --- sections ----------------------------------------------------------------------------------------------------

  void collect() {
    for (const FortranConstruct &C : Constructs.all()) {
      if ((!C.isCritical() && C.Name != "atomic") || C.First >= C.Last || isOtherAtomic(C))
        continue;
      Section S{C.isAtomic() ? Section::Atomic : Section::Critical,
                C.Line,
                C.Column,
                C.First,
                C.Last,
                C.clause("").value_or("").str(),
                {},
                true,
                C.First,
                &C};
      read(S);
      Sections.push_back(std::move(S));
    }
    for (unsigned K = 0; K < Statements.size(); ++K)
      if (std::optional<StringRef> Lock = lockOf(Statements[K].Text, "set"))
        for (unsigned End = K + 1; End < Statements.size() && Procedures.of(End) == Procedures.of(K); ++End)
          if (lockOf(Statements[End].Text, "unset") == Lock) {
            Section S{Section::Lock, Statements[K].Line, Statements[K].Column, K + 1, End, Lock->str(), {}, true, K,
                      nullptr};
            read(S);
            Sections.push_back(std::move(S));
            break;
          }
    collectHidden();
  }

  // Locks in lines behind `!$`, which are code that the text leaves out.
  void collectHidden() {
    SmallVector<StringRef, 0> Lines;
    const clang::SourceManager &SM = U.sources();
    SM.getBufferData(SM.getMainFileID()).split(Lines, '\n');
    std::optional<Section> Open;
    for (unsigned Line = 1; Line <= Lines.size(); ++Line) {
      Meter::count();
      const StringRef T = Lines[Line - 1].trim();
      if (T.size() < 3 || T[1] != '$' || !StringRef("!cC*").contains(T[0]) || isAlpha(T[2]))
        continue;
      std::string Code = T.drop_front(2).lower();
      erase_if(Code, [](char C) { return isSpace(C); });
      const unsigned Next = unsigned(
          partition_point(Statements, [&](const FortranStatement &S) { return S.Line < Line; }) - Statements.begin());
      if (Open && lockOf(Code, "unset") == StringRef(Open->Name) && Open->First < Next &&
          Procedures.of(Open->First) == Procedures.of(Next - 1)) {
        Open->Last = Next;
        read(*Open);
        Sections.push_back(std::move(*Open));
      }
      Open.reset();
      if (const std::optional<StringRef> Lock = lockOf(Code, "set"))
        Open = Section{Section::Lock, Line, unsigned(Lines[Line - 1].find(T)) + 1, Next, Next, Lock->str(), {},
                       true,          Next};
    }
  }

  // atomic read, write and capture, which take or give a value.
  static bool isOtherAtomic(const FortranConstruct &C) { return C.has("read") || C.has("write") || C.has("capture"); }

  static std::optional<StringRef> lockOf(StringRef Text, StringRef What) {
    if (!Text.consume_front("callomp_") || !Text.consume_front(What) || !Text.consume_front("_lock(") ||
        !Text.consume_back(")"))
      return std::nullopt;
    return Text;
  }

  void read(Section &S) const {
    for (unsigned K = S.First; K < S.Last; ++K) {
      StringRef Text = Statements[K].Text;
      if (Text.starts_with("endif") || Text == "continue")
        continue;
      if (K + 1 < S.Last)
        if (std::optional<FortranUpdate> U = fortranExtremum(Text, Statements[K + 1].Text);
            U && K + 2 < S.Last && StringRef(Statements[K + 2].Text).starts_with("endif")) {
          S.Updates.push_back(std::move(*U));
          K += 2;
          continue;
        }
      std::optional<FortranUpdate> U = Statements[K].IsLoop ? std::nullopt : fortranUpdate(Text);
      if (!U || !U->Condition.empty() || U->K == FortranUpdate::Store || callsProcedure(U->Value, K)) {
        S.OnlyUpdates = false;
        return;
      }
      S.Updates.push_back(std::move(*U));
    }
  }

  // Whether what is added comes from a function of the program: it may keep a state that the section protects.
  bool callsProcedure(StringRef Value, unsigned Statement) const {
    return any_of(fortranNames(Value), [&](StringRef Name) {
      const FortranEntity *E = Procedures.find(Statement, Name);
      return Name.end() != Value.end() && *Name.end() == '(' && !(E && E->isArray()) && Called.contains(Name);
    });
  }

  // The procedures that the unit's code calls, by their names in the text: functions of the language are none.
  static StringSet<> calledIn(Unit &U) {
    StringSet<> Names;
    for (const FortranCall &C : fortranCalls(U).All) {
      StringRef Name = C.Callee;
      Name.consume_back("_");
      Names.insert(Name.starts_with("_Q") ? Name.drop_front(Name.rfind('P') + 1) : Name);
    }
    return Names;
  }

  // --- the way there -----------------------------------------------------------------------------------------------

  std::optional<Reach> reachOf(const Section &S) const {
    Reach At;
    for (int K = Constructs.around(S.Inside); K >= 0; K = Constructs.all()[K].Parent) {
      const FortranConstruct &C = Constructs.all()[K];
      if (C.Device || C.OneThread || C.Tasks || (C.Exclusive && C.Line != S.Line) || C.SharesOther)
        return std::nullopt;
      if (C.SharesLoop && !At.Share)
        At.Share = &C;
      if (C.StartsTeam) {
        At.Region = &C;
        break;
      }
    }
    // In a procedure that others run in a team: the loop that is shared there, or one around the section.
    if (!At.Region && !At.Share && S.K == Section::Lock)
      return std::nullopt;
    for (int B = Procedures.blockOf(S.Inside); B >= 0; B = Procedures.blocks()[B].Parent) {
      const FortranBlock &Block = Procedures.blocks()[B];
      if (Block.Begin >= S.First)
        continue;
      if (At.Region && Block.Begin < At.Region->First)
        break;
      if (Block.K == FortranBlock::Loop) {
        At.Loop = B;
        break;
      }
      At.Guarded |= Block.K == FortranBlock::Branch;
    }
    return At.Loop >= 0 ? std::optional(At) : std::nullopt;
  }

  // --- what it costs, and what does instead ------------------------------------------------------------------------

  std::optional<LoopWork> workOf(unsigned Statement) { return Work.largest(fortranLoops(Statements[Statement], U)); }

  bool isTheTeams(const Section &S, const FortranUpdate &X) const {
    return Constructs.sharing(S.First, X.Variable) != FortranSharing::Private &&
           Constructs.sharing(S.First, X.Variable) != FortranSharing::Reduced;
  }

  // Whether other sections of the same name or lock do more than update what this one does.
  bool isGuardedElsewhere(const Section &S, const FortranUpdate &X) const {
    return S.K != Section::Atomic && any_of(Sections, [&](const Section &Other) {
             if (&Other == &S || Other.K != S.K ||
                 (S.isOneOfMany() ? Other.locks() != S.locks() : Other.Name != S.Name) ||
                 (Other.OnlyUpdates && !(S.isOneOfMany() && keepsLock(Other, S))))
               return false;
             for (unsigned K = Other.First; K < Other.Last; ++K)
               if (namesVariable(Statements[K].Text, X.Variable))
                 return true;
             return false;
           });
  }

  // One lock for several updates costs less than an atomic for each, and keeps those apart from its own kind alone.
  bool keepsLock(const Section &Other, const Section &S) const {
    return Other.Updates.size() > 1 && Procedures.of(Other.First) == Procedures.of(S.First);
  }

  // Whether nothing else in the shared loop looks at the variable: other sections that update it the same way do not.
  bool isOnlyGathered(const Reach &At, const FortranUpdate &X) const {
    if (!At.Share)
      return false;
    for (unsigned K = At.Share->First; K < At.Share->Last; ++K) {
      const bool Updates = any_of(Sections, [&](const Section &Other) {
        return Other.OnlyUpdates && Other.First <= K && K < Other.Last &&
               any_of(
                   Other.Updates,
                   [&](const auto &Y) { return Y.Variable == X.Variable && Y.Reduction == X.Reduction; });
      });
      if (!Updates && namesVariable(Statements[K].Text, X.Variable))
        return false;
    }
    return true;
  }

  // A reduction clause takes variables, whole arrays too, but no components and nothing of unknown storage.
  bool isReducible(const Section &S, const Reach &At, const FortranUpdate &X, double MaxBytes) const {
    if (!X.isScalar() && !X.isElement())
      return false;
    const FortranEntity *E = Procedures.find(S.First, X.Variable);
    if (E && E->Pointer)
      return false;
    if (X.isElement() && !isSmall(S.First, X.Variable, MaxBytes))
      return false;
    return !X.Reduction.empty() && isOnlyGathered(At, X);
  }

  // An array of constant extents that each thread can have for itself.
  bool isSmall(unsigned Statement, StringRef Name, double MaxBytes) const {
    const std::optional<FortranVariable> Array = fortranNames(U).variable(Statement, Name);
    return Array && Array->isArray() && Array->Bytes > 0 && double(Array->Bytes) <= MaxBytes;
  }

  void judge(const Section &S, const Reach &At) {
    if (any_of(S.Updates, [&](const FortranUpdate &X) { return !isTheTeams(S, X) || isGuardedElsewhere(S, X); }))
      return;
    const FortranBlock &Loop = Procedures.blocks()[At.Loop];
    const std::optional<LoopWork> Inner = workOf(Loop.Begin);
    const std::optional<LoopWork> Shared = At.Share ? workOf(At.Share->First) : std::nullopt;
    // What each thread has gathered is handed over like this, once for each thread.
    if (!At.Share && At.Region &&
        (S.Updates.size() > 1 || S.Updates.front().isElement() ||
         (Inner && Inner->Trips > 0 && Inner->Trips < R.threshold(Slug, "min_iterations"))))
      return;
    const bool Reducible = all_of(S.Updates, [&](const FortranUpdate &X) {
      return isReducible(S, At, X, R.threshold(Slug, "max_private_bytes"));
    });
    // An element that the data choose is what atomic updates are for, and several scalars as well.
    if (S.K == Section::Atomic && !Reducible)
      return;
    if (S.isOneOfMany() &&
        (S.Updates.size() > 1 || any_of(Said, [&](const Section *Other) { return isTogether(*Other, S); })))
      return;
    if (S.isOneOfMany())
      Said.push_back(&S);
    report(S, At, Reducible && !S.isOneOfMany(), confidence(S, At, Reducible, Inner, Shared));
  }

  // `if (e > x)` around the section that asks the same again: those iterations alone come by that find a new extremum.
  bool looksFirst(const Section &S, const Reach &At) const {
    return At.Guarded && all_of(S.Updates, [&](const FortranUpdate &X) {
             if (X.Reduction != "max" && X.Reduction != "min")
               return false;
             for (int B = Procedures.blockOf(S.Inside); B >= 0 && B != At.Loop; B = Procedures.blocks()[B].Parent)
               if (const FortranBlock &Block = Procedures.blocks()[B];
                   Block.K == FortranBlock::Branch && Block.Begin < S.First &&
                   namesVariable(Statements[Block.Begin].Text, X.Variable))
                 return true;
             return false;
           });
  }

  Confidence confidence(const Section &S, const Reach &At, bool Reducible, const std::optional<LoopWork> &Inner,
                        const std::optional<LoopWork> &Shared) {
    const bool SameLoop = At.Share && Procedures.blocks()[At.Loop].Begin == At.Share->First;
    const double Passes = Shared ? passes(*Shared, Inner, SameLoop) : 0;
    if ((Passes > 0 && Passes < R.threshold(Slug, "min_iterations")) ||
        (Inner && Inner->Cycles > R.threshold(Slug, "max_iteration_us") * CyclesPerMicrosecond))
      return Confidence::Low;
    if (looksFirst(S, At) || (S.K == Section::Atomic && At.Guarded))
      return Confidence::Low;
    // Once beside a row of unknown length.
    if (Inner && Inner->UnknownDepth > 0)
      return Confidence::Low;
    const bool Unknown = !Inner || Inner->UnknownCalls;
    // Two atomic steps in place of one, but no queue.
    if (S.isOneOfMany() || At.Guarded || !At.Share || !At.Region || Unknown || (!Reducible && S.Updates.size() > 1))
      return Confidence::Medium;
    return Confidence::High;
  }

  static std::string variables(const Section &S) {
    std::string Text;
    for (std::size_t I = 0; I < S.Updates.size(); ++I)
      Text += (I == 0 ? "'" : I + 1 == S.Updates.size() ? "' and '" : "', '") + S.Updates[I].Target;
    return Text + "'";
  }

  // reduction(+:sum, count) reduction(max:top)
  static std::string clauses(const Section &S) {
    std::vector<std::pair<std::string, std::vector<std::string>>> By;
    for (const FortranUpdate &X : S.Updates) {
      auto It = find_if(By, [&](const auto &B) { return B.first == X.Reduction; });
      if (It == By.end())
        It = By.insert(By.end(), {X.Reduction, {}});
      if (!is_contained(It->second, X.Variable))
        It->second.push_back(X.Variable);
    }
    std::string Text;
    for (const auto &[Operator, Names] : By)
      Text += (Text.empty() ? "reduction(" : " reduction(") + Operator + ":" + join(Names, ", ") + ")";
    return Text;
  }

  // Other sections of the procedure with these locks around the variable: a lock does not keep an atomic update out.
  std::vector<std::int64_t> together(const Section &S) const {
    std::vector<std::int64_t> Lines;
    for (const Section &Other : Sections)
      if (S.isOneOfMany() && &Other != &S && isTogether(Other, S))
        Lines.push_back(std::int64_t(Other.Line));
    sort(Lines);
    return Lines;
  }

  bool isTogether(const Section &A, const Section &B) const {
    return A.isLock() && A.locks() == B.locks() && Procedures.of(A.First) == Procedures.of(B.First) && A.OnlyUpdates &&
           A.Updates.size() == 1 && A.Updates.front().Variable == B.Updates.front().Variable;
  }

  static std::string linesOf(ArrayRef<std::int64_t> Lines) {
    std::string Text = Lines.size() == 1 ? "line " : "lines ";
    for (std::size_t I = 0; I < Lines.size(); ++I)
      Text += (I == 0 ? "" : I + 1 == Lines.size() ? " and " : ", ") + std::to_string(Lines[I]);
    return Text;
  }

  std::string remedy(const Section &S, const Reach &At, bool Reducible) const {
    const std::string Without = variant(Slug, S.K == Section::Lock     ? "drop_lock"
                                              : S.K == Section::Atomic ? "delete_atomic"
                                                                       : "delete_critical");
    if (Reducible)
      return variant(Slug, "reduce",
                     {{"clause", clauses(S)},
                      {"directive", "!$omp " + At.Share->Name},
                      {"line", std::int64_t(At.Share->Line)},
                      {"without", Without}});
    if (const std::vector<std::int64_t> Lines = together(S); !Lines.empty())
      return variant(Slug, "atomic_all_fortran", {{"lines", linesOf(Lines)}});
    const ArgMap Instead = {{"instead", variant(Slug, S.K == Section::Lock ? "not_locked" : "not_critical")}};
    if (S.Updates.size() > 1)
      return variant(Slug, "each_atomic_fortran", Instead);
    return variant(Slug, S.Updates.front().isElement() ? "atomic_element_fortran" : "atomic_fortran", Instead);
  }

  void report(const Section &S, const Reach &At, bool Reducible, Confidence Conf) {
    const clang::SourceManager &SM = U.sources();
    const FortranStatement &Loop = Statements[Procedures.blocks()[At.Loop].Begin];
    const int P = Procedures.of(S.First);
    Finding F;
    F.Rule = Slug;
    F.Conf = Conf;
    clang::SourceLocation Where = SM.translateLineCol(SM.getMainFileID(), S.Line, S.Column);
    F.Range = {Where, Where};
    F.Function = P >= 0 ? procedureName(Procedures.all()[P]) : std::string();
    F.Scope = rangeOf(Loop, U);
    F.Args = {{"lock", std::string(S.isOneOfMany()          ? "an element's lock"
                                   : S.isLock()             ? "a lock"
                                   : S.K == Section::Atomic ? "an atomic update"
                                                            : "a critical section")},
              {"loop_line", std::int64_t(Loop.Line)},
              {"variable", variables(S)},
              {"remedy", remedy(S, At, Reducible)}};
    F.Relateds.push_back({headerOf(Loop, U).getBegin(), "the loop that comes by in every iteration"});
    for (std::int64_t Line : together(S))
      F.Relateds.push_back({SM.translateLineCol(SM.getMainFileID(), unsigned(Line), S.Column), "another one"});
    if (std::optional<Fix> X = fixOf(S, At, Reducible))
      F.Fixes.push_back(std::move(*X));
    R.report(std::move(F));
  }

  std::optional<Fix> fixOf(const Section &S, const Reach &At, bool Reducible) {
    if (!S.C || !At.Region)
      return std::nullopt;
    const FortranProtected P{*S.C, S.Updates};
    return Reducible ? fortranReduction(P, *At.Share, clauses(S), U) : fortranAtomic(P, *At.Region, U);
  }

  Unit &U;
  Reporter &R;
  ArrayRef<FortranStatement> Statements;
  const FortranProcedures &Procedures;
  const FortranConstructs &Constructs;
  const StringSet<> Called;
  RegionWork Work;
  std::vector<Section> Sections;
  std::vector<const Section *> Said; // with locks of elements, those for which it speaks left out
};

} // namespace

void fortranSections(Unit &U, Reporter &R) { FortranSectionStudy(U, R).run(); }

} // namespace stridewise
