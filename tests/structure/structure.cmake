# Holds every #include and the table in docs/architecture.md against what the modules declare.
#
#   cmake -D ROOT=<tree> -D DECLARED=<file> -P structure.cmake
#
# DECLARED sets `modules` (in the order of their declaration), `half_NAME` and `uses_NAME` for each, and
# `program_NAME` for one that need not use all that it may. Says all that is wrong, one a line, and fails
# if anything is.
cmake_minimum_required(VERSION 3.25)
include(${DECLARED})

function(fault text)
  set_property(GLOBAL APPEND PROPERTY faults "${text}")
endfunction()

# Third-party headers and who may include them. `any`: every module, program and test.
set(third_party
  "^(volk\\.|vk_mem_alloc\\.h|vulkan/)" device/vulkan
  "^spdlog/" trace
  "^(yaml-cpp/|pugixml\\.hpp)" io
  "^CLI/" cli
  "^(asio\\.hpp|asio/)" executor
  "^(blocking)?concurrentqueue\\.h" executor
  "^(spirv_cross/|spirv_cross_c\\.h|spirv-tools/|shaderc/)" kernels
  "^(fmt/|nlohmann/)" any)

# Public headers by the module that implements them: whoever includes one uses that module.
set(public_base diagnostic error phase_sequence place)
set(public_graph cpu_function graph kernel message_type)
set(public_profile device_profile)
set(public_report render)
set(public_check bounds check sizes)
set(public_io draw graph_file)
set(public_trace log)
set(public_engine runtime)

