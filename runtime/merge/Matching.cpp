#include "Matching.h"

#include "FlatMap.h"
#include "Parallel.h"
#include "Walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

namespace stridewise::merge {
namespace {

/// One end of a message, of a run of them or of what completes one; Start and Done are events of the rank, or None.
struct MessageEnd {
  uint32_t Seq, Start, Done;
  uint32_t Channel : 31; // index into Ends::Channels
  uint32_t Wildcard : 1;
};

/// The ends of one rank in one direction, by channel and then by number.
struct Ends {
  /// What messages have in common that do not overtake one another, but for the rank itself; Peer is a world rank.
  struct Channel {
    uint32_t Comm;
    int32_t Peer, Tag;
    uint32_t First = 0, Count = 0; // range in All
    auto key() const { return std::tie(Comm, Peer, Tag); }
  };
  std::vector<MessageEnd> All;
  std::vector<Channel> Channels; // sorted

  std::span<const MessageEnd> of(const Channel &C) const { return std::span(All).subspan(C.First, C.Count); }
};

/// Collects the ends of one rank in one direction in the order of its events.
class EndCollector {
public:
  EndCollector(const EventList &Events, Ends &Out) : ChannelOf(Events.shapes().size(), None), Out(Out) {}
  void add(uint32_t Shape, const EventShape &S, MessageEnd E) {
    uint32_t &Channel = ChannelOf[Shape];
    if (Channel == None)
      Channel = Known.try_emplace({S.Comm, S.Peer, S.Tag}, static_cast<uint32_t>(Known.size())).first->second;
    E.Channel = Channel;
    Out.All.push_back(E);
  }
  void finish();

private:
  std::vector<uint32_t> ChannelOf; // by shape
  std::map<std::tuple<uint32_t, int32_t, int32_t>, uint32_t> Known;
  Ends &Out;
};

void EndCollector::finish() {
  std::vector<uint32_t> Place(Known.size()); // of the channels in their order
  for (const auto &[Key, Number] : Known) {
    Place[Number] = static_cast<uint32_t>(Out.Channels.size());
    Out.Channels.push_back({std::get<0>(Key), std::get<1>(Key), std::get<2>(Key)});
  }
  for (MessageEnd &E : Out.All) {
    E.Channel = Place[E.Channel];
    ++Out.Channels[E.Channel].Count;
  }
  uint32_t First = 0;
  std::vector<uint32_t> Next;
  for (Ends::Channel &C : Out.Channels) {
    C.First = First;
    Next.push_back(First);
    First += C.Count;
  }
  std::vector<MessageEnd> Sorted(Out.All.size());
  for (const MessageEnd &E : Out.All)
    Sorted[Next[E.Channel]++] = E;
  Out.All = std::move(Sorted);
  auto BySeq = [](const MessageEnd &A, const MessageEnd &B) { return A.Seq < B.Seq; };
  for (const Ends::Channel &C : Out.Channels)
    if (std::span Range = std::span(Out.All).subspan(C.First, C.Count); !std::ranges::is_sorted(Range, BySeq))
      std::ranges::sort(Range, BySeq);
}

class Matcher {
public:
  Matcher(const Trace &T, Window &W) : T(T), W(W), Sends(W.Events.size()), Receives(W.Events.size()) {}
  void run() {
    collect();
    if (cutRuns())
      collect();
    forEachIndex(W.Events.size(), [&](size_t R) { W.Events[R].unlinkAll(); });
    matchMessages();
    matchCollectives();
  }

private:
  struct CollectivePart {
    uint32_t Comm, Seq, Rank, Start, Done;
    auto key() const { return std::tie(Comm, Seq); }
  };
  /// The two sides of a channel.
  struct Pair {
    uint32_t Source, SendChannel, Target, ReceiveChannel; // indexes into Trace::Ranks and Ends::Channels
  };
  using Cut = std::pair<uint32_t, uint64_t>; // event, number

  void collect();
  void collect(uint32_t R, std::vector<CollectivePart> &Parts);
  void collectReceive(uint32_t R, uint32_t I, const Event &E, uint32_t Done, EndCollector &Out) const;
  std::vector<Pair> pairs() const;
  uint32_t countOf(uint32_t R, const MessageEnd &E) const { return E.Start == None ? 1 : W.Events[R][E.Start].Count; }
  bool cutRuns();
  void cutChannel(const Pair &P, std::vector<std::vector<Cut>> &Cuts) const;
  void divide(uint32_t R, const std::vector<Cut> &Cuts);
  void matchMessages();
  void matchChannel(const Pair &P);
  void matchCollectives();
  std::pair<Instance::Direction, uint32_t> rootOf(uint32_t First, uint32_t Count) const;

