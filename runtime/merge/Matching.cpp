#include "Matching.h"

#include "Walk.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace stridewise::merge {
namespace {

struct MessageEnd {
  uint32_t Comm;
  int32_t Source, Target, Tag;
  uint32_t Seq;
  uint32_t Rank, Start, Done;
  bool Wildcard;
  uint32_t Count = 1;
  uint64_t end() const { return uint64_t(Seq) + Count; }
  auto channel() const { return std::tie(Comm, Source, Target, Tag); }
  auto key() const { return std::tie(Comm, Source, Target, Tag, Seq); }
};

class Matcher {
public:
  Matcher(const Trace &T, Window &W) : T(T), W(W) {}
  void run() {
    collect();
    if (cutRuns())
      collect();
    matchMessages();
    matchCollectives();
  }

private:
  void collect();
  void collect(uint32_t R);
  void collectReceive(uint32_t R, uint32_t I);
  bool cutRuns();
  void divide(uint32_t R, const std::vector<std::pair<uint32_t, uint64_t>> &Cuts);
  void matchMessages();
  void matchCollectives();
  std::pair<Instance::Direction, uint32_t> rootOf(uint32_t First, uint32_t Count) const;

  struct CollectivePart {
    uint32_t Comm, Seq, Rank, Start, Done;
    auto key() const { return std::tie(Comm, Seq); }
  };
  const Trace &T;
  Window &W;
  std::vector<MessageEnd> Sends, Receives;
  std::vector<CollectivePart> Collectives;
};

void Matcher::collect() {
  Sends.clear();
  Receives.clear();
  Collectives.clear();
  for (uint32_t R = 0; R < W.Events.size(); ++R)
    collect(R);
  auto ByKey = [](const MessageEnd &A, const MessageEnd &B) { return A.key() < B.key(); };
  std::sort(Sends.begin(), Sends.end(), ByKey);
  std::sort(Receives.begin(), Receives.end(), ByKey);
}

/// Cuts runs where an event or run of the other side begins or ends, so that what is matched has the same messages on
/// both sides. Nothing lies between the messages of a run, so such a piece orders its surroundings as its messages do,
/// one by one. Returns whether there was anything to cut; pieces are at most as many as events of the other side.
bool Matcher::cutRuns() {
  std::vector<std::vector<std::pair<uint32_t, uint64_t>>> Cuts(W.Events.size()); // by rank: event, number
  bool Any = false;
  auto Cut = [&](const MessageEnd &E, uint64_t Number) {
    if (Number > E.Seq && Number < E.end()) {
      Cuts[E.Rank].push_back({E.Start, Number});
      Any = true;
    }
  };
  for (size_t S = 0, C = 0; S < Sends.size() && C < Receives.size();) {
    const MessageEnd &From = Sends[S], &To = Receives[C];
    auto FromChannel = From.channel(), ToChannel = To.channel();
    if (FromChannel < ToChannel || (FromChannel == ToChannel && From.end() <= To.Seq)) {
      ++S;
      continue;
    }
    if (ToChannel < FromChannel || To.end() <= From.Seq) {
      ++C;
      continue;
    }
    for (uint64_t Number : {std::max<uint64_t>(From.Seq, To.Seq), std::min(From.end(), To.end())}) {
      Cut(From, Number);
      Cut(To, Number);
    }
    bool SendEnds = From.end() <= To.end(), ReceiveEnds = To.end() <= From.end();
    S += SendEnds;
    C += ReceiveEnds;
  }
  for (uint32_t R = 0; R < Cuts.size(); ++R)
    if (!Cuts[R].empty()) {
      std::sort(Cuts[R].begin(), Cuts[R].end());
      divide(R, Cuts[R]);
    }
  return Any;
}

/// Replaces runs by their pieces. A run has a call of its own, and so have its pieces; they share its time evenly.
void Matcher::divide(uint32_t R, const std::vector<std::pair<uint32_t, uint64_t>> &Cuts) {
  std::vector<Event> Pieces;
  std::vector<uint32_t> GroupEnd;
  Pieces.reserve(W.Events[R].size() + Cuts.size());
  GroupEnd.reserve(W.groups(R) + Cuts.size());
  size_t Next = 0;
  auto Add = [&](Event E) {
    E.Group = static_cast<uint32_t>(GroupEnd.size() - 1);
    Pieces.push_back(E);
    GroupEnd.back() = static_cast<uint32_t>(Pieces.size());
  };
  uint32_t Group = None;
  for (uint32_t I = 0; I < W.Events[R].size(); ++I) {
    const Event &E = W.Events[R][I];
    if (E.Group != Group)
      GroupEnd.push_back(0);
    Group = E.Group;
    if (Next == Cuts.size() || Cuts[Next].first != I) {
      Add(E);
      continue;
    }
    uint32_t Done = 0;
    auto Until = [&](uint32_t Messages) {
      if (Messages == Done)
        return;
      Event Piece = E;
      auto At = [&](uint32_t Number) {
        return E.Begin +
               static_cast<int64_t>(static_cast<double>(E.End - E.Begin) * Number / static_cast<double>(E.Count));
      };
      Piece.Begin = At(Done);
      Piece.End = Messages == E.Count ? E.End : At(Messages);
      Piece.Seq = E.Seq + Done;
      Piece.Count = Messages - Done;
      if (Done != 0)
        GroupEnd.push_back(0);
      Add(Piece);
      Done = Messages;
    };
    for (; Next < Cuts.size() && Cuts[Next].first == I; ++Next)
      Until(static_cast<uint32_t>(Cuts[Next].second - E.Seq));
    Until(E.Count);
  }
  W.Events[R] = std::move(Pieces);
  W.GroupEnd[R] = std::move(GroupEnd);
}

/// Links the events that start and complete one request, until the pairing overwrites it.
static void linkRequests(std::vector<Event> &Events) {
  std::unordered_map<uint64_t, uint32_t> Open;
  for (uint32_t I = 0; I < Events.size(); ++I) {
    Event &E = Events[I];
    if (E.Request == 0)
      continue;
    if (E.has(SW_EV_START)) {
      Open[E.Request] = I;
    } else if (E.has(SW_EV_COMPLETE)) {
      if (auto It = Open.find(E.Request); It != Open.end()) {
        E.Link = It->second;
        Events[It->second].Link = I;
        Open.erase(It);
      }
    }
  }
}

void Matcher::collectReceive(uint32_t R, uint32_t I) {
  const std::vector<Event> &Events = W.Events[R];
  const Event &E = Events[I];
  int32_t Me = T.Ranks[R].World;
  bool Start = E.has(SW_EV_START), Wildcard = E.has(SW_EV_ANY_SOURCE | SW_EV_ANY_TAG);
  if (E.Peer < 0 || E.Seq == SW_NO_SEQ)
    return;
  if (E.has(SW_EV_COMPLETE)) {
    // The start, if the window has it, already gave this message; but a wildcard knows its sender only here.
    bool FromStart = E.Link != None && !Events[E.Link].has(SW_EV_ANY_SOURCE | SW_EV_ANY_TAG);
    if (!FromStart)
      Receives.push_back({E.Comm, E.Peer, Me, E.Tag, E.Seq, R, E.Link, I, Wildcard || E.Link != None});
  } else if (!(Start && Wildcard)) {
    Receives.push_back({E.Comm, E.Peer, Me, E.Tag, E.Seq, R, I, Start ? E.Link : I, Wildcard, E.Count});
  }
}

void Matcher::collect(uint32_t R) {
  std::vector<Event> &Events = W.Events[R];
  linkRequests(Events);
  for (uint32_t I = 0; I < Events.size(); ++I) {
    Event &E = Events[I];
    bool Complete = E.has(SW_EV_COMPLETE);
    uint32_t Done = E.has(SW_EV_START) ? E.Link : I;
    if (E.has(SW_EV_COLLECTIVE)) {
      if (!Complete && E.Comm != None && E.Seq != SW_NO_SEQ)
        Collectives.push_back({E.Comm, E.Seq, R, I, Done});
    } else if (E.Comm == None || E.has(SW_EV_PROBE)) {
      // Nothing moves, or nobody knows where.
    } else if (E.has(SW_EV_SEND)) {
      if (!Complete && E.Peer >= 0 && E.Seq != SW_NO_SEQ)
        Sends.push_back({E.Comm, T.Ranks[R].World, E.Peer, E.Tag, E.Seq, R, I, Done, false, E.Count});
    } else if (E.has(SW_EV_RECV)) {
      collectReceive(R, I);
    }
  }
  for (Event &E : Events)
    E.Link = None;
}

void Matcher::matchMessages() {
  W.Messages.reserve(std::min(Sends.size(), Receives.size()));
  size_t S = 0, C = 0;
  while (S < Sends.size() && C < Receives.size()) {
    if (Sends[S].channel() < Receives[C].channel()) {
      ++S;
      continue;
    }
    if (Receives[C].channel() < Sends[S].channel()) {
      ++C;
      continue;
    }
    // Named receives are counted when they are posted, wildcards when they match: together the numbers may cross.
    size_t Last = C;
    bool Named = false, Wild = false;
    for (; Last < Receives.size() && Receives[Last].channel() == Receives[C].channel(); ++Last)
      (Receives[Last].Wildcard ? Wild : Named) = true;
    auto Channel = Receives[C].channel();
    while (S < Sends.size() && Sends[S].channel() == Channel && C < Last) {
      if (Sends[S].Seq < Receives[C].Seq) {
        ++S;
      } else if (Receives[C].Seq < Sends[S].Seq) {
        ++C;
      } else if (Sends[S].Count != Receives[C].Count) { // numbers that occur twice: the trace contradicts itself
        ++S;
        ++C;
      } else {
        const MessageEnd &From = Sends[S++], &To = Receives[C++];
        auto Index = static_cast<uint32_t>(W.Messages.size());
        W.Messages.push_back(
            {From.Rank, From.Start, From.Done, To.Rank, To.Start, To.Done, From.Count, false, Named && Wild});
        for (auto [R, I] :
             {std::pair{From.Rank, From.Start}, {From.Rank, From.Done}, {To.Rank, To.Start}, {To.Rank, To.Done}})
          if (I != None)
            W.Events[R][I].Link = Index;
      }
    }
    C = Last;
    while (S < Sends.size() && Sends[S].channel() == Channel)
      ++S;
  }
  Sends = {};
  Receives = {};
}

/// Which way the data of a rooted collective go, and which of its parts is the root.
std::pair<Instance::Direction, uint32_t> Matcher::rootOf(uint32_t First, uint32_t Count) const {
  const Part &Any = W.Parts[First];
  const Event &E = W.Events[Any.Rank][Any.Start];
  uint32_t Root = E.Peer < 0 ? None : T.rankOf(E.Peer);
  if (Root == None)
    return {Instance::Unrooted, None};
  std::string_view Name = callName(E.Call);
  auto Says = [&](std::string_view Word) { return Name.find(Word) != std::string_view::npos; };
  Instance::Direction Flow = Says("educe") || Says("ather")   ? Instance::ToRoot
                             : Says("cast") || Says("catter") ? Instance::FromRoot
                                                              : Instance::Unrooted;
  for (uint32_t P = First; P < First + Count; ++P)
    if (W.Parts[P].Rank == Root)
      return {Flow, P};
  return {Instance::Unrooted, None};
}

void Matcher::matchCollectives() {
  std::sort(Collectives.begin(), Collectives.end(), [](const CollectivePart &A, const CollectivePart &B) {
    return std::tie(A.Comm, A.Seq, A.Rank) < std::tie(B.Comm, B.Seq, B.Rank);
  });
  for (size_t I = 0; I < Collectives.size();) {
    size_t Last = I;
    auto Index = static_cast<uint32_t>(W.Instances.size());
    uint32_t Flags = W.Events[Collectives[I].Rank][Collectives[I].Start].Flags;
    bool Agree = true;
    auto First = static_cast<uint32_t>(W.Parts.size());
    for (; Last < Collectives.size() && Collectives[Last].key() == Collectives[I].key(); ++Last) {
      const CollectivePart &P = Collectives[Last];
      constexpr uint32_t Same = SW_EV_FULL_SYNC | SW_EV_BARRIER;
      Agree &= ((W.Events[P.Rank][P.Start].Flags ^ Flags) & Same) == 0;
      Agree &= Last == I || Collectives[Last - 1].Rank != P.Rank;
      W.Parts.push_back({P.Rank, P.Start, P.Done});
      W.Events[P.Rank][P.Start].Link = Index;
      if (P.Done != None)
        W.Events[P.Rank][P.Done].Link = Index;
    }
    auto Count = static_cast<uint32_t>(Last - I);
    const Communicator &Comm = T.Comms[Collectives[I].Comm];
    bool Complete = Agree && Count == Comm.Size;
    auto [Flow, RootPart] = rootOf(First, Count);
    W.Instances.push_back({Collectives[I].Comm, First, Count, Complete,
                           Complete && Count == static_cast<uint32_t>(T.WorldSize),
                           Agree && (Flags & SW_EV_FULL_SYNC) != 0 && Comm.Size > 1, (Flags & SW_EV_BARRIER) != 0,
                           (Flags & SW_EV_START) != 0, Flow, RootPart});
    I = Last;
  }
  Collectives = {};
}

/// Marks the messages of a burst behind its first, by the interposer's own definition: the program could have sent
/// them with the one before (another buffer, the same path and channel, nothing received from that peer, no collective
/// and no long computation in between).
void markBursts(Window &W) {
  struct Burst {
    uint32_t Path = None, Comm = None, Era = 0;
    int32_t Tag = 0;
    uint64_t First = 0, Last = 0; // buffers
    double Computed = 0;
  };
  struct Mean {
    double Count = 0, Ns = 0;
  };
  for (uint32_t R = 0; R < W.Events.size(); ++R) {
    std::unordered_map<int32_t, Burst> Open;
    std::unordered_map<uint32_t, Mean> Means; // by path
    uint32_t Era = 1;
    double Computed = 0; // nanoseconds outside MPI so far
    int64_t LastEnd = std::numeric_limits<int64_t>::min();
    for (const Event &E : W.Events[R]) {
      if (LastEnd != std::numeric_limits<int64_t>::min() && E.Begin > LastEnd)
        Computed += static_cast<double>(E.Begin - LastEnd);
      LastEnd = E.End;
      Computed += static_cast<double>(E.End - E.Begin) - E.callNs();
      if (E.has(SW_EV_COLLECTIVE)) {
        ++Era;
      } else if (E.has(SW_EV_RECV) && !E.has(SW_EV_START) && E.Peer >= 0) {
        Open.erase(E.Peer);
      } else if (E.has(SW_EV_SEND) && !E.has(SW_EV_COMPLETE | SW_EV_SENDRECV) && E.Peer >= 0) {
        Burst &B = Open[E.Peer];
        Mean &M = Means[E.Path];
        M.Count += E.Count;
        M.Ns += E.callNs();
        double Gap = Computed - B.Computed;
        bool Continues = B.Era == Era && B.Path == E.Path && B.Comm == E.Comm && B.Tag == E.Tag &&
                         B.First != E.Address && B.Last != E.Address &&
                         (Gap <= SW_BURST_GAP_NS || Gap <= SW_BURST_GAP_CALLS * (M.Ns / M.Count));
        if (E.has(SW_EV_RUN)) // the interposer saw each of its messages
          Continues = E.has(SW_EV_BURST);
        if (Continues && E.Link != None)
          W.Messages[E.Link].Following = true;
        B = {E.Path, E.Comm, Era, E.Tag, Continues ? B.First : E.Address, E.Address, Computed};
      }
    }
  }
}

void order(Window &W) {
  size_t Nodes = 0;
  for (uint32_t R = 0; R < W.Events.size(); ++R)
    Nodes += 2 * W.groups(R);
  W.Order.reserve(Nodes);
  Walk Scheduler(W, {});
  Scheduler.run([&](uint32_t R, uint32_t) { W.Order.push_back(R); },
                [&] {
                  uint32_t Earliest = None;
                  for (uint32_t R = 0; R < W.Events.size(); ++R)
                    if (!Scheduler.atEnd(R) &&
                        (Earliest == None || Scheduler.current(R).End < Scheduler.current(Earliest).End))
                      Earliest = R;
                  ++W.Forced;
                  Scheduler.force(Earliest);
                });
}

} // namespace

void match(const Trace &T, Window &W) {
  Matcher(T, W).run();
  markBursts(W);
  order(W);
}

} // namespace stridewise::merge
