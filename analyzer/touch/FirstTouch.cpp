#include "touch/FirstTouch.h"
#include "unit/Meter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace stridewise {

namespace {

constexpr const char *FortranProgram = "_QQmain"; // begins the name of a main program
constexpr unsigned MaxDepth = 24, MaxEvents = 200000, MaxTargets = 4;

using Names = std::vector<std::string>;                                // locations or objects that something may be
using ArmPath = std::vector<std::tuple<unsigned, unsigned, unsigned>>; // frame, branch, arm

struct Object {
  enum { Untouched, Filled, Placed } State = Untouched;
  const TouchEvent *Allocation = nullptr, *Fill = nullptr;
  const FunctionTouches *In = nullptr;
  std::int64_t Bytes = -1;
  ArmPath Born, Arms, FirstUsed; // where it is allocated, filled and used first
  bool Doubtful = false;
  const TouchEvent *Zeroing = nullptr; // by calloc, perhaps
  const TouchEvent *Later = nullptr;   // the first that fills it again on one thread, in a loop that the program shows
  const FunctionTouches *ZeroedIn = nullptr;
  std::vector<const TouchEvent *> Uses;
  bool Repeated = false;
  bool BornAgain = false, Recurring = false; // allocated, filled again and again
  bool Refilled = false;                     // by another fill than the first
  bool List = false, Message = false;
  bool Updated = false; // some loop of a team reads elements, then writes them
  bool Other = false;   // of a placed one: by one thread, in code that does not matter here: input
  unsigned Dims = 0;    // long loops of teams that choose its elements
  bool Main = false;    // some use is not beside a far larger array
  const std::string *Id = nullptr;
};

// True when the two lie in different arms of one branch, so that a run takes one or the other.
bool exclude(const ArmPath &A, const ArmPath &B) {
  for (const auto &[Frame, If, Arm] : A)
    for (const auto &[OtherFrame, OtherIf, OtherArm] : B)
      if (Frame == OtherFrame && If == OtherIf && Arm != OtherArm)
        return true;
  return false;
}

class Resolver {
public:
  explicit Resolver(llvm::ArrayRef<const TouchFacts *> Program) : Program(Program) {
    for (const TouchFacts *F : Program) {
      MinBytes = std::max(MinBytes, F->MinBytes);
      for (const FunctionTouches &X : F->Functions)
        if (!Functions.try_emplace(X.Id, &X).second && X.Fortran)
          Ambiguous.insert(X.Id); // of several programs
      for (const TouchEvent &E : F->Globals)
        Globals[E.Object.front()] = &E;
    }
    for (const auto &Id : Ambiguous)
      Functions.erase(Id.getKey().str());
  }

  std::vector<SerialTouch> run() {
    llvm::StringSet<> Called;
    for (const auto &F : Functions)
      for (const TouchEvent &E : F.second->Events)
        if (E.K == TouchEvent::Call && E.Callee != F.second->Id)
          Called.insert(known(E.Callee));
    const FunctionSet ToUses = thatLeadTo(TouchEvent::TeamUse), ToFills = thatLeadTo(TouchEvent::Fill);
    for (const TouchFacts *F : Program)
      for (const FunctionTouches &X : F->Functions)
        if (isKnown(X) && !Called.contains(X.Id) && ToUses.contains(&X) && ToFills.contains(&X))
          root(X);
    // One calloc serves many callers, of which some may need its zeros.
    for (SerialTouch &T : Result) {
      T.Minor |= T.Fill->Perhaps && Born[T.Allocation] > Overwritten[T.Allocation];
      T.Once &= Steps; // else that is all that the program does
    }
    return std::move(Result);
  }

private:
  bool isKnown(const FunctionTouches &X) const {
    auto It = Functions.find(X.Id);
    return It != Functions.end() && It->second == &X;
  }

  // A procedure of Fortran that no module holds is a function of C with an underscore behind its name, in both
  // directions.
  std::string known(const std::string &Callee) const {
    if (Callee.empty() || Functions.count(Callee))
      return Callee;
    llvm::StringRef Name = Callee;
    std::string Other = Name.consume_front("_QP") ? (Name + "_").str()
                        : Name.consume_back("_")  ? ("_QP" + Name).str()
                                                  : std::string();
    return Functions.count(Other) ? Other : Callee;
  }

