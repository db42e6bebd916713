# SPDX-License-Identifier: Apache-2.0
# Installs the library, moves the installed folder, then builds and runs the consumer against it: with find_package and,
# where it is there, with pkg-config.
# usage: cmake -DBUILD=… -DSOURCE=… -DGENERATOR=… -DMAKE_PROGRAM=… -DCOMPILER=… -DBUILD_TYPE=… -P check.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed with ${status}:\n${output}")
  endif()
endfunction()

set(work ${BUILD}/consumer)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed)
file(RENAME ${work}/installed ${prefix})

# Folders of the usual names, and nothing else: a prefix may be /usr/local.
file(GLOB top RELATIVE ${prefix} ${prefix}/*)
foreach(name IN LISTS top)
  if(NOT name MATCHES "^(bin|include|lib|lib64|share)$")
    message(FATAL_ERROR "${name} is installed at the root of the prefix")
  endif()
endforeach()

file(GLOB_RECURSE pc_file ${prefix}/fenchel.pc)
file(READ ${pc_file} text)
if(text MATCHES "${BUILD}")
  message(FATAL_ERROR "${pc_file} names ${BUILD}: the installed files would not work elsewhere")
endif()
file(GLOB_RECURSE config_files ${prefix}/*.cmake)
foreach(file IN LISTS config_files)
  file(READ ${file} text)
  foreach(word ${BUILD} nlohmann Boost libopenblas libhwy)
    string(FIND "${text}" "${word}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${word}: the installed files would not work elsewhere")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${prefix}/bin/fenchel losses)

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  cmake_path(GET pc_file PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs --static fenchel OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} ${SOURCE}/main.cpp -o ${work}/by_pkg_config ${flags})
  run(${work}/by_pkg_config)
else()
  message("pkg-config is not there: fenchel.pc was not tried")
endif()

# A type that lacks a part is refused in one line that names it.
file(GLOB wrong_programs ${SOURCE}/wrong/*.cpp)
foreach(program IN LISTS wrong_programs)
  file(STRINGS ${program} expected REGEX "^// expected: ")
  string(REPLACE "// expected: " "" expected "${expected}")
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${prefix}/include ${program}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "error: [^\n]*" errors "${output}")
  list(LENGTH errors count)
  string(FIND "${errors}" "${expected}" position)
  if(status EQUAL 0 OR NOT count EQUAL 1 OR position EQUAL -1)
    message(FATAL_ERROR "${program}: expected one error, \"${expected}\"; the compiler says:\n${output}")
  endif()
endforeach()
