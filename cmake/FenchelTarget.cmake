# SPDX-License-Identifier: Apache-2.0
# Settings that every target of the project shares.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(FENCHEL_CCACHE ccache)
  mark_as_advanced(FENCHEL_CCACHE)
  if(FENCHEL_CCACHE)
    # The sloppiness is what ccache asks for to cache files that use a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FENCHEL_CCACHE})
  endif()
endif()

function(fenchel_configure_target target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  # Contraction is off so that results do not depend on what the compiler chooses to fuse;
  # kernels ask for fused multiply-adds explicitly.
  # Designated initialisers leave members to their defaults on purpose.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wconversion
                                           -Wno-missing-field-initializers)
  if(FENCHEL_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(FENCHEL_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${FENCHEL_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${FENCHEL_SANITIZE})
    # Two instruction sets are enough to find mistakes, and instrumented kernels take long to compile. Fuzzing looks for
    # mistakes in what reads files: one is enough.
    if(FENCHEL_SANITIZE MATCHES fuzzer)
      target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_STATIC)
    else()
      target_compile_definitions(${target} PRIVATE
        "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
    endif()
  endif()
endfunction()

# fenchel_precompile_headers(TARGET HEADER...): files of the target find these headers parsed already. That files still
# name what they include is checked by compile_alone (scripts/check_headers), which compiles the same files without,
# unoptimised. Its commands are what clang-tidy and editors read: they do not know GCC's precompiled headers.
# After the target's libraries and options are set.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(compile_alone)
endif()
function(fenchel_precompile_headers target)
  if(PROJECT_IS_TOP_LEVEL)
    set(alone ${target}_alone)
    get_target_property(sources ${target} SOURCES)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(options ${target} COMPILE_OPTIONS)
    add_library(${alone} OBJECT EXCLUDE_FROM_ALL ${sources})
    set_target_properties(${alone} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden)
    target_compile_features(${alone} PRIVATE cxx_std_20)
    target_link_libraries(${alone} PRIVATE ${libraries})
    target_include_directories(${alone} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_options(${alone} PRIVATE ${options} -O0)
    add_dependencies(compile_alone ${alone})
    set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
endfunction()

# fenchel_unite_sources(TARGET [EXCEPT REGEX]): compiles files of one folder together, so that the headers they share
# are parsed and instantiated once: names in unnamed namespaces are unique in a folder. Files that REGEX matches stay
# apart. Files are compiled one by one, too, by compile_alone.
option(FENCHEL_UNITE_SOURCES "Compile files of a folder together" ON)
set(FENCHEL_UNITED_FILES 8)  # more would compile little faster, and wait longer after a change of one of them
function(fenchel_unite_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" EXCEPT "")
  if(NOT FENCHEL_UNITE_SOURCES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(last "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE relative)
    cmake_path(RELATIVE_PATH relative BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(arg_EXCEPT AND relative MATCHES "${arg_EXCEPT}")
      continue()
    endif()
    cmake_path(GET relative PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(last "${folder}")
      set(number 0)
    endif()
    math(EXPR group "${number} / ${FENCHEL_UNITED_FILES}")
    math(EXPR number "${number} + 1")
    string(REPLACE "/" "_" name "${folder}_${group}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()
