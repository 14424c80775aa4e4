# Installs the build in BUILD_DIR, builds a program of its own with the package, and runs it if there is a daemon at
# MEMORYD_ADDRESS.
set(folder "${BUILD_DIR}/installed")
file(REMOVE_RECURSE "${folder}")

foreach(step
    "--install;${BUILD_DIR};--prefix;${folder}/prefix"
    "-S;${CMAKE_CURRENT_LIST_DIR};-B;${folder}/build;-G;${GENERATOR};-DCMAKE_PREFIX_PATH=${folder}/prefix"
    "--build;${folder}/build")
  execute_process(COMMAND "${CMAKE_COMMAND}" ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

foreach(name LICENSE NOTICE)
  file(GLOB_RECURSE found "${folder}/prefix/*/${name}")
  if(NOT found)
    message(FATAL_ERROR "the package has no ${name}")
  endif()
endforeach()

if(DEFINED ENV{MEMORYD_ADDRESS})
  execute_process(COMMAND "${folder}/build/installed" COMMAND_ERROR_IS_FATAL ANY)
endif()
