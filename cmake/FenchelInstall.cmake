# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, library, tool, and the files behind find_package(fenchel) and pkg-config.
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

# For pkg-config, which has the prefix from where the file lies unless folders are absolute.
set(FENCHEL_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(FENCHEL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(FENCHEL_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(FENCHEL_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${FENCHEL_PC_DIR} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(FENCHEL_PC_PREFIX "\${pcfiledir}/${up}")
  set(FENCHEL_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(FENCHEL_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/fenchel.pc.in fenchel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fenchel.pc DESTINATION ${FENCHEL_PC_DIR})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET fenchel-cli)
  install(TARGETS fenchel-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)  # else it cannot be run to write them
    set(FENCHEL_SHELL_DIR ${PROJECT_BINARY_DIR}/shell)
    install(FILES ${FENCHEL_SHELL_DIR}/fenchel DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${FENCHEL_SHELL_DIR}/_fenchel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${FENCHEL_SHELL_DIR}/fenchel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    install(FILES ${FENCHEL_SHELL_DIR}/fenchel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()
