// Where the elements of neighbouring threads lie.
#include "checks/omp-false-sharing/TeamCode.h"
#include "thresholds.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/OpenMPKinds.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm::omp;

namespace stridewise {

using namespace limits::omp_false_sharing;

static bool isTeamSizeCall(const Expr *E) {
  return isCall(E, [](llvm::StringRef N) {
    return N == "omp_get_num_threads" || N == "omp_get_max_threads" || N == "omp_get_num_procs";
  });
}

std::vector<TeamCode::Repeated> TeamCode::repeated() {
  number();
  std::vector<Repeated> Out;
  for (const Access &A : Accesses) {
    if (!A.Writes || A.Own || !A.In->Parent || A.P.Root != ObjectPath::Variable)
      continue;
    Repeated R;
    if (!place(A, R) || !settle(A, R.Write))
      continue;
    R.Write.By = SlotWrite::Part;
    R.Write.Started = true;
    R.Write.Array = A.P.Var->getNameAsString();
    Out.push_back(std::move(R));
  }
  return Out;
}

QualType TeamCode::elementAt(const Access &A, std::size_t At) const {
  if (At + 1 == A.P.Steps.size())
    return A.Type;
  if (const FieldDecl *F = A.P.Steps[At + 1].Field)
    return Ctx.getRecordType(F->getParent());
  QualType T = A.P.Root == ObjectPath::Variable ? A.P.Var->getType().getNonReferenceType() : QualType();
  for (std::size_t I = 0; I <= At; ++I) {
    const ObjectPath::Step &S = A.P.Steps[I];
    if (S.Field) {
      T = S.Field->getType().getNonReferenceType();
    } else if (T.isNull()) {
      return {};
    } else if (T->isPointerType()) {
      T = T->getPointeeType();
    } else if (const ArrayType *Array = Ctx.getAsArrayType(T)) {
      T = Array->getElementType();
    } else if (const auto *C = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
               C && C->getTemplateArgs().size() && C->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
      T = C->getTemplateArgs()[0].getAsType();
      if (const ArrayType *Array = Ctx.getAsArrayType(T))
        T = Array->getElementType();
    } else {
      return {};
    }
  }
  return T;
}

const TeamCode::Level *TeamCode::sharedAround(const Level *L) {
  for (; L; L = L->Parent)
    if (L->Shared)
      return L;
  return nullptr;
}

bool TeamCode::mentionsShared(const Poly &P, const Level *From) const {
  for (const Level *L = From; L; L = L->Parent)
    if (L->Shared && L->Counter && P.mentions(*L->Counter))
      return true;
  return false;
}

bool TeamCode::isTeamSize(const Expr *E) const {
  if (!E)
    return false;
  if (isTeamSizeCall(E))
    return true;
  const VarDecl *V = variableOf(E);
  if (!V)
    return false;
  if (V->getInit() && isTeamSizeCall(V->getInit()))
    return true;
  if (auto It = Unit.Sources.find(V); It != Unit.Sources.end() && llvm::any_of(It->second, isTeamSizeCall))
    return true;
  if (const auto *N = Team ? Team->getSingleClause<OMPNumThreadsClause>() : nullptr)
    return variableOf(N->getNumThreads()) == V;
  return false;
}

const TeamCode::Level *TeamCode::collapsedWith(const Level *L) {
  return L->Parent && L->Parent->Shared == L->Shared ? L->Parent : nullptr;
}

std::optional<std::int64_t> TeamCode::dividedTrips(const Level *Innermost) {
  std::int64_t All = 1;
  for (const Level *L = Innermost; L; L = collapsedWith(L)) {
    if (!L->Trips || *L->Trips < 0 || llvm::MulOverflow(All, *L->Trips, All))
      return std::nullopt;
  }
  return All;
}

std::optional<std::int64_t> TeamCode::distanceOf(std::int64_t Iterations, const Level *Innermost, const Poly &Index,
                                                 std::int64_t Size) const {
  const Level *L = Innermost;
  while (const Level *Outer = collapsedWith(L)) {
    if (!L->Trips || *L->Trips < 1 || Iterations < *L->Trips)
      break;
    Iterations /= *L->Trips;
    L = Outer;
  }
  const std::optional<std::int64_t> Factor = Index.coefficient(*L->Counter);
  return Factor ? std::optional(std::abs(*Factor) * Size * Iterations) : std::nullopt;
}

std::optional<std::int64_t> TeamCode::chunk(const Level *L, std::int64_t Distance,
                                            llvm::function_ref<std::optional<std::int64_t>(std::int64_t)> Apart,
                                            bool &Sure) const {
  const auto *S = L->Shared->getSingleClause<OMPScheduleClause>();
  OpenMPScheduleClauseKind K = S ? S->getScheduleKind() : OMPC_SCHEDULE_static;
  if (K == OMPC_SCHEDULE_dynamic || (K == OMPC_SCHEDULE_static && S && S->getChunkSize())) {
    std::int64_t Size = 1;
    if (S->getChunkSize()) {
      Expr::EvalResult R;
      if (S->getChunkSize()->isValueDependent() || !S->getChunkSize()->EvaluateAsInt(R, Ctx))
        return std::nullopt;
      Size = R.Val.getInt().getExtValue();
    }
    const std::optional<std::int64_t> Far = Apart(Size);
    if (!Far || static_cast<double>(*Far) >= Limits.LineBytes)
      return std::nullopt;
    return Size;
  }
  if (K != OMPC_SCHEDULE_static)
    return std::nullopt;
  // One block for each thread.
  const auto *F = dyn_cast<ForStmt>(L->S);
  const auto *Cond =
      F ? dyn_cast_or_null<BinaryOperator>(F->getCond() ? F->getCond()->IgnoreParenImpCasts() : nullptr) : nullptr;
  if (Cond && !collapsedWith(L) && (isTeamSize(Cond->getRHS()) || isTeamSize(Cond->getLHS())))
    return 1;
  const std::optional<std::int64_t> Trips = dividedTrips(L);
  if (!Trips || *Trips < 2 || static_cast<double>(*Trips * Distance) > Limits.LineBytes * ManyThreads)
    return std::nullopt;
  Sure &= static_cast<double>(*Trips * Distance) <= Limits.LineBytes * FewThreads;
  return 0;
}

bool TeamCode::place(const Access &A, Repeated &R) const {
  std::size_t First = 0;
  for (std::size_t I = 0; I < A.P.Steps.size(); ++I)
    if (A.P.Steps[I].isElement() && !A.P.Steps[I].Embedded)
      First = I;
  ObjectPath Object = A.P;
  Object.Steps.resize(First);
  for (std::size_t I = First; I < A.P.Steps.size(); ++I) {
    const ObjectPath::Step &S = A.P.Steps[I];
    if (S.Field) {
      if (S.Field->isBitField() || S.Field->getParent()->isInvalidDecl() || S.Field->getParent()->isUnion())
        return false;
      R.Begin += Ctx.toCharUnitsFromBits(Ctx.getFieldOffset(S.Field)).getQuantity();
      continue;
    }
    const QualType Element = elementAt(A, I);
    const std::optional<std::int64_t> Index = S.Index.asConstant();
    if (!Index || Element.isNull() || Element->isIncompleteType() || Element->isDependentType() ||
        Element->isVariableArrayType())
      return false;
    R.Begin += *Index * Ctx.getTypeSizeInChars(Element).getQuantity();
  }
  if (A.Type->isIncompleteType() || A.Type->isDependentType())
    return false;
  R.End = R.Begin + Ctx.getTypeSizeInChars(A.Type).getQuantity();
  R.Object = Paths.key(Object);
  if (!A.P.hops())
    R.Alignment = Ctx.getDeclAlign(A.P.Var).getQuantity();
  return true;
}

// By what the number of a thread, or of an iteration, counts in an index.
std::optional<std::int64_t> TeamCode::factorOf(const Access &A, std::size_t At, SymbolId Chooser) const {
  const std::optional<std::int64_t> Factor = A.P.Steps[At].Index.coefficient(Chooser);
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(A.E->IgnoreParens());
  if (Chooser == Thread && Subscript && Factor.value_or(0) == 0)
    if (const Expr *Number = unmasked(Subscript->getIdx()))
      return Paths.integer(Number).coefficient(Chooser);
  return Factor;
}

bool TeamCode::chooses(const Access &A, SlotWrite &W) const {
  std::optional<std::size_t> ByThread, ByLoop;
  const Level *Shared = sharedAround(A.In);
  for (std::size_t I = 0; I < A.P.Steps.size(); ++I) {
    const ObjectPath::Step &S = A.P.Steps[I];
    if (!S.isElement())
      continue;
    if (Paths.dependsOn(S.Index, Thread)) {
      if (ByThread)
        return false;
      ByThread = I;
    }
    if (mentionsShared(S.Index, A.In)) {
      if (ByLoop)
        return false;
      ByLoop = I;
    }
  }
  if (ByThread.has_value() == ByLoop.has_value())
    return false;
  std::size_t At = ByThread ? *ByThread : *ByLoop;
  for (std::size_t I = At + 1; I < A.P.Steps.size(); ++I)
    if (A.P.Steps[I].isElement() && !A.P.Steps[I].Embedded)
      return false; // memory of each thread's own
  QualType Element = elementAt(A, At);
  if (Element.isNull() || Element->isIncompleteType() || Element->isDependentType() || Element->isVariableArrayType())
    return false;
  SymbolId Chooser = ByThread ? Thread : *Shared->Counter;
  const std::optional<std::int64_t> Factor = factorOf(A, At, Chooser);
  if (!Factor && ByThread)
    return choosesRow(A, At, Ctx.getTypeSizeInChars(Element).getQuantity(), W);
  if (!Factor || !*Factor)
    return false;
  W.DistanceBytes = std::abs(*Factor) * Ctx.getTypeSizeInChars(Element).getQuantity();
  if (static_cast<double>(W.DistanceBytes) >= Limits.LineBytes)
    return false;
  W.By = ByThread ? SlotWrite::Thread : SlotWrite::Iteration;
  W.Record = Element->getAsRecordDecl();
  W.Array = nameOf(A.P, At);
  if (ByThread)
    return !W.Array.empty();
  W.Shared = Shared->Shared;
  const Poly &Index = A.P.Steps[At].Index;
  const std::int64_t Size = Ctx.getTypeSizeInChars(Element).getQuantity();
  const auto Apart = [&](std::int64_t Iterations) { return distanceOf(Iterations, Shared, Index, Size); };
  std::optional<std::int64_t> Chunk = chunk(Shared, W.DistanceBytes, Apart, W.Sure);
  W.Chunk = Chunk.value_or(0);
  return Chunk && !W.Array.empty();
}

std::string TeamCode::nameOf(const ObjectPath &P, std::size_t At) {
  for (std::size_t I = At; I-- > 0;)
    if (P.Steps[I].Field)
      return P.Steps[I].Field->getNameAsString();
  return P.Root == ObjectPath::Variable ? P.Var->getNameAsString() : std::string();
}

} // namespace stridewise
