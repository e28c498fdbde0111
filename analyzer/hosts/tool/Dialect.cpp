#include "hosts/tool/Dialect.h"
#include "hosts/tool/HeaderCost.h"
#include "clang/AST/DeclarationName.h"
#include "clang/Basic/DiagnosticDriver.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
namespace json = llvm::json;

namespace stridewise {

constexpr std::size_t MaxShown = 20;

void demoteErrors(DiagnosticsEngine &Diags) {
  Diags.setSeverityForAll(diag::Flavor::WarningOrError, diag::Severity::Ignored);
}

std::string predeclared(const LangOptions &Lang, const Reading &R) {
  std::string Out;
  // As glibc spells them for compilers that lack them, so that its own declarations repeat these.
  if (!Lang.CPlusPlus)
    Out +=
        "typedef float _Float32;\ntypedef double _Float64;\ntypedef double _Float32x;\ntypedef long double _Float64x;\n"
        "#ifdef __SIZEOF_FLOAT128__\ntypedef __float128 _Float128;\n#endif\n"
        "#if defined __x86_64__ || defined __i386__\ntypedef long double __float80;\n#endif\n";
  else if (!R.MpiBindings)
    Out += withoutMpiBindings();
  for (const std::string &D : R.Declarations)
    Out += D + '\n';
  return Out;
}

// Errors after which clang goes on with the tree that GCC builds, too. Everything else that is an error to clang alone
// costs the function in which it stands.
bool ErrorCollector::isTolerated(unsigned Id, const Diagnostic &Info) {
  switch (Id) {
  case diag::err_omp_loop_var_dsa: // shared(i): private to the loop all the same
  case diag::err_omp_no_dsa_for_variable:
  case diag::err_omp_negative_expression_in_clause:
  case diag::err_omp_unknown_directive:
  case diag::err_integer_literal_too_large: // cut, as GCC cuts it
  case diag::err_pp_invalid_directive:
  case diag::err_member_extra_qualification:
  case diag::err_attribute_wrong_number_arguments:  // malloc (free): in text that GCC has preprocessed; left out
  case diag::err_constexpr_var_requires_const_init: // GCC folds calls of the mathematical library
  // -fpermissive: found, and built into the tree
  case diag::err_not_found_by_two_phase_lookup:
  case diag::err_found_in_dependent_base:
    return true;
  case diag::err_main_arg_wrong:
    return RefusedMain = true;
  default:
    break;
  }
  // A pragma may make an error of what an option made none.
  if (DiagnosticIDs::isBuiltinWarningOrExtension(Id))
    return true;
  // The build's compiler took the option, or it would not be there.
  return Id >= diag::DIAG_START_DRIVER && Id < diag::DIAG_START_FRONTEND;
}

static const IdentifierInfo *nameOf(const Diagnostic &Info, unsigned Arg) {
  if (Info.getNumArgs() <= Arg || Info.getArgKind(Arg) != DiagnosticsEngine::ak_declarationname)
    return nullptr;
  return DeclarationName::getFromOpaqueInteger(Info.getRawArg(Arg)).getAsIdentifierInfo();
}

void ErrorCollector::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  unsigned Id = Info.getID();
  // Called before it is declared, and declared to return nothing: GCC warns.
  if (Id == diag::note_previous_implicit_declaration && !Conflicting.empty())
    Next.Declarations.insert("void " + Conflicting + "();");
  if (Level < DiagnosticsEngine::Error)
    return;
  Conflicting.clear();
  if (isTolerated(Id, Info))
    return;
  if (Id == diag::fatal_too_many_errors)
    Overflow = true;
  const IdentifierInfo *Name = nameOf(Info, 0);
  // A name of the C library that the unit uses for something else.
  if (Id == diag::err_redefinition_different_kind && Name && Name->getBuiltinID())
    Next.Arguments.insert(("-fno-builtin-" + Name->getName()).str());
  if (Id == diag::err_conflicting_types && Name)
    Conflicting = Name->getName().str();
  if (Id == diag::err_auto_not_allowed)
    Next.Arguments.insert("-std=gnu++20"); // parameters of type auto, which GCC has before that standard
  if (Id == diag::err_target_unknown_cpu)
    Next.WithoutPrefixes.insert({"-march=", "-mcpu=", "-mtune="});

  ++Count;
  json::Object O;
  if (Info.hasSourceManager() && Info.getLocation().isValid()) {
    Places.push_back(Info.getLocation());
    PresumedLoc P = Info.getSourceManager().getPresumedLoc(Info.getLocation());
    if (P.isValid()) {
      O["file"] = json::fixUTF8(P.getFilename());
      O["line"] = P.getLine();
      O["column"] = P.getColumn();
    }
  }
  if (Shown.size() >= MaxShown)
    return;
  llvm::SmallString<256> Text;
  Info.FormatDiagnostic(Text);
  O["message"] = json::fixUTF8(Text);
  Shown.push_back(std::move(O));
}

} // namespace stridewise
