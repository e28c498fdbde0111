// Runs through the calls of a window in an order that respects program order, messages and collectives.
#ifndef STRIDEWISE_MERGE_WALK_H
#define STRIDEWISE_MERGE_WALK_H

#include "Trace.h"

namespace stridewise::merge {

/// What a completion node waits for.
struct Wait {
  enum Kind : uint8_t { Nothing, Data, Rendezvous, Collective } What = Nothing;
  uint32_t Id = None; // message or instance
  bool operator==(const Wait &) const = default;
};

/// A scheduler over the nodes of a window. Edges: program order; start of a send to completion of its receive; posting
/// of a receive to completion of its send, for synchronous sends or, with AllSendsSynchronous, for every unbuffered one
/// (which is what the standard allows an MPI library to do); all starts to all completions of a full synchronisation;
/// with RootedCollectives, the root's start to the others' completions of a broadcast or scatter, and the others'
/// starts to the root's completion of a reduction or gather.
class Walk {
public:
  struct Edges {
    bool AllSendsSynchronous = false, RootedCollectives = false;
  };
  Walk(const Window &W, Edges Which)
      : W(W), Which(Which), Progress(W.Events.size(), 0), Waiting(W.Events.size()), Forced(W.Events.size(), false),
        Arrived(W.Instances.size(), 0) {}

  /// Calls OnNode(rank, node) for each node in order; when nothing can run, OnStall() must call force() for some
  /// waiting rank.
  template <typename NodeFunction, typename StallFunction> void run(NodeFunction OnNode, StallFunction OnStall) {
    auto Ranks = static_cast<uint32_t>(W.Events.size());
    for (uint32_t R = Ranks; R-- > 0;)
      Ready.push_back(R);
    for (;;) {
      while (!Ready.empty()) {
        uint32_t R = Ready.back();
        Ready.pop_back();
        advance(R, OnNode);
      }
      bool Finished = true;
      for (uint32_t R = 0; R < Ranks; ++R)
        Finished &= atEnd(R);
      if (Finished)
        return;
      OnStall();
    }
  }

  void force(uint32_t R) {
    Forced[R] = true;
    Ready.push_back(R);
  }
  bool atEnd(uint32_t R) const { return Progress[R] == 2 * W.groups(R); }
  bool passed(uint32_t R, uint32_t Node) const { return Progress[R] > Node; }
  const Wait &waiting(uint32_t R) const { return Waiting[R]; }
  Event current(uint32_t R) const { return W.firstOf(R, Progress[R] / 2); }
  bool arrived(uint32_t Rank, uint32_t Instance) const {
    const merge::Instance &I = W.Instances[Instance];
    for (uint32_t P = I.First; P < I.First + I.Count; ++P)
      if (W.Parts[P].Rank == Rank)
        return passed(Rank, startNode(W.Events[Rank][W.Parts[P].Start]));
    return true;
  }

private:
  template <typename NodeFunction> void advance(uint32_t R, NodeFunction &OnNode) {
    const EventList &Events = W.Events[R];
    uint32_t End = 2 * W.groups(R);
    while (Progress[R] < End) {
      uint32_t Node = Progress[R], Group = Node / 2;
      uint32_t First = W.groupBegin(R, Group), Last = W.GroupEnd[R][Group];
      if (Node % 2 == 0) {
        OnNode(R, Node);
        ++Progress[R];
        for (uint32_t E = First; E < Last; ++E)
          announce(Events[E], E, R);
        continue;
      }
      Wait Blocked;
      for (uint32_t E = First; E < Last && Blocked.What == Wait::Nothing && !Forced[R]; ++E)
        Blocked = blockedBy(Events[E], R);
      Waiting[R] = Blocked;
      if (Blocked.What != Wait::Nothing) {
        if (Blocked.What == Wait::Data) // most often the sender can run at once
          prefer(W.Messages[Blocked.Id].Source);
        return;
      }
      Forced[R] = false;
      OnNode(R, Node);
      ++Progress[R];
    }
  }

