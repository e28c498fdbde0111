# Installs Clang's own headers beside the analyser, of the version that it is linked with: no machine has to have them.
option(STRIDEWISE_CLANG_HEADERS "Install Clang's own headers beside the analyser" ON)

# CLANG: the driver of that version. Nothing happens where it, or its headers, are missing.
function(stridewise_clang_headers CLANG)
  if(NOT STRIDEWISE_CLANG_HEADERS)
    return()
  endif()
  execute_process(COMMAND "${CLANG}" -print-resource-dir OUTPUT_VARIABLE RESOURCES OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET)
  if(EXISTS "${RESOURCES}/include/stddef.h")
    install(DIRECTORY "${RESOURCES}/include" DESTINATION "${STRIDEWISE_LIBDIR}/clang")
  endif()
endfunction()
