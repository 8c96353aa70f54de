# Third-party libraries. All that are missing are told at once, by the names of their Debian packages.
set(antiphon_missing "")

macro(antiphon_need found what package)
  if(NOT ${found})
    string(APPEND antiphon_missing "\n  ${what} (Debian: ${package})")
  endif()
endmacro()

macro(antiphon_find_package name package)
  find_package(${name} QUIET)
  antiphon_need(${name}_FOUND ${name} ${package})
endmacro()

macro(antiphon_find_pkgconfig name package)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${ARGN})
  endif()
  antiphon_need(${name}_FOUND "${ARGN}" ${package})
endmacro()

# Headers without a CMake config of their own.
function(antiphon_find_header name file package)
  cmake_parse_arguments(ARG "" "" "SUFFIXES;HINTS" ${ARGN})
  find_path(${name}_INCLUDE_DIR ${file} PATH_SUFFIXES ${ARG_SUFFIXES} HINTS ${ARG_HINTS})
  mark_as_advanced(${name}_INCLUDE_DIR)
  antiphon_need(${name}_INCLUDE_DIR ${file} ${package})
  set(antiphon_missing "${antiphon_missing}" PARENT_SCOPE)
  add_library(antiphon_dep_${name} INTERFACE)
  if(${name}_INCLUDE_DIR)
    target_include_directories(antiphon_dep_${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
antiphon_find_package(PkgConfig pkg-config)
antiphon_find_package(yaml-cpp libyaml-cpp-dev)
antiphon_find_package(pugixml libpugixml-dev)
antiphon_find_package(nlohmann_json nlohmann-json3-dev)
antiphon_find_package(fmt libfmt-dev)
antiphon_find_package(spdlog libspdlog-dev)
antiphon_find_package(CLI11 libcli11-dev)
antiphon_find_pkgconfig(spirv_cross libspirv-cross-c-shared-dev spirv-cross-c-shared)
antiphon_find_package(SPIRV-Tools spirv-tools)
antiphon_find_package(SPIRV-Tools-opt spirv-tools)
# Its CMake file wants the program, too, which the package only suggests.
antiphon_find_package(glslang "glslang-dev glslang-tools")
find_library(SHADERC_LIBRARY shaderc_combined)
mark_as_advanced(SHADERC_LIBRARY)
antiphon_need(SHADERC_LIBRARY shaderc_combined libshaderc-dev)
antiphon_need(GLSLC glslc glslc)
if(ANTIPHON_BUILD_SAMPLES)
  antiphon_find_pkgconfig(libav "libavformat-dev libavcodec-dev libswscale-dev libavutil-dev"
                          libavformat libavcodec libswscale libavutil)
endif()
if(ANTIPHON_BUILD_TESTS)
  antiphon_find_package(doctest doctest-dev)
endif()
if(ANTIPHON_BUILD_PERF)
  antiphon_find_package(benchmark libbenchmark-dev)
  antiphon_find_package(TBB libtbb-dev)
endif()

# VMA is not in Debian 12; ./dev setup unpacks Debian 13's header here.
set(ANTIPHON_VMA_DIR ${PROJECT_SOURCE_DIR}/build/deps/vma/usr/include
    CACHE PATH "Where vk_mem_alloc.h is looked for first")
antiphon_find_header(vulkan vulkan/vulkan.h libvulkan-dev)
antiphon_find_header(volk volk.c libvulkan-volk-dev)
antiphon_find_header(vma vk_mem_alloc.h libvulkan-memory-allocator-dev
                     HINTS ${ANTIPHON_VMA_DIR} SUFFIXES vma)
antiphon_find_header(asio asio.hpp libasio-dev)
antiphon_find_header(concurrentqueue concurrentqueue.h libconcurrentqueue-dev
                     SUFFIXES concurrentqueue concurrentqueue/moodycamel)
target_compile_definitions(antiphon_dep_asio INTERFACE ASIO_NO_DEPRECATED)
if("thread" IN_LIST ANTIPHON_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Both have fences, which the thread sanitizer does not know; ours has none.
  target_compile_options(antiphon_dep_asio INTERFACE -Wno-tsan)
  target_compile_options(antiphon_dep_concurrentqueue INTERFACE -Wno-tsan)
endif()

if(antiphon_missing)
  message(FATAL_ERROR "What antiphon is built from is not all here. Missing:${antiphon_missing}\n"
                      "On Debian 12 and 13, ./dev setup gets it.")
endif()

# One name for what was renamed: yaml-cpp 0.8 (Debian 13) warns about the target of 0.7 (Debian 12).
add_library(antiphon_dep_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(antiphon_dep_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(antiphon_dep_yaml INTERFACE yaml-cpp)
endif()

# Debian 12's libshaderc.so names no library for the symbols of glslang that it lacks: the archive is taken, with
# glslang behind it.
add_library(antiphon_dep_shaderc INTERFACE)
target_link_libraries(antiphon_dep_shaderc INTERFACE ${SHADERC_LIBRARY} glslang::SPIRV glslang::glslang
                                                     SPIRV-Tools-opt SPIRV-Tools-static)