  using FunctionSet = llvm::DenseSet<const FunctionTouches *>;
  // The functions that have such an event, and all that call one of them.
  FunctionSet thatLeadTo(TouchEvent::Kind K) const {
    llvm::DenseMap<const FunctionTouches *, llvm::SmallVector<const FunctionTouches *, 4>> Callers;
    FunctionSet Out;
    std::vector<const FunctionTouches *> Work;
    for (const auto &[Id, F] : Functions)
      for (const TouchEvent &E : F->Events) {
        if (E.K == K && Out.insert(F).second)
          Work.push_back(F);
        if (E.K == TouchEvent::Call)
          if (auto It = Functions.find(known(E.Callee)); It != Functions.end())
            Callers[It->second].push_back(F);
      }
    while (!Work.empty()) {
      const FunctionTouches *F = Work.back();
      Work.pop_back();
      for (const FunctionTouches *Caller : Callers.lookup(F))
        if (Out.insert(Caller).second)
          Work.push_back(Caller);
    }
    return Out;
  }

  struct Frame {
    unsigned Id;
    const FunctionTouches *F;
    std::map<std::string, Names> Alias; // parameters that are references, and `this`
    std::vector<std::int64_t> Values;   // of integer arguments
    Runs By;
    ArmPath Arms;
    bool IsRoot;
    bool Repeated = false; // called in a loop
  };

  void root(const FunctionTouches &F) {
    Store.clear();
    StoreArms.clear();
    Objects.clear();
    Events = 0;
    Frame Fr{++LastFrame, &F, {}, {}, Runs::Serial, {}, true};
    Whole = F.Name == "main" || F.Id.rfind(FortranProgram, 0) == 0;
    execute(Fr);
    for (const std::string &Id : Used)
      for (const TouchEvent *Use : Objects[Id].Uses) {
        unsigned &Most = MostDims[{Use->Where.File, Use->Where.Line}];
        Most = std::max(Most, Objects[Id].Dims);
      }
    for (const std::string &Id : Used)
      conclude(Objects[Id]);
    Used.clear();
    MostDims.clear();
  }

  static std::string local(const Frame &F, llvm::StringRef Root) {
    return Root.starts_with("g") ? Root.str() : "F" + std::to_string(F.Id) + ":" + Root.str();
  }

  Names evaluate(const Frame &F, const Location &L) {
    if (L.empty())
      return {};
    Names Now;
    if (auto It = F.Alias.find(L.front()); It != F.Alias.end())
      Now = It->second;
    else
      Now = {local(F, L.front())};
    for (const std::string &Step : llvm::drop_begin(L)) {
      Names Next;
      for (const std::string &X : Now) {
        if (X.size() > 400)
          continue;
        if (Step != "*") {
          Next.push_back(X + Step);
        } else if (auto It = Store.find(X); It != Store.end()) {
          Next.insert(Next.end(), It->second.begin(), It->second.end());
        } else {
          Next.push_back(X + "*");
        }
      }
      llvm::sort(Next);
      Next.erase(std::unique(Next.begin(), Next.end()), Next.end());
      if (Next.size() > MaxTargets)
        Next.resize(MaxTargets);
      Now = std::move(Next);
    }
    return Now;
  }

  // Both arms of a branch leave their value behind.
  void bind(const std::string &Where, const Names &Targets, const ArmPath &Arms) {
    auto [It, New] = Store.try_emplace(Where, Targets);
    if (!New) {
      if (exclude(StoreArms[Where], Arms)) {
        for (const std::string &T : Targets)
          if (It->second.size() < MaxTargets && !llvm::is_contained(It->second, T))
            It->second.push_back(T);
      } else {
        It->second = Targets;
      }
    }
    StoreArms[Where] = Arms;
  }

  void copy(const std::string &To, const std::string &From, const ArmPath &Arms) {
    if (To == From)
      return;
    std::vector<std::pair<std::string, Names>> Found;
    for (auto It = Store.lower_bound(From); It != Store.end() && llvm::StringRef(It->first).starts_with(From); ++It)
      if (It->first.size() == From.size() || It->first[From.size()] == '.')
        Found.emplace_back(To + It->first.substr(From.size()), It->second);
    for (auto &[Where, Targets] : Found)
      bind(Where, Targets, Arms);
  }

