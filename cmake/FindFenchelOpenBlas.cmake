# SPDX-License-Identifier: Apache-2.0
# fenchel::openblas: BLAS and LAPACK from OpenBLAS, its OpenMP variant where several are installed.
# Used by the build and, from the installed folder, by fenchel-config.cmake: the library is looked up
# on the machine that links, and no path of the machine that built is recorded.
find_library(FENCHEL_OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-openmp)
find_path(FENCHEL_OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-openmp openblas)
mark_as_advanced(FENCHEL_OPENBLAS_LIBRARY FENCHEL_OPENBLAS_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FenchelOpenBlas
  REQUIRED_VARS FENCHEL_OPENBLAS_LIBRARY FENCHEL_OPENBLAS_INCLUDE_DIR)
if(FenchelOpenBlas_FOUND AND NOT TARGET fenchel::openblas)
  add_library(fenchel::openblas INTERFACE IMPORTED)
  target_link_libraries(fenchel::openblas INTERFACE "${FENCHEL_OPENBLAS_LIBRARY}")
  target_include_directories(fenchel::openblas INTERFACE "${FENCHEL_OPENBLAS_INCLUDE_DIR}")
endif()
