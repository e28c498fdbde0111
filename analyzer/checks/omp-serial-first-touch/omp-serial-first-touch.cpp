// R07: an array whose pages one thread writes first, in a loop or a call, and a team uses.
//
// Core/FirstTouch follows each allocation from the functions that nobody calls: its first covering write has to be
// serial, a shared loop has to address it by its counter afterwards. Fresh pages that a team, a device, one thread of a
// team or unknown code (input, messages, page placement) may have written first are silent, and so are tables that
// every thread reads whole, and what is small beside other data of the same loops: index lists, message buffers, one
// number for each long row. Zeroing that comes with the allocation belongs to omp-calloc-first-touch.
// Known false positives: arrays that the program sizes at run time, when they are small.
#include "omp/SharedLoopFix.h"
#include "touch/TouchCheck.h"
#include "unit/Catalogue.h"

namespace stridewise {
namespace {

class SerialFirstTouch : public TouchCheck {
public:
  SerialFirstTouch() : TouchCheck("omp-serial-first-touch", /*Implicit=*/false) {}

  bool readsFortran() const override { return true; }

protected:
  std::string remedy(const SerialTouch &T, ArgMap Said) const override {
    if (T.In->Fortran) {
      const char *Loops = T.Fill->Counted ? "fortran_counted" : T.Fill->Section ? "fortran_loops" : "fortran_loop";
      Said["loops"] = variant(Slug, Loops, Said);
      Said["where"] = variant(Slug, T.Use->Dealt ? "fortran_dealt" : "fortran", Said);
    } else {
      Said["where"] = variant(Slug, T.Use->Dealt ? "parallel_dealt" : "parallel", Said);
    }
    return variant(Slug, "initialise", Said);
  }

  std::optional<Fix> fix(const TouchEvent &Fill, Unit &U) const override {
    return Fill.Section ? std::nullopt : shareLoop(Fill.Scope.getBegin(), U);
  }
};

STRIDEWISE_CHECK("omp-serial-first-touch", SerialFirstTouch)

} // namespace
} // namespace stridewise
