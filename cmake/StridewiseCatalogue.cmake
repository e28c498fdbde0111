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
# Thresholds and prices that programs have as constants.
set(STRIDEWISE_THRESHOLDS_H "${CMAKE_BINARY_DIR}/generated/thresholds.h")
set(STRIDEWISE_PRICES_H "${CMAKE_BINARY_DIR}/generated/prices.h")
set(PRICES "${CMAKE_CURRENT_SOURCE_DIR}/stridewise/machine")
add_custom_command(
  OUTPUT "${STRIDEWISE_THRESHOLDS_H}" "${STRIDEWISE_PRICES_H}"
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}" "${Python3_EXECUTABLE}" -m
          stridewise.catalogue limits "${STRIDEWISE_THRESHOLDS_H}"
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}" "${Python3_EXECUTABLE}" -m
          stridewise.machine.price_table "${STRIDEWISE_PRICES_H}"
  DEPENDS ${STRIDEWISE_RULE_FILES} "${CMAKE_CURRENT_SOURCE_DIR}/stridewise/catalogue/__init__.py"
          "${CMAKE_CURRENT_SOURCE_DIR}/stridewise/catalogue/limits.py" "${PRICES}/prices.toml" "${PRICES}/price_table.py"
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
  COMMENT "Writing thresholds and prices as constants"
  VERBATIM)
add_custom_target(stridewise_catalogue ALL DEPENDS "${STRIDEWISE_CATALOGUE_INC}" "${STRIDEWISE_THRESHOLDS_H}"
                                                   "${STRIDEWISE_PRICES_H}")