  // Someone whose code is not known may write all that can be reached from here.
  void spoil(const std::string &From, std::set<std::string> &Seen, const ArmPath &Arms, bool Serial = false) {
    if (!Seen.insert(From).second)
      return;
    place(From, Arms, Serial);
    std::vector<std::string> Further;
    for (auto It = Store.lower_bound(From); It != Store.end() && llvm::StringRef(It->first).starts_with(From); ++It)
      if (It->first.size() == From.size() || It->first[From.size()] == '.' || It->first[From.size()] == '*')
        Further.insert(Further.end(), It->second.begin(), It->second.end());
    for (const std::string &X : Further)
      spoil(X, Seen, Arms, Serial);
  }

  void spoil(const Frame &F, Location Where, const ArmPath &Arms, bool Serial) {
    std::set<std::string> Seen;
    for (const std::string &X : evaluate(F, Where))
      spoil(X, Seen, Arms, Serial);
    if (!F.F->Fortran)
      return;
    Where.push_back("*"); // what the variable that is handed over stands for
    for (const std::string &X : evaluate(F, Where))
      spoil(X, Seen, Arms, Serial);
  }

  // The object at a location, or the one that it lies in as a field; null when it exists on other paths only.
  Object *find(llvm::StringRef Id, const ArmPath &Arms) {
    while (true) {
      std::string Name = Id.str();
      auto It = Objects.find(Name);
      // A global is there from the beginning; most roots touch few of them.
      if (auto G = Globals.find(Name); It == Objects.end() && G != Globals.end()) {
        It = Objects.try_emplace(Name).first;
        It->second.Allocation = G->second;
        It->second.Bytes = G->second->Bytes;
      }
      if (It != Objects.end()) {
        It->second.Id = &It->first;
        return exclude(It->second.Born, Arms) ? nullptr : &It->second;
      }
      std::size_t Dot = Id.rfind('.');
      if (Dot == llvm::StringRef::npos || Id.find('*', Dot) != llvm::StringRef::npos)
        return nullptr;
      Id = Id.take_front(Dot);
    }
  }

  void place(const std::string &Id, const ArmPath &Arms, bool Serial = false) {
    Object *Found = find(Id, Arms);
    if (!Found)
      return;
    Object &O = *Found;
    if (O.State == Object::Untouched) {
      O.State = Object::Placed;
      O.Other = Serial;
      O.Arms = Arms;
    } else if (O.State == Object::Filled && !Serial && exclude(O.Arms, Arms)) {
      O.Doubtful = true;
    }
  }

  static Runs combine(Runs Outer, Runs Inner) {
    if (Inner == Runs::Serial || Outer == Runs::One)
      return Outer;
    return Inner;
  }

  void execute(Frame &F) {
    for (const TouchEvent &E : F.F->Events) {
      Meter::count();
      if (++Events > MaxEvents)
        return;
      ArmPath Arms = F.Arms;
      for (const auto &[If, Arm] : E.Arms)
        Arms.emplace_back(F.Id, If, Arm);
      event(F, E, combine(F.By, E.By), Arms);
    }
  }

  // A shared loop that serial code calls has a team of one thread, and so has a region that a thread of a team starts,
  // as long as nobody asks for nested teams.
  static bool isOneThread(const Frame &F, const TouchEvent &E) {
    return E.Orphan ? F.By == Runs::Serial && !F.IsRoot : F.By != Runs::Serial;
  }

  void swap(const Names &A, const Names &B, const ArmPath &Arms) {
    if (A.size() != 1 || B.size() != 1)
      return;
    auto X = Store.find(A[0]), Y = Store.find(B[0]);
    Names OfA = X == Store.end() ? Names{A[0] + "*"} : X->second,
          OfB = Y == Store.end() ? Names{B[0] + "*"} : Y->second;
    bind(A[0], OfB, Arms);
    bind(B[0], OfA, Arms);
  }

