# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, library, tool, and the files behind find_package(fenchel).
include(CMakePackageConfigHelpers)
set(FENCHEL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fenchel)
install(TARGETS fenchel EXPORT fenchel-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/fenchel ${PROJECT_BINARY_DIR}/include/fenchel
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT fenchel-targets NAMESPACE fenchel:: DESTINATION ${FENCHEL_CMAKE_DIR})
configure_package_config_file(cmake/fenchel-config.cmake.in fenchel-config.cmake
                              INSTALL_DESTINATION ${FENCHEL_CMAKE_DIR})
write_basic_package_version_file(fenchel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fenchel-config.cmake
              ${PROJECT_BINARY_DIR}/fenchel-config-version.cmake
              cmake/FindFenchelOpenBlas.cmake
        DESTINATION ${FENCHEL_CMAKE_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET fenchel-cli)
  install(TARGETS fenchel-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
