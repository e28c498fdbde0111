#include "checks/mpi-thread-level/FortranThreads.h"
#include "fortran/FortranLoops.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral MainProgram = "main program"; // as runs call it

bool isNameCharacter(char C) { return isAlnum(C) || C == '_'; }

const MpiSignature *signatureOf(StringRef Lower) {
  static const StringMap<const MpiSignature *> ByName = [] {
    StringMap<const MpiSignature *> Names;
    forEachMpiCall([&](const MpiSignature &S) { Names[StringRef(S.Name).lower()] = &S; });
    return Names;
  }();
  Lower.consume_front("p");
  return ByName.lookup(Lower);
}

// `call name(…)`, also behind a condition; empty for other statements.
StringRef calledBy(StringRef Text) {
  if (Text.starts_with("if("))
    for (unsigned Open = 0, I = 2; I < Text.size(); ++I) {
      Open += (Text[I] == '(') - (Text[I] == ')');
      if (!Open) {
        Text = Text.drop_front(I + 1);
        break;
      }
    }
  return Text.consume_front("call") && !Text.starts_with("=") ? Text.take_while(isNameCharacter) : StringRef();
}

// `recursive`, `real(8)` and the like in front of the word that begins a procedure.
StringRef withoutPrefixes(StringRef Text) {
  for (bool Any = true; Any;) {
    Any = false;
    for (StringRef Word : {"recursive", "pure", "impure", "elemental", "module", "integer", "real", "logical",
                           "complex", "character", "doubleprecision", "type"})
      Any |= Text.consume_front(Word);
    if (Any && Text.starts_with("("))
      Text = Text.drop_until([](char C) { return C == ')'; }).drop_front();
  }
  return Text;
}

// The name of the procedure that the statement begins; empty where it begins none.
StringRef begunBy(StringRef Text) {
  if (Text.contains('=') && !Text.contains("bind("))
    return {};
  if (Text.starts_with("program"))
    return MainProgram;
  Text = withoutPrefixes(Text);
  return Text.consume_front("subroutine") || Text.consume_front("function") ? Text.take_while(isNameCharacter)
                                                                            : StringRef();
}

ThreadLevel needOf(FortranStatement::Threads Who) {
  return Who == FortranStatement::Main     ? ThreadLevel::Funneled
         : Who == FortranStatement::InTurn ? ThreadLevel::Serialized
                                           : ThreadLevel::Multiple;
}

struct Site {
  const FortranStatement *Where;
  std::string In, Callee;
  const MpiSignature *Sig; // null: of another procedure
};

class Collector {
public:
  explicit Collector(const FortranText &Text) : Text(Text) {}

  FortranThreads run() {
    for (const FortranStatement &S : Text.statements())
      visit(S);
    for (const Site &S : Sites)
      if (S.Where->InParallel && !S.Where->OnDevice)
        inParallel(S);
    return std::move(Out);
  }

private:
  void visit(const FortranStatement &S) {
    if (S.EndsProcedure) {
      if (!Procedures.empty())
        Procedures.pop_back();
      return;
    }
    if (const StringRef Name = begunBy(S.Text); !Name.empty()) {
      Procedures.push_back(Name.str());
      return;
    }
    const StringRef Callee = calledBy(S.Text);
    if (Callee.empty())
      return;
    const MpiSignature *Sig = signatureOf(Callee);
    if (Sig && (Sig->Does == MpiDoes::Init || Sig->Does == MpiDoes::InitThread))
      request(S, Sig->Does == MpiDoes::InitThread);
    else if (!Sig || !Sig->is(MpiTimer | MpiQuery | MpiLifecycle))
      Sites.push_back({&S, Procedures.empty() ? std::string() : Procedures.back(), Callee.str(), Sig});
  }

  void request(const FortranStatement &S, bool Threads) {
    FortranLevelRequest Q{&S, ThreadLevel::Single, true, Threads};
    if (Threads) {
      const std::optional<ThreadLevel> Level = StringSwitch<std::optional<ThreadLevel>>(S.argumentOfCall(0))
                                                   .Case("mpi_thread_single", ThreadLevel::Single)
                                                   .Case("mpi_thread_funneled", ThreadLevel::Funneled)
                                                   .Case("mpi_thread_serialized", ThreadLevel::Serialized)
                                                   .Case("mpi_thread_multiple", ThreadLevel::Multiple)
                                                   .Default(std::nullopt);
      Q.Known = Level.has_value();
      Q.Level = Level.value_or(ThreadLevel::Multiple);
    }
    Out.Requests.push_back(Q);
  }

  // What the procedure of this name needs where several threads call it: by the first of its own calls that needs most.
  std::pair<ThreadLevel, std::string> needOfProcedure(StringRef Name, unsigned Depth = 0) const {
    std::pair<ThreadLevel, std::string> Most{ThreadLevel::Single, ""};
    for (const Site &S : Sites) {
      if (S.In != Name || S.Where->InParallel)
        continue;
      std::pair<ThreadLevel, std::string> One{needOf(S.Where->Who), S.Sig ? S.Sig->Name : ""};
      if (!S.Sig) {
        if (Depth >= MaxDepth)
          continue;
        const auto Inner = needOfProcedure(S.Callee, Depth + 1);
        One = {std::min(One.first, Inner.first), Inner.second};
      }
      if (!One.second.empty() && One.first > Most.first)
        Most = One;
    }
    return Most;
  }

  void inParallel(const Site &S) {
    FortranThreadedCall C{S.Where, S.In, needOf(S.Where->Who), S.Sig ? S.Sig->Name : ""};
    if (!S.Sig) {
      const auto Inner = needOfProcedure(S.Callee);
      C.Need = std::min(C.Need, Inner.first);
      C.Mpi = Inner.second;
    }
    if (!C.Mpi.empty())
      Out.Calls.push_back(std::move(C));
  }

  static constexpr unsigned MaxDepth = 4;
  const FortranText &Text;
  FortranThreads Out;
  std::vector<std::string> Procedures;
  std::vector<Site> Sites;
};

} // namespace

FortranThreads fortranThreads(Unit &U) {
  const FortranText &Text = fortranText(U);
  const auto Chooses = [](const FortranStatement &S) {
    const StringRef T = S.Text;
    return T.contains("omp_get_thread_num(") || T.contains("omp_set_lock(") || T.contains("omp_test_lock(");
  };
  if (!U.ast().getLangOpts().OpenMP) {
    FortranThreads Only = Collector(Text).run();
    Only.Calls.clear();
    return Only;
  }
  FortranThreads All = Collector(Text).run();
  if (any_of(Text.statements(), Chooses))
    All.Calls.clear();
  return All;
}

} // namespace stridewise
