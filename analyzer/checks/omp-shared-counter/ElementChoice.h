// How data choose the element of an array that an iteration of a shared loop adds to, in any language.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ELEMENTCHOICE_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ELEMENTCHOICE_H

namespace stridewise {

struct ElementChoice {
  bool Unclear = false; // something that is not known chooses, too
  bool Entry = false;   // an entry of a table, by the counter that is shared out
  bool Several = false; // of several entries for each iteration
  bool Scaled = false;  // times the number of elements of each
  bool Cell = false;    // the whole part of a number that the data give
  void join(const ElementChoice &O) {
    Unclear |= O.Unclear;
    Entry |= O.Entry;
    Several |= O.Several;
    Scaled |= O.Scaled;
    Cell |= O.Cell;
  }
  bool isByData() const { return !Unclear && (Entry || Cell); }
};

} // namespace stridewise
#endif
