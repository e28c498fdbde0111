// R08: an array that its allocation, or a memset, zeroes on one thread before a team uses it.
//
// The facts are those of omp-serial-first-touch; this rule speaks where nobody wrote a loop: constructors and resize()
// of containers, new T[n](), memset, calloc. Large blocks from calloc are often fresh pages that the library does not
// write; it is reported (medium) only where a team's loop writes the elements anew, so that malloc is as good.
// Known false positives: arrays that the program sizes at run time, when they are small.
#include "checks/omp-calloc-first-touch/ParallelZeros.h"
#include "touch/TouchCheck.h"
#include "unit/Catalogue.h"

namespace stridewise {
namespace {

class CallocFirstTouch : public TouchCheck {
public:
  CallocFirstTouch() : TouchCheck("omp-calloc-first-touch", /*Implicit=*/true) {}

protected:
  void describe(const SerialTouch &T, ArgMap &Args) const override {
    Args["writer"] = T.Fill->Writer;
    Args["does"] = std::string(T.Fill->Perhaps ? "may write" : "writes");
  }

  std::string remedy(const SerialTouch &T, ArgMap Said) const override {
    const std::string &Writer = T.Fill->Writer;
    Said["where"] = variant(Slug, T.Use->Dealt ? "parallel_dealt" : "parallel", Said);
    if (T.Fill->Perhaps)
      return variant(Slug, "malloc", Said);
    if (Writer == "memset" || Writer == "bzero")
      return variant(Slug, "zero", Said);
    if (Writer == "new[]()")
      return variant(Slug, "no_parentheses", Said);
    if (T.Fill->InLoop && (Writer == "assign" || Writer == "resize"))
      return variant(Slug, T.Use->Dealt ? "call" : "call_each", Said);
    return variant(Slug, "unwritten", Said);
  }

  std::optional<Fix> fix(const TouchEvent &Fill, Unit &U) const override {
    return zeroByTeam(Fill.Range.getBegin(), U);
  }
};

STRIDEWISE_CHECK("omp-calloc-first-touch", CallocFirstTouch)

} // namespace
} // namespace stridewise
