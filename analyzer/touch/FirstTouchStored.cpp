// The facts of a unit as they are kept for the whole program.
#include "touch/FirstTouch.h"

namespace json = llvm::json;

namespace stridewise {

static json::Value strings(const std::vector<std::string> &V) {
  json::Array A; // which copies what it has when it grows
  A.reserve(V.size());
  for (const std::string &S : V)
    A.push_back(json::isUTF8(S) ? S : json::fixUTF8(S));
  return A;
}

static std::vector<std::string> strings(const stored::Array *A) {
  std::vector<std::string> V;
  if (A)
    for (const stored::Value &X : *A)
      V.push_back(X.getAsString().value_or("").str());
  return V;
}

static json::Object toJson(const TouchEvent &E) {
  json::Object O{{"kind", int(E.K)}};
  auto Put = [&](llvm::StringRef Key, json::Value V, bool Wanted) {
    if (Wanted)
      O[Key] = std::move(V);
  };
  Put("by", int(E.By), E.By != Runs::Serial);
  Put("object", strings(E.Object), !E.Object.empty());
  Put("other", strings(E.Other), !E.Other.empty());
  Put("in_place", true, E.InPlace);
  Put("orphan", true, E.Orphan);
  Put("unsure", true, !E.Sure);
  Put("implicit", true, E.Implicit);
  Put("perhaps", true, E.Perhaps);
  Put("reserved", true, E.Reserved);
  Put("reserves", true, E.Reserves);
  Put("in_loop", true, E.InLoop);
  Put("overwrites", true, E.Overwrites);
  Put("dealt", true, E.Dealt);
  Put("list", true, E.List);
  Put("beside", true, E.Beside);
  Put("updates", true, E.Updates);
  Put("dims", E.Dims, E.Dims > 0);
  Put("from", strings(E.From), !E.From.empty());
  Put("message", true, E.Message);
  Put("section", true, E.Section);
  Put("counted", true, E.Counted);
  Put("writer", E.Writer, !E.Writer.empty());
  Put("bytes", E.Bytes, E.Bytes >= 0);
  Put("size_parameter", E.SizeParameter, E.SizeParameter >= 0);
  Put("sizes", strings(E.Sizes), !E.Sizes.empty());
  Put("name", E.Name, !E.Name.empty());
  Put("callee", E.Callee, !E.Callee.empty());
  Put("suppressed", true, E.Suppressed);
  if (E.Change)
    O["fix"] = stridewise::toJson(*E.Change);
  Put("where", toJson(E.Where), !E.Where.File.empty());
  json::Array Arms;
  Arms.reserve(E.Arms.size());
  for (const auto &[If, Arm] : E.Arms)
    Arms.push_back(json::Array{If, Arm});
  Put("arms", std::move(Arms), !E.Arms.empty());
  json::Array Arguments;
  Arguments.reserve(E.Arguments.size());
  for (const TouchEvent::Argument &A : E.Arguments) {
    json::Object X;
    if (!A.Where.empty())
      X["where"] = strings(A.Where);
    if (A.Reference)
      X["reference"] = true;
    if (A.Const)
      X["const"] = true;
    if (A.Value >= 0)
      X["value"] = A.Value;
    Arguments.push_back(std::move(X));
  }
  Put("arguments", std::move(Arguments), !E.Arguments.empty());
  return O;
}

static TouchEvent eventFromJson(const stored::Object &O) {
  TouchEvent E{};
  auto Number = [](const stored::Object &X, llvm::StringRef Key, std::int64_t Default) {
    return X.getInteger(Key).value_or(Default);
  };
  E.K = static_cast<TouchEvent::Kind>(std::clamp<std::int64_t>(Number(O, "kind", 0), 0, TouchEvent::Foreign));
  E.By = static_cast<Runs>(std::clamp<std::int64_t>(Number(O, "by", 0), 0, int(Runs::One)));
  E.Object = strings(O.getArray("object"));
  E.Other = strings(O.getArray("other"));
  E.InPlace = O.getBoolean("in_place").value_or(false);
  E.Orphan = O.getBoolean("orphan").value_or(false);
  E.Sure = !O.getBoolean("unsure").value_or(false);
  auto Flag = [&](llvm::StringRef Key) { return O.getBoolean(Key).value_or(false); };
  E.Implicit = Flag("implicit");
  E.Perhaps = Flag("perhaps");
  E.Reserved = Flag("reserved");
  E.Reserves = Flag("reserves");
  E.InLoop = Flag("in_loop");
  E.Overwrites = Flag("overwrites");
  E.Dealt = Flag("dealt");
  E.List = Flag("list");
  E.Beside = Flag("beside");
  E.Updates = Flag("updates");
  E.Dims = Number(O, "dims", 0);
  E.From = strings(O.getArray("from"));
  E.Message = Flag("message");
  E.Section = Flag("section");
  E.Counted = Flag("counted");
  E.Writer = O.getString("writer").value_or("").str();
  E.Bytes = Number(O, "bytes", -1);
  E.SizeParameter = Number(O, "size_parameter", -1);
  E.Sizes = strings(O.getArray("sizes"));
  E.Name = O.getString("name").value_or("").str();
  E.Callee = O.getString("callee").value_or("").str();
  E.Suppressed = O.getBoolean("suppressed").value_or(false);
  if (const stored::Value *X = O.get("fix"))
    E.Change = fixFromJson(*X);
  if (const stored::Value *P = O.get("where"))
    E.Where = placeFromJson(*P).value_or(Place{});
  if (const stored::Array *A = O.getArray("arms"))
    for (const stored::Value &X : *A)
      if (const stored::Array *Pair = X.getAsArray(); Pair && Pair->size() == 2)
        E.Arms.emplace_back((*Pair)[0].getAsInteger().value_or(0), (*Pair)[1].getAsInteger().value_or(0));
  if (const stored::Array *A = O.getArray("arguments"))
    for (const stored::Value &V : *A)
      if (const stored::Object *X = V.getAsObject())
        E.Arguments.push_back({strings(X->getArray("where")), X->getBoolean("reference").value_or(false),
                               X->getBoolean("const").value_or(false), Number(*X, "value", -1)});
  return E;
}

json::Value toJson(const TouchFacts &F) {
  json::Array Functions, Globals;
  Functions.reserve(F.Functions.size());
  Globals.reserve(F.Globals.size());
  for (const FunctionTouches &X : F.Functions) {
    json::Array Events;
    Events.reserve(X.Events.size());
    for (const TouchEvent &E : X.Events)
      Events.push_back(toJson(E));
    Functions.push_back(json::Object{{"id", X.Id},
                                     {"name", X.Name},
                                     {"fortran", X.Fortran},
                                     {"begin_line", X.ScopeBegin},
                                     {"end_line", X.ScopeEnd},
                                     {"events", std::move(Events)}});
  }
  for (const TouchEvent &E : F.Globals)
    Globals.push_back(toJson(E));
  return json::Object{{"functions", std::move(Functions)}, {"globals", std::move(Globals)}, {"min_bytes", F.MinBytes}};
}

TouchFacts touchFactsFromJson(const stored::Value &V) {
  TouchFacts F;
  const stored::Object *O = V.getAsObject();
  if (!O)
    return F;
  F.MinBytes = O->getNumber("min_bytes").value_or(0);
  if (const stored::Array *A = O->getArray("functions"))
    for (const stored::Value &X : *A)
      if (const stored::Object *Y = X.getAsObject()) {
        FunctionTouches &T = F.Functions.emplace_back();
        T.Id = Y->getString("id").value_or("").str();
        T.Name = Y->getString("name").value_or("").str();
        T.Fortran = Y->getBoolean("fortran").value_or(false);
        T.ScopeBegin = Y->getInteger("begin_line").value_or(0);
        T.ScopeEnd = Y->getInteger("end_line").value_or(0);
        if (const stored::Array *Events = Y->getArray("events"))
          for (const stored::Value &E : *Events)
            if (const stored::Object *Z = E.getAsObject())
              T.Events.push_back(eventFromJson(*Z));
      }
  if (const stored::Array *A = O->getArray("globals"))
    for (const stored::Value &E : *A)
      if (const stored::Object *Z = E.getAsObject())
        F.Globals.push_back(eventFromJson(*Z));
  return F;
}

} // namespace stridewise