  void event(Frame &F, const TouchEvent &E, Runs By, const ArmPath &Arms) {
    switch (E.K) {
    case TouchEvent::Allocate:
      return allocate(F, E, By, Arms);
    case TouchEvent::Assign: {
      Names Targets = evaluate(F, E.Other);
      for (const std::string &L : evaluate(F, E.Object))
        bind(L, Targets, Arms);
      return;
    }
    case TouchEvent::Copy:
      for (const std::string &To : evaluate(F, E.Object))
        for (const std::string &From : evaluate(F, E.Other))
          copy(To, From, Arms);
      return;
    case TouchEvent::Swap:
      return swap(evaluate(F, E.Object), evaluate(F, E.Other), Arms);
    case TouchEvent::Call:
      return call(F, E, By, Arms);
    case TouchEvent::Fill:
      for (const std::string &Id : evaluate(F, E.Object))
        if (By == Runs::Serial)
          fill(F, E, Id, Arms);
        else if (!E.Perhaps)
          place(Id, Arms);
      return;
    case TouchEvent::Foreign:
      return spoil(F, E.Object, Arms, /*Serial=*/By == Runs::Serial);
    case TouchEvent::TeamWrite:
      for (const std::string &Id : evaluate(F, E.Object))
        place(Id, Arms);
      return;
    case TouchEvent::TeamUse:
      Steps |= Whole && (F.Repeated || E.InLoop);
      if (By == Runs::One || isOneThread(F, E))
        return;
      for (const std::string &Id : evaluate(F, E.Object))
        use(F, E, Id, Arms);
      return;
    }
  }

  void allocate(Frame &F, const TouchEvent &E, Runs By, const ArmPath &Arms) {
    std::int64_t Bytes = E.Bytes;
    if (E.SizeParameter >= 0 && static_cast<std::size_t>(E.SizeParameter) < F.Values.size())
      Bytes = F.Values[E.SizeParameter];
    for (const std::string &L : evaluate(F, E.Object)) {
      std::string Id = L;
      if (E.Reserved)
        if (auto It = Store.find(L); It != Store.end() && It->second.size() == 1)
          if (Object *Old = find(It->second.front(), Arms); Old && Old->Allocation->Reserves)
            continue;
      if (!E.InPlace) {
        Id = "H" + std::to_string(++LastObject);
        bind(L, {Id}, Arms);
      }
      Object O;
      O.Allocation = &E;
      O.Bytes = Bytes;
      O.Born = Arms;
      O.BornAgain = F.Repeated || E.InLoop;
      // Memory of each thread's own.
      if (By != Runs::Serial && By != Runs::One)
        O.State = Object::Placed;
      conclude(Objects[Id]);
      Objects[Id] = O;
      ++Born[&E];
    }
  }

  // Fewer of the allocation's own factors: a border, a row, a plane.
  static bool isPart(std::vector<std::string> Fill, std::vector<std::string> Whole) {
    if (Fill.empty() || Fill.size() >= Whole.size())
      return false;
    llvm::sort(Fill);
    llvm::sort(Whole);
    return std::includes(Whole.begin(), Whole.end(), Fill.begin(), Fill.end());
  }

  // Whether the object's pages are placed by what comes now, although something was written before: beside the pointers
  // in a record there may be data, which is initialised later, and what starts at a number known at run time only is a
  // part of the array as far as anything else tells.
  static bool isBegun(const Object &O, const TouchEvent &E) {
    return O.State == Object::Filled && O.Uses.empty() && !E.Perhaps &&
           ((O.Fill->List && !E.List) || (!O.Fill->From.empty() && E.From.empty()));
  }
  bool isMinor(const Object &O, const TouchEvent &E) const {
    return (E.Bytes >= 0 && E.Bytes < MinBytes && (O.Bytes < 0 || E.Bytes * 2 < O.Bytes)) ||
           isPart(E.Sizes, O.Allocation->Sizes);
  }

