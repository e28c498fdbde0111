// Who writes an array first. Each function is reduced to its allocations, pointer assignments, calls, serial fills and
// team accesses, in the order of the text; the resolver runs these facts from the functions that nobody calls, with
// heap objects in place of memory. The facts of one unit and of a whole program go through the same resolver.
#ifndef STRIDEWISE_TOUCH_FIRSTTOUCH_H
#define STRIDEWISE_TOUCH_FIRSTTOUCH_H

#include "unit/Summary.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace stridewise {

/// A place in memory as a function names it: a root ("p0" a parameter, "this", "l3" a local variable, "g…" a global
/// one, "t4" the result of a call, "ret"), then ".field" and "*" (what is stored here points on).
using Location = std::vector<std::string>;

/// Which threads run an event, as far as its own function shows.
enum class Runs {
  Serial, // whoever calls the function
  Team,   // every thread of a team
  Shared, // an iteration of a loop that the team divides
  One     // one thread of a team
};

struct TouchEvent {
  enum Kind {
    Allocate,  // Object, a pointer or container, gets fresh memory; a variable that is an array itself: InPlace
    Assign,    // the pointer Object is set to point at Other
    Copy,      // the record or container Object becomes a copy of Other
    Swap,      // Object and Other are exchanged
    Call,      // of Callee
    Fill,      // a serial loop or a library call writes all of the array Object
    TeamWrite, // some write of the array by a team
    TeamUse,   // a team's shared loop reads or writes the array at an index that depends on the loop's counter
    Foreign    // someone may write it, by unknown means
  };
  struct Argument {
    Location Where;
    bool Reference = false; // Where is the object itself; else what a pointer points at
    bool Const = false;
    std::int64_t Value = -1; // of an integer, when constant
  };
  Kind K;
  Runs By = Runs::Serial;
  Location Object, Other;
  bool InPlace = false;
  bool Orphan = false;     // a shared loop whose team the function does not start
  bool Sure = true;        // of a fill: unconditional, with a plain index
  bool Implicit = false;   // of a fill: zeroing, by the allocation itself (a vector's constructor) or by memset
  bool Perhaps = false;    // of an implicit fill: calloc, which may get pages that are zero already
  bool Reserved = false;   // of an allocation: it keeps memory that the container has reserved before
  bool Reserves = false;   // of an allocation: reserve()
  bool InLoop = false;     // of a call, a fill or a team's use: in a loop, outside of the filling or shared one
  bool Overwrites = false; // of a team's use: writes without reading
  bool Dealt = false;      // of a team's use: the schedule decides at run time which thread gets what
  bool List = false; // of a team's use: the element of an iteration is an index into other arrays; of a fill: pointers
  bool Beside = false;            // of a team's use: an iteration touches far more of another array
  bool Updates = false;           // of a team's use: a[i] += …
  unsigned Dims = 0;              // of a team's use: long loops that the element depends on
  bool Message = false;           // of a call: passes the arguments to MPI
  bool Section = false;           // of a fill: an array operation, no loop of the text
  bool Counted = false;           // of a fill: element after element by a number that is counted up
  std::string Writer;             // of an implicit fill: what writes, in words
  std::int64_t Bytes = -1;        // allocated or filled, when constant
  int SizeParameter = -1;         // the allocation has as many bytes as this parameter says
  std::vector<std::string> From;  // numbers known at run time only that the loops of a fill, or a shared loop, start at
  std::vector<std::string> Sizes; // names of the factors of the allocated or filled number of elements; empty: unknown
  std::string Name;               // of the array in the source
  std::string Callee;
  std::vector<Argument> Arguments;
  std::vector<std::pair<unsigned, unsigned>> Arms; // branches around it, with the arm
  Place Where;
  bool Suppressed = false;
  std::optional<Fix> Change;       // of a fill: how a team can make it, for the whole program
  clang::SourceRange Range, Scope; // in the unit that made the facts
};

struct FunctionTouches {
  std::string Id, Name;
  std::vector<TouchEvent> Events;
  bool Fortran = false; // of that language: the only function of its name in a program
  unsigned ScopeBegin = 0, ScopeEnd = 0;
};

struct TouchFacts {
  std::vector<FunctionTouches> Functions;
  std::vector<TouchEvent> Globals; // allocations of variables with static storage
  double MinBytes = 0;
};

/// Tells whether a comment silences the rule for fills of this kind at a place.
using TouchSilencer = llvm::function_ref<bool(bool Implicit, clang::SourceLocation)>;
/// The facts of a unit.
TouchFacts collectTouches(clang::ASTContext &Ctx, TouchSilencer Suppressed);
llvm::json::Value toJson(const TouchFacts &F);
TouchFacts touchFactsFromJson(const stored::Value &V);

/// A serial fill of fresh memory that a team uses afterwards. An implicit one of calloc counts only where a team's loop
/// writes the elements anew, so that nobody needs its zeros.
struct SerialTouch {
  const TouchEvent *Fill = nullptr, *Allocation = nullptr, *Use = nullptr;
  const TouchEvent *Later = nullptr;           // of an implicit fill: the program's own, one thread's too
  const FunctionTouches *In = nullptr;         // the function that fills
  std::vector<std::string> Names;              // arrays filled at this place
  std::vector<const TouchEvent *> Allocations; // of them, each place once, the fill's own left out
  bool KnownSize = false;                      // of some of them
  bool Sure = false;                           // that some of them are filled whole
  bool Repeated = false;                       // a team uses some of them in several loops, or again and again
  bool Once = true;       // in a whole program, a single loop of a team uses each of them a single time,
                          // and others run again and again
  bool BornAgain = false; // some of them are allocated again and again
  bool Recurring = true;  // all are filled again and again, beside the team's loops
  bool Refilled = true;   // after this, one thread fills all of them again and again, before any team uses them
  bool Minor = true; // all are small beside other data: tables of pointers or indices, buffers of messages, one number
                     // for each row; or the zeros of calloc may be needed by others that call the same wrapper
};
std::vector<SerialTouch> serialTouches(llvm::ArrayRef<const TouchFacts *> Program);

} // namespace stridewise
#endif
