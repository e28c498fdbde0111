#include "checks/omp-barrier-in-loop/FortranAccesses.h"
#include "fortran/FortranLoops.h"
#include "unit/Counted.h"

using namespace llvm;

namespace stridewise {

static constexpr std::size_t MostAccesses = 2000; // of a region

FortranAccesses::FortranAccesses(Unit &U)
    : Text(fortranText(U)), Procedures(fortranProcedures(U)), Constructs(fortranConstructs(U)), Names(fortranNames(U)) {
}

// The block that holds the statement: that around it, where it opens one.
int FortranAccesses::holderOf(unsigned K) const {
  const int B = Procedures.blockOf(K);
  return B >= 0 && Procedures.blocks()[B].Begin == K ? Procedures.blocks()[B].Parent : B;
}

// Whether nothing is handed over at the construct's begin or end.
bool FortranAccesses::isSimple(const FortranConstruct &C) {
  return none_of(C.Clauses, [](const FortranClause &X) {
    return X.Name == "copyprivate" || X.Name == "lastprivate" || X.Name == "firstprivate" || X.Name == "linear" ||
           X.Name == "ordered" || X.Name == "reduction";
  });
}

StringRef FortranAccesses::boundsOf(unsigned Loop) const {
  const StringRef T = at(Loop).Text;
  const std::size_t Equals = outsideBrackets(T, '=');
  return Equals == StringRef::npos ? StringRef() : T.drop_front(Equals + 1);
}

void FortranAccesses::collect(unsigned From, unsigned To, std::vector<SharedAccess> &Into) {
  for (unsigned K = From; K < To && Understood; ++K) {
    Meter::count();
    statement(K, Into);
    Understood &= Into.size() < MostAccesses;
  }
}

// Who runs the statement; false where constructs are around it that order threads in other ways.
bool FortranAccesses::runs(unsigned K, SharedAccess &A) const {
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

bool FortranAccesses::isBare(StringRef T) {
  static constexpr StringLiteral Words[] = {"enddo", "endif", "else", "continue", "endselect", "casedefault"};
  return is_contained(Words, T);
}

bool FortranAccesses::isPlain(StringRef T) {
  return (T.starts_with("if(") && T.ends_with(")then")) || T.starts_with("elseif(") || T.starts_with("selectcase(") ||
         T.starts_with("case(");
}

void FortranAccesses::statement(unsigned K, std::vector<SharedAccess> &Into) {
  const FortranStatement &S = at(K);
  if (isBare(S.Text))
    return;
  SharedAccess By;
  By.At = K;
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

void FortranAccesses::names(StringRef In, unsigned K, const SharedAccess &By, std::vector<SharedAccess> &Into) {
  for (const FortranDesignator &D : fortranDesignators(In))
    access(D, K, By, Into);
}

// Whether the file shows a component: others may be pointers to one array.
bool FortranAccesses::isDeclared(StringRef Component) const {
  return any_of(counted(Procedures.all()), [&](const FortranProcedure &P) { return P.Names.contains(Component); });
}

void FortranAccesses::access(const FortranDesignator &D, unsigned K, SharedAccess A, std::vector<SharedAccess> &Into) {
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

bool FortranAccesses::mayConflict(const SharedAccess &X, const SharedAccess &Y) {
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
bool FortranAccesses::areApart(const SharedAccess &X, const SharedAccess &Y) const {
  for (std::size_t K = 0; K < X.Subscripts.size(); ++K) {
    const auto A = Names.constant(Region->First, X.Subscripts[K]), B = Names.constant(Region->First, Y.Subscripts[K]);
    if (A && B && *A != *B)
      return true;
  }
  return false;
}

// Whether one thread has the element on both sides: the same part of two loops that are dealt out alike.
bool FortranAccesses::isSameThread(const SharedAccess &X, const SharedAccess &Y) {
  if (X.By != SharedAccess::Shared || Y.By != SharedAccess::Shared || X.Counter.empty() || Y.Counter.empty() ||
      X.Bounds != Y.Bounds || isVector(X) || isVector(Y) || X.Construct->collapsed() != 1 ||
      Y.Construct->collapsed() != 1 || !isSteady(X.Bounds))
    return false;
  const bool Same = any_of(seq<std::size_t>(0, X.Subscripts.size()),
                           [&](std::size_t K) { return X.Subscripts[K] == X.Counter && Y.Subscripts[K] == Y.Counter; });
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

// `do simd` deals out in another way.
bool FortranAccesses::isVector(const SharedAccess &X) { return StringRef(X.Construct->Name).contains("simd"); }

// Whether nothing in the region sets what the bounds are computed from.
bool FortranAccesses::isSteady(StringRef Bounds) {
  auto [It, New] = Steady.try_emplace(std::to_string(Region->First) + ":" + Bounds.str(), false);
  return New ? It->second = staysSteady(Bounds) : It->second;
}

bool FortranAccesses::staysSteady(StringRef Bounds) const {
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

} // namespace stridewise
