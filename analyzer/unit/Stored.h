// The facts of all units as the link phase holds them: read from the units' results one after another, straight into
// memory that is as small as it can be. A value takes sixteen bytes; strings, and arrays and objects that are equal,
// are held once, however many units say the same of a header. The names follow llvm::json, whose own objects take four
// kilobytes each.
#ifndef STRIDEWISE_UNIT_STORED_H
#define STRIDEWISE_UNIT_STORED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace stridewise::stored {

class Array;
class Object;

class Value {
public:
  enum Kind : std::uint32_t { Null, Boolean, Integer, Number, String, List, Members };
  Kind kind() const { return K; }
  std::optional<bool> getAsBoolean() const;
  std::optional<std::int64_t> getAsInteger() const;
  std::optional<double> getAsNumber() const;
  std::optional<llvm::StringRef> getAsString() const;
  const Array *getAsArray() const;
  const Object *getAsObject() const;

protected:
  friend class Store;
  Kind K = Null;
  std::uint32_t Size = 0; // of a string, an array, an object
  union {
    std::int64_t Whole = 0;
    double Real;
    const char *Text;
    const Value *Elements; // of an object, too: names and values by turns
  };
};

class Array : public Value {
public:
  const Value *begin() const { return Elements; }
  const Value *end() const { return Elements + Size; }
  std::size_t size() const { return Size; }
  bool empty() const { return Size == 0; }
  const Value &operator[](std::size_t I) const { return Elements[I]; }
};

/// Members in the order of the file.
class Object : public Value {
public:
  const Value *get(llvm::StringRef Name) const;
  std::optional<bool> getBoolean(llvm::StringRef Name) const;
  std::optional<std::int64_t> getInteger(llvm::StringRef Name) const;
  std::optional<double> getNumber(llvm::StringRef Name) const;
  std::optional<llvm::StringRef> getString(llvm::StringRef Name) const;
  const Array *getArray(llvm::StringRef Name) const;
  const Object *getObject(llvm::StringRef Name) const;

  class iterator {
  public:
    explicit iterator(const Value *At) : At(At) {}
    std::pair<llvm::StringRef, const Value &> operator*() const { return {*At->getAsString(), At[1]}; }
    iterator &operator++() {
      At += 2;
      return *this;
    }
    bool operator!=(const iterator &O) const { return At != O.At; }

  private:
    const Value *At;
  };
  iterator begin() const { return iterator(Elements); }
  iterator end() const { return iterator(Elements + 2 * std::size_t(Size)); }
};

/// Owns values.
class Store {
public:
  Store();
  ~Store();
  /// Reads a JSON text and gives the members of one of its top members, `Of`, that is an object, each as soon as it is
  /// read; whatever else the text holds is passed over. An empty string, or what is wrong with the text.
  std::string read(llvm::StringRef Text, llvm::StringRef Of,
                   llvm::function_ref<void(llvm::StringRef Name, Value V)> Give);
  /// Bytes that the values take.
  std::size_t bytes() const;

private:
  class Reader;
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace stridewise::stored
#endif
