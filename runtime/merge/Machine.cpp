// What messages cost on this machine, from the run itself: medians of calls that waited for nobody.

#include "Analyses.h"
#include "thresholds.h"

namespace stridewise::merge {
namespace {

using namespace limits::merge;
constexpr size_t MostSamples = 200000;

double median(std::vector<double> &Values) {
  if (Values.empty())
    return 0;
  auto Middle = Values.begin() + static_cast<std::ptrdiff_t>(Values.size() / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  return *Middle;
}

} // namespace

MachineCosts measureMachine(const Trace &T) {
  std::vector<double> Latency, Send, Speed, Barrier;
  for (const Window &W : T.Windows) {
    for (const Message &M : W.Messages) {
      if (M.Count != 1 || M.RecvDone == None || M.RecvPost != M.RecvDone || M.SendDone != M.SendStart || M.Unsure)
        continue;
      const Event &From = W.Events[M.Source][M.SendStart], &To = W.Events[M.Target][M.RecvDone];
      if (From.has(SW_EV_SENDRECV) || To.has(SW_EV_SENDRECV))
        continue;
      double Ns = static_cast<double>(To.End - std::max(From.Begin, To.Begin));
      bool Waiting = To.Begin <= From.Begin; // the receive was there first: the whole way of the message
      if (From.Bytes <= SmallMessageBytes) {
        if (Waiting && Ns > 0 && Latency.size() < MostSamples)
          Latency.push_back(1e-9 * Ns);
        if (!From.has(SW_EV_SYNCHRONOUS) && Send.size() < MostSamples)
          Send.push_back(1e-9 * From.callNs());
      } else if (From.Bytes >= LargeMessageBytes && Ns > 0 && Speed.size() < MostSamples) {
        Speed.push_back(1e9 * From.Bytes / Ns);
      }
    }
    for (const Instance &I : W.Instances) {
      if (!I.Barrier || !I.World || I.NonBlocking || Barrier.size() >= MostSamples)
        continue;
      int64_t Last = INT64_MIN, End = INT64_MIN;
      for (uint32_t P = I.First; P < I.First + I.Count; ++P) {
        const Event &E = W.Events[W.Parts[P].Rank][W.Parts[P].Start];
        Last = std::max(Last, E.Begin);
        End = std::max(End, E.End);
      }
      Barrier.push_back(1e-9 * static_cast<double>(End - Last));
    }
  }
  MachineCosts Costs;
  Costs.Samples = Latency.size() + Send.size() + Speed.size() + Barrier.size();
  Costs.Latency = median(Latency);
  Costs.CallSeconds = median(Send);
  Costs.BytesPerSecond = median(Speed);
  Costs.BarrierSeconds = median(Barrier);
  return Costs;
}

} // namespace stridewise::merge
