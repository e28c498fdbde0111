// Sections of Fortran arrays whose elements do not lie side by side, handed over in loops to procedures that need them
// to: the compiler allocates, copies, and copies back, for each call.
//
// flang's code asks at run time whether a copy is needed; what an array in memory alone could answer (a pointer's
// target) is left out. What it costs depends on what the procedure does with the copy: where it goes over it once, the
// copy takes as long as the work; where it works on it again and again, or hands it on, a copy that lies side by side
// may be what makes it fast. So only the first is said aloud, and only where loops around the call, and around the
// calls of its procedure, are at least two deep.
//
// Known false positives: sections that are short in every run.
#include "fortran/FortranCalls.h"
#include "fortran/FortranLoops.h"
#include "loops/CallHeat.h"
#include "thresholds.h"
#include "unit/Catalogue.h"
#include "unit/Check.h"
#include "unit/Reporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Slug = "mem-array-temporary";
using namespace limits::mem_array_temporary;

class ArrayTemporary : public Check {
public:
  bool readsFortran() const override { return true; }

  void run(Unit &Source, Reporter &R) override {
    if (!Source.isFortran())
      return;
    const auto Least = static_cast<std::uint64_t>(R.threshold(Slug, "min_elements"));
    for (const FortranCopy &C : fortranCalls(Source).Copies)
      if (C.Elements >= Least)
        add(C, Source, R);
  }

  json::Value summarize(Unit &Source) override {
    if (!Source.isFortran())
      return nullptr;
    json::Object Bodies;
    for (const auto &[Name, Body] : fortranCalls(Source).Bodies)
      if (Body.Depth <= GoesOnce && !Body.CallsAway)
        Bodies[Name] = true;
    return json::Object{
        {"calls", fortranCallEdges(Source)}, {"once", std::move(Bodies)}, {"copies", std::move(Copies)}};
  }

  void link(ArrayRef<stored::Value> Summaries, LinkReporter &R) override {
    std::vector<const stored::Value *> Edges;
    std::vector<const stored::Object *> Units;
    for (const stored::Value &V : Summaries)
      if (const stored::Object *O = V.getAsObject()) {
        Units.push_back(O);
        if (const stored::Value *C = O->get("calls"))
          Edges.push_back(C);
      }
    const std::map<std::string, unsigned> Depths = callDepths(Edges);
    for (const stored::Object *O : Units)
      if (const stored::Array *All = O->getArray("copies"))
        for (const stored::Value &Each : *All)
          if (const stored::Object *Copy = Each.getAsObject())
            join(*Copy, Depths, Units, R);
  }

private:
  void add(const FortranCopy &C, Unit &U, Reporter &R) {
    const FortranText &Text = fortranText(U);
    const FortranStatement *S = Text.at(C.At->getLine(), C.At->getColumn());
    if (!S)
      S = Text.calling(C.At->getLine(), "");
    const std::vector<std::string> Sections = S ? S->sections() : std::vector<std::string>();
    if (Sections.empty() || S->OnDevice || R.silences(Slug, headerOf(*S, U).getBegin()))
      return;
    std::string Names;
    for (const std::string &Name : Sections)
      if (StringRef(Names).count('\'') < 2 * MostNames)
        Names += (Names.empty() ? "'" : ", '") + Name + "'";
    const DISubprogram *P = C.At->getScope()->getSubprogram();
    Copies.push_back(json::Object{{"where", toJson(placeOf(U.ast(), headerOf(*S, U)))},
                                  {"end", S->EndLine},
                                  {"function", procedureName(P)},
                                  {"in", C.Caller},
                                  {"to", C.Callee},
                                  {"loops", C.Loops},
                                  {"back", C.Back},
                                  {"section", Names},
                                  {"callee", calleeName(*S, C.Callee)}});
  }

  // As the text has it, else out of what the linker knows: `_QMfieldsPnorm`, `norm_`.
  static std::string calleeName(const FortranStatement &S, StringRef Symbol) {
    StringRef Text = S.Text;
    if (Text.consume_front("call"))
      return Text.take_until([](char C) { return C == '('; }).str();
    const std::size_t Kind = Symbol.find_last_of('P');
    return (Kind == StringRef::npos ? Symbol : Symbol.drop_front(Kind + 1)).rtrim('_').str();
  }

  static void join(const stored::Object &Copy, const std::map<std::string, unsigned> &Depths,
                   ArrayRef<const stored::Object *> Units, LinkReporter &R) {
    const stored::Value *Where = Copy.get("where");
    const std::optional<Place> P = Where ? placeFromJson(*Where) : std::nullopt;
    const auto Word = [&](StringRef Name) { return Copy.getString(Name).value_or("").str(); };
    const auto Around = Depths.find(Word("in"));
    const auto Loops =
        static_cast<unsigned>(Copy.getInteger("loops").value_or(0)) + (Around == Depths.end() ? 0 : Around->second);
    if (!P || Loops == 0)
      return;
    const std::string To = Word("to");
    const bool Once = any_of(Units, [&](const stored::Object *O) {
      const stored::Object *Bodies = O->getObject("once");
      return Bodies && Bodies->get(To);
    });
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Once && Loops >= LoopsAround ? Confidence::Medium : Confidence::Low;
    F.Where = *P;
    F.Function = Word("function");
    F.ScopeBegin = P->Line;
    F.ScopeEnd = static_cast<unsigned>(Copy.getInteger("end").value_or(P->Line));
    F.Args = {{"section", Word("section")},
              {"callee", Word("callee")},
              {"back", std::string(Copy.getBoolean("back").value_or(false) ? " and back behind it" : "")},
              {"remedy", variant(Slug, Once ? "assumed_shape" : "keep", {{"callee", Word("callee")}})}};
    R.report(std::move(F));
  }

  static constexpr unsigned MostNames = 4;
  json::Array Copies;
};

STRIDEWISE_CHECK("mem-array-temporary", ArrayTemporary)

} // namespace
} // namespace stridewise
