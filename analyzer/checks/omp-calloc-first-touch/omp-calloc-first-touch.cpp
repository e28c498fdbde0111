// R08: an array that its allocation, or a memset, zeroes on one thread before a team uses it.
//
// The facts are those of omp-serial-first-touch; this rule speaks where nobody wrote a loop: constructors and resize()
// of containers, new T[n](), memset, calloc. Large blocks from calloc are often fresh pages that the library does not
// write; it is reported (medium) only where a team's loop writes the elements anew, so that malloc is as good.
// Known false positives: arrays that the program sizes at run time, when they are small.
#include "touch/TouchCheck.h"

namespace stridewise {
namespace {

class CallocFirstTouch : public TouchCheck {
public:
  CallocFirstTouch() : TouchCheck("omp-calloc-first-touch", /*Implicit=*/true) {}

protected:
  void describe(const SerialTouch &T, const std::string &Arrays, ArgMap &Args) const override {
    const std::string &Writer = T.Fill->Writer;
    const std::string Then = inParallel(T, Args);
    Args["writer"] = Writer;
    Args["does"] = std::string(T.Fill->Perhaps ? "may write" : "writes");
    if (T.Fill->Perhaps)
      Args["remedy"] = "allocate " + Arrays + " with malloc, since the team's loop writes the elements anyway";
    else if (Writer == "memset" || Writer == "bzero")
      Args["remedy"] = "instead of " + Writer + ", zero " + Arrays + Then;
    else if (Writer == "new[]()")
      Args["remedy"] = "leave the parentheses out, new T[n], and initialise " + Arrays + Then;
    else if (T.Fill->InLoop && (Writer == "assign" || Writer == "resize"))
      Args["remedy"] =
          "call " + Writer + Then + (T.Use->Dealt ? "" : ", so that each thread allocates and writes its own parts");
    else
      Args["remedy"] =
          "allocate " + Arrays +
          " without writing the elements (std::make_unique_for_overwrite, or an allocator whose construct() "
          "does nothing) and initialise them" +
          Then;
  }
};

STRIDEWISE_CHECK("omp-calloc-first-touch", CallocFirstTouch)

} // namespace
} // namespace stridewise