  void fill(Frame &F, const TouchEvent &E, const std::string &Id, const ArmPath &Arms) {
    Object *Found = find(Id, Arms);
    if (!Found)
      return;
    Object &O = *Found;
    const bool Begun = isBegun(O, E);
    if (O.State == Object::Filled && O.Fill->Implicit && !E.Implicit && !O.Later && O.Uses.empty() && E.Sure)
      O.Later = &E;
    // What a step's serial work fills before its team uses it, each time: the set-up's fill is of no matter.
    O.Refilled |= O.State == Object::Filled && !O.Fill->Implicit && O.Uses.empty() && E.Sure && !E.Implicit &&
                  !O.BornAgain && (F.Repeated || E.InLoop) && !isMinor(O, E);
    // A run reads its start from a file, or fills it here.
    if (O.State == Object::Placed && O.Other && exclude(O.Arms, Arms))
      O.State = Object::Untouched;
    if ((O.State != Object::Untouched && !Begun) || isMinor(O, E))
      return;
    if (E.Perhaps) {
      O.Zeroing = &E;
      O.ZeroedIn = F.F;
      return;
    }
    O.State = Object::Filled;
    O.Fill = &E;
    O.In = F.F;
    O.Arms = Arms;
    O.Recurring = !O.BornAgain && (F.Repeated || E.InLoop);
  }

  void use(const Frame &F, const TouchEvent &E, const std::string &Id, const ArmPath &Arms) {
    Object *Found = find(Id, Arms);
    if (!Found)
      return;
    Object &O = *Found;
    // The team writes what calloc has written perhaps.
    if (O.State == Object::Untouched && O.Zeroing && E.Overwrites) {
      O.State = Object::Filled;
      O.Fill = O.Zeroing;
      O.In = O.ZeroedIn;
      O.Arms = O.Born;
    }
    if (O.State != Object::Filled || O.Doubtful || exclude(O.Arms, Arms) || (O.Bytes >= 0 && O.Bytes < MinBytes))
      return;
    // Teams that start elsewhere use more than the part that was filled.
    if (!O.Fill->From.empty() && (E.From.empty() || !llvm::is_contained(O.Fill->From, E.From.front())))
      return;
    if (O.Uses.empty()) {
      Used.push_back(*O.Id);
      O.FirstUsed = Arms;
    }
    O.Uses.push_back(&E);
    // A run takes one of two loops in the arms of a branch.
    O.Repeated |= F.Repeated || E.InLoop || (E.Where.Line != O.Uses.front()->Where.Line && !exclude(O.FirstUsed, Arms));
    O.List |= E.List;
    O.Updated |=
        E.Updates || (E.Overwrites && llvm::any_of(O.Uses, [&](const TouchEvent *U) {
                        return U->Where.Line == E.Where.Line && U->Where.File == E.Where.File && !U->Overwrites;
                      }));
    O.Dims = std::max(O.Dims, E.Dims);
    O.Main |= !E.Beside;
  }

  void conclude(const Object &O) {
    if (O.Uses.empty())
      return;
    auto [At, New] = ByPlace.try_emplace({O.Fill->Where.File, O.Fill->Where.Line, O.Fill->Where.Column}, Result.size());
    // The loop to take the distribution from, if one has any.
    const auto Fixed = llvm::find_if(O.Uses, [](const TouchEvent *U) { return !U->Dealt; });
    const TouchEvent *Use = Fixed == O.Uses.end() ? O.Uses.front() : *Fixed;
    if (New)
      Result.push_back({O.Fill, O.Allocation, Use, O.Later, O.In, {}, {}});
    SerialTouch *R = &Result[At->second];
    if (!R->Later)
      R->Later = O.Later;
    if (R->Use->Dealt && !Use->Dealt)
      R->Use = Use;
    // The array's name where it is filled, unless a pointer walked over it; a wrapper that allocates knows none.
    std::string Name = O.Fill->Name.empty() || !O.Fill->Sure ? O.Allocation->Name : O.Fill->Name;
    if (Name.empty())
      Name = Use->Name;
    if (!llvm::is_contained(R->Names, Name))
      R->Names.push_back(Name);
    auto IsAt = [](const TouchEvent &A, const TouchEvent &B) {
      return A.Where.Line == B.Where.Line && A.Where.File == B.Where.File;
    };
    if (!IsAt(*O.Allocation, *O.Fill) &&
        llvm::none_of(R->Allocations, [&](const TouchEvent *A) { return IsAt(*A, *O.Allocation); }))
      R->Allocations.push_back(O.Allocation);
    R->KnownSize |= O.Bytes >= 0;
    R->Sure |= O.Fill->Sure;
    if (O.Fill->Perhaps)
      ++Overwritten[O.Allocation];
    R->Repeated |= O.Repeated;
    R->Once &= Whole && !O.Repeated;
    R->Recurring &= O.Recurring;
    R->Refilled &= O.Refilled;
    R->BornAgain |= O.BornAgain;
    R->Minor &= O.List || O.Fill->List || (O.Message && !O.Updated) || !O.Main || isThin(O);
  }

