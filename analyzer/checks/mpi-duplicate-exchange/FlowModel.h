// What the link phase knows of the functions of all units, as exchangeFlow writes it, and which places are different.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWMODEL_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWMODEL_H

#include "unit/Summary.h"
#include <array>
#include <map>
#include <set>
#include <variant>

namespace stridewise::flow {

struct Step {
  std::optional<std::int64_t> Bytes;
  std::string Member;
  std::string From; // the value of the function that the bytes are counted from
  // Bytes that vary are between `Begin` and `Begin + Span`, and some multiple of `Modulus` (1: anything is possible).
  struct Window {
    std::int64_t Modulus = 1, Begin = 0, Span = 0;
    auto operator<=>(const Window &) const = default;
  };
  std::array<Window, 2> Windows; // both are true
  auto operator<=>(const Step &) const = default;
  /// The place so many bytes further, in what `By` is counted in.
  Step plus(const Step &By) const;
};
/// A place in memory: pointers loaded one from another, each step but the last.
struct Path {
  std::string Root;
  std::vector<Step> Steps;
  auto operator<=>(const Path &) const = default;
  bool isKnown() const { return Root != "*"; }
  bool isDirect() const { return Steps.size() == 1; }
  bool isOwn() const { return Root[0] == 'L' || Root[0] == 'H'; }
  /// Memory that is new in each run of a function.
  bool isPrivate() const { return isDirect() && (isOwn() || Root[0] == 'A'); }
  /// Where the pointer to it was loaded.
  Path slot() const { return {Root, {Steps.begin(), Steps.end() - 1}}; }
  /// Loaded from the same places all along.
  bool sharesBase(const Path &O) const;
};
struct Write {
  Path To;
  char Kind = 'm'; // of what is written: a float, an integer, a pointer, or anything
  auto operator<=>(const Write &) const = default;
};
struct Read {
  Path From;
  char Kind = 'm';
  auto operator<=>(const Read &) const = default;
};
using Argument = std::variant<std::monostate, std::int64_t, Path>;

struct Call {
  std::string Callee, Function;
  std::vector<Argument> Arguments;
  std::vector<Place> Places; // as written, and the calls of the helpers around it
  unsigned Begin = 0, End = 0;
  std::vector<std::string> Texts;
  bool UsesResult = false;
};
struct Event {
  enum Kind { Writes, Unknown, Clock, Defines, Calls, Posts, Waits } Is = Unknown;
  Write W{};
  Call C{};
  std::string Value;
};
struct LoopOfCalls {
  std::set<int> Blocks;
  std::optional<Place> Where;
  std::string Counter;
  unsigned Trips = 0;
};
enum MoveBits : unsigned { Computed = 1, Message = 2 };
enum MessageBits : unsigned { Sends = 1, Receives = 2, Collects = 4, Half = 8 };
struct Move {
  Path From, To;
  unsigned Bits = 0;
  auto operator<=>(const Move &) const = default;
};
/// What a function reads, fills and moves, where a second run does the same as the first one.
struct Moves {
  std::set<Read> Reads;
  std::set<Path> Arrays;
  std::set<Move> All;
  unsigned Messages = 0;
};
struct Code {
  std::vector<std::vector<Event>> Blocks;
  std::vector<std::vector<int>> Next; // -1: returns
  std::map<int, LoopOfCalls> Loops;   // by their headers
  std::optional<Moves> Own;           // but for what it calls
  std::set<unsigned> Tags;
  std::map<std::pair<std::string, std::int64_t>, std::set<Path>> Holds; // of variables of its own: pointers
  std::string Name;

  /// Pointers that variables of the function's own hold are followed.
  std::vector<Path> resolve(const Path &P) const;
};

/// All functions by name.
class Program {
public:
  explicit Program(llvm::ArrayRef<stored::Value> Summaries);
  bool knows(const std::string &Name) const { return ByName.contains(Name); }
  const Code &code(const std::string &Name);
  /// Whether any function sends data that a second run sends again.
  bool sendsAny() const;
  auto begin() const { return ByName.begin(); }
  auto end() const { return ByName.end(); }

private:
  std::string rootFrom(llvm::StringRef Root) const;
  Path pathFrom(const stored::Value &V) const;
  Argument argumentFrom(const stored::Value &V) const;
  Event eventFrom(const stored::Array &A) const;
  Moves movesFrom(const stored::Object &O) const;
  Code codeFrom(const stored::Object &O) const;
  void release(Code &C) const;
  std::map<std::string, const stored::Object *> ByName;
  std::map<std::string, Code> Codes;
};

/// Words of which none lies where one of the other kind may.
bool areApart(const Step &X, const Step &Y);
/// Whether a write may change what stands at a place. Two parameters, two variables, two members are two arrays.
bool mayMeet(const Write &W, const Path &P);
/// The same for a place of which it is known what is read there: no float stands where an integer is read.
bool mayMeet(const Write &W, const Read &R);

} // namespace stridewise::flow
#endif