  // Running the awaited sender next keeps the number of messages in flight small.
  void prefer(uint32_t R) {
    constexpr size_t MostBack = 8;
    for (size_t I = Ready.size(); I-- > 0 && Ready.size() - I <= MostBack;)
      if (Ready[I] == R) {
        std::swap(Ready[I], Ready.back());
        return;
      }
  }

  /// Whether the rank, a member of a rooted collective that is no full synchronisation, has to wait for others there.
  bool awaitsRoot(const Instance &I, uint32_t Id, uint32_t R) const {
    if (!Which.RootedCollectives || !I.Complete || I.RootPart == None || I.FullSync)
      return false;
    const Part &Root = W.Parts[I.RootPart];
    if (I.Flow == Instance::ToRoot)
      return Root.Rank == R && Arrived[Id] < I.Count;
    return I.Flow == Instance::FromRoot && Root.Rank != R &&
           !passed(Root.Rank, startNode(W.Events[Root.Rank][Root.Start]));
  }

  Wait blockedBy(const Event &E, uint32_t R) const {
    if (E.Link == None || E.has(SW_EV_START))
      return {};
    if (E.has(SW_EV_COLLECTIVE)) {
      const Instance &I = W.Instances[E.Link];
      bool Blocked = (I.FullSync && Arrived[E.Link] < I.Count) || awaitsRoot(I, E.Link, R);
      return Blocked ? Wait{Wait::Collective, E.Link} : Wait{};
    }
    const Message &M = W.Messages[E.Link];
    if (E.has(SW_EV_RECV))
      return passed(M.Source, startNode(W.Events[M.Source][M.SendStart])) ? Wait{} : Wait{Wait::Data, E.Link};
    if (!E.has(SW_EV_SEND) || M.RecvPost == None || M.Unsure)
      return {};
    uint32_t Flags = W.Events[M.Source][M.SendStart].Flags;
    if ((Flags & SW_EV_BUFFERED) || !(Which.AllSendsSynchronous || (Flags & SW_EV_SYNCHRONOUS)))
      return {};
    return passed(M.Target, startNode(W.Events[M.Target][M.RecvPost])) ? Wait{} : Wait{Wait::Rendezvous, E.Link};
  }

  void announce(const Event &E, uint32_t Index, uint32_t R) {
    if (E.Link == None)
      return;
    if (E.has(SW_EV_COLLECTIVE)) {
      // A completion of a non-blocking collective is no arrival.
      if (E.has(SW_EV_COMPLETE))
        return;
      const Instance &I = W.Instances[E.Link];
      bool Root = Which.RootedCollectives && I.Flow == Instance::FromRoot && W.Parts[I.RootPart].Rank == R;
      if (++Arrived[E.Link] < I.Count && !Root)
        return;
      for (uint32_t P = I.First; P < I.First + I.Count; ++P)
        wake(W.Parts[P].Rank, {Wait::Collective, E.Link}, R);
    } else if (E.has(SW_EV_SEND) && W.Messages[E.Link].SendStart == Index) {
      wake(W.Messages[E.Link].Target, {Wait::Data, E.Link}, R);
    } else if (E.has(SW_EV_RECV) && W.Messages[E.Link].RecvPost == Index) {
      wake(W.Messages[E.Link].Source, {Wait::Rendezvous, E.Link}, R);
    }
  }

  void wake(uint32_t R, Wait For, uint32_t Self) {
    if (R == Self || !(Waiting[R] == For))
      return;
    Waiting[R] = {};
    Ready.push_back(R);
  }

  const Window &W;
  const Edges Which;
  std::vector<uint32_t> Progress, Ready;
  std::vector<Wait> Waiting;
  std::vector<bool> Forced;
  std::vector<uint32_t> Arrived;
};

} // namespace stridewise::merge
#endif
