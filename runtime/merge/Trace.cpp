#include "Trace.h"

#include "Json.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace stridewise::merge {

static const struct {
  const char *Name;
  uint32_t Flags;
} CallNames[] = {
#include "call_names.inc"
};

std::string callTable() {
  Json J;
  J.object().member("version", 1).key("calls").array();
  for (const auto &Call : CallNames)
    J.array().value(Call.Name).value(Call.Flags).endArray();
  J.endArray().endObject();
  return J.take() + "\n";
}

const char *callName(uint16_t Call) {
  switch (Call) {
  case SW_CALL_SLEEP:
    return "sleep";
  case SW_CALL_WRITE:
    return "write";
  case SW_CALL_PRINT:
    return "print";
  case SW_CALL_ALLOCATE:
    return "allocate";
  default:
    break;
  }
  return Call < std::size(CallNames) ? CallNames[Call].Name : "unknown";
}

bool isCallName(uint16_t Call, const char *Name) { return std::strcmp(callName(Call), Name) == 0; }

bool isSend(uint16_t Call) {
  std::string_view Name = callName(Call);
  return Name.find("end") != std::string_view::npos && !Name.ends_with("_init");
}

CallTotal Trace::totalOf(uint32_t Rank, uint32_t Path) const {
  CallTotal Sum;
  const std::map<CallKey, CallTotal> &Totals = Ranks[Rank].Totals;
  for (auto It = Totals.lower_bound({Path, 0, 0}); It != Totals.end() && It->first.Path == Path; ++It) {
    Sum.Count += It->second.Count;
    Sum.Seconds += It->second.Seconds;
  }
  return Sum;
}

void CallTotal::add(const CallTotal &Other) {
  Count += Other.Count;
  Bytes += Other.Bytes;
  Nowhere += Other.Nowhere;
  Seconds += Other.Seconds;
  Bursts += Other.Bursts;
  BurstCount += Other.BurstCount;
  BurstMax = std::max(BurstMax, Other.BurstMax);
  BurstSeconds += Other.BurstSeconds;
}

} // namespace stridewise::merge
