# Runs structure.cmake on tree/ and compares what it says with faults.txt, line by line.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_CURRENT_LIST_DIR}/tree
          -D DECLARED=${CMAKE_CURRENT_LIST_DIR}/tree/declared.cmake
          -P ${CMAKE_CURRENT_LIST_DIR}/structure.cmake
  RESULT_VARIABLE code ERROR_VARIABLE said)
string(REGEX REPLACE "CMake Error.*" "" said "${said}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/faults.txt expected)
if(code EQUAL 0)
  message(FATAL_ERROR "it found nothing to blame")
endif()
if(NOT said STREQUAL expected)
  message(FATAL_ERROR "it said\n${said}\nand not\n${expected}")
endif()
