# The consistency check of the catalogue, at configure time and again whenever a rule or a detector changes: a declared
# detector without its file, or a file without its declaration, fails the build.
file(GLOB_RECURSE STRIDEWISE_RULE_FILES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/rules/*.toml"
     "${CMAKE_CURRENT_SOURCE_DIR}/rules/*.json")
file(GLOB STRIDEWISE_DETECTOR_FILES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/analyzer/checks/*/*.cpp"
     "${CMAKE_CURRENT_SOURCE_DIR}/stridewise/patterns/*.py")
set(STRIDEWISE_CATALOGUE_INC "${CMAKE_BINARY_DIR}/generated/catalogue.inc")
option(STRIDEWISE_CHECK_CATALOGUE "Fail the build when a rule and its detectors, kernels or texts disagree" ON)
set(CATALOGUE_CHECK_COMMAND "")
if(STRIDEWISE_CHECK_CATALOGUE)
  set(CATALOGUE_CHECK_COMMAND
      COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}" "${Python3_EXECUTABLE}" -m
      stridewise.catalogue check)
endif()
add_custom_command(
  OUTPUT "${STRIDEWISE_CATALOGUE_INC}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/generated"
  ${CATALOGUE_CHECK_COMMAND}
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}" "${Python3_EXECUTABLE}" -m
          stridewise.catalogue cpp "${STRIDEWISE_CATALOGUE_INC}"
  DEPENDS ${STRIDEWISE_RULE_FILES} ${STRIDEWISE_DETECTOR_FILES} "${CMAKE_CURRENT_SOURCE_DIR}/stridewise/catalogue/__init__.py"
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
  COMMENT "Checking the catalogue"
  VERBATIM)
add_custom_target(stridewise_catalogue ALL DEPENDS "${STRIDEWISE_CATALOGUE_INC}")
