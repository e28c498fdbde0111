// What functions of C and C++ do to what a pointer or a reference leads to that they are given.
#ifndef STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ARGUMENTUSES_H
#define STRIDEWISE_CHECKS_OMP_SHARED_COUNTER_ARGUMENTUSES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stridewise {

struct HandedOn {
  std::string Function; // of another unit, as the linker calls it
  unsigned Number = 0;  // of the parameter
  bool Sure = false;
};

/// Of a parameter. Only stores at places that the other arguments do not choose count: each call makes them.
struct ArgumentUse {
  bool Sets = false; // to a value that the call has for itself
  bool Sure = false; // in each call
  bool Reads = false;
  std::vector<HandedOn> On;
  bool says() const { return Sets || Reads || !On.empty(); }
  void join(const ArgumentUse &O, bool Always);
};

/// A variable that a function keeps from call to call, and sets in each call.
struct KeptStore {
  const clang::VarDecl *Variable = nullptr;
  const clang::Expr *E = nullptr; // the store
  bool Sure = false, Returned = false;
};

class ArgumentUses {
public:
  explicit ArgumentUses(clang::ASTContext &Ctx) : Ctx(Ctx) {}
  /// Of a function that the unit defines, or of one that it does not.
  ArgumentUse of(const clang::FunctionDecl &F, unsigned Number) { return of(F, Number, 0); }
  /// Of a call, whatever it calls.
  ArgumentUse ofCall(const clang::CallExpr &Call, unsigned Number) { return ofCall(Call, Number, 0); }
  /// Arrays and records that the function keeps, sets from its arguments, and reads or returns.
  std::vector<KeptStore> kept(const clang::FunctionDecl &F) const;
  /// Functions of the unit that others may call, with what they do to each of their parameters.
  std::map<std::string, std::map<unsigned, ArgumentUse>> all();

private:
  ArgumentUse of(const clang::FunctionDecl &F, unsigned Number, unsigned Depth);
  ArgumentUse ofCall(const clang::CallExpr &Call, unsigned Number, unsigned Depth);
  ArgumentUse ofBody(const clang::FunctionDecl &F, const clang::VarDecl &V, unsigned Depth);
  clang::ASTContext &Ctx;
  std::map<std::pair<const clang::FunctionDecl *, unsigned>, ArgumentUse> Known;
};

} // namespace stridewise
#endif
