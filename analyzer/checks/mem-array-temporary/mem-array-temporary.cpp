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
#include "fortran/Constructs.h"
#include "fortran/Designators.h"
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
      if (!Body.CallsAway)
        Bodies[Name] = Body.Depth;
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
    if (Sections.empty() || S->OnDevice || (C.MayBeWhole && none_of(Sections, hasGaps)) ||
        R.silences(Slug, headerOf(*S, U).getBegin()))
      return;
    const bool Some = any_of(Sections, hasGaps);
    std::string Names;
    unsigned Number = 0;
    for (const std::string &Name : Sections)
      if ((!Some || hasGaps(Name)) && Number < MostNames)
        Names += (Number++ ? ", '" : "'") + Name + "'";
    const DISubprogram *P = C.At->getScope()->getSubprogram();
    Copies.push_back(json::Object{{"where", toJson(placeOf(U.ast(), headerOf(*S, U)))},
                                  {"end", S->EndLine},
                                  {"function", procedureName(P)},
                                  {"in", C.Caller},
                                  {"to", C.Callee},
                                  {"loops", C.Loops},
                                  {"rank", C.Rank},
                                  {"same", isSameEachTime(*S, Sections, U)},
                                  {"back", C.Back},
                                  {"section", Names},
                                  {"several", Number > 1},
                                  {"callee", calleeName(*S, C.Callee)}});
  }

  // Whether the section has gaps in whatever array: a component of each element, or a dimension that is not all there
  // before another one that has several elements.
  static bool hasGaps(StringRef Section) {
    const std::optional<FortranDesignator> D = fortranDesignator(Section);
    const int Last = D ? D->lastIndexed() : -1;
    if (Last < 0)
      return false;
    bool Part = false, Several = false;
    for (StringRef Each : *D->Parts[Last].Subscripts) {
      Several |= Each.contains(':');
      if (Part && Each.contains(':'))
        return true;
      Part |= Each != ":";
    }
    return Several && Last + 1 < static_cast<int>(D->Parts.size());
  }

  // Whether no loop around the statement, in its procedure, chooses what of the arrays is copied.
  static bool isSameEachTime(const FortranStatement &S, ArrayRef<std::string> Sections, Unit &U) {
    const FortranProcedures &Procedures = fortranProcedures(U);
    const auto At = static_cast<unsigned>(&S - fortranText(U).statements().data());
    for (int B = Procedures.blockOf(At); B >= 0; B = Procedures.blocks()[B].Parent)
      for (const std::string &Counter : fortranText(U).statements()[Procedures.blocks()[B].Begin].Counters)
        if (any_of(Sections, [&](StringRef Section) { return is_contained(fortranNames(Section), Counter); }))
          return false;
    return true;
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
      const std::optional<std::int64_t> Depth = Bodies ? Bodies->getInteger(To) : std::nullopt;
      return Depth && *Depth <= std::max<std::int64_t>(GoesOnce, Copy.getInteger("rank").value_or(0));
    });
    // Copied again in each iteration, or part by part.
    const unsigned Least = Copy.getBoolean("same").value_or(false) ? 1 : LoopsAround;
    LinkFinding F;
    F.Rule = Slug;
    F.Conf = Once && Loops >= Least ? Confidence::Medium : Confidence::Low;
    F.Where = *P;
    F.Function = Word("function");
    F.ScopeBegin = P->Line;
    F.ScopeEnd = static_cast<unsigned>(Copy.getInteger("end").value_or(P->Line));
    const bool Several = Copy.getBoolean("several").value_or(false);
    F.Args = {{"section", Word("section")},
              {"is", std::string(Several ? "are" : "is")},
              {"its", std::string(Several ? "their" : "its")},
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
