# What a person may switch, and what holds for every target.
option(ANTIPHON_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ANTIPHON_BUILD_SAMPLES "Build the sample programs" ${PROJECT_IS_TOP_LEVEL})
option(ANTIPHON_BUILD_PERF "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(ANTIPHON_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(ANTIPHON_SANITIZE "" CACHE STRING "Sanitizers for every target: address;undefined or thread")
option(ANTIPHON_FUZZ "Build the fuzzers of tests/fuzz with libFuzzer (clang)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

add_library(antiphon_build INTERFACE)
target_compile_options(antiphon_build INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wnon-virtual-dtor -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong about `"text" + string` (GCC bug 105651).
  target_compile_options(antiphon_build INTERFACE -Wno-restrict)
endif()
# Held to g++ 12 and clang 14: what a later compiler comes to warn about must not break anybody's build.
string(REGEX MATCH "^[0-9]+" antiphon_compiler "${CMAKE_CXX_COMPILER_VERSION}")
string(PREPEND antiphon_compiler ${CMAKE_CXX_COMPILER_ID} " ")
if(ANTIPHON_WARNINGS_AS_ERRORS AND antiphon_compiler MATCHES "^(GNU 12|Clang 14)$")
  target_compile_options(antiphon_build INTERFACE -Werror)
endif()
if(ANTIPHON_SANITIZE)
  string(REPLACE ";" "," antiphon_sanitizers "${ANTIPHON_SANITIZE}")
  target_compile_options(antiphon_build INTERFACE -fsanitize=${antiphon_sanitizers}
                                                  -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # The checks that sanitizers put in hide from g++ that a variable is always set (its manual says so).
  target_compile_options(antiphon_build INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(antiphon_build INTERFACE -fsanitize=${antiphon_sanitizers})
endif()

if(ANTIPHON_FUZZ)
  target_compile_options(antiphon_build INTERFACE -fsanitize=fuzzer-no-link)
endif()

# antiphon_program(TARGET): what every program that may open a device needs.
function(antiphon_program target)
  if(ANTIPHON_SANITIZE MATCHES address)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/sanitizers/keep_loaded.cpp)
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON)
  endif()
endfunction()