  // A surface beside volumes: each loop over it also works on arrays that have more dimensions, there or elsewhere.
  bool isThin(const Object &O) const {
    return llvm::all_of(O.Uses, [&](const TouchEvent *Use) {
      auto It = MostDims.find({Use->Where.File, Use->Where.Line});
      return It != MostDims.end() && It->second > O.Dims;
    });
  }

  void call(Frame &F, const TouchEvent &E, Runs By, const ArmPath &Arms) {
    auto It = Functions.find(known(E.Callee));
    if (It == Functions.end() || CallStack.size() > MaxDepth || llvm::is_contained(CallStack, E.Callee)) {
      for (const TouchEvent::Argument &A : E.Arguments)
        if (!A.Const && !A.Where.empty())
          spoil(F, A.Where, Arms, /*Serial=*/E.Callee.empty() && By == Runs::Serial);
      if (E.Message)
        for (const TouchEvent::Argument &A : E.Arguments)
          if (!A.Where.empty())
            for (const std::string &X : evaluate(F, A.Where))
              if (Object *O = find(X, Arms))
                O->Message = true;
      return;
    }
    Frame New{++LastFrame, It->second, {}, {}, By, Arms, false, F.Repeated || E.InLoop};
    for (std::size_t I = 0; I < E.Arguments.size(); ++I) {
      const TouchEvent::Argument &A = E.Arguments[I];
      // The object of a member call comes first.
      bool IsThis = I == 0;
      New.Values.resize(E.Arguments.size() - 1, -1);
      if (!IsThis)
        New.Values[I - 1] = A.Value;
      if (A.Where.empty())
        continue;
      std::string Root = IsThis ? "this" : "p" + std::to_string(I - 1);
      const bool Points = F.F->Fortran && !It->second->Fortran; // the callee gets what Fortran has by its name
      Location Where = A.Where;
      if (Points)
        Where.push_back("*");
      Names Targets = evaluate(F, Where);
      if (A.Reference && !Points)
        New.Alias[Root] = Targets;
      else
        bind(local(New, Root), Targets, Arms);
    }
    CallStack.push_back(E.Callee);
    execute(New);
    CallStack.pop_back();
    if (!E.Object.empty())
      for (const std::string &To : evaluate(F, E.Object))
        copy(To, local(New, "ret"), Arms);
  }

  llvm::ArrayRef<const TouchFacts *> Program;
  std::map<std::string, const FunctionTouches *> Functions;
  llvm::StringSet<> Ambiguous;
  std::map<std::string, const TouchEvent *> Globals;
  std::map<std::string, Names> Store;
  std::map<std::string, ArmPath> StoreArms;
  std::map<std::string, Object> Objects;
  std::vector<std::string> CallStack;
  std::vector<SerialTouch> Result;
  std::map<std::tuple<llvm::StringRef, unsigned, unsigned>, std::size_t> ByPlace; // in the result
  std::vector<std::string> Used;
  std::map<const TouchEvent *, unsigned> Born,
      Overwritten; // objects of an allocation, and of them those that teams write
  std::map<std::pair<llvm::StringRef, unsigned>, unsigned> MostDims; // of the arrays that a team's loop uses
  double MinBytes = 0;
  bool Whole = false; // what is executed is a whole program
  bool Steps = false; // some whole program has a team's loop that runs again and again
  unsigned LastFrame = 0, LastObject = 0, Events = 0;
};

} // namespace

std::vector<SerialTouch> serialTouches(llvm::ArrayRef<const TouchFacts *> Program) { return Resolver(Program).run(); }

} // namespace stridewise
