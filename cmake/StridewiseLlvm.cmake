# stridewise_llvm: Clang and LLVM for programs of our own.
#
# A program that loads libclang-cpp.so and libLLVM.so spends more time on their half a million relocations than on a
# small C file. So it is linked with the static archives, and at a fixed address, which needs no relocation at all;
# with the shared libraries only where the archives, or the libraries that they need, are not installed.
option(STRIDEWISE_STATIC_LLVM "Link the analyser with LLVM's static libraries, where they are installed" ON)

add_library(stridewise_llvm INTERFACE)

# Clang's own libraries that these need, without LLVM's.
function(stridewise_clang_closure OUT)
  set(FOUND "")
  set(QUEUE ${ARGN})
  while(QUEUE)
    list(POP_FRONT QUEUE NAME)
    if(NAME MATCHES "^clang" AND NOT NAME IN_LIST FOUND)
      list(APPEND FOUND ${NAME})
      get_target_property(NEEDED ${NAME} INTERFACE_LINK_LIBRARIES)
      if(NEEDED)
        list(APPEND QUEUE ${NEEDED})
      endif()
    endif()
  endwhile()
  set(${OUT} ${FOUND} PARENT_SCOPE)
endfunction()

set(ARCHIVES "")
if(STRIDEWISE_STATIC_LLVM)
  find_library(STRIDEWISE_ZLIB NAMES z libz.so.1)
  find_library(STRIDEWISE_ZSTD NAMES zstd libzstd.so.1)
  mark_as_advanced(STRIDEWISE_ZLIB STRIDEWISE_ZSTD)
  stridewise_clang_closure(CLANG_NEEDED clangASTMatchers clangCodeGen clangDriver clangFrontend clangTooling)
  set(MISSING "")
  foreach(NAME ${CLANG_NEEDED} ${LLVM_AVAILABLE_LIBS})
    if(EXISTS "${LLVM_LIBRARY_DIR}/lib${NAME}.a")
      list(APPEND ARCHIVES "${LLVM_LIBRARY_DIR}/lib${NAME}.a")
    elseif(NAME IN_LIST CLANG_NEEDED OR NAME STREQUAL "LLVMPasses")
      list(APPEND MISSING ${NAME})
    endif()
  endforeach()
  if(MISSING OR NOT STRIDEWISE_ZLIB OR NOT STRIDEWISE_ZSTD)
    message(STATUS "No static LLVM (${MISSING}; zlib ${STRIDEWISE_ZLIB}, zstd ${STRIDEWISE_ZSTD}): slower start")
    set(ARCHIVES "")
  endif()
endif()

set(STRIDEWISE_LLVM_IS_STATIC OFF)
if(ARCHIVES)
  set(STRIDEWISE_LLVM_IS_STATIC ON)
  target_link_libraries(stridewise_llvm INTERFACE -Wl,--start-group ${ARCHIVES} -Wl,--end-group ${STRIDEWISE_ZLIB}
                                                  ${STRIDEWISE_ZSTD} ${CMAKE_DL_LIBS} pthread m)
  target_link_options(stridewise_llvm INTERFACE -no-pie -Wl,--gc-sections)
else()
  target_link_libraries(stridewise_llvm INTERFACE clang-cpp LLVM)
endif()
