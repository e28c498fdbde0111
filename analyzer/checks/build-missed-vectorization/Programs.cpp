#include "checks/build-missed-vectorization/Programs.h"
#include "loops/CallHeat.h"
#include "unit/CallEdges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Path.h"
#include <map>
#include <numeric>
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

constexpr StringLiteral Main = "main";

// What stands in the caller's place where no function does.
bool isFunction(StringRef Caller) {
  return !Caller.empty() && Caller != CallsNowAndThen && Caller != CallsAgain && Caller != CallsFromAnywhere;
}

class Programs {
public:
  explicit Programs(ArrayRef<ProgramUnit> Units) : Units(Units), Callees(Units.size()) {
    for (unsigned K = 0; K < Units.size(); ++K) {
      if (Units[K].Calls)
        forEachCall(Units[K].Calls, [&](StringRef Callee, StringRef Caller, unsigned) {
          Callees[K].insert(Callee.str());
          if (isFunction(Caller))
            In[Caller.str()].insert(K);
        });
      const stored::Array *Nests = Units[K].Depths ? Units[K].Depths->getAsArray() : nullptr;
      for (std::size_t N = 0; Nests && N < Nests->size(); ++N)
        if (const stored::Object *Nest = (*Nests)[N].getAsObject())
          In[Nest->getString("name").value_or("").str()].insert(K);
    }
  }

  std::vector<std::vector<unsigned>> all() const {
    std::vector<std::vector<unsigned>> Out;
    const auto Mains = In.find(Main.str());
    if (Mains == In.end())
      return Out;
    if (Mains->second.size() == 1) {
      std::iota(Out.emplace_back(Units.size()).begin(), Out.back().end(), 0U);
      return Out;
    }
    for (unsigned At : Mains->second)
      Out.push_back(reached(At));
    return Out;
  }

private:
  std::vector<unsigned> reached(unsigned From) const {
    std::set<unsigned> Found{From};
    std::vector<unsigned> Work{From};
    while (!Work.empty()) {
      const unsigned K = Work.back();
      Work.pop_back();
      for (const std::string &Callee : Callees[K])
        if (const std::optional<unsigned> Next = unitOf(Callee, K, From); Next && Found.insert(*Next).second)
          Work.push_back(*Next);
    }
    return {Found.begin(), Found.end()};
  }

  std::optional<unsigned> unitOf(const std::string &Function, unsigned Caller, unsigned From) const {
    const auto It = In.find(Function);
    if (It == In.end() || It->second.contains(Caller))
      return std::nullopt;
    std::optional<unsigned> Nearest;
    int Best = -1;
    for (unsigned K : It->second)
      if (const int Near = sharedFolders(K, From); Near > Best) {
        Best = Near;
        Nearest = K;
      } else if (Near == Best) {
        Nearest.reset();
      }
    return Nearest;
  }

  int sharedFolders(unsigned K, unsigned L) const {
    const StringRef A = sys::path::parent_path(Units[K].File), B = sys::path::parent_path(Units[L].File);
    int Shared = 0;
    for (auto X = sys::path::begin(A), Y = sys::path::begin(B);
         X != sys::path::end(A) && Y != sys::path::end(B) && *X == *Y; ++X, ++Y)
      ++Shared;
    return Shared;
  }

  ArrayRef<ProgramUnit> Units;
  std::vector<std::set<std::string>> Callees;   // by unit
  std::map<std::string, std::set<unsigned>> In; // units that have the function
};

} // namespace

std::vector<std::vector<unsigned>> programsOf(ArrayRef<ProgramUnit> Units) { return Programs(Units).all(); }

std::vector<Place>
placesInAll(ArrayRef<std::vector<unsigned>> Programs, ArrayRef<ProgramUnit> Units, ArrayRef<const stored::Value *> Said,
            function_ref<std::vector<Place>(ArrayRef<const stored::Value *>, ArrayRef<const stored::Value *>)> Judge) {
  using Key = std::tuple<std::string, unsigned, unsigned>;
  const auto KeyOf = [](const Place &P) { return Key(P.File, P.Line, P.Column); };
  std::map<Key, std::pair<unsigned, unsigned>> Of; // with the place, and of these the ones that it was found in
  std::map<Key, Place> Found;
  for (ArrayRef<unsigned> Program : Programs) {
    std::vector<const stored::Value *> Own, Calls;
    std::set<Key> Here;
    for (unsigned K : Program) {
      if (Units[K].Calls)
        Calls.push_back(Units[K].Calls);
      const stored::Array *Objects = Said[K] ? Said[K]->getAsArray() : nullptr;
      if (Objects)
        Own.push_back(Said[K]);
      for (std::size_t N = 0; Objects && N < Objects->size(); ++N)
        if (const stored::Object *Each = (*Objects)[N].getAsObject())
          if (const stored::Value *Where = Each->get("place"))
            if (const std::optional<Place> P = placeFromJson(*Where))
              Here.insert(KeyOf(*P));
    }
    for (const Key &Each : Here)
      ++Of[Each].first;
    std::set<Key> Judged;
    for (const Place &P : Judge(Own, Calls))
      if (Judged.insert(KeyOf(P)).second) {
        ++Of[KeyOf(P)].second;
        Found.emplace(KeyOf(P), P);
      }
  }
  std::vector<Place> Out;
  for (const auto &[Where, P] : Found)
    if (Of[Where].first == Of[Where].second)
      Out.push_back(P);
  return Out;
}

} // namespace stridewise
