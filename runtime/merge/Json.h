// Writes JSON text; numbers as short as they stay exact enough, strings always valid UTF-8.
#ifndef STRIDEWISE_MERGE_JSON_H
#define STRIDEWISE_MERGE_JSON_H

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace stridewise::merge {

class Json {
public:
  Json &object() { return open('{'); }
  Json &array() { return open('['); }
  Json &endObject() { return close('}'); }
  Json &endArray() { return close(']'); }
  Json &key(std::string_view Name) {
    separate();
    quote(Name);
    Text += ':';
    AfterKey = true;
    return *this;
  }
  Json &value(std::string_view S) {
    separate();
    quote(S);
    return *this;
  }
  Json &value(const char *S) { return value(std::string_view(S)); }
  Json &value(bool B) {
    separate();
    Text += B ? "true" : "false";
    return *this;
  }
  Json &value(std::integral auto I) {
    separate();
    Text += std::to_string(I);
    return *this;
  }
  Json &value(double D) {
    separate();
    char Buffer[32];
    std::snprintf(Buffer, sizeof Buffer, "%.9g", std::isfinite(D) ? D : 0.0);
    Text += Buffer;
    return *this;
  }
  Json &null() {
    separate();
    Text += "null";
    return *this;
  }
  template <typename T> Json &list(const std::vector<T> &Values) {
    array();
    for (const T &V : Values)
      value(V);
    return endArray();
  }
  template <typename T> Json &member(std::string_view Name, const T &V) { return key(Name).value(V); }
  std::string take() { return std::move(Text); }

private:
  Json &open(char C) {
    separate();
    Text += C;
    Fresh = true;
    return *this;
  }
  Json &close(char C) {
    Text += C;
    Fresh = AfterKey = false;
    return *this;
  }
  void separate() {
    if (!Fresh && !AfterKey)
      Text += ',';
    Fresh = AfterKey = false;
  }
  void quote(std::string_view S);

  std::string Text;
  bool Fresh = true, AfterKey = false;
};

/// Length of the valid UTF-8 sequence at the beginning of S, or 0.
inline size_t utf8Length(std::string_view S) {
  auto Byte = [&](size_t I) { return static_cast<unsigned char>(S[I]); };
  unsigned char Lead = Byte(0);
  size_t Length = Lead < 0x80                   ? 1
                  : Lead >= 0xC2 && Lead < 0xE0 ? 2
                  : Lead >= 0xE0 && Lead < 0xF0 ? 3
                  : Lead >= 0xF0 && Lead < 0xF5 ? 4
                                                : 0;
  if (Length == 0 || Length > S.size())
    return 0;
  for (size_t I = 1; I < Length; ++I)
    if ((Byte(I) & 0xC0) != 0x80)
      return 0;
  if (Length > 2) {
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    unsigned char Second = Byte(1);
    if ((Lead == 0xE0 && Second < 0xA0) || (Lead == 0xED && Second > 0x9F) || (Lead == 0xF0 && Second < 0x90) ||
        (Lead == 0xF4 && Second > 0x8F))
      return 0;
  }
  return Length;
}

inline void Json::quote(std::string_view S) {
  Text += '"';
  while (!S.empty()) {
    size_t Length = utf8Length(S);
    auto C = static_cast<unsigned char>(S[0]);
    if (Length == 0) {
      Text += "\\ufffd";
      Length = 1;
    } else if (C == '"' || C == '\\') {
      Text += '\\';
      Text += S[0];
    } else if (C < 0x20) {
      char Buffer[8];
      std::snprintf(Buffer, sizeof Buffer, "\\u%04x", C);
      Text += Buffer;
    } else {
      Text += S.substr(0, Length);
    }
    S.remove_prefix(Length);
  }
  Text += '"';
}

} // namespace stridewise::merge
#endif
