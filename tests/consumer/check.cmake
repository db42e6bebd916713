# SPDX-License-Identifier: Apache-2.0
# Installs the library, moves the installed folder, then builds and runs the consumer against it.
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
