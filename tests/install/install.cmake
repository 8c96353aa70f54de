# One step of the install test; CMakeLists.txt here says which there are and what they are given.
cmake_minimum_required(VERSION 3.25)

set(whole ${TREE}/whole)
set(check_alone ${TREE}/check-alone)
set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)

# Runs a command; its output is shown when it fails, and is in `said` after.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\nended with ${code}:\n${out}")
  endif()
  set(said "${out}" PARENT_SCOPE)
endfunction()

# Configures the consumer against the tree at `prefix`, which must work, and builds it.
function(build_consumer prefix folder)
  file(REMOVE_RECURSE ${folder})
  run(${CMAKE_COMMAND} -G Ninja -S ${consumer} -B ${folder} -D CMAKE_CXX_COMPILER=${CXX}
      -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_PREFIX_PATH=${prefix} ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder})
endfunction()

if(STEP STREQUAL "tree")
  # Installed in one place and moved to another: nothing in it may know where it was.
  foreach(prefix IN ITEMS ${whole} ${check_alone})
    file(REMOVE_RECURSE ${prefix} ${prefix}-first)
  endforeach()
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${whole}-first)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${check_alone}-first --component check)
  file(RENAME ${whole}-first ${whole})
  file(RENAME ${check_alone}-first ${check_alone})

elseif(STEP STREQUAL "check_alone")
  build_consumer(${check_alone} ${TREE}/consumer-check -D PARTS=check)
  run(${TREE}/consumer-check/checks)
  # The whole is not there, and it is said what is.
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${consumer} -B ${TREE}/consumer-none
                          -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${check_alone}
                  RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
  if(code EQUAL 0 OR NOT said MATCHES "COMPONENTS[ \n]+check")
    message(FATAL_ERROR "asking for the whole where only the check is ended with ${code}:\n${said}")
  endif()

elseif(STEP STREQUAL "whole")
  build_consumer(${whole} ${TREE}/consumer-whole)
  run(${TREE}/consumer-whole/checks)
  run(${TREE}/consumer-whole/runs)

elseif(STEP STREQUAL "pkg_config")
  set(ENV{PKG_CONFIG_PATH} ${whole}/${LIBDIR}/pkgconfig)
  set(ENV{LD_LIBRARY_PATH} ${whole}/${LIBDIR})
  file(MAKE_DIRECTORY ${TREE}/pkg-config)
  run(${PKG_CONFIG} --cflags --libs antiphon-check)
  separate_arguments(arguments UNIX_COMMAND "${said}")
  run(${CXX} -std=c++20 ${FLAGS} ${consumer}/checks.cpp -o ${TREE}/pkg-config/checks ${arguments})
  run(${TREE}/pkg-config/checks)
  run(${PKG_CONFIG} --print-requires antiphon)
  if(NOT said MATCHES "antiphon-check")
    message(FATAL_ERROR "antiphon.pc does not require antiphon-check: ${said}")
  endif()

elseif(STEP STREQUAL "made")
  foreach(file IN ITEMS ${DATADIR}/bash-completion/completions/antiphon ${DATADIR}/zsh/site-functions/_antiphon
                        ${DATADIR}/fish/vendor_completions.d/antiphon.fish ${MANDIR}/man1/antiphon.1)
    file(READ ${whole}/${file} text)
    if(NOT text MATCHES "convert.*(--|-l |\\\\-\\\\-)force")
      message(FATAL_ERROR "${whole}/${file} does not know `convert --force`:\n${text}")
    endif()
  endforeach()

elseif(STEP STREQUAL "program")
  run(${whole}/bin/antiphon --version)
  if(NOT said MATCHES "[0-9]+\\.[0-9]+\\.[0-9]+")
    message(FATAL_ERROR "antiphon --version says: ${said}")
  endif()
  foreach(file IN ITEMS bin/antiphon ${LIBDIR}/libantiphon-check.so ${LIBDIR}/libantiphon.so)
    run(${READELF} --dynamic ${whole}/${file})
    if(said MATCHES "libvulkan")
      message(FATAL_ERROR "${file} needs libvulkan:\n${said}")
    endif()
    if(said MATCHES "R(UN)?PATH[^\n]*\\[([^\n]*)\\]" AND NOT CMAKE_MATCH_2 MATCHES "^\\$ORIGIN")
      message(FATAL_ERROR "${file} looks for libraries in ${CMAKE_MATCH_2}")
    endif()
  endforeach()

elseif(STEP STREQUAL "exports")
  # By their mangled names, since a function template's return type comes first in the other form.
  foreach(library IN ITEMS libantiphon-check.so libantiphon.so)
    run(${NM} --dynamic --defined-only ${whole}/${LIBDIR}/${library})
    string(REGEX MATCHALL "[^\n]+" lines "${said}")
    list(LENGTH lines count)
    list(FILTER lines EXCLUDE REGEX "^[0-9a-f]+ [A-Za-z] _Z(NK?|T[ISTV]N|lsRSoRKN)8antiphon")
    if(lines OR count LESS 10)
      string(JOIN "\n" text ${lines})
      message(FATAL_ERROR "${library} shows ${count} names, and these are not antiphon's:\n${text}")
    endif()
  endforeach()

else()
  message(FATAL_ERROR "no such step: ${STEP}")
endif()
