#include "unit/Stored.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/StringSaver.h"
#include <cstring>

using namespace llvm;

namespace stridewise::stored {

std::optional<bool> Value::getAsBoolean() const { return K == Boolean ? std::optional(Whole != 0) : std::nullopt; }
std::optional<std::int64_t> Value::getAsInteger() const { return K == Integer ? std::optional(Whole) : std::nullopt; }
std::optional<double> Value::getAsNumber() const {
  if (K == Integer)
    return static_cast<double>(Whole);
  return K == Number ? std::optional(Real) : std::nullopt;
}
std::optional<StringRef> Value::getAsString() const {
  return K == String ? std::optional(StringRef(Text, Size)) : std::nullopt;
}
const Array *Value::getAsArray() const { return K == List ? static_cast<const Array *>(this) : nullptr; }
const Object *Value::getAsObject() const { return K == Members ? static_cast<const Object *>(this) : nullptr; }

const Value *Object::get(StringRef Name) const {
  for (std::uint32_t M = 0; M < Size; ++M)
    if (*Elements[2 * M].getAsString() == Name)
      return &Elements[2 * M + 1];
  return nullptr;
}
std::optional<bool> Object::getBoolean(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsBoolean() : std::nullopt;
}
std::optional<std::int64_t> Object::getInteger(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsInteger() : std::nullopt;
}
std::optional<double> Object::getNumber(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsNumber() : std::nullopt;
}
std::optional<StringRef> Object::getString(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsString() : std::nullopt;
}
const Array *Object::getArray(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsArray() : nullptr;
}
const Object *Object::getObject(StringRef Name) const {
  const Value *V = get(Name);
  return V ? V->getAsObject() : nullptr;
}

namespace {

// Runs of values by their bytes: equal strings and runs have one address already, so equal bytes are equal values.
struct RunInfo {
  using Run = ArrayRef<Value>;
  static Run getEmptyKey() { return Run(reinterpret_cast<const Value *>(-1), std::size_t(0)); }
  static Run getTombstoneKey() { return Run(reinterpret_cast<const Value *>(-2), std::size_t(0)); }
  static unsigned getHashValue(Run R) {
    return static_cast<unsigned>(
        hash_value(StringRef(reinterpret_cast<const char *>(R.data()), R.size() * sizeof(Value))));
  }
  static bool isEqual(Run A, Run B) {
    if (A.size() != B.size() || A.empty())
      return A.data() == B.data() && A.size() == B.size();
    return std::memcmp(A.data(), B.data(), A.size() * sizeof(Value)) == 0;
  }
};

constexpr unsigned DeepestNesting = 100; // summaries have less than ten

} // namespace

struct Store::Impl {
  BumpPtrAllocator Memory;
  UniqueStringSaver Strings{Memory};
  DenseSet<ArrayRef<Value>, RunInfo> Runs;

  const Value *keep(ArrayRef<Value> Run) {
    if (Run.empty())
      return nullptr;
    if (auto It = Runs.find(Run); It != Runs.end())
      return It->data();
    Value *Copy = Memory.Allocate<Value>(Run.size());
    std::uninitialized_copy(Run.begin(), Run.end(), Copy);
    Runs.insert(ArrayRef<Value>(Copy, Run.size()));
    return Copy;
  }
};

Store::Store() : I(std::make_unique<Impl>()) {}
Store::~Store() = default;
std::size_t Store::bytes() const { return I->Memory.getTotalMemory() + I->Runs.getMemorySize(); }

// A parser of JSON by descent. Where `Keep` is false it only finds the end of a value.
class Store::Reader {
public:
  Reader(Store::Impl &I, StringRef Text) : I(I), P(Text.begin()), End(Text.end()), Begin(Text.begin()) {}

  std::string members(StringRef Of, function_ref<void(StringRef, Value)> Give) {
    bool Found = false;
    SmallString<64> Name, Inner;
    auto Top = [&] {
      return object([&] {
        if (!string(Name) || !next(':'))
          return false;
        if (Name != Of)
          return skip(0);
        Found = true;
        return object([&] {
          Value V;
          if (!string(Inner) || !next(':') || !value(V, 1))
            return false;
          Give(Inner, V);
          return true;
        });
      });
    };
    if (!Top() || (blanks(), P != End))
      return "not JSON at byte " + std::to_string(P - Begin);
    return Found ? std::string() : "it is no unit result";
  }

private:
  void blanks() {
    while (P != End && (*P == ' ' || *P == '\n' || *P == '\t' || *P == '\r'))
      ++P;
  }
  bool next(char C) {
    blanks();
    if (P == End || *P != C)
      return false;
    ++P;
    return true;
  }
  bool word(StringRef W) {
    if (!StringRef(P, End - P).starts_with(W))
      return false;
    P += W.size();
    return true;
  }