  const Trace &T;
  Window &W;
  std::vector<Ends> Sends, Receives; // by rank
  std::vector<CollectivePart> Collectives;
};

void Matcher::collect() {
  Collectives.clear();
  std::vector<std::vector<CollectivePart>> Parts(W.Events.size());
  forEachIndex(W.Events.size(), [&](size_t R) { collect(static_cast<uint32_t>(R), Parts[R]); });
  for (const std::vector<CollectivePart> &OfRank : Parts)
    Collectives.insert(Collectives.end(), OfRank.begin(), OfRank.end());
}

void Matcher::collectReceive(uint32_t R, uint32_t I, const Event &E, uint32_t Done, EndCollector &Out) const {
  const EventList &Events = W.Events[R];
  constexpr uint32_t Wild = SW_EV_ANY_SOURCE | SW_EV_ANY_TAG;
  bool Starts = E.has(SW_EV_START), Wildcard = E.has(Wild);
  if (E.Peer < 0 || Events.seq(I) == SW_NO_SEQ)
    return;
  if (E.has(SW_EV_COMPLETE)) {
    // The start, if the window has it, already gave this message; but a wildcard knows its sender only here.
    bool FromStart = E.Start != None && !Events[E.Start].has(Wild);
    if (!FromStart)
      Out.add(Events.shape(I), E, {Events.seq(I), E.Start, I, 0, Wildcard || E.Start != None});
  } else if (!(Starts && Wildcard)) {
    Out.add(Events.shape(I), E, {Events.seq(I), I, Starts ? Done : I, 0, Wildcard});
  }
}

void Matcher::collect(uint32_t R, std::vector<CollectivePart> &Parts) {
  const EventList &Events = W.Events[R];
  std::vector<uint32_t> DoneBy(Events.size(), None); // of what starts a request: the event that completes it
  for (uint32_t I = 0; I < Events.size(); ++I)
    if (Event E = Events[I]; E.Start != None)
      DoneBy[E.Start] = I;
  Sends[R] = Receives[R] = {};
  EndCollector Out(Events, Sends[R]), In(Events, Receives[R]);
  for (uint32_t I = 0; I < Events.size(); ++I) {
    Event E = Events[I];
    bool Complete = E.has(SW_EV_COMPLETE);
    uint32_t Done = E.has(SW_EV_START) ? DoneBy[I] : I;
    if (E.has(SW_EV_COLLECTIVE)) {
      if (!Complete && E.Comm != None && Events.seq(I) != SW_NO_SEQ)
        Parts.push_back({E.Comm, Events.seq(I), R, I, Done});
    } else if (E.Comm == None || E.has(SW_EV_PROBE)) {
      // Nothing moves, or nobody knows where.
    } else if (E.has(SW_EV_SEND)) {
      if (!Complete && E.Peer >= 0 && Events.seq(I) != SW_NO_SEQ)
        Out.add(Events.shape(I), E, {Events.seq(I), I, Done, 0, false});
    } else if (E.has(SW_EV_RECV)) {
      collectReceive(R, I, E, Done, In);
    }
  }
  Out.finish();
  In.finish();
}

/// The channels that have two sides, in the order of communicator, sender, receiver and tag.
std::vector<Matcher::Pair> Matcher::pairs() const {
  std::vector<Pair> Found;
  for (uint32_t R = 0; R < Sends.size(); ++R)
    for (uint32_t C = 0; C < Sends[R].Channels.size(); ++C) {
      const Ends::Channel &From = Sends[R].Channels[C];
      uint32_t Target = T.rankOf(From.Peer);
      if (Target == None)
        continue;
      std::tuple Key(From.Comm, T.Ranks[R].World, From.Tag);
      const std::vector<Ends::Channel> &Others = Receives[Target].Channels;
      auto It = std::lower_bound(Others.begin(), Others.end(), Key,
                                 [](const Ends::Channel &A, const auto &B) { return A.key() < B; });
      if (It != Others.end() && It->key() == Key)
        Found.push_back({R, C, Target, static_cast<uint32_t>(It - Others.begin())});
    }
  // Ranks are in the order of their world ranks, and the channels of one sender in that of receiver and tag.
  std::ranges::sort(Found, {}, [&](const Pair &P) {
    return std::tuple(Sends[P.Source].Channels[P.SendChannel].Comm, P.Source, P.SendChannel);
  });
  return Found;
}

/// Cuts runs where an event or run of the other side begins or ends, so that what is matched has the same messages on
/// both sides. Nothing lies between the messages of a run, so such a piece orders its surroundings as its messages do,
/// one by one. Returns whether there was anything to cut; pieces are at most as many as events of the other side.
bool Matcher::cutRuns() {
  std::vector<std::vector<Cut>> Cuts(W.Events.size()); // by rank
  for (const Pair &P : pairs())
    cutChannel(P, Cuts);
  bool Any = false;
  for (uint32_t R = 0; R < Cuts.size(); ++R)
    if (!Cuts[R].empty()) {
      std::sort(Cuts[R].begin(), Cuts[R].end());
      divide(R, Cuts[R]);
      Any = true;
    }
  return Any;
}

void Matcher::cutChannel(const Pair &P, std::vector<std::vector<Cut>> &Cuts) const {
  std::span<const MessageEnd> From = Sends[P.Source].of(Sends[P.Source].Channels[P.SendChannel]);
  std::span<const MessageEnd> To = Receives[P.Target].of(Receives[P.Target].Channels[P.ReceiveChannel]);
  for (size_t S = 0, C = 0; S < From.size() && C < To.size();) {
    uint64_t FromBegin = From[S].Seq, FromEnd = FromBegin + countOf(P.Source, From[S]);
    uint64_t ToBegin = To[C].Seq, ToEnd = ToBegin + countOf(P.Target, To[C]);
    if (FromEnd <= ToBegin) {
      ++S;
      continue;
    }
    if (ToEnd <= FromBegin) {
      ++C;
      continue;
    }
    for (uint64_t Number : {std::max(FromBegin, ToBegin), std::min(FromEnd, ToEnd)}) {
      if (Number > FromBegin && Number < FromEnd)
        Cuts[P.Source].push_back({From[S].Start, Number});
      if (Number > ToBegin && Number < ToEnd)
        Cuts[P.Target].push_back({To[C].Start, Number});
    }
    S += FromEnd <= ToEnd;
    C += ToEnd <= FromEnd;
  }
}

/// Replaces runs by their pieces. A run has a call of its own, and so have its pieces; they share its time evenly.
void Matcher::divide(uint32_t R, const std::vector<Cut> &Cuts) {
  const EventList &Events = W.Events[R];
  EventList Pieces;
  std::vector<uint32_t> GroupEnd, Moved(Events.size());
  Pieces.setShapes(Events.shapes());
  Pieces.reserve(Events.size() + Cuts.size());
  GroupEnd.reserve(W.groups(R) + Cuts.size());
  size_t Next = 0;
  uint32_t Group = None;
  for (uint32_t I = 0; I < Events.size(); ++I) {
    Event E = Events[I];
    uint32_t Start = E.Start == None ? None : Moved[E.Start];
    if (E.Group != Group)
      GroupEnd.push_back(0);
    Group = E.Group;
    auto Add = [&](int64_t Begin, int64_t End, uint32_t Shape, uint32_t Seq) {
      Pieces.add(Begin, End, Shape, Seq, static_cast<uint32_t>(GroupEnd.size() - 1), Start, E.Payload);
      GroupEnd.back() = static_cast<uint32_t>(Pieces.size());
    };
    Moved[I] = static_cast<uint32_t>(Pieces.size());
    if (Next == Cuts.size() || Cuts[Next].first != I) {
      Add(E.Begin, E.End, Events.shape(I), Events.seq(I));
      continue;
    }
    uint32_t Done = 0;
    auto Until = [&](uint32_t Messages) {
      if (Messages == Done)
        return;
      auto At = [&](uint32_t Number) {
        return E.Begin +
               static_cast<int64_t>(static_cast<double>(E.End - E.Begin) * Number / static_cast<double>(E.Count));
      };
      EventShape Shape = E;
      Shape.Count = Messages - Done;
      if (Done != 0)
        GroupEnd.push_back(0);
      Add(At(Done), Messages == E.Count ? E.End : At(Messages), Pieces.addShape(Shape), Events.seq(I) + Done);
      Done = Messages;
    };
    for (; Next < Cuts.size() && Cuts[Next].first == I; ++Next)
      Until(static_cast<uint32_t>(Cuts[Next].second - Events.seq(I)));
    Until(E.Count);
  }
  Pieces.finish();
  W.Events[R] = std::move(Pieces);
  W.GroupEnd[R] = std::move(GroupEnd);
}

void Matcher::matchMessages() {
  std::vector<Pair> Pairs = pairs();
  size_t Most = 0;
  for (const Pair &P : Pairs)
    Most +=
        std::min(Sends[P.Source].Channels[P.SendChannel].Count, Receives[P.Target].Channels[P.ReceiveChannel].Count);
  W.Messages.reserve(Most);
  for (const Pair &P : Pairs)
    matchChannel(P);
  Sends = {};
  Receives = {};
}

void Matcher::matchChannel(const Pair &P) {
  std::span<const MessageEnd> From = Sends[P.Source].of(Sends[P.Source].Channels[P.SendChannel]);
  std::span<const MessageEnd> To = Receives[P.Target].of(Receives[P.Target].Channels[P.ReceiveChannel]);
  // Named receives are counted when they are posted, wildcards when they match: together the numbers may cross.
  bool Named = false, Wild = false;
  for (const MessageEnd &E : To)
    (E.Wildcard ? Wild : Named) = true;
  for (size_t S = 0, C = 0; S < From.size() && C < To.size();) {
    const MessageEnd &Out = From[S], &In = To[C];
    if (Out.Seq != In.Seq) {
      ++(Out.Seq < In.Seq ? S : C);
      continue;
    }
    ++S;
    ++C;
    uint32_t Count = countOf(P.Source, Out);
    if (Count != countOf(P.Target, In)) // numbers that occur twice: the trace contradicts itself
      continue;
    auto Index = static_cast<uint32_t>(W.Messages.size());
    W.Messages.push_back({P.Source, false, Out.Start, Out.Done, P.Target, Named && Wild, In.Start, In.Done, Count});
    for (auto [R, I] :
         {std::pair{P.Source, Out.Start}, {P.Source, Out.Done}, {P.Target, In.Start}, {P.Target, In.Done}})
      if (I != None)
        W.Events[R].link(I, Index);
  }
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
      W.Events[P.Rank].link(P.Start, Index);
      if (P.Done != None)
        W.Events[P.Rank].link(P.Done, Index);
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
void markBursts(Window &W, uint32_t R) {
  struct Burst {
    uint32_t Path = None, Comm = None, Era = 0; // Era 0: none is open
    int32_t Tag = 0;
    uint32_t First = 0, Last = 0; // buffers
    double Computed = 0;
  };
  struct Mean {
    double Count = 0, Ns = 0;
  };
  FlatMap<Burst> Open; // by peer
  FlatMap<Mean> Means; // by path
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
      if (Burst *B = Open.find(static_cast<uint32_t>(E.Peer)))
        B->Era = 0;
    } else if (E.has(SW_EV_SEND) && !E.has(SW_EV_COMPLETE | SW_EV_SENDRECV) && E.Peer >= 0) {
      Burst &B = Open[static_cast<uint32_t>(E.Peer)];
      Mean &M = Means[E.Path];
      M.Count += E.Count;
      M.Ns += E.callNs();
      double Gap = Computed - B.Computed;
      bool Continues = B.Era == Era && B.Path == E.Path && B.Comm == E.Comm && B.Tag == E.Tag && B.First != E.Buffer &&
                       B.Last != E.Buffer && (Gap <= SW_BURST_GAP_NS || Gap <= SW_BURST_GAP_CALLS * (M.Ns / M.Count));
      if (E.has(SW_EV_RUN)) // the interposer saw each of its messages
        Continues = E.has(SW_EV_BURST);
      if (Continues && E.Link != None)
        W.Messages[E.Link].Following = true;
      B = {E.Path, E.Comm, Era, E.Tag, Continues ? B.First : E.Buffer, E.Buffer, Computed};
    }
  }
}

void order(Window &W) {
  Walk Scheduler(W, {});
  Scheduler.run(
      [&](uint32_t R, uint32_t) {
        if (W.Order.empty() || W.Order.back().Rank != R)
          W.Order.push_back({R, 0});
        ++W.Order.back().Nodes;
      },
      [&] {
        uint32_t Earliest = None;
        for (uint32_t R = 0; R < W.Events.size(); ++R)
          if (!Scheduler.atEnd(R) && (Earliest == None || Scheduler.current(R).End < Scheduler.current(Earliest).End))
            Earliest = R;
        ++W.Forced;
        Scheduler.force(Earliest);
      });
  W.Order.shrink_to_fit();
}

} // namespace

void match(const Trace &T, Window &W) {
  Matcher(T, W).run();
  forEachIndex(W.Events.size(), [&](size_t R) { markBursts(W, static_cast<uint32_t>(R)); });
  order(W);
}

} // namespace stridewise::merge
