# Where things are installed: STRIDEWISE_{BIN,LIB,LIBEXEC,DATA,MAN}DIR and the like for install(). The tree works
# wherever it is moved to; in a wheel it lies below the environment's prefix, as below any other.
if(NOT STRIDEWISE_NATIVE AND NOT DEFINED CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib) # without a compiler GNUInstallDirs cannot know
endif()
if(DEFINED SKBUILD)
  set(CMAKE_INSTALL_LIBDIR lib)
  set(STRIDEWISE_ROOT "${SKBUILD_DATA_DIR}/")
else()
  set(STRIDEWISE_ROOT "")
endif()
include(GNUInstallDirs)
set(STRIDEWISE_BINDIR "${STRIDEWISE_ROOT}${CMAKE_INSTALL_BINDIR}")
set(STRIDEWISE_LIBDIR "${STRIDEWISE_ROOT}${CMAKE_INSTALL_LIBDIR}/stridewise")
set(STRIDEWISE_LIBEXECDIR "${STRIDEWISE_ROOT}${CMAKE_INSTALL_LIBEXECDIR}/stridewise")
set(STRIDEWISE_SHAREDIR "${STRIDEWISE_ROOT}${CMAKE_INSTALL_DATAROOTDIR}")

# The rules with the kernels that explain shows, without what only tests need.
install(DIRECTORY rules/ DESTINATION "${STRIDEWISE_SHAREDIR}/stridewise/rules"
        PATTERN "__pycache__" EXCLUDE PATTERN "cases" EXCLUDE)

# For programs that mark their phases.
install(FILES runtime/phases/stridewise.h DESTINATION "${STRIDEWISE_ROOT}${CMAKE_INSTALL_INCLUDEDIR}")

# Manual page and, where shtab is installed, shell completions; made from the command line's own parser.
set(SHELL_FILES "${CMAKE_BINARY_DIR}/share")
file(GLOB COMMAND_SOURCES CONFIGURE_DEPENDS stridewise/*.py)
add_custom_command(
  OUTPUT "${SHELL_FILES}/man/man1/stridewise.1"
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}:$ENV{PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
          "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/scripts/make_shell_files.py" "${SHELL_FILES}"
  DEPENDS scripts/make_shell_files.py ${COMMAND_SOURCES} ${STRIDEWISE_RULE_FILES}
  COMMENT "Writing the manual page and the shell completions"
  VERBATIM)
add_custom_target(stridewise_shell_files ALL DEPENDS "${SHELL_FILES}/man/man1/stridewise.1")
install(DIRECTORY "${SHELL_FILES}/" DESTINATION "${STRIDEWISE_SHAREDIR}")

# The command and its package; a wheel has both by itself. Python's path is that of the interpreter itself, not of the
# environment that the build used.
if(NOT DEFINED SKBUILD)
  set(STRIDEWISE_INSTALL_PYTHON "" CACHE FILEPATH "Interpreter of the installed command (the build's if empty)")
  set(python "${STRIDEWISE_INSTALL_PYTHON}")
  if(NOT python)
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import os, sys; print(os.path.realpath(sys.executable))"
                    OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  file(RELATIVE_PATH package "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_DATAROOTDIR}/stridewise/python")
  configure_file(cmake/stridewise-installed.in "${CMAKE_BINARY_DIR}/generated/stridewise" @ONLY)
  install(PROGRAMS "${CMAKE_BINARY_DIR}/generated/stridewise" DESTINATION "${STRIDEWISE_BINDIR}")
  install(FILES cmake/start.py DESTINATION "${STRIDEWISE_SHAREDIR}/stridewise/python")
  install(DIRECTORY stridewise DESTINATION "${STRIDEWISE_SHAREDIR}/stridewise/python" PATTERN "__pycache__" EXCLUDE)

  # Whoever runs the command often may not write there. Distributions compile when their package is installed.
  option(STRIDEWISE_BYTECODE "Compile the Python files when they are installed" ON)
  if(STRIDEWISE_BYTECODE)
    install(CODE "set(python \"${python}\")
      set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/stridewise/python\")
      execute_process(COMMAND \"\${python}\" -m compileall -q --invalidation-mode unchecked-hash
                              -s \"\${place}\" -p stridewise \"\${place}\")")
  endif()
endif()