  template <typename Each> bool sequence(char Open, char Close, Each One) {
    if (!next(Open))
      return false;
    if (next(Close))
      return true;
    do
      if (!One())
        return false;
    while (next(','));
    return next(Close);
  }
  template <typename Each> bool object(Each One) { return sequence('{', '}', One); }

  bool string(SmallVectorImpl<char> &Out) {
    Out.clear();
    if (!next('"'))
      return false;
    while (P != End && *P != '"') {
      if (*P != '\\') {
        Out.push_back(*P++);
        continue;
      }
      if (++P == End)
        return false;
      char C = *P++;
      static constexpr StringLiteral Names = "\"\\/bfnrt", Meanings = "\"\\/\b\f\n\r\t";
      if (std::size_t At = Names.find(C); At != StringRef::npos)
        Out.push_back(Meanings[At]);
      else if (C != 'u' || !escape(Out))
        return false;
    }
    return P++ != End;
  }
  bool unit(unsigned &Code) {
    if (End - P < 4 || StringRef(P, 4).getAsInteger(16, Code))
      return false;
    P += 4;
    return true;
  }
  bool escape(SmallVectorImpl<char> &Out) {
    unsigned Code = 0, Low = 0;
    if (!unit(Code))
      return false;
    if (Code >= 0xD800 && Code < 0xDC00) {
      const char *Behind = P;
      if (word("\\u") && unit(Low) && Low >= 0xDC00 && Low < 0xE000)
        Code = 0x10000 + ((Code - 0xD800) << 10) + (Low - 0xDC00);
      else
        P = Behind;
    }
    if (Code >= 0xD800 && Code < 0xE000)
      Code = UNI_REPLACEMENT_CHAR; // half of a pair
    char Bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *To = Bytes;
    if (!ConvertCodePointToUTF8(Code, To))
      return false;
    Out.append(Bytes, To);
    return true;
  }

  bool number(Value &V) {
    const char *From = P;
    while (P != End && (isDigit(*P) || StringRef("+-.eE").contains(*P)))
      ++P;
    StringRef Text(From, P - From);
    if (!Text.getAsInteger(10, V.Whole)) {
      V.K = Value::Integer;
      return true;
    }
    V.K = Value::Number;
    return !Text.getAsDouble(V.Real);
  }

  bool skip(unsigned Depth) {
    SmallString<64> Text;
    blanks();
    if (P == End || Depth > DeepestNesting)
      return false;
    if (*P == '"')
      return string(Text);
    if (*P == '[')
      return sequence('[', ']', [&] { return skip(Depth + 1); });
    if (*P == '{')
      return object([&] { return string(Text) && next(':') && skip(Depth + 1); });
    Value V;
    return word("null") || word("true") || word("false") || number(V);
  }

  bool value(Value &V, unsigned Depth) {
    blanks();
    if (P == End || Depth > DeepestNesting)
      return false;
    auto Keep = [&](Value::Kind K, ArrayRef<Value> Run, std::size_t Size) {
      V.K = K;
      V.Size = static_cast<std::uint32_t>(Size);
      V.Elements = I.keep(Run);
    };
    switch (*P) {
    case '"':
      return text(V);
    case '[': {
      SmallVector<Value, 8> Run;
      if (!sequence('[', ']', [&] { return value(Run.emplace_back(), Depth + 1); }))
        return false;
      Keep(Value::List, Run, Run.size());
      return true;
    }
    case '{': {
      SmallVector<Value, 16> Run;
      if (!object([&] {
            Value Name, Member;
            if (!text(Name) || !next(':') || !value(Member, Depth + 1))
              return false;
            Run.append({Name, Member});
            return true;
          }))
        return false;
      Keep(Value::Members, Run, Run.size() / 2);
      return true;
    }
    default:
      if (word("null"))
        return true;
      if (word("false") || word("true")) {
        V.K = Value::Boolean;
        V.Whole = P[-2] == 'u';
        return true;
      }
      return number(V);
    }
  }
  bool text(Value &V) {
    SmallString<128> Text;
    if (!string(Text))
      return false;
    StringRef Kept = I.Strings.save(StringRef(Text));
    V.K = Value::String;
    V.Size = static_cast<std::uint32_t>(Kept.size());
    V.Text = Kept.data();
    return true;
  }

  Store::Impl &I;
  const char *P, *End, *Begin;
};

std::string Store::read(StringRef Text, StringRef Of, function_ref<void(StringRef Name, Value V)> Give) {
  return Reader(*I, Text).members(Of, Give);
}

} // namespace stridewise::stored
