// LLVM IR of a finished AST, in the canonical form of Unit::ir().
#ifndef STRIDEWISE_UNIT_IR_H
#define STRIDEWISE_UNIT_IR_H

#include "unit/References.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include <memory>
#include <string>
#include <vector>

namespace stridewise {

/// Definitions that reach code generation by no walk over the tree: instantiations of templates that a precompiled
/// header holds, and what is read of that header, also while code is being generated. Filled by the tree's consumer.
class CodeFeed {
public:
  void add(clang::DeclGroupRef Group);

private:
  friend std::unique_ptr<llvm::Module> emitModule(clang::ASTContext &, llvm::LLVMContext &, std::string &, References &,
                                                  CodeFeed *);
  void pourInto(clang::ASTConsumer &Code);
  std::vector<clang::DeclGroupRef> Held;
  clang::ASTConsumer *Into = nullptr;
};

/// Generates code for every function with a body that the unit defines or instantiates, with the optimiser's
/// prerequisites (TBAA, lifetimes) whatever the user's -O level. Null, with Problem set, when that cannot be done.
/// \param Uses receives who names whom in all that is generated
/// \param Feed of a unit with a precompiled header, whose declarations are not walked; else null
std::unique_ptr<llvm::Module> emitModule(clang::ASTContext &Ctx, llvm::LLVMContext &LC, std::string &Problem,
                                         References &Uses, CodeFeed *Feed = nullptr);

/// What every module needs before it is brought into canonical form: functions may be inlined, error paths are empty,
/// and those that no analysis of loops could get through have no body.
void prepareFunctions(llvm::Module &M);

/// Owns the analyses of a module and brings it into canonical form.
class IrAnalyses {
public:
  IrAnalyses();
  void canonicalize(llvm::Module &M);
  llvm::FunctionAnalysisManager FAM;

private:
  void run(llvm::Module &M, llvm::StringRef Pipeline);
  llvm::LoopAnalysisManager LAM;
  llvm::CGSCCAnalysisManager CAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::PassBuilder PB;
};

} // namespace stridewise
#endif