# Includes of `file`, as they are written: <x> or "x".
function(includes_of file result)
  file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]" ENCODING UTF-8)
  set(found "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "[<\"][^>\"]*[>\"]" name "${line}")
    list(APPEND found "${name}")
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The module in whose folder `path` (relative to runtime/) lies: the longest that fits. Empty: none.
function(module_of path result)
  set(best "")
  foreach(module IN LISTS modules)
    string(FIND "${path}" "${module}/" at)
    string(LENGTH "${module}" length)
    string(LENGTH "${best}" best_length)
    if(at EQUAL 0 AND length GREATER best_length)
      set(best ${module})
    endif()
  endforeach()
  set(${result} "${best}" PARENT_SCOPE)
endfunction()

# The module that implements <antiphon/`header`.hpp>. Empty: none.
function(owner_of header result)
  set(${result} "" PARENT_SCOPE)
  foreach(module IN LISTS modules)
    if(header IN_LIST public_${module})
      set(${result} ${module} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# A standard header has no suffix; what the system itself gives is named here.
function(check_third_party where owner name)
  if(name MATCHES "^([a-z0-9_]+|(sys|linux)/[a-z_]+\\.h|(unistd|fcntl|poll|spawn|dlfcn|pthread|sched)\\.h)$")
    return()
  endif()
  set(patterns ${third_party})
  while(patterns)
    list(POP_FRONT patterns pattern allowed)
    if(name MATCHES "${pattern}")
      if(NOT allowed STREQUAL "any" AND NOT allowed STREQUAL owner)
        fault("${where} includes <${name}>, which belongs to ${allowed} alone")
      endif()
      return()
    endif()
  endwhile()
  fault("${where} includes <${name}>, a library that no module owns (tests/structure/structure.cmake)")
endfunction()

# --- the arrows point down -----------------------------------------------------------------------------

set(before "")
foreach(module IN LISTS modules)
  foreach(used IN LISTS uses_${module})
    if(NOT used IN_LIST modules)
      fault("module ${module} uses ${used}, which is no module")
    elseif(NOT used IN_LIST before)
      fault("module ${module} uses ${used}, which is not below it: declare ${used} first, or turn the arrow round")
    endif()
    if(half_${module} STREQUAL "check" AND half_${used} STREQUAL "run")
      fault("module ${module} is in the check's half and uses ${used}, which is not")
    endif()
  endforeach()
  list(APPEND before ${module})
endforeach()

# --- modules include only what they declare --------------------------------------------------------------

file(GLOB_RECURSE sources RELATIVE ${ROOT}/runtime ${ROOT}/runtime/*.hpp ${ROOT}/runtime/*.cpp)
foreach(source IN LISTS sources)
  module_of(${source} module)
  set(where runtime/${source})
  if(module STREQUAL "")
    fault("${where} is in no module")
    continue()
  endif()
  includes_of(${ROOT}/runtime/${source} names)
  foreach(quoted IN LISTS names)
    string(SUBSTRING "${quoted}" 0 1 mark)
    string(REGEX REPLACE "[<>\"]" "" name "${quoted}")
    if(mark STREQUAL "\"")
      module_of(${name} used)
      if(used STREQUAL "" OR NOT EXISTS ${ROOT}/runtime/${name})
        fault("${where} includes \"${name}\", which is no \"module/file\"")
        continue()
      endif()
    elseif(name MATCHES "^antiphon/(.*)\\.hpp$")
      set(header ${CMAKE_MATCH_1})
      owner_of(${header} used)
      if(used STREQUAL "")
        fault("${where} includes <${name}>, which no module implements (tests/structure/structure.cmake)")
        continue()
      endif()
    elseif(name MATCHES "^kernels/")  # made by antiphon_kernels() for this target
      continue()
    else()
      check_third_party(${where} ${module} ${name})
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY really_used_${module} ${used})
    if(NOT used STREQUAL module AND NOT used IN_LIST uses_${module})
      fault("${where} includes ${quoted}, but ${module} does not declare that it uses ${used}")
    endif()
  endforeach()
endforeach()

foreach(module IN LISTS modules)
  get_property(used GLOBAL PROPERTY really_used_${module})
  foreach(declared IN LISTS uses_${module})
    if(NOT declared IN_LIST used AND NOT program_${module})
      fault("module ${module} declares that it uses ${declared}, but includes nothing of it")
    endif()
  endforeach()
endforeach()

# --- public headers and samples see only the public ------------------------------------------------------

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/include/*.hpp)
foreach(header IN LISTS headers)
  includes_of(${ROOT}/${header} names)
  foreach(quoted IN LISTS names)
    if(quoted MATCHES "^<[a-z0-9_]+>$")
      continue()
    elseif(NOT quoted MATCHES "^<antiphon/(.*)>$")
      fault("${header} includes ${quoted}: a public header shows the standard library and <antiphon/…> alone")
    elseif(NOT EXISTS ${ROOT}/include/antiphon/${CMAKE_MATCH_1})
      fault("${header} includes ${quoted}, which does not exist")
    endif()
  endforeach()
  file(READ ${ROOT}/${header} text)
  string(REGEX MATCHALL "\n" lines "${text}")
  list(LENGTH lines length)
  if(length GREATER 300)
    fault("${header} has ${length} lines, and 300 are enough for one noun")
  endif()
endforeach()

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/samples/*.hpp ${ROOT}/samples/*.cpp)
foreach(source IN LISTS sources)
  includes_of(${ROOT}/${source} names)
  foreach(quoted IN LISTS names)
    string(REGEX REPLACE "[<>\"]" "" name "${quoted}")
    if(EXISTS ${ROOT}/runtime/${name})
      fault("${source} includes ${quoted}: a sample sees what a user sees, <antiphon/…>")
    endif()
  endforeach()
endforeach()

# --- docs/architecture.md says the same ------------------------------------------------------------------

set(rows "")
if(EXISTS ${ROOT}/docs/architecture.md)
  file(STRINGS ${ROOT}/docs/architecture.md rows REGEX "^\\| `" ENCODING UTF-8)
endif()
set(expected ${modules})
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^\\| `([^`]*)` *\\|.*\\|([^|]*)\\| *$")
    fault("docs/architecture.md has a row that is not | `module` | what it is | what it uses |: ${row}")
    continue()
  endif()
  set(module ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_2}" said)
  string(JOIN ", " declared ${uses_${module}})
  if(declared STREQUAL "")
    set(declared "–")
  endif()
  if(NOT module IN_LIST modules)
    fault("docs/architecture.md has a row for ${module}, which is no module")
  elseif(NOT said STREQUAL declared)
    fault("docs/architecture.md says that ${module} uses ${said}, and it declares ${declared}")
  endif()
  list(REMOVE_ITEM expected ${module})
endforeach()
foreach(module IN LISTS expected)
  fault("docs/architecture.md has no row for module ${module}")
endforeach()

get_property(faults GLOBAL PROPERTY faults)
if(faults)
  list(LENGTH faults count)
  string(JOIN "\n" text ${faults})
  message("${text}")
  message(FATAL_ERROR "${count} faults in the structure")
endif()
