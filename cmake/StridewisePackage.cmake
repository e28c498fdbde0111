# Makes find_package(Stridewise) work, from the installation and from this build tree (-DStridewise_DIR=<build>).
include(CMakePackageConfigHelpers)
set(PACKAGE_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Stridewise")

set(LAUNCHER_PATH "${CMAKE_INSTALL_BINDIR}/stridewise-cc")
set(PLUGIN_PATH "${CMAKE_INSTALL_LIBDIR}/stridewise/stridewise-clang.so")
set(SHARE_LAUNCHER_PATH "${CMAKE_INSTALL_BINDIR}/stridewise-share-cc")
configure_package_config_file(
  cmake/StridewiseConfig.cmake.in "${CMAKE_BINARY_DIR}/generated/StridewiseConfig.cmake"
  INSTALL_DESTINATION "${PACKAGE_DESTINATION}"
  PATH_VARS LAUNCHER_PATH PLUGIN_PATH SHARE_LAUNCHER_PATH
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/StridewiseConfigVersion.cmake" COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(FILES "${CMAKE_BINARY_DIR}/generated/StridewiseConfig.cmake" "${CMAKE_BINARY_DIR}/StridewiseConfigVersion.cmake"
        DESTINATION "${STRIDEWISE_ROOT}${PACKAGE_DESTINATION}")

set(PACKAGE_INIT "")
set(PACKAGE_LAUNCHER_PATH "${CMAKE_BINARY_DIR}/bin/stridewise-cc")
set(PACKAGE_PLUGIN_PATH "${CMAKE_BINARY_DIR}/lib/stridewise-clang.so")
set(PACKAGE_SHARE_LAUNCHER_PATH "${CMAKE_BINARY_DIR}/bin/stridewise-share-cc")
configure_file(cmake/StridewiseConfig.cmake.in "${CMAKE_BINARY_DIR}/StridewiseConfig.cmake" @ONLY)
