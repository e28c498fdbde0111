# STRIDEWISE_STATIC_FLAGS: how to link a program that needs no library of the machine at all, and so runs on any Linux,
# whatever its C library. Empty where that cannot be done, as with sanitizers.
option(STRIDEWISE_STATIC "Link the programs without shared libraries, where the static ones are installed" ON)
set(STRIDEWISE_STATIC_FLAGS "")
if(STRIDEWISE_STATIC AND CMAKE_CXX_COMPILER)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -static STRIDEWISE_HAVE_STATIC)
  if(STRIDEWISE_HAVE_STATIC)
    set(STRIDEWISE_STATIC_FLAGS -static)
  endif()
endif()
