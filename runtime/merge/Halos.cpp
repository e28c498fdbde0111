// Messages between ranks by datatypes with gaps, and what the same ranks send to others without any: the directions in
// which a domain was cut, as far as a run can tell them. Who packs by hand sends without gaps.

#include "Analyses.h"

namespace stridewise::merge {
namespace {

using Site = std::tuple<uint32_t, uint16_t, bool>; // path, call, with gaps

struct Degrees {
  std::map<uint32_t, uint32_t> To, From; // partners of a rank
};

uint32_t most(const std::map<uint32_t, uint32_t> &Counts) {
  uint32_t Most = 0;
  for (const auto &[R, Count] : Counts)
    Most = std::max(Most, Count);
  return Most;
}

/// Seconds without waiting in the messages with gaps, on both sides; by path, and for those that the windows show.
std::map<uint32_t, SparseSeconds> measured(const Trace &T, const WholeRun &Whole, const CallWaits &Calls,
                                           const std::vector<std::set<std::pair<uint32_t, int32_t>>> &WithGaps) {
  std::map<uint32_t, SparseSeconds> Seconds;
  for (size_t Index = 0; Index < T.Windows.size(); ++Index) {
    const Window &W = T.Windows[Index];
    for (uint32_t R = 0; R < W.Events.size(); ++R) {
      if (WithGaps[R].empty())
        continue;
      for (uint32_t I = 0; I < W.Events[R].size(); ++I) {
        const Event &E = W.Events[R][I];
        if (!E.has(SW_EV_SEND) || E.has(SW_EV_COMPLETE) || !WithGaps[R].contains({E.Path, E.Peer}))
          continue;
        SparseSeconds &Of = Seconds[E.Path];
        const Message *M = E.Link == None ? nullptr : &W.Messages[E.Link];
        double Own = ownSeconds(W, Calls[Index], R, I);
        if (M && M->SendDone != None && M->SendDone != I)
          Own += ownSeconds(W, Calls[Index], R, M->SendDone);
        Of[R] += Own * Whole.factor(E.Path, R);
        if (M && M->RecvDone != None)
          Of[M->Target] += ownSeconds(W, Calls[Index], M->Target, M->RecvDone) * Whole.factor(E.Path, R);
      }
    }
  }
  return Seconds;
}

} // namespace

std::vector<HaloSite> findHalos(const Trace &T, const WholeRun &Whole, const CallWaits &Calls) {
  std::map<Site, HaloSite> Sites;
  std::map<Site, Degrees> Partners;
  std::map<uint32_t, SparseSeconds> InCalls;
  std::vector<std::set<std::pair<uint32_t, int32_t>>> WithGaps(T.Ranks.size()); // by rank: path and peer
  for (uint32_t R = 0; R < T.Ranks.size(); ++R) {
    std::set<int32_t> Peers;
    for (const SendTotal &S : T.Ranks[R].SendsBesideGaps)
      if (S.Pieces != 0) {
        WithGaps[R].insert({S.Path, S.Peer});
        Peers.insert(S.Peer);
      }
    for (const SendTotal &S : T.Ranks[R].SendsBesideGaps) {
      bool Gaps = S.Pieces != 0;
      if (S.Path == None || (!Gaps && Peers.contains(S.Peer)))
        continue;
      Site Key{S.Path, S.Call, Gaps};
      HaloSite &Out = Sites[Key];
      Out.Path = S.Path;
      Out.Call = S.Call;
      Out.Gaps = Gaps;
      ++Out.Pairs;
      Out.Messages += S.Count;
      Out.Bytes += S.Bytes;
      Out.Pieces += S.Pieces;
      Out.Span += S.Span;
      auto &[Messages, Bytes] = Out.Offsets[S.Peer - T.Ranks[R].World];
      Messages += S.Count;
      Bytes += S.Bytes;
      if (Gaps)
        InCalls[S.Path][R] += S.Seconds;
      uint32_t To = T.rankOf(S.Peer);
      ++Partners[Key].To[R];
      if (To != None)
        ++Partners[Key].From[To];
    }
  }
  if (Sites.empty())
    return {};
  std::map<uint32_t, SparseSeconds> Seconds = measured(T, Whole, Calls, WithGaps);
  std::vector<HaloSite> Result;
  for (auto &[Key, Found] : Sites) {
    const Degrees &D = Partners[Key];
    Found.Partners = std::max(most(D.To), most(D.From));
    if (Found.Gaps) {
      auto It = Seconds.find(Found.Path);
      Found.RankSeconds = It != Seconds.end() ? It->second : InCalls[Found.Path];
    }
    Result.push_back(std::move(Found));
  }
  return Result;
}

} // namespace stridewise::merge
