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
    # Two instruction sets are enough to find mistakes, and instrumented kernels take long to compile.
    target_compile_definitions(${target} PRIVATE
      "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
  endif()
endfunction()
